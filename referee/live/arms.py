"""Whose arm it was: of two partners who play with the same cards, told by where the picture moved and whose arm lay.

Each sits before an own half of the row. An arm is a strip from the hand to its player's shoulder, and moves while the
hand is about.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from referee.live.reaching.reaches import Reaches
from referee.rules.places import NERTS, Place
from referee.umpire.seats.area import SeatArea, project
from referee.umpire.sights import Point
from vision.capture.change import ChangeMap, Mask
from vision.layout import Floats

#: What moved is remembered for so long (s).
MEMORY_S = 15.0
#: A partner's shoulder is so far from the middle of the row, and from the row (mm); the arm is so wide.
ASIDE_MM, BEHIND_MM, ARM_MM = 200.0, 480.0, 60.0
#: The arm moves so long (s) before a card leaves its place or comes to rest, and after.
BEFORE_S, AFTER_S = 0.1, 0.2
#: How surely a share of one strip that moved more than the other's tells whose arm it was.
TELLS = 8.0
#: A whole arm where cards were laid tells so many times as much as one where they were taken.
LAID = 2.0


@dataclass(slots=True)
class Arms:
    """`note` every frame; then ask."""

    change: ChangeMap
    _moved: deque[tuple[float, Mask]] = field(default_factory=deque)

    def note(self) -> None:
        """A frame was noticed: what moved in it."""
        now = self.change.now
        moved = self.change.moved >= now
        if moved.any():
            self._moved.append((now, moved))
        while self._moved and self._moved[0][0] < now - MEMORY_S:
            self._moved.popleft()

    def partner_did(
        self,
        area: SeatArea,
        hands: Sequence[tuple[Point, float]],
        to_px: Floats,
        reaches: Reaches | None = None,
    ) -> float:
        """The probability that the partner of a seat did it: `hands` are where (mm) a hand was and when (s), at last
        where cards were laid.

        `to_px`: (3, 3) mm -> px. `reaches`: asked for the whole arms that lay there, too.
        """
        told = self._reached(area, hands, to_px, reaches) if reaches is not None else 0.0
        for at, moment in hands:
            own, other = (self.change.tiles(_strip(at, shoulder, to_px)) for shoulder in shoulders(area))
            both = own & other
            told += self._share(other & ~both, moment) - self._share(own & ~both, moment)
        return float(1.0 / (1.0 + np.exp(-TELLS * told)))

    @staticmethod
    def _reached(
        area: SeatArea, hands: Sequence[tuple[Point, float]], to_px: Floats, reaches: Reaches
    ) -> float:
        """How much more is hidden of a partner's way to where hands were than of the other one's."""
        told, sign = 0.0, 1.0 if _nuts_first(area) else -1.0
        for number, (at, moment) in enumerate(hands):
            left, right = reaches.sides(at, moment, area, to_px)
            # when a card was taken is known less well than when it was laid
            told += sign * (right - left) * (LAID if number == len(hands) - 1 else 1.0)
        return told

    def _share(self, tiles: Mask, moment: float) -> float:
        """What share of some tiles moved in each frame about a moment (s), on average."""
        if not tiles.any():
            return 0.0
        moved = [m for at, m in self._moved if moment - BEFORE_S <= at <= moment + AFTER_S]
        return float(np.mean([m[tiles].mean() for m in moved])) if moved else 0.0


def shoulders(area: SeatArea) -> tuple[Point, Point]:
    """Where the seat's player and the partner sit (mm on the table): each before an own half of the row."""
    middle = float(np.mean([across for across, _ in area.spots.values()]))
    towards = 1.0 if _nuts_first(area) else -1.0
    near = area.row + BEHIND_MM
    return (
        area.table(middle - towards * ASIDE_MM, near),
        area.table(middle + towards * ASIDE_MM, near),
    )


def _nuts_first(area: SeatArea) -> bool:
    """Whether the Nut pile lies at the beginning of the row."""
    nuts = area.spots[Place(NERTS, 0, area.seat)][0]
    return nuts < float(np.mean([across for across, _ in area.spots.values()]))


def _strip(at: Point, shoulder: Point, to_px: Floats) -> Floats:
    """(4, 2) px: an arm from a hand to its shoulder."""
    hand, end = np.array(at), np.array(shoulder)
    along = (end - hand) / max(float(np.linalg.norm(end - hand)), 1.0)
    across = np.array([-along[1], along[0]]) * ARM_MM / 2
    return project(to_px, np.array([hand - across, hand + across, end + across, end - across]))
