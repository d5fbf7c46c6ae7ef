"""What figures say of the sources that they were made with."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from scripts.here import ROOT, RULES, sources

REFEREE = ROOT / "referee"


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources") / "referee"
    shutil.copytree(REFEREE, folder, ignore=shutil.ignore_patterns("__pycache__", "sample", "static"))
    return folder


def test_the_same_sources_have_the_same_digest_wherever_they_lie(copied: Path) -> None:
    assert sources(copied) == sources()


@pytest.mark.parametrize("room", RULES)
def test_whatever_the_rules_consist_of_changes_the_digest(copied: Path, room: str) -> None:
    before = sources(copied)
    files = [file for end in ("py", "toml") for file in sorted((copied / room).rglob(f"*.{end}"))]
    assert files
    for file in {files[0], files[-1]}:
        text = file.read_bytes()
        file.write_bytes(text + b"\n")
        assert sources(copied) != before, file
        file.write_bytes(text)
    assert sources(copied) == before


def test_what_only_watches_and_shows_does_not(copied: Path) -> None:
    before = sources(copied)
    (copied / "web" / "new.py").write_text("x = 1\n")
    (copied / "umpire" / "new.py").write_text("x = 1\n")
    assert sources(copied) == before
