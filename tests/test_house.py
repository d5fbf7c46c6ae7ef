"""The house itself: what the wheel holds, what the environments hold, and which room may know which."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import zipfile
from collections import Counter
from fnmatch import fnmatch
from graphlib import CycleError, TopologicalSorter
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


#: What runs from a checkout only; tests and what they share are known to nobody.
SCRIPTS = sorted((ROOT / "scripts").rglob("*.py"))
TESTS = {
    file.stem
    for shared in ("tests", "tests/datasets", "tests/vision", "tests/referee", "tests/scripts")
    for file in (ROOT / shared).iterdir()
    if file.suffix == ".py" or (file.is_dir() and file.name.isidentifier())
} - {"vision", "referee", "datasets", "scripts", "__init__", "__pycache__"}
#: Whose work is on the tests themselves: it switches rules off and asks which records of the tests notice.
ON_TESTS = {"mutate_rules.py"}


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_scripts_know_no_tests(file: Path) -> None:
    known = imports_of(file)
    assert "tests" not in known
    assert bool(known & TESTS) == (file.name in ON_TESTS), known & TESTS


ROOMS = sorted(
    {file.parent for top in ("vision", "referee", "scripts") for file in (ROOT / top).rglob("*.py")}
)


@pytest.mark.parametrize("folder", ROOMS, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_a_room_can_be_taken_in_at_a_glance(folder: Path) -> None:
    """The commands are as many files as there are commands, and what they share."""
    files = [file.name for file in folder.glob("*.py") if file.name != "__init__.py"]
    assert len(files) <= 16 or folder.name == "commands", files


def test_tools_look_into_every_folder(pytestconfig: pytest.Config) -> None:
    """Folders named build are left out by what pytest and git are usually told."""
    passed_over = pytestconfig.getini("norecursedirs")
    folders = {file.parent.name for file in (ROOT / "tests").rglob("test_*.py")}
    assert not [folder for folder in folders for pattern in passed_over if fnmatch(folder, pattern)]
    shown = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--show-files", "."],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    known = {Path(line) for line in shown.splitlines()}
    sources = {
        file
        for top in ("vision", "referee", "datasets", "models", "scripts", "tests")
        for file in (ROOT / top).rglob("*.py")
    }
    assert sources <= known
    ignored = subprocess.run(
        ["git", "check-ignore", "--stdin"],
        cwd=ROOT,
        input="\n".join(str(file) for file in sorted(sources)),
        check=False,
        capture_output=True,
        text=True,
    ).stdout
    assert not ignored


def test_the_architecture_page_names_every_room() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    rooms = {str(room.relative_to(ROOT)) for room in ROOMS if room.parent.parent == ROOT}
    assert {room for room in rooms if f"`{room}`" not in page} == set()


def names_at_import(file: Path) -> set[str]:
    """What a module imports while it is itself imported, in full: not in functions, not for the types alone."""
    names: set[str] = set()
    waiting: list[ast.stmt] = list(ast.parse(file.read_text("utf-8")).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file} imports relatively"
            names |= {f"{node.module}.{alias.name}" for alias in node.names} | {str(node.module)}
        elif isinstance(node, ast.If):
            waiting += node.orelse if "TYPE_CHECKING" in ast.unparse(node.test) else node.body + node.orelse
        elif isinstance(node, ast.Try | ast.With | ast.ClassDef):
            waiting += node.body
    return names


def modules() -> dict[str, Path]:
    """Every module of what ships and of what is run from a checkout, by its name."""
    files = [file for top in ("vision", "referee", "scripts") for file in (ROOT / top).rglob("*.py")]
    parts = {file: file.relative_to(ROOT).with_suffix("").parts for file in files}
    return {".".join(p[:-1] if p[-1] == "__init__" else p): file for file, p in parts.items()}


def test_nothing_imports_itself_on_the_way_round() -> None:
    known = modules()
    asked = {name: {n for n in names_at_import(file) if n in known} - {name} for name, file in known.items()}
    try:
        TopologicalSorter(asked).prepare()
    except CycleError as circle:
        pytest.fail(" imports ".join(reversed(circle.args[1])))


#: What each room of the referee may know of the others. Whatever is not named here stands at the top of the house.
MAY_KNOW = {
    "rules": set[str](),
    "games": {"rules"},
    "record": {"rules", "games"},
    "matches": {"rules", "record"},
    "umpire": {"rules", "games"},
    "photos": {"rules", "games"},
    "live": {"rules", "games", "record", "umpire"},
    "players": {"rules", "games", "record"},
    "web": {"rules", "games", "record", "matches", "umpire", "live", "photos"},
}
#: What each room of scripts may know of the others: all know what stands at the top of scripts.
SCRIPTS_MAY_KNOW = {
    "build": set[str](),
    "calibrate": {"build"},
    "train": {"build"},
    "measure": {"build", "calibrate", "train"},
}


def test_every_script_stands_in_a_room() -> None:
    assert {
        room.name for room in (ROOT / "scripts").iterdir() if room.name != "__pycache__" and room.is_dir()
    } == set(SCRIPTS_MAY_KNOW)


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_script_knows_only_rooms_beneath_its_own(file: Path) -> None:
    room = file.relative_to(ROOT / "scripts").parts[0]
    names = {name for node in ast.walk(ast.parse(file.read_text("utf-8"))) for name in _named(node)}
    rooms = {name.split(".")[1] for name in names if name.startswith("scripts.")} & set(SCRIPTS_MAY_KNOW)
    assert rooms <= SCRIPTS_MAY_KNOW.get(room, set()) | {room}


def _named(node: ast.AST) -> list[str]:
    """The modules that a statement imports, wherever it stands."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


#: What every room may know: errors in words, and reading and writing text.
FOR_ALL = {"errors", "textfiles"}


@pytest.mark.parametrize("room", sorted(MAY_KNOW))
def test_a_room_knows_only_rooms_beneath_it(room: str) -> None:
    for name, file in modules().items():
        if name.startswith(f"referee.{room}.") or name == f"referee.{room}":
            known = {n.split(".")[1] for n in names_at_import(file) if n.startswith("referee.")}
            above = {"service", "rules_text", "report"} if room == "web" else set()
            assert known <= MAY_KNOW[room] | FOR_ALL | {room} | above, name


@pytest.mark.parametrize("file", sorted((ROOT / "referee" / "web").rglob("*.py")), ids=lambda file: file.name)
def test_the_page_knows_no_commands(file: Path) -> None:
    assert "referee.commands" not in file.read_text("utf-8")


def test_the_commands_share_by_the_service() -> None:
    for file in (ROOT / "referee" / "service").glob("*.py"):
        text = file.read_text("utf-8")
        assert "referee.commands" not in text and "referee.web" not in text, file


RULES = sorted(
    file
    for room in ("rules", "games", "record", "matches")
    for file in (ROOT / "referee" / room).rglob("*.py")
    if file.name != "settings.py"
)


@pytest.mark.parametrize("file", RULES, ids=lambda file: str(file.relative_to(ROOT)))
def test_the_rules_touch_nothing_outside(file: Path) -> None:
    """No files, no numpy, no network: usable alone. Only the presets, which are data, are read (settings.py)."""
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
    page
    for folder in (".", "docs", "docs/lab", "docs/lab/models", "models", "datasets")
    for page in sorted((ROOT / folder).glob("*.md"))
]


def test_no_two_test_files_have_one_name() -> None:
    """pytest would take one for the other, but in packages."""
    files = (ROOT / "tests").rglob("test_*.py")
    names = Counter(file.name for file in files if not (file.parent / "__init__.py").exists())
    assert [name for name, count in names.items() if count > 1] == []


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
    [("eval", "measure.eyes"), ("gate", "measure.hands"), ("data", "build.dataset"), ("art", "build.assets")],
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
    assert "scripts.build.assets" in told
