"""Where the places of each game lie on a table: the rows before a player, the common middle, the table's size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from datasets.film.table import side_of, turn_of
from datasets.photos.midgame import GameName

#: Names of a row, from its owner's left to right; None is a gap.
Row = tuple[str | None, ...]

WORKS = tuple(f"work {number}" for number in range(1, 8))
_KLONDIKE: Row = WORKS
_STOCK: Row = ("stock", "waste")


def _family(works: int) -> list[list[Row]]:
    row: Row = ("nerts", *WORKS[:works])
    return [[(*row, *_STOCK)], [row, _STOCK], [(*row, "waste"), (*(None,) * (works + 1), "stock")]]


#: By game: the ways to lay a player's own places, rows from the middle of the table to the player.
OWN_ROWS: dict[GameName, list[list[Row]]] = {
    **dict.fromkeys(("nerts", "nerts-minus-one", "one-per-suit"), _family(4)),
    **dict.fromkeys(("nuts", "team-nuts"), _family(5)),
    "nerts-twelve": [
        [_KLONDIKE, ("nerts", "nerts 1", "nerts 2", "nerts 3", "nerts 4", *_STOCK)],
        [_KLONDIKE, ("nerts", "nerts 1", "nerts 2", "nerts 3", "nerts 4", None, None), _STOCK],
    ],
    "double-solitaire": [[("stock", "discard")]],
    "pishe-pasha": [[("stock", "discard")]],
    "california-jacks": [[("won",)]],
    "canfield": [
        [(None, *(f"foundation {n}" for n in range(1, 5))), ("reserve", *WORKS[:4]), _STOCK],
        [(*_STOCK, None, *(f"foundation {n}" for n in range(1, 5))), ("reserve", None, None, *WORKS[:4])],
        [("reserve", None, None, *(f"foundation {n}" for n in range(1, 5))), (*_STOCK, None, *WORKS[:4])],
    ],
}
_CENTRES = tuple(f"centre {n}" for n in range(1, 5))
#: By game: the ways to lay the common middle in rows; without, it is a loose grid of foundations.
COMMON_ROWS: dict[GameName, list[list[Row]]] = {
    "double-solitaire": [
        [("side 1", "side 2", *_CENTRES, "side 3", "side 4")],
        [("side 1", "side 2", None, "side 3", "side 4"), _CENTRES],
        [("side 1", "side 2", "side 3", "side 4", None, *_CENTRES)],
    ],
    "pishe-pasha": [[tuple(f"foundation {n}" for n in range(1, 5))]],
    "california-jacks": [[("stock", "trick")], [("trick", None, "stock")]],
}

#: Number of players to the seats that they may take, in their order.
SEATS: dict[int, tuple[tuple[str, ...], ...]] = {
    1: (("south",),),
    2: (("south", "north"), ("west", "east")),
    3: (("north", "south", "west"), ("west", "south", "east")),
    4: (("north", "east", "south", "west"),),
    5: (("northwest", "northeast", "southwest", "southeast", "west"),),
    6: (("northwest", "northeast", "southwest", "southeast", "west", "east"),),
}
#: Partners sit side by side (P1): the first and the third play from the Nut pile.
PARTNERS = ("southwest", "southeast", "northeast", "northwest")

#: mm of a spot for a foundation, and of the table between neighbours along one side.
SPOT, BETWEEN = (84.0, 108.0), 25.0


@dataclass(frozen=True, slots=True)
class Area:
    """The room that one owner's cards take before a side of the table: mm along that side and away from it."""

    owner: str
    breadth: float
    depth: float


@dataclass(frozen=True, slots=True)
class Plan:
    """A table just large enough, mm, and how far from its middle the common cards have room: left, top, right, bottom."""

    width: float
    height: float
    middle: tuple[float, float, float, float]
    #: Columns and rows of spots for foundations.
    grid: tuple[int, int]


def plan(
    areas: Sequence[Area],
    spots: int,
    block: tuple[float, float],
    spot: tuple[float, float] = SPOT,
    shape: float = 16 / 9,
) -> Plan:
    """The smallest table of about this `shape` (width by height) for these areas and what lies in the middle.

    The middle holds so many `spots` for foundations, each `spot` mm, and a `block` (mm).
    """
    deep = {side: max((a.depth for a in _at(areas, side)), default=0.0) for side in _SIDES}
    broad = {side: sum(a.breadth + BETWEEN for a in _at(areas, side)) for side in _SIDES}
    best: Plan | None = None
    for columns in range(1, max(spots, 1) + 1):
        rows = -(-spots // columns)
        middle = (max(columns * spot[0] * (spots > 0), block[0]), max(rows * spot[1], block[1]))
        for width, height in _sizes(deep, broad, middle):
            if best is None or max(width / shape, height) < max(best.width / shape, best.height):
                best = Plan(width, height, (0, 0, 0, 0), (columns, rows))
    assert best is not None
    return best


def roomed(found: Plan, areas: Sequence[Area], width: float, height: float) -> Plan:
    """The same plan on a larger table, with the room that the seats leave in the middle."""
    deep = {side: max((a.depth for a in _at(areas, side)), default=0.0) for side in _SIDES}
    middle = (
        -width / 2 + deep["west"],
        -height / 2 + deep["north"],
        width / 2 - deep["east"],
        height / 2 - deep["south"],
    )
    return Plan(width, height, middle, found.grid)


_SIDES = ("south", "west", "north", "east")


def _at(areas: Sequence[Area], side: str) -> list[Area]:
    return [area for area in areas if side_of(area.owner) == side]


def _sizes(
    deep: Mapping[str, float], broad: Mapping[str, float], middle: tuple[float, float]
) -> list[tuple[float, float]]:
    """Tables on which nobody's cards lie on a neighbour's around the corner."""
    width, height = deep["west"] + deep["east"] + middle[0], deep["north"] + deep["south"] + middle[1]
    along, across = max(broad["north"], broad["south"]), max(broad["west"], broad["east"])
    ends, sides = 2 * max(deep["west"], deep["east"]), 2 * max(deep["north"], deep["south"])
    return [
        (max(width, along + ends), max(height, across)),
        (max(width, along), max(height, across + sides)),
    ]


def on_side(area: Area, areas: Sequence[Area], width: float, height: float) -> tuple[float, float, float]:
    """The middle of an area (x, y, mm) and the turn of its cards (radians) on a table of this size."""
    side = side_of(area.owner)
    neighbours = _at(areas, side)
    before = sum(a.breadth + BETWEEN for a in neighbours[: neighbours.index(area)])
    whole = sum(a.breadth + BETWEEN for a in neighbours) - BETWEEN
    # the first of two is at the picture's left or upper end
    along = before + area.breadth / 2 - whole / 2
    edge = (height if side in ("north", "south") else width) / 2 - area.depth / 2
    turn = float(np.radians(turn_of(area.owner)))
    spot = {"south": (along, edge), "north": (along, -edge), "west": (-edge, along), "east": (edge, along)}
    return (*spot[side], turn)
