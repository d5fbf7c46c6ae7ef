"""Named datasets: what a manifest may ask for, and how one picture of a set is drawn.

A set is described by a table of `manifests/sets.toml`, and picture N of a set depends on nothing but that table and N.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from datasets.decks.manifest import AssetError, Split
from datasets.film.sets import HandSet
from datasets.own_room import OwnRoom
from datasets.photos.endings import draw_ending
from datasets.photos.fans import draw_fans
from datasets.photos.layouts import draw_layout
from datasets.photos.leftovers import draw_leftovers
from datasets.photos.midgame import GameName
from datasets.photos.tops import draw_tops
from datasets.render import Art
from datasets.renderers import RendererName, renderer_of
from datasets.room import ArtRoom, Backs, dressed, names_of
from datasets.scene import Scene
from datasets.stills import Still, draw_spread, draw_table, redraw_still
from datasets.truth import truth_of
from datasets.windows import Picture, draw_square, redraw_square

MANIFEST = Path(__file__).parent / "manifests" / "sets.toml"

What = Literal["tables", "spreads", "centres", "windows", "endings", "leftovers", "tops", "layouts", "fans"]
#: A kind's number in the seeds of its pictures; 8 stands in the seeds of whole hands (`scripts/measure/eyes/hands.py`).
NUMBER: dict[What, int] = {
    "tables": 0,
    "spreads": 1,
    "centres": 2,
    "windows": 3,
    "endings": 4,
    "leftovers": 5,
    "tops": 6,
    "layouts": 7,
    "fans": 9,
}
#: Players whose decks may lie in one picture.
PLAYERS = 6


class SetError(Exception):
    """A manifest asks for something that is not there; the message says what there is."""


#: What the path tracer can draw, and what can be drawn again from its scene.
TRACED: tuple[What, ...] = ("windows", "tables", "spreads", "centres")

Share = Annotated[float, Field(ge=0, le=1)]


class PictureSet(BaseModel):
    """One named set of pictures."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    what: What
    pictures: int = Field(ge=1)
    seed: int = Field(ge=0)
    split: Split = "train"
    #: Families of decks (`datasets/README.md`); all of the split's where none is named.
    families: tuple[str, ...] = ()
    #: Least and most px a mm; of tables and layouts only.
    px_per_mm: tuple[float, float] = (1.6, 2.6)
    #: Least and most cards; of spreads, centres and endings only.
    cards: tuple[int, int] = (12, 60)
    #: Side, px; of windows only.
    size: int = Field(default=960, ge=64, le=2048)
    #: Share of the surfaces that are drawn anew, of kinds that look like cards.
    fresh: float = Field(default=0.0, ge=0, le=1)
    #: Who draws: "fast", or "path" for what looks like photos and takes seconds a picture.
    renderer: RendererName = "fast"
    #: The game whose table is drawn, any if none is named, and how much of it has been played (0: the deal, 1: the end)
    #: at least and at most; of layouts only.
    game: GameName | None = None
    progress: tuple[Share, Share] = (0.1, 0.9)
    #: Do four printed markers lie where the table is free? Of layouts only.
    markers: bool = False
    #: What decks wear (`datasets/room.py`).
    backs: Backs = "framed"
    #: Only art that may be kept in the project.
    committable: bool = False

    @model_validator(mode="after")
    def _can_be_traced(self) -> PictureSet:
        if self.renderer == "path" and self.what not in TRACED:
            raise ValueError(f'the path tracer draws {", ".join(TRACED)}; choose renderer = "fast"')
        return self


def read_sets(path: Path = MANIFEST) -> dict[str, PictureSet | HandSet]:
    """The sets of a manifest by name; raises SetError naming the setting that is wrong and what may stand there."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SetError(f"{path}: not a manifest of sets that can be read ({error})") from None
    return {name: _read(path, name, table) for name, table in tables.items()}


def _read(path: Path, name: str, table: object) -> PictureSet | HandSet:
    films = isinstance(table, dict) and table.get("what") == "hands"
    kind: type[HandSet | PictureSet] = HandSet if films else PictureSet
    try:
        return kind.model_validate(table)
    except ValidationError as error:
        wrong = error.errors()[0]
        setting = ".".join(str(part) for part in wrong["loc"]) or "the whole table"
        raise SetError(f"{path}: set {name!r}, {setting}: {wrong['msg']}") from None


@cache
def room_of(
    split: Split,
    fresh: float,
    families: tuple[str, ...],
    committable: bool = False,
    backs: Backs = "framed",
) -> ArtRoom | OwnRoom:
    """The art that a set is drawn from; raises AssetError."""
    return OwnRoom() if committable else ArtRoom(split, fresh, families, backs)


def decks_of(
    room: ArtRoom | OwnRoom, rng: np.random.Generator, least: int, most: int, whole: bool = False
) -> list[Art]:
    """Decks for one picture; raises AssetError where the room has too few."""
    decks = room.decks(rng, least, most, whole)
    if len(decks) < least:
        kind = "whole decks" if whole else "decks"
        raise AssetError(f"the set's families have backs for {len(decks)} {kind}, {least} are needed")
    return decks


def draw(wanted: PictureSet, number: int) -> Still:
    """Picture `number` of a set with its truth; raises AssetError where art is missing, RendererError."""
    rng = np.random.default_rng([wanted.seed, NUMBER[wanted.what], number])
    room = room_of(wanted.split, wanted.fresh, wanted.families, wanted.committable, wanted.backs)
    return draw_still(wanted, rng, room)


def draw_still(wanted: PictureSet, rng: np.random.Generator, room: ArtRoom | OwnRoom) -> Still:
    """Any picture of a set, from this room's art; raises as `draw` does."""
    if wanted.what == "layouts":
        return _layout(wanted, rng, room)
    if wanted.what == "endings":
        decks = decks_of(room, rng, 2, PLAYERS)
        return _named(draw_ending(rng, decks, room.surface, wanted.cards), decks)
    if wanted.what == "leftovers":
        decks = decks_of(room, rng, 1, PLAYERS)
        return _named(draw_leftovers(rng, decks, room.surface), decks)
    if wanted.what == "tops":
        decks = decks_of(room, rng, 2, PLAYERS, whole=True)
        return _named(draw_tops(rng, decks, room.surface), decks)
    if wanted.what == "fans":
        decks = decks_of(room, rng, 1, 1, whole=True)
        return _named(draw_fans(rng, decks, room.surface), decks)
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


def _layout(wanted: PictureSet, rng: np.random.Generator, room: ArtRoom | OwnRoom) -> Still:
    drawn: list[Art] = []

    def some(number: int) -> list[Art]:
        drawn.extend(decks_of(room, rng, number, number, whole=True))
        return drawn

    still = draw_layout(
        rng, some, room.surface, wanted.game, wanted.progress, wanted.px_per_mm, wanted.markers
    )
    return _named(still, drawn)


def redraw(wanted: PictureSet, scene: Scene) -> Still:
    """The picture of a scene of a set, as the set's renderer draws it now; raises as `draw` does, and SetError."""
    if wanted.what not in TRACED:
        raise SetError(
            f"scenes of {wanted.what} tell what lies there; only those of {', '.join(TRACED)} are drawn again"
        )
    room = room_of(wanted.split, wanted.fresh, wanted.families, wanted.committable, wanted.backs)
    renderer = renderer_of(wanted.renderer)
    decks: list[Art] = [dressed(name) for name in scene.decks]
    if wanted.what == "windows":
        return _still_of(redraw_square(scene, decks, room.surface, room.clutter, renderer))
    return redraw_still(scene, decks, room.surface, renderer)


def _still_of(picture: Picture) -> Still:
    scene = picture.scene
    return Still(picture.image, truth_of(scene, picture.painting), scene.px_per_mm(), scene=scene)


def _named(still: Still, decks: list[Art]) -> Still:
    if still.scene is not None:
        still.scene.decks = names_of(decks)
    return still
