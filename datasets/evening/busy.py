"""One seat's hands at work before and after a hand: every movement begins when the last one is over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from datasets.film.movement import Lying, Motion
from datasets.film.poses import Pose
from datasets.film.table import Table, turn_of
from datasets.play.deeds import BetweenKind, Deed, MishapKind, Side, other_arm

#: mm from a shoulder to the lap, where nobody sees cards.
LAP = 90.0


@dataclass(slots=True)
class Busy:
    """What a seat does, with a clock of its own that goes on with every movement; times in seconds."""

    seat: str
    table: Table
    rng: np.random.Generator
    now: float
    #: How long this player takes for everything, 1 = as usual.
    pace: float = 1.0
    motions: list[Motion] = field(default_factory=list)
    #: Hands that rest, as `Choreography.rests` has them.
    rests: list[tuple[Deed, Pose]] = field(default_factory=list)

    def move(
        self,
        kind: BetweenKind,
        taken: Sequence[Lying],
        put: Sequence[Lying],
        *,
        reach: float,
        carry: float,
        side: Side = "main",
        height: float = 14.0,
    ) -> Motion:
        """Cards (bottom to top) moved by one hand that takes `reach` seconds to get there and `carry` with them."""
        deed = self._deed(kind, taken[-1].place, put[-1].place, reach, carry, side, taken)
        far = float(np.hypot(put[-1].pose.x - taken[-1].pose.x, put[-1].pose.y - taken[-1].pose.y))
        arc = float(self.rng.normal(0, 0.03)) * far
        motion = Motion(deed, deed.lifted, deed.landed, tuple(taken), tuple(put), height, arc)
        self.motions.append(motion)
        self.wait(0.02)
        return motion

    def rest(self, pose: Pose, lasts: float, *, reach: float = 0.35, side: Side = "main") -> Deed:
        """A hand that goes somewhere and stays there for a while."""
        deed = self._deed("rest", "", "", reach, lasts, side, ())
        self.rests.append((deed, pose))
        return deed

    def wait(self, least: float, most: float | None = None) -> None:
        """Time passes: between `least` and `most` seconds, if that is given."""
        lasts = least if most is None else float(self.rng.uniform(least, most))
        self.now = round(self.now + lasts * self.pace, 3)

    def _deed(
        self,
        kind: BetweenKind | MishapKind,
        source: str,
        target: str,
        reach: float,
        lasts: float,
        side: Side,
        cards: Sequence[Lying],
    ) -> Deed:
        reach, lasts = (t * self.pace * float(self.rng.uniform(0.88, 1.14)) for t in (reach, lasts))
        lifted = round(self.now + reach, 3)
        landed = round(lifted + lasts, 3)
        faces = tuple(lying.card.face for lying in cards)
        deed = Deed(kind, self.seat, faces, source, target, self.now, lifted, landed, hand=side)
        self.now = landed
        return deed

    def lap(self, side: Side = "main") -> tuple[float, float]:
        """A spot of the lap, mm, out of the camera's sight."""
        x, y = self.table.shoulders[self.seat if side == "main" else other_arm(self.seat)]
        turn = np.radians(turn_of(self.seat))
        return float(x + LAP * np.sin(turn)), float(y - LAP * np.cos(turn))

    def before(self, across: float, near: float) -> Pose:
        """A spot `across` mm to the seat's right of its middle and `near` mm in from its edge of the table."""
        turn = np.radians(turn_of(self.seat))
        reach = (self.table.width if self.seat in ("east", "west") else self.table.height) / 2
        u, v = self.table.middle[self.seat] + across, reach - near
        x, y = u * np.cos(turn) - v * np.sin(turn), u * np.sin(turn) + v * np.cos(turn)
        return Pose(float(x), float(y), turn_of(self.seat))


def untidy(pose: Pose, rng: np.random.Generator, off: float, turn: float) -> Pose:
    """A card some mm and degrees (standard deviations) away from where it should lie."""
    dx, dy, angle = (float(v) for v in rng.normal(0, 1, 3).clip(-2.2, 2.2))
    return Pose(pose.x + off * dx, pose.y + off * dy, pose.angle + turn * angle, pose.flip, pose.z)
