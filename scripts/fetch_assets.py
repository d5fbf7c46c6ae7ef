"""Fetch the deck art, fonts and textures of the manifest, check them, and build the cache of decks.

Packages come from the registries through their ordinary clients (apt-get, npm, pip), pinned by SHA-256; only
members that stand in the manifest are taken out of them. What is there already is not done again.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer
from tqdm import tqdm

from datasets.decks.build import build_deck, is_built
from datasets.decks.fetch import download, extract
from datasets.decks.manifest import AssetError, Manifest, manifest
from datasets.decks.store import cache_folder

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
    for name, members in (bar := tqdm(wanted.items(), "packages", unit="package")):
        bar.set_postfix_str(name)
        archive = assets.archives[name]
        extract(archive, download(archive, root / "downloads"), members, root / "members")


def _build(assets: Manifest, root: Path) -> None:
    for record in (bar := tqdm(assets.decks.values(), "decks", unit="deck")):
        bar.set_postfix_str(record.name)
        folder = root / "decks" / record.name
        if not is_built(folder, record):
            build_deck(record, root / "members", folder)


def main(
    cache: Annotated[Path | None, typer.Option(help="Cache folder [$NERTS_CACHE, else cache/].")] = None,
    only: Annotated[Group | None, typer.Option(help="Only this group.")] = None,
) -> None:
    """Fetch and build everything that the digital table needs."""
    root = cache_folder(cache)
    try:
        assets = manifest()
        _fetch(assets, root, only)
        if only in (None, "decks"):
            _build(assets, root)
    except AssetError as error:
        typer.echo(f"fetch_assets: {error}", err=True)
        raise typer.Exit(2) from None


if __name__ == "__main__":
    typer.run(main)
