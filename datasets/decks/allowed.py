"""What may lie in the cache: the files that the manifest names, with the SHA-256 that it says, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from datasets.decks.fetch import download_path, member_path, sha256
from datasets.decks.manifest import DeckRecord, Manifest, Members


def fingerprints(assets: Manifest) -> dict[Path, str]:
    """Every file that may be opened as art, font or texture, by its path in the cache's `members`: its SHA-256."""
    groups: list[DeckRecord | Members] = [*assets.decks.values(), *assets.fonts, *assets.textures]
    return {
        member_path(Path(), group.archive, name): digest
        for group in groups
        for name, digest in group.members.items()
    }


def strangers(root: Path, assets: Manifest) -> Iterator[Path]:
    """What was fetched into the cache `root` and is none of the allowed files, or changed; decks built of such, too."""
    known = fingerprints(assets)
    for path in _files(root / "members"):
        if path.is_symlink() or known.get(path.relative_to(root / "members")) != sha256(path):
            yield path
    packages = {download_path(archive, root / "downloads") for archive in assets.archives.values()}
    yield from (path for path in _files(root / "downloads") if path not in packages)
    built = (root / "decks").glob("*")
    yield from sorted(path for path in built if path.name not in assets.decks)


def _files(folder: Path) -> Iterator[Path]:
    return iter(sorted(path for path in folder.rglob("*") if path.is_file() or path.is_symlink()))
