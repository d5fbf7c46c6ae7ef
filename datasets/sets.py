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
from datasets.render import Art
from datasets.renderers import RendererName, renderer_of
from datasets.room import ArtRoom, dressed, names_of
from datasets.scene import Scene
from datasets.stills import Still, draw_spread, draw_table, redraw_still
from datasets.truth import truth_of
from datasets.windows import Picture, draw_square, redraw_square

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
    #: Who draws: "fast", or "path" for what looks like photos and takes seconds a picture.
    renderer: RendererName = "fast"


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
    """Picture `number` of a set with its truth; raises AssetError where art is missing, RendererError."""
    rng = np.random.default_rng([wanted.seed, NUMBER[wanted.what], number])
    room = room_of(wanted.split, wanted.fresh, wanted.families)
    renderer = renderer_of(wanted.renderer)
    if wanted.what == "windows":
        decks = room.decks(rng)
        square = draw_square(rng, wanted.size, decks, room.surface, room.clutter, renderer=renderer)
        return _named(_still_of(square), decks)
    decks = room.decks(rng, 2, 4)
    if wanted.what == "tables":
        still = draw_table(rng, decks, room.surface, wanted.px_per_mm, renderer)
    else:
        up = wanted.what == "centres"
        still = draw_spread(rng, decks, room.surface, wanted.cards, up, renderer=renderer)
    return _named(still, decks)


def redraw(wanted: PictureSet, scene: Scene) -> Still:
    """The picture of a scene of a set, as the set's renderer draws it now; raises as `draw` does."""
    room = room_of(wanted.split, wanted.fresh, wanted.families)
    renderer = renderer_of(wanted.renderer)
    decks: list[Art] = [dressed(name) for name in scene.decks]
    if wanted.what == "windows":
        return _still_of(redraw_square(scene, decks, room.surface, room.clutter, renderer))
    return redraw_still(scene, decks, room.surface, renderer)


def _still_of(picture: Picture) -> Still:
    scene = picture.scene
    return Still(picture.image, truth_of(scene, picture.painting), scene.px_per_mm(), scene)


def _named(still: Still, decks: list[Art]) -> Still:
    if still.scene is not None:
        still.scene.decks = names_of(decks)
    return still
