"""No reserved deck, texture or light anywhere: by their names, and by the fingerprints of what is allowed."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest
from reserved import NAMES, WORDS, in_data, in_text
from typer.testing import CliRunner

from datasets.decks.allowed import fingerprints, strangers
from datasets.decks.fetch import download_path, member_path
from datasets.decks.manifest import MANIFEST, Archive, DeckRecord, Manifest, Members, manifest
from datasets.decks.store import cache_folder

ROOT = Path(__file__).parents[2]
#: What lists things to fetch or to open.
LISTS = [
    *(ROOT / "datasets/manifests").iterdir(),
    *(ROOT / "requirements").iterdir(),
    ROOT / "pyproject.toml",
]
ROOMS = ("datasets", "scripts", "vision", "referee", "models", "docs", "tests", ".ci")
TEXT = {".py", ".json", ".jsonl", ".toml", ".txt", ".md", ".sh", ".js", ".html", ".css", ""}


def sources() -> list[Path]:
    found = [path for path in ROOT.iterdir() if path.is_file()]
    for room in ROOMS:
        for folder, inner, names in os.walk(ROOT / room):
            inner[:] = [name for name in inner if name != "__pycache__"]
            found += [Path(folder) / name for name in names]
    left_out = Path(__file__).with_name("reserved.py")
    return [path for path in found if path.suffix in TEXT and path != left_out]


@pytest.mark.parametrize("name", [*NAMES, *WORDS])
def test_every_name_is_noticed_in_a_list(name: str) -> None:
    for written in (name, name.upper(), name.replace("-", "_"), f"cards/{name}.svgz", f"@{name}/cards 1.0"):
        assert in_data(f'"fine", "{written}"'), written
    assert in_text(f"open('cards/{name}_1k.hdr')")
    assert not in_data(f"x{name}") or name[:1] == "-"


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.name)
def test_no_list_names_anything_reserved(path: Path) -> None:
    assert in_data(path.read_text(encoding="utf-8")) == []


def test_no_source_names_anything_reserved() -> None:
    files = sources()
    assert len(files) > 300
    assert {path: found for path in files if (found := in_text(path.read_text(encoding="utf-8")))} == {}


def test_what_may_be_opened_is_listed_once_with_one_fingerprint() -> None:
    known = fingerprints(manifest())
    entries = json.loads(MANIFEST.read_text(encoding="utf-8"))
    groups = [*entries["decks"].values(), *entries["fonts"], *entries["textures"]]
    said: dict[Path, set[str]] = {}
    for group in groups:
        for name, digest in group["members"].items():
            said.setdefault(member_path(Path(), group["archive"], name), set()).add(digest)
    assert {path: {digest} for path, digest in known.items()} == said
    assert all(not path.is_absolute() and ".." not in path.parts for path in known)


def small_manifest() -> Manifest:
    content = b"two of spades"
    archive = Archive("cards", "npm", "@some/cards", "1.0.0", "ab" * 32, "CC0-1.0")
    members = {"./a/2S.svg": hashlib.sha256(content).hexdigest()}
    deck = DeckRecord("mine", "A", "train", "CC0-1.0", True, "files", "cards", members)
    wood = Members("cards", {"w.png": hashlib.sha256(b"wood").hexdigest()}, "surface")
    return Manifest({"cards": archive}, {"mine": deck}, (), (wood,))


def small_cache(root: Path) -> Manifest:
    """A cache with just what the small manifest allows."""
    assets = small_manifest()
    files = {
        root / "members/cards/a/2S.svg": b"two of spades",
        root / "members/cards/w.png": b"wood",
        download_path(assets.archives["cards"], root / "downloads"): b"a package",
        root / "decks/mine/2S.png": b"drawn",
    }
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return assets


def test_a_cache_of_allowed_files_has_no_strangers(tmp_path: Path) -> None:
    assert list(strangers(tmp_path, small_cache(tmp_path))) == []
    assert list(strangers(tmp_path / "none", small_manifest())) == []


@pytest.mark.parametrize(
    ("foreign", "content"),
    [
        ("members/cards/b/2S.svg", b"two of spades"),
        ("members/cards/a/3S.svg", b"three"),
        ("members/cards/a/.hidden.svg", b"x"),
        ("members/other/2S.svg", b"two of spades"),
        ("members/2S.svg", b"two of spades"),
        ("members/cards/a/2S.svg", b"two of spades!"),
        ("members/cards/w.png", b"two of spades"),
        ("members/cards/w.png.part", b"wood"),
        ("downloads/others-0123456789ab", b"a package"),
        ("decks/theirs/2S.png", b"drawn"),
    ],
)
def test_one_foreign_or_changed_file_is_named(tmp_path: Path, foreign: str, content: bytes) -> None:
    assets = small_cache(tmp_path)
    (tmp_path / foreign).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / foreign).write_bytes(content)
    named = list(strangers(tmp_path, assets))
    assert named == [tmp_path / ("decks/theirs" if foreign.startswith("decks") else foreign)]


def test_a_link_to_something_foreign_is_named(tmp_path: Path) -> None:
    assets = small_cache(tmp_path)
    (tmp_path / "theirs.svg").write_bytes(b"three")
    (tmp_path / "members/cards/a/3S.svg").symlink_to(tmp_path / "theirs.svg")
    (tmp_path / "members/cards/a/4S.svg").symlink_to(tmp_path / "nowhere.svg")
    assert [path.name for path in strangers(tmp_path, assets)] == ["3S.svg", "4S.svg"]


def test_fetching_ends_with_one_line_where_a_foreign_file_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import typer

    from scripts.build import assets as fetch_assets

    assets = small_cache(tmp_path)
    (tmp_path / "members/cards/a/3S.svg").write_bytes(b"three")
    monkeypatch.setenv("NERTS_CACHE", "")
    monkeypatch.setattr(fetch_assets, "manifest", lambda: assets)
    monkeypatch.setattr(fetch_assets, "download", lambda archive, folder: folder / "package")
    app = typer.Typer()
    app.command()(fetch_assets.main)
    result = CliRunner().invoke(app, ["--only", "fonts", "--cache", str(tmp_path)])
    assert result.exit_code == 2
    said = [line for line in result.output.splitlines() if line.startswith("build.assets:")]
    assert len(said) == 1
    assert "members/cards/a/3S.svg" in said[0]
    assert "delete it" in said[0]


@pytest.mark.skipif(
    not (cache_folder() / "members").is_dir(), reason="no art; scripts/build/assets.py fetches it"
)
def test_the_cache_holds_allowed_files_alone() -> None:
    root = cache_folder()
    assert [str(path) for path in strangers(root, manifest())] == []
    listing = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    assert in_data(listing) == []
