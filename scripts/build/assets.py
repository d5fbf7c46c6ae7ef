"""Fetch the deck art, fonts and textures of the manifest, check them, and build the cache of decks.

Packages come from the registries through their ordinary clients (apt-get, npm, pip), pinned by SHA-256; only
members that stand in the manifest are taken out of them. What is there already is not done again.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer
from tqdm import tqdm

from datasets.decks.allowed import strangers
from datasets.decks.backs import store_back
from datasets.decks.build import build_deck, is_built
from datasets.decks.drawn_deck import store_deck
from datasets.decks.fetch import UNFINISHED, download, extract
from datasets.decks.glyphs import build_alphabets
from datasets.decks.manifest import AssetError, Manifest, Split, manifest
from datasets.decks.printed.back import store_printed_back
from datasets.decks.store import cache_folder
from datasets.surfaces.bank import bank_surface
from scripts.building import ended, room_for

#: Packages, members and decks of the manifest on the disk, bytes.
NEEDED = 350e6

Group = Literal["decks", "fonts", "textures"]


def _wanted(assets: Manifest, only: Group | None) -> dict[str, dict[str, str]]:
    """Archive name to the members (with SHA-256) that are wanted of it."""
    wanted: dict[str, dict[str, str]] = {}

    def want(archive: str, members: Mapping[str, str]) -> None:
        wanted.setdefault(archive, {}).update(members)

    if only in (None, "decks"):
        for record in assets.decks.values():
            want(record.archive, record.members)
    if only in (None, "fonts"):
        for group in assets.fonts:
            want(group.archive, group.members)
    if only in (None, "textures"):
        for group in assets.textures:
            want(group.archive, group.members)
    return wanted


def _fetch(assets: Manifest, root: Path, only: Group | None) -> None:
    wanted = _wanted(assets, only)
    for stopped in (root / "downloads").glob(f"{UNFINISHED}*"):
        shutil.rmtree(stopped)
    for name, members in (bar := tqdm(wanted.items(), "packages", unit="package")):
        bar.set_postfix_str(name)
        archive = assets.archives[name]
        extract(archive, download(archive, root / "downloads"), members, root / "members")
    for path in strangers(root, assets):
        raise AssetError(
            f"{path}: the manifest does not allow it, or it was changed; delete it and run again"
        )


def _build(assets: Manifest, root: Path) -> None:
    for record in (bar := tqdm(assets.decks.values(), "decks", unit="deck")):
        bar.set_postfix_str(record.name)
        folder = root / "decks" / record.name
        if not is_built(folder, record):
            build_deck(record, root / "members", folder)


def _draw(name: str, draw: Callable[[Path, Split, int], None], root: Path, count: int) -> None:
    """Draw `count` things for training, 3 to 10 as many for figures, 4 to 10 for tuning: who tunes soon knows few."""
    counts: dict[Split, int] = {"train": count, "figures": 3 * count // 10, "tune": 4 * count // 10}
    wanted = [(split, index) for split, number in counts.items() for index in range(number)]
    for split, index in tqdm(wanted, name):
        draw(root, split, index)


def main(
    cache: Annotated[Path | None, typer.Option(help="Cache folder [$NERTS_CACHE, else cache/].")] = None,
    only: Annotated[Group | None, typer.Option(help="Only this group.")] = None,
    decks: Annotated[int, typer.Option(help="Draw this many training decks.", min=0)] = 0,
    backs: Annotated[int, typer.Option(help="Draw this many training backs.", min=0)] = 0,
    printed: Annotated[
        int, typer.Option(help="Draw this many training backs as printers print them.", min=0)
    ] = 0,
    surfaces: Annotated[int, typer.Option(help="Draw this many training surfaces.", min=0)] = 0,
) -> None:
    """Fetch and build everything that the digital table needs."""
    if cache is not None:
        os.environ["NERTS_CACHE"] = str(cache)
    root = cache_folder()

    def work() -> str:
        room_for(root, NEEDED if not (root / "members").exists() else 0)
        assets = manifest()
        _fetch(assets, root, only)
        if only in (None, "decks"):
            _build(assets, root)
        if only in (None, "fonts"):
            build_alphabets(root)
        _draw("decks", store_deck, root, decks)
        _draw("backs", store_back, root, backs)
        _draw("printed backs", store_printed_back, root, printed)
        _draw("surfaces", bank_surface, root, surfaces)
        return f"{root}: everything that was asked for is there"

    if status := ended("build.assets", work, AssetError):
        raise typer.Exit(status)


if __name__ == "__main__":
    typer.run(main)
