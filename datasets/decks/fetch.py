"""Download pinned packages with the ordinary clients and take the allowed members out of them."""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from datasets.decks.manifest import Archive, AssetError
from datasets.files import put

#: Begins the names of folders that a stopped download leaves behind.
UNFINISHED = "unfinished-"


def sha256(path: Path) -> str:
    """The SHA-256 of a file, as hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _command(archive: Archive) -> list[str]:
    if archive.client == "apt":
        return ["apt-get", "download", f"{archive.package}={archive.version}"]
    if archive.client == "npm":
        return ["npm", "pack", "--silent", f"{archive.package}@{archive.version}"]
    requirement = f"{archive.package}=={archive.version}"
    return [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", requirement]


def download_path(archive: Archive, folder: Path) -> Path:
    """Where the package file of an archive lies among the downloads."""
    return folder / f"{archive.name}-{archive.sha256[:12]}"


def download(archive: Archive, folder: Path) -> Path:
    """The package file of an archive in `folder`, downloaded unless it is there; raises AssetError."""
    target = download_path(archive, folder)
    if target.exists() and sha256(target) == archive.sha256:
        return target
    folder.mkdir(parents=True, exist_ok=True)
    command = _command(archive)
    if shutil.which(command[0]) is None:
        raise AssetError(f"{archive}: {command[0]} is not installed; install it and run again")
    with tempfile.TemporaryDirectory(dir=folder, prefix=UNFINISHED) as scratch:
        done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
        files = list(Path(scratch).iterdir())
        if done.returncode != 0 or len(files) != 1:
            lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
            hint = " (try apt-get update)" if archive.client == "apt" else ""
            raise AssetError(f"{archive}: {command[0]} could not download it{hint}: {lines[-1]}")
        found = sha256(files[0])
        if found != archive.sha256:
            raise AssetError(
                f"{archive}: SHA-256 is {found}, the manifest says {archive.sha256}; do not use it"
            )
        files[0].replace(target)
    return target


@contextmanager
def _deb(path: Path) -> Iterator[IO[bytes]]:
    if shutil.which("dpkg-deb") is None:
        raise AssetError(f"{path.name}: dpkg-deb is not installed; install it and run again")
    done = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], capture_output=True, check=False)
    if done.returncode != 0:
        raise AssetError(f"{path}: not a Debian package; delete it and run again")
    yield io.BytesIO(done.stdout)


def _read(archive: Archive, path: Path, names: list[str]) -> Iterator[tuple[str, bytes]]:
    if archive.client == "pip":
        with zipfile.ZipFile(path) as wheel:
            for name in names:
                yield name, wheel.read(name)
        return
    with _deb(path) if archive.client == "apt" else path.open("rb") as raw, tarfile.open(fileobj=raw) as tar:
        for name in names:
            member = tar.extractfile(name)
            if member is None:
                raise KeyError(name)
            yield name, member.read()


def member_path(folder: Path, archive: str, name: str) -> Path:
    """Where a member lies in the cache once it is extracted."""
    return folder / archive / name.removeprefix("./")


def extract(archive: Archive, package: Path, members: Mapping[str, str], folder: Path) -> None:
    """Take exactly `members` (path to SHA-256) out of a package into `folder`, unless they are there."""
    missing = [
        name
        for name, digest in members.items()
        if not (path := member_path(folder, archive.name, name)).exists() or sha256(path) != digest
    ]
    if not missing:
        return
    try:
        for name, content in _read(archive, package, missing):
            if hashlib.sha256(content).hexdigest() != members[name]:
                raise AssetError(
                    f"{archive}, member {name}: SHA-256 differs from the manifest; do not use it"
                )
            path = member_path(folder, archive.name, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            put(path, content)
    except (KeyError, tarfile.TarError, zipfile.BadZipFile) as error:
        raise AssetError(
            f"{archive}: cannot take {error} out of {package.name}; delete it and run again"
        ) from error
