"""Whose arm reaches to a point of the table at a moment, and from which of its player's shoulders.

An arm hides what lies under it only for a while: from the point where its hand is to the edge of the picture shows what
mostly does not. The straight way that is hidden best leads to whoever sits there. Where two arms lie over one point
neither stands out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from referee.umpire.seats.area import Area, SeatArea, project
from referee.umpire.sights import Point
from vision.capture.change import PASSES_EVERY, ChangeMap, Mask
from vision.layout import Floats

Side = Literal["left", "right"]

#: A player's shoulders lie so far behind the row (mm), so far to the sides of its middle at most, tried in such steps.
BEHIND_MM, ASIDE_MM, STEP_MM = 480.0, 400.0, 40.0
#: Of an arm is looked for what lies further from the hand's point than this (mm), every so many mm; so many points at
#: least must lie in the picture.
HAND_MM, EVERY_MM, LEAST_POINTS = 60.0, 10.0, 8
#: Of an arm's way such a share is hidden; where as much as this is hidden of a way to another seat, or not so much less,
#: two arms may be about.
HIDDEN, RIVAL, STANDS_OUT = 0.6, 0.45, 0.25
#: A seat's arms are told apart from so many reaches on; one from so far (mm) beside where most come from is the other.
FEW, OTHER_MM, REMEMBERED = 3, 150.0, 40
#: An arm surely came to a point if no part of its way shows more than this leaves; none did if some part shows so.
CAME, CAME_NOT = 0.8, 0.5
#: An arm is looked for when so long (s) has passed since, and is remembered no longer than this (s).
PASSED_S, REMEMBERED_S = 1.0, 6.0
#: Rows lie at one side of the table where their players look the same way (cosine).
SAME_SIDE = 0.7
#: From where (mm aside) a seat's arms may come; the ways to so many points are remembered, which are asked about at many
#: moments.
ASIDES = np.arange(-ASIDE_MM, ASIDE_MM + 1.0, STEP_MM)
POINTS = 200


@dataclass(frozen=True, slots=True)
class Reach:
    """An arm that reaches to a point: `aside` (mm), how far to its player's right of the row's middle it comes from, and
    the share of its way that is hidden.
    """

    seat: str
    aside: float
    hidden: float


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways of a seat's arms to a point, one for each of `ASIDES`, as far as they lie in the picture."""

    #: Rows and columns of the points of all, one way after the other; where each but the first begins.
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    begins: NDArray[np.intp]

    def hidden(self, passing: Mask) -> list[Mask]:
        """Of each way which points something passes."""
        return np.split(passing[self.rows, self.columns], self.begins)


@dataclass(slots=True)
class Reaches:
    """Ask of a point and a moment of the last seconds."""

    change: ChangeMap
    #: By seat: from where (mm aside) its arms came of late.
    _came: dict[str, deque[float]] = field(default_factory=dict)
    #: By point, seat and picture: the ways to it.
    _ways: dict[tuple[object, ...], Ways] = field(default_factory=dict)

    def at(self, point: Point, moment: float, seats: Sequence[SeatArea], to_px: Floats) -> list[Reach]:
        """How an arm of each seat may reach to a point (mm) at a moment (s), the likeliest first.

        `to_px`: (3, 3) mm -> px. Nothing where the moment is not remembered.
        """
        passing = self.change.passing(moment)
        if not passing.size:
            return []
        found = [_best(area, self._to(point, area, passing, to_px), passing) for area in seats]
        return sorted(found, key=lambda reach: -reach.hidden)

    def whose(self, point: Point, moment: float, seats: Sequence[SeatArea], to_px: Floats) -> Reach | None:
        """The arm that reaches there, if one stands out."""
        found = self.at(point, moment, seats, to_px)
        if not found or found[0].hidden < HIDDEN:
            return None
        others = max((reach.hidden for reach in found[1:]), default=0.0)
        return found[0] if others < min(RIVAL, found[0].hidden - STANDS_OUT) else None

    def least_hidden(
        self, point: Point, moment: float, seats: Sequence[SeatArea], to_px: Floats
    ) -> dict[str, float]:
        """By seat: of the part of its best way to a point (mm) that shows most at a moment (s), what share is hidden.

        `to_px`: (3, 3) mm -> px. Nothing where the moment is not remembered.
        """
        passing = self.change.passing(moment)
        if not passing.size:
            return {}
        return {
            area.seat: max(map(_least, self._to(point, area, passing, to_px).hidden(passing)))
            for area in seats
        }

    def is_in_view(self, point: Point, moment: float, area: SeatArea, to_px: Floats) -> bool:
        """Whether so much of most ways of a seat's arm to a point (mm) lies in the picture that they can be told: of
        those from before the row, for who plays at the picture's edge shows far ways alone.
        """
        passing = self.change.passing(moment)
        if not passing.size:
            return False
        ways = zip(ASIDES, self._to(point, area, passing, to_px).hidden(passing), strict=True)
        seen = [hides.size > 0 for aside, hides in ways if abs(aside) <= ASIDE_MM / 2]
        return 2 * sum(seen) > len(seen)

    def sides(self, point: Point, moment: float, area: SeatArea, to_px: Floats) -> tuple[float, float]:
        """What share is hidden of the best way to a point (mm) at a moment (s) from the left, and from the right, of who
        sits before a row: of the one and the other partner. `to_px`: (3, 3) mm -> px.
        """
        passing = self.change.passing(moment)
        if not passing.size:
            return 0.0, 0.0
        ways = self._to(point, area, passing, to_px).hidden(passing)
        hidden = np.array([hides.mean() if hides.size else 0.0 for hides in ways])
        return float(hidden[ASIDES < 0].max()), float(hidden[ASIDES > 0].max())

    def _to(self, point: Point, area: SeatArea, passing: Mask, to_px: Floats) -> Ways:
        shoulders = [shoulder(area, aside) for aside in (0.0, 1.0)]
        key = point, *shoulders, to_px.tobytes(), passing.shape
        known = self._ways.get(key)
        if known is None:
            if len(self._ways) >= POINTS:
                self._ways.clear()
            scale = self.change.scale / PASSES_EVERY
            ends = (shoulder(area, aside) for aside in ASIDES)
            known = self._ways[key] = _ways([_way(point, end, passing.shape, to_px, scale) for end in ends])
        return known

    def note(self, reach: Reach) -> None:
        """This was an arm of that seat: one learns how it sits."""
        self._came.setdefault(reach.seat, deque(maxlen=REMEMBERED)).append(reach.aside)

    def side(self, reach: Reach) -> Side | None:
        """Which arm of its player it is; None while too few were seen to tell."""
        came = self._came.get(reach.seat, ())
        if len(came) < FEW:
            return None
        mostly = median(came)
        usual: Side = "right" if mostly > 0 else "left"
        away = (reach.aside - mostly) * (-1 if usual == "right" else 1)
        if away < OTHER_MM / 2:
            return usual
        other: Side = "left" if usual == "right" else "right"
        return other if away > OTHER_MM else None


def _best(area: SeatArea, ways: Ways, passing: Mask) -> Reach:
    hidden = np.array([hides.mean() if hides.size else 0.0 for hides in ways.hidden(passing)])
    best = hidden.max()
    # of ways that are hidden alike the middle one
    return Reach(area.seat, float(ASIDES[hidden >= best - 1e-9].mean()), float(best))


def across_of(area: SeatArea) -> float:
    """Where the middle of a seat's row lies along it (mm)."""
    return float(np.mean([across for across, _ in area.spots.values()]))


def are_side_by_side(area: Area, one: str, other: str) -> bool:
    """Whether two seats are at one side of the table: the ways of their arms lie so near that both seem to come."""
    sides = {seat.seat: np.array(seat.near) for seat in area.seats}
    return float(sides[one] @ sides[other]) > SAME_SIDE


def shoulder(area: SeatArea, aside: float) -> Point:
    """Where (mm on the table) a shoulder is that lies so far (mm) to its player's right of the row's middle."""
    middle = area.table(across_of(area), area.row + BEHIND_MM)
    right = area.near[1], -area.near[0]
    return middle[0] + aside * right[0], middle[1] + aside * right[1]


def _way(hand: Point, end: Point, shape: tuple[int, ...], to_px: Floats, scale: float) -> NDArray[np.intp]:
    """(points, 2) columns and rows from a hand to a shoulder, as far as that lies in a picture of this shape; none where
    that is too little.
    """
    way = np.array(end) - hand
    long = float(np.hypot(*way))
    steps = np.arange(HAND_MM, max(long, HAND_MM + 1.0), EVERY_MM)
    px = np.floor(project(to_px, np.array(hand) + steps[:, None] * way / max(long, 1.0)) * scale).astype(
        np.intp
    )
    height, width = shape
    inside = (px >= 0).all(axis=1) & (px[:, 0] < width) & (px[:, 1] < height)
    if int(inside.sum()) < LEAST_POINTS:
        inside[:] = False
    return np.asarray(px[inside])


def _ways(each: Sequence[NDArray[np.intp]]) -> Ways:
    points = np.concatenate(each)
    return Ways(points[:, 1].copy(), points[:, 0].copy(), np.cumsum([len(way) for way in each[:-1]]))


def _least(hides: Mask) -> float:
    """Which share is hidden of that part of a way which shows most."""
    if not hides.size:
        return 0.0
    upto = np.concatenate([[0], np.cumsum(hides)])
    return float((upto[LEAST_POINTS:] - upto[:-LEAST_POINTS]).min() / LEAST_POINTS)
