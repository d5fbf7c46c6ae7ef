"""What moves and what lies: cards at rest, cards carried, hands on their way, hands that hold something."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from datasets.film.poses import Pose, between
from datasets.play.deeds import Deed

#: From this share of its way on a card that is pushed underneath others goes below them: first it may come off them.
SLIDES_IN = 0.5


@dataclass(frozen=True, slots=True)
class Card:
    """One physical card: whose deck it belongs to and its face."""

    seat: str
    face: str

    def __str__(self) -> str:
        return f"{self.seat}'s {self.face}"


@dataclass(frozen=True, slots=True)
class Lying:
    """A card at rest."""

    card: Card
    pose: Pose
    #: Place with its seat ("west work 2") or "foundation 3".
    place: str
    #: Cards of its pile underneath it.
    order: int
    #: Cards of its pile that it is pushed underneath when it comes to rest.
    above: int = 0


@dataclass(frozen=True, slots=True)
class Motion:
    """Cards (bottom to top) in one hand's movement from `start` to `end` seconds."""

    deed: Deed
    start: float
    end: float
    taken: tuple[Lying, ...]
    put: tuple[Lying, ...]
    #: mm of height at the highest, and of sideways detour.
    height: float
    arc: float

    def share(self, t: float) -> float:
        """Minimum-jerk progress at `t`, 0 to 1."""
        return minimum_jerk((t - self.start) / (self.end - self.start))

    def pose(self, t: float, index: int) -> Pose:
        """The carried card `index` at `t`."""
        a, b, share = self.taken[index].pose, self.put[index].pose, self.share(t)
        bump = 4 * share * (1 - share)
        pose = between(a, b, share)
        tilt = abs(np.sin(np.radians(pose.flip))) * 30.0
        dx, dy = b.x - a.x, b.y - a.y
        length = float(np.hypot(dx, dy))
        if length < 1.0:
            # there and back again: out along the card's short side
            turn = np.radians(a.angle)
            dx, dy, length = float(np.sin(turn)), -float(np.cos(turn)), 1.0
        off = self.arc * bump
        lifted = pose.z + self.height * min(1.0, 1.6 * bump) + tilt
        return replace(pose, x=pose.x - dy / length * off, y=pose.y + dx / length * off, z=lifted)

    def pushed_to(self, t: float) -> Lying | None:
        """Where its card will lie, if at `t` it is on its way to be pushed underneath others: it slides in below them."""
        return self.put[0] if self.put[0].above and self.share(t) >= SLIDES_IN else None

    def poses(self, t: float) -> list[tuple[Card, Pose]]:
        """The carried cards at `t`, lowest first as the camera sees them."""
        poses = [(lying.card, self.pose(t, index)) for index, lying in enumerate(self.put)]
        # Turned over as a packet, the card that will lie lowest is on top until the other side is seen.
        turned = poses[-1][1].face_up != self.put[-1].pose.face_up
        return poses[::-1] if turned else poses


@dataclass(frozen=True, slots=True)
class Reach:
    """An empty hand on its way between two points of the table (mm)."""

    start: float
    end: float
    a: tuple[float, float]
    b: tuple[float, float]

    def at(self, t: float) -> tuple[float, float]:
        """Where the fingers are at `t`."""
        share = minimum_jerk((t - self.start) / (self.end - self.start))
        return self.a[0] + share * (self.b[0] - self.a[0]), self.a[1] + share * (self.b[1] - self.a[1])


@dataclass(frozen=True, slots=True)
class HandAt:
    """A hand at one moment: its fingers' point and the way they point, mm and degrees."""

    arm: str
    x: float
    y: float
    z: float
    #: Direction from the shoulder to the fingers; 0 = towards the top of the picture, clockwise.
    points: float
    holding: bool


@dataclass(frozen=True, slots=True)
class Hold:
    """A hand that holds a stock above the table from `start` to `end` seconds; `pose` is its lowest card's."""

    pose: Pose
    start: float = float("-inf")
    end: float = float("inf")


def minimum_jerk(share: float) -> float:
    """Progress of a hand that starts and stops softly."""
    s = min(max(share, 0.0), 1.0)
    return s * s * s * (10 - 15 * s + 6 * s * s)
