"""Named datasets: what a manifest may ask for, and how one picture of a set is drawn.

A set is described by a table of `manifests/sets.toml`, and picture N of a set depends on nothing but that table and N.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from datasets.decks.manifest import Split
from datasets.room import ArtRoom
from datasets.stills import Still, draw_spread, draw_table
from datasets.truth import truth_of
from datasets.windows import draw_square

MANIFEST = Path(__file__).parent / "manifests" / "sets.toml"

What = Literal["tables", "spreads", "centres", "windows"]
#: A kind's number in the seeds of its pictures.
NUMBER: dict[What, int] = {"tables": 0, "spreads": 1, "centres": 2, "windows": 3}


class SetError(Exception):
    """A manifest asks for something that is not there; the message says what there is."""


class PictureSet(BaseModel):
    """One named set of pictures."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    what: What
    pictures: int = Field(ge=1)
    seed: int = Field(ge=0)
    split: Split = "train"
    #: Families of decks (`datasets/README.md`); all of the split's where none is named.
    families: tuple[str, ...] = ()
    #: Least and most px a mm; of tables only.
    px_per_mm: tuple[float, float] = (1.6, 2.6)
    #: Least and most cards; of spreads and centres only.
    cards: tuple[int, int] = (12, 60)
    #: Side, px; of windows only.
    size: int = Field(default=960, ge=64, le=2048)
    #: Share of the surfaces that are drawn anew, of kinds that look like cards.
    fresh: float = Field(default=0.0, ge=0, le=1)
    renderer: Literal["fast"] = "fast"


def read_sets(path: Path = MANIFEST) -> dict[str, PictureSet]:
    """The sets of a manifest by name; raises SetError naming the setting that is wrong and what may stand there."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SetError(f"{path}: not a manifest of sets that can be read ({error})") from None
    return {name: _read(path, name, table) for name, table in tables.items()}


def _read(path: Path, name: str, table: object) -> PictureSet:
    try:
        return PictureSet.model_validate(table)
    except ValidationError as error:
        wrong = error.errors()[0]
        setting = ".".join(str(part) for part in wrong["loc"]) or "the whole table"
        raise SetError(f"{path}: set {name!r}, {setting}: {wrong['msg']}") from None


@cache
def room_of(split: Split, fresh: float, families: tuple[str, ...]) -> ArtRoom:
    """The art that a set is drawn from; raises AssetError."""
    return ArtRoom(split, fresh, families)


def draw(wanted: PictureSet, number: int) -> Still:
    """Picture `number` of a set with its truth; raises AssetError where art is missing."""
    rng = np.random.default_rng([wanted.seed, NUMBER[wanted.what], number])
    room = room_of(wanted.split, wanted.fresh, wanted.families)
    if wanted.what == "windows":
        picture = draw_square(rng, wanted.size, room.decks(rng), room.surface, room.clutter)
        truth = truth_of(picture.scene, picture.painting)
        return Still(picture.image, truth, picture.scene.px_per_mm())
    decks = room.decks(rng, 2, 4)
    if wanted.what == "tables":
        return draw_table(rng, decks, room.surface, wanted.px_per_mm)
    return draw_spread(rng, decks, room.surface, wanted.cards, up=wanted.what == "centres")
