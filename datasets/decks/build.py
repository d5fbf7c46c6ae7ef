"""Build one deck of the manifest: from its members to a PNG per face and back in the cache."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import cv2

from datasets.decks.fetch import member_path
from datasets.decks.manifest import AssetError, DeckRecord
from datasets.decks.raster import (
    CARD_PX,
    OVERSAMPLE,
    Pixels,
    clean,
    cut_grid,
    cut_scattered,
    decode,
    draw_svg,
    outline_width,
    shed,
)
from datasets.decks.react import components_to_svg
from datasets.files import put

#: Bump when pictures would come out differently, so that caches are built anew.
VERSION = 1
DONE = "done.json"

_GRID_ROWS = "CDHS"
_GRID_COLUMNS = "A23456789TJQK"
_SHEET_WIDTH = 13 * 252 * OVERSAMPLE

Pictures = dict[str, Pixels]
#: Finds the extracted file of a member.
Find = Callable[[str], Path]


def _svg_text(path: Path) -> str:
    raw = path.read_bytes()
    return (gzip.decompress(raw) if path.suffix == ".svgz" else raw).decode("utf-8")


def _sheet(record: DeckRecord, find: Find) -> Pixels:
    (member,) = record.members
    text = _svg_text(find(member))
    return draw_svg(text, width=_SHEET_WIDTH, fonts="<text" in text)


def _from_grid(record: DeckRecord, find: Find) -> Pictures:
    cells = cut_grid(_sheet(record, find))
    pictures = {
        rank + suit: cell
        for suit, row in zip(_GRID_ROWS, cells[:4], strict=True)
        for rank, cell in zip(_GRID_COLUMNS, row, strict=True)
    }
    return {**pictures, "back": cells[4][2]}


def _from_scattered(record: DeckRecord, find: Find) -> Pictures:
    found = cut_scattered(_sheet(record, find))
    pairs = [
        (name, card)
        for names, cards in zip(record.rows, found, strict=True)
        for name, card in zip(names, cards, strict=True)
    ]
    return {name: card for name, card in pairs if name}


def _picture(path: Path) -> Pixels:
    if path.suffix == ".svg":
        return draw_svg(_svg_text(path), height=CARD_PX * OVERSAMPLE)
    return decode(path.read_bytes())


def _from_files(record: DeckRecord, find: Find) -> Pictures:
    return {name: _picture(find(member)) for name, member in {**record.faces, **record.backs}.items()}


def _from_react(record: DeckRecord, find: Find) -> Pictures:
    (member,) = record.members
    drawn = components_to_svg(find(member))
    names = {"B1": "back", "B2": "B2"}
    for suit in "SHDC":
        for rank in _GRID_COLUMNS:
            names[suit + ("10" if rank == "T" else rank.lower())] = rank + suit
    return {name: draw_svg(drawn[part], height=CARD_PX * OVERSAMPLE) for part, name in names.items()}


_FORMS: Mapping[str, Callable[[DeckRecord, Find], Pictures]] = {
    "grid": _from_grid,
    "scattered": _from_scattered,
    "files": _from_files,
    "react": _from_react,
}


def cut_deck(record: DeckRecord, find: Find) -> Pictures:
    """Every face (as "QS") and back (other names) of a deck: BGR, `CARD_PX` high, art's own ratio."""
    raw = {name: shed(picture) for name, picture in _FORMS[record.form](record, find).items()}
    number_cards = [raw[rank + suit] for rank in "2346" for suit in "SHDC"]
    trim = outline_width(number_cards)
    trim += max(1, round(0.004 * raw["2S"].shape[1]))
    dropped = {*record.omit, *record.instead}
    return {name: clean(picture, trim) for name, picture in raw.items() if not {name, name[0]} & dropped}


def is_built(folder: Path, record: DeckRecord) -> bool:
    """Whether the cache holds this deck as this version of the code would build it."""
    try:
        done = json.loads((folder / DONE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(done == _stamp(record))


def _stamp(record: DeckRecord) -> dict[str, object]:
    return {"version": VERSION, "members": sorted(record.members.values()), "omit": list(record.omit)}


def build_deck(record: DeckRecord, members: Path, folder: Path) -> None:
    """Build a deck from the extracted `members` into `folder`; a stopped build is begun again."""
    pictures = cut_deck(record, lambda name: member_path(members, record.archive, name))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, picture in pictures.items():
        done, png = cv2.imencode(".png", picture)
        if not done:
            raise AssetError(f"{folder / name}: could not be encoded")
        put(folder / f"{name}.png", png.tobytes())
    put(folder / DONE, json.dumps(_stamp(record)))
