"""Which place of whom a point of the table belongs to, and where on the picture every place lies.

Lengths in mm on the table plane. Each seat has a frame of its own: `across` runs along its row of piles,
`near` grows from the middle of the table towards the player.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

import numpy as np

from referee.rules.places import FOUNDATION, NERTS, STOCK, WASTE, WORK, Place
from referee.umpire.sights import Point
from vision.layout import CARD_HEIGHT_MM, CARD_WIDTH_MM, Floats

#: Two players along one side, from the left in the picture or from its upper end.
PAIRS = {
    "south": ("southwest", "southeast"),
    "north": ("northwest", "northeast"),
    "west": ("northwest", "southwest"),
    "east": ("northeast", "southeast"),
}
#: Cards whose middles lie closer than this belong to one foundation.
FOUNDATION_REACH_MM = 42.0
#: How far a column may grow from its first card's middle.
COLUMN_MM = 300.0
#: A card of a column ends at least so much (mm) before the middle of what lies below the column.
BELOW_MM = 50.0
#: Where a waste may begin that lies elsewhere than thought: so many piles beyond either end of its row, and behind the
#: row by so many mm at most. Its first card lies as the row does, turned no further than this (degrees).
BEYOND, BEHIND_ROW_MM, TURNED = (0.6, 2.6), 130.0, 30.0
HALF_W, HALF_H = CARD_WIDTH_MM / 2, CARD_HEIGHT_MM / 2


@dataclass(frozen=True, slots=True)
class SeatArea:
    """One player's row of piles; `spots` are the middles of the first cards as (across, near)."""

    seat: str
    across: Point
    near: Point
    spots: dict[Place, Point]
    #: Its backs look like faces that cannot be read.
    back_like_face: bool = False
    #: Who sits beside and plays with the same cards (P3).
    partner: str = ""

    def local(self, at: Point) -> Point:
        """Table mm to this seat's (across, near)."""
        return at[0] * self.across[0] + at[1] * self.across[1], at[0] * self.near[0] + at[1] * self.near[1]

    def table(self, across: float, near: float) -> Point:
        """This seat's (across, near) to table mm."""
        return (
            across * self.across[0] + near * self.near[0],
            across * self.across[1] + near * self.near[1],
        )

    @property
    def _works(self) -> list[Point]:
        """Where its columns begin."""
        return [spot for place, spot in self.spots.items() if place.kind == WORK]

    @property
    def row(self) -> float:
        """How near the player the row of first cards lies."""
        return median(near for _, near in self._works)

    @property
    def lane(self) -> float:
        """Half the distance between neighbouring piles."""
        a = sorted(across for across, _ in self._works)
        return min(HALF_W + 12.0, min(right - left for left, right in pairwise(a)) / 2)

    def place(self, at: Point) -> Place | None:
        """The place of this seat at a point, None in front of its row or beside it."""
        across, near = self.local(at)
        lane = self.lane
        best: tuple[float, Place] | None = None
        for place, (a, n) in self.spots.items():
            if abs(across - a) > lane + 4:
                continue
            deep = self._column(a, n, lane) if place.kind == WORK else HALF_H + 6
            if -HALF_H + 4 <= near - n <= deep:
                away = abs(across - a) + (0.0 if place.kind == WORK else 0.2 * abs(near - n))
                best = min(best or (away, place), (away, place))
        return best[1] if best else None

    def _column(self, across: float, near: float, lane: float) -> float:
        """How far a column may grow from its first card's middle: not over what lies below it."""
        below = [
            n - near - BELOW_MM
            for place, (a, n) in self.spots.items()
            if place.kind != WORK and n > near + CARD_HEIGHT_MM and abs(a - across) < lane
        ]
        return min([COLUMN_MM, *below])

    @property
    def pitch(self) -> float:
        """The distance between neighbouring piles."""
        return median(right - left for left, right in pairwise(sorted(across for across, _ in self._works)))

    @property
    def _ends(self) -> Point:
        """Where, across, its row of open cards begins and ends."""
        across = [a for place, (a, _) in self.spots.items() if place.kind in (NERTS, WORK)]
        return min(across), max(across)

    def beyond(self, at: Point, angle: float) -> float | None:
        """How far (mm) beyond its row's ends a card lies that may be the first of its waste; None for any other."""
        across, near = self.local(at)
        low, high = self._ends
        out = max(low - across, across - high)
        level = -HALF_H < near - self.row < BEHIND_ROW_MM
        off = (angle + (90.0 if abs(self.across[1]) > 0.5 else 0.0)) % 180.0
        if not level or min(off, 180.0 - off) > TURNED:
            return None
        return out if BEYOND[0] * self.pitch <= out <= BEYOND[1] * self.pitch else None

    def is_other_end(self, at: Point) -> bool:
        """Whether a point lies beyond the other end of its row than its waste is supposed to lie."""
        middle, waste = sum(self._ends) / 2, self.spots.get(Place(WASTE, 0, self.seat))
        return waste is not None and (self.local(at)[0] > middle) != (waste[0] > middle)

    def ends(self) -> list[Floats]:
        """(4, 2) mm: the parts of the table beside its row in which its waste may lie."""
        low, high = self._ends
        first, last = BEYOND[0] * self.pitch - HALF_W, BEYOND[1] * self.pitch + HALF_W
        front, back = self.row - HALF_H, self.row + BEHIND_ROW_MM + HALF_H
        spans = [(low - last, low - first), (high + first, high + last)]
        return [
            np.array([self.table(a, n) for a, n in ((u, front), (v, front), (v, back), (u, back))])
            for u, v in spans
        ]

    def fronts(self, at: Point) -> bool:
        """Whether a point lies beyond this seat's row, seen from the player."""
        return self.local(at)[1] < self.row - HALF_H


@dataclass(slots=True)
class Area:
    """All places of a table; `to_table` maps px to mm."""

    seats: list[SeatArea]
    to_table: Floats
    foundations: dict[Place, Point] = field(default_factory=dict)
    #: Seats of which it is only supposed where the waste lies: no card has been seen there yet.
    unsettled: set[str] = field(default_factory=set)
    #: Cards that lay on the table before the first one moved and belong to no place.
    strays: Sequence[Point] = ()
    from_table: Floats = field(init=False)
    #: Places of face-down piles whose backs look like faces that cannot be read.
    like_faces: frozenset[Place] = field(init=False)
    #: By width and height (px): the part of the picture that is the centre.
    _centres: dict[tuple[int, int], Floats] = field(init=False, default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.like_faces = frozenset(
            Place(kind, 0, area.seat) for area in self.seats if area.back_like_face for kind in (NERTS, STOCK)
        )
        self.lay(self.to_table)

    def lay(self, to_table: Floats) -> None:
        """From now on (3, 3) px -> mm; whatever lies on the table stays where it is."""
        self.to_table = to_table
        self.from_table = np.asarray(np.linalg.inv(to_table), dtype=np.float64)
        self._centres.clear()

    def at(self, points: Floats) -> Floats:
        """(n, 2) px to mm."""
        return project(self.to_table, points)

    def seen(self, points: Floats) -> Floats:
        """(n, 2) mm to px."""
        return project(self.from_table, points)

    def place(self, at: Point, *, face_up: bool = True) -> Place | None:
        """The place at a point; a face in the free centre begins a new foundation."""
        for area in self.seats:
            place = area.place(at)
            if place is not None:
                return place
        if not all(area.fronts(at) for area in self.seats):
            return None
        near = [(float(np.hypot(at[0] - x, at[1] - y)), p) for p, (x, y) in self.foundations.items()]
        if near and min(near)[0] <= FOUNDATION_REACH_MM:
            return min(near)[1]
        if not face_up:
            return None
        # one that was set aside before a hand was gone on with has no place here any more, but keeps its number
        place = Place(FOUNDATION, max((known.number for known in self.foundations), default=0) + 1)
        self.foundations[place] = at
        return place

    def found_waste(self, at: Point, angle: float) -> Place | None:
        """A face at no place may be the first card of a waste that lies elsewhere than was supposed: then it lies there.

        `angle`: how the card is turned, degrees.
        """
        if any(np.hypot(at[0] - x, at[1] - y) < FOUNDATION_REACH_MM for x, y in self.strays):
            return None
        unsettled = [area for area in self.seats if area.seat in self.unsettled]
        # between two rows it is the waste of that whose stock lies at the same end
        seats = [
            (area.is_other_end(at), out, number)
            for number, area in enumerate(unsettled)
            if (out := area.beyond(at, angle)) is not None
        ]
        if not seats:
            return None
        area = unsettled[min(seats)[2]]
        place = Place(WASTE, 0, area.seat)
        area.spots[place] = area.local(at)
        return place

    def ends(self) -> list[Floats]:
        """(4, 2) px each: where else than supposed a waste may come to lie."""
        return [self.seen(end) for area in self.seats if area.seat in self.unsettled for end in area.ends()]

    def centre(self, width: int, height: int) -> Floats:
        """(4, 2) px: the picture but for what lies on the players' side of their rows; for 2 to 4 seats."""
        if (width, height) not in self._centres:
            self._centres[width, height] = self._centre(width, height)
        return self._centres[width, height]

    def _centre(self, width: int, height: int) -> Floats:
        corners = np.array([[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]])
        low, high = self.at(corners).min(axis=0), self.at(corners).max(axis=0)
        for area in self.seats:
            axis = 0 if abs(area.near[0]) > 0.5 else 1
            edge = (area.row - HALF_H) * area.near[axis]
            if area.near[axis] > 0:
                high[axis] = min(high[axis], edge)
            else:
                low[axis] = max(low[axis], edge)
        return self.seen(np.array([low, [high[0], low[1]], high, [low[0], high[1]]]))

    def own_places(self) -> list[Place]:
        """Every place of every seat."""
        return [place for area in self.seats for place in area.spots]

    def places(self) -> list[Place]:
        """Every place of every seat, and the foundations."""
        return [*self.own_places(), *self.foundations]

    def box(self, place: Place, length_mm: float = 0.0, margin_mm: float = 8.0) -> Floats:
        """(4, 2) mm, the corners of a place; `length_mm`: how far its last card lies from its first."""
        if place.kind == FOUNDATION:
            x, y = self.foundations[place]
            reach = HALF_H + margin_mm
            return np.array(
                [
                    [x - reach, y - reach],
                    [x + reach, y - reach],
                    [x + reach, y + reach],
                    [x - reach, y + reach],
                ]
            )
        area = next(a for a in self.seats if a.seat == place.seat)
        across, near = area.spots[place]
        w, h = HALF_W + margin_mm, HALF_H + margin_mm
        corners = [(-w, -h), (w, -h), (w, h + length_mm), (-w, h + length_mm)]
        return np.array([area.table(across + dx, near + dy) for dx, dy in corners])


def project(homography: Floats, points: Floats) -> Floats:
    """(n, 2) points through a (3, 3) homography."""
    flat = np.concatenate([points, np.ones((len(points), 1))], axis=1) @ homography.T
    return np.asarray(flat[:, :2] / flat[:, 2:], dtype=np.float64)
