"""Fetching takes what the manifest allows, as the manifest describes it, and says what went wrong."""

from __future__ import annotations

import hashlib
import io
import stat
import tarfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from datasets.decks import AssetError
from datasets.decks.fetch import download, extract, member_path
from datasets.decks.manifest import Archive


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def package(path: Path, members: dict[str, bytes]) -> Archive:
    with tarfile.open(path, "w:gz") as tar:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return Archive("some-cards", "npm", "@some/cards", "1.0.0", digest(path.read_bytes()), "CC0-1.0")


def client(folder: Path, name: str, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a stand-in for a package client first on the path."""
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(folder), prepend=":")


def test_only_listed_members_are_taken_out(tmp_path: Path) -> None:
    archive = package(tmp_path / "p.tgz", {"allowed.svg": b"yes", "reserved.svg": b"no"})
    extract(archive, tmp_path / "p.tgz", {"allowed.svg": digest(b"yes")}, tmp_path / "out")
    assert [p.name for p in (tmp_path / "out").rglob("*") if p.is_file()] == ["allowed.svg"]


def test_a_changed_member_is_refused(tmp_path: Path) -> None:
    archive = package(tmp_path / "p.tgz", {"a.svg": b"changed"})
    with pytest.raises(AssetError, match=r"a\.svg: SHA-256 differs"):
        extract(archive, tmp_path / "p.tgz", {"a.svg": digest(b"as pinned")}, tmp_path / "out")
    assert not list((tmp_path / "out").rglob("*.svg"))


def test_a_missing_member_is_named(tmp_path: Path) -> None:
    archive = package(tmp_path / "p.tgz", {"a.svg": b"a"})
    with pytest.raises(AssetError, match=r"b\.svg"):
        extract(archive, tmp_path / "p.tgz", {"b.svg": digest(b"b")}, tmp_path / "out")


def test_a_damaged_member_in_the_cache_is_taken_again(tmp_path: Path) -> None:
    archive = package(tmp_path / "p.tgz", {"a.svg": b"whole"})
    target = member_path(tmp_path / "out", archive.name, "a.svg")
    target.parent.mkdir(parents=True)
    target.write_bytes(b"wh")
    extract(archive, tmp_path / "p.tgz", {"a.svg": digest(b"whole")}, tmp_path / "out")
    assert target.read_bytes() == b"whole"


def test_a_package_is_downloaded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = package(tmp_path / "p.tgz", {"a.svg": b"a"})
    (tmp_path / "bin").mkdir()
    client(
        tmp_path / "bin", "npm", f"cp {tmp_path}/p.tgz ./cards.tgz; echo run >> {tmp_path}/runs", monkeypatch
    )
    first = download(archive, tmp_path / "downloads")
    assert download(archive, tmp_path / "downloads") == first
    assert first.read_bytes() == (tmp_path / "p.tgz").read_bytes()
    assert (tmp_path / "runs").read_text(encoding="utf-8") == "run\n"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo other > cards.tgz", "the manifest says"),
        ("echo 'E404 no such version' >&2; exit 1", "could not download it: E404 no such version"),
        ("exit 0", "could not download it: no message"),
    ],
)
def test_a_bad_download_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, message: str
) -> None:
    archive = package(tmp_path / "p.tgz", {"a.svg": b"a"})
    (tmp_path / "bin").mkdir()
    client(tmp_path / "bin", "npm", script, monkeypatch)
    with pytest.raises(AssetError, match=message) as failure:
        download(archive, tmp_path / "downloads")
    assert "@some/cards 1.0.0" in str(failure.value)
    assert "\n" not in str(failure.value)
    assert list((tmp_path / "downloads").iterdir()) == []


def test_the_command_ends_with_status_2_and_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import typer

    from scripts.build.assets import main

    (tmp_path / "bin").mkdir()
    for name in ("npm", "apt-get"):
        client(tmp_path / "bin", name, "echo 'no network' >&2; exit 1", monkeypatch)
    monkeypatch.setenv("NERTS_CACHE", "")
    app = typer.Typer()
    app.command()(main)
    result = CliRunner().invoke(app, ["--only", "decks", "--cache", str(tmp_path / "cache")])
    assert result.exit_code == 2
    said = [line for line in result.output.splitlines() if line.startswith("build.assets:")]
    assert len(said) == 1
    assert "no network" in said[0]
