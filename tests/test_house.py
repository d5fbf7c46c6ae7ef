"""The house itself: what the wheel holds, what the environments hold, and which room may know which."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The names of the files in a freshly built wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return zipfile.ZipFile(built).namelist()


def test_the_wheel_drops_no_common_name_into_site_packages(wheel: list[str]) -> None:
    tops = {name.split("/")[0] for name in wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"vision", "referee"}


@pytest.mark.parametrize(
    "name",
    [
        "referee/presets/nerts.toml",
        "referee/web/templates/page.html",
        "referee/web/templates/report.html",
        "referee/web/static/page.js",
        "referee/web/static/look.css",
    ],
)
def test_the_wheel_holds_what_the_program_needs(wheel: list[str], name: str) -> None:
    assert name in wheel


def test_the_wheel_holds_every_weight_and_its_card(wheel: list[str]) -> None:
    for file in (ROOT / "models").iterdir():
        assert (f"vision/weights/{file.name}" in wheel) == (file.suffix in (".onnx", ".md")), file


def test_playing_needs_no_torch() -> None:
    pinned = (ROOT / "requirements" / "runtime.txt").read_text()
    names = {line.split("==")[0].lower() for line in pinned.splitlines() if line and not line.startswith("#")}
    assert {"numpy", "onnxruntime", "av", "fastapi"} <= names
    assert not names & {"torch", "torchvision", "ultralytics", "opencv-python"}


def imports_of(file: Path) -> set[str]:
    """The top names that a module imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("file", sorted((ROOT / "vision").rglob("*.py")), ids=lambda file: file.name)
def test_vision_knows_no_rules(file: Path) -> None:
    assert not imports_of(file) & {"referee", "datasets", "scripts"}


@pytest.mark.parametrize("file", sorted((ROOT / "referee").rglob("*.py")), ids=lambda file: file.name)
def test_the_program_runs_without_the_checkout(file: Path) -> None:
    assert not imports_of(file) & {"datasets", "scripts", "torch", "ultralytics", "models"}


@pytest.mark.parametrize(
    "folder",
    sorted({file.parent for file in (ROOT / "vision").rglob("*.py")}),
    ids=lambda folder: folder.name,
)
def test_a_room_of_vision_can_be_taken_in_at_a_glance(folder: Path) -> None:
    files = [file.name for file in folder.glob("*.py") if file.name != "__init__.py"]
    assert len(files) <= 16, files


@pytest.mark.parametrize("file", sorted((ROOT / "referee" / "web").rglob("*.py")), ids=lambda file: file.name)
def test_the_page_knows_no_commands(file: Path) -> None:
    assert "referee.commands" not in file.read_text("utf-8")


def test_the_commands_share_by_the_service() -> None:
    text = (ROOT / "referee" / "service.py").read_text("utf-8")
    assert "referee.commands" not in text and "referee.web" not in text


RULES = [
    "cards",
    "events",
    "hand",
    "header",
    "places",
    "rulings",
    "score",
    "table",
    "check",
    "record",
    "corrections",
    "strictjson",
    "match",
    "names",
    "provenance",
    "scorebook",
    "book_json",
]


@pytest.mark.parametrize("name", RULES)
def test_the_rules_touch_nothing_outside(name: str) -> None:
    """No files, no numpy, no network: usable alone."""
    file = ROOT / "referee" / f"{name}.py"
    assert not imports_of(file) & {
        "numpy",
        "cv2",
        "av",
        "os",
        "pathlib",
        "io",
        "socket",
        "rich",
        "typer",
        "fastapi",
    }


def test_the_rules_load_nothing_that_does_not_ship_with_python() -> None:
    """Every game opened and a record checked: no third-party module, and no data read by the import alone."""
    code = """
import sys
import referee
assert "tomllib" not in sys.modules, "importing the rules reads their data"
from referee.record.check import check_lines
from referee.rules.settings import game_names
for game in game_names():
    turns = game in ("double-solitaire", "pishe-pasha", "california-jacks")
    seats = [{"seat": "a", "deck": "red"}, {"seat": "b", "deck": "red" if turns else "blue"}]
    if game == "team-nuts":
        seats = [{**s, "seat": s["seat"] + r, "role": r} for s in seats for r in ("nuts", "cards")]
    header = {"record": 1, "game": game, "seats": seats[:1] if game == "canfield" else seats}
    result = check_lines([__import__("json").dumps(header) + "\\n"])
    assert result.errors == [], result.errors
print(*sorted({name.split(".")[0] for name in sys.modules} - sys.stdlib_module_names))
"""
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # What the environment itself brings in before anything is imported.
    bare = {"_distutils_hack", "__main__", "sitecustomize", "usercustomize"}
    assert set(done.stdout.split()) - bare == {"referee"}


PAGES = [
    page for folder in (".", "docs", "models", "datasets") for page in sorted((ROOT / folder).glob("*.md"))
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text("utf-8"))
    for link in links:
        assert link.startswith("https://") or (page.parent / link).exists(), link


def test_the_examples_of_the_readme_run() -> None:
    examples = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    assert examples
    for example in examples:
        done = subprocess.run(
            [sys.executable, "-c", example], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip()


@pytest.mark.parametrize(
    "command", re.findall(r"`nerts-referee (\w+)", (ROOT / "README.md").read_text("utf-8"))
)
def test_the_readme_names_commands_that_are_there(command: str) -> None:
    assert (ROOT / "referee" / "commands" / f"{command}.py").is_file()


@pytest.mark.parametrize(
    ("goal", "takes"),
    [("eval", "eyes"), ("gate", "evaluate"), ("data", "build_dataset"), ("art", "fetch_assets")],
)
def test_what_a_command_is_given_reaches_its_program_alone(goal: str, takes: str) -> None:
    told = subprocess.run(
        ["make", "--dry-run", goal, "ARGS=--some-option"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    given = [line for line in told.splitlines() if "--some-option" in line]
    assert len(given) == 1 and f"scripts.{takes}" in given[0]
    assert "scripts.fetch_assets" in told
