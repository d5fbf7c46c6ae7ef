"""A table that waits: hands that come and go, a glass that is put down and taken away, somebody who counts."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.evening.busy import Busy
from datasets.film.choreography import Choreography
from datasets.film.hands import Arm
from datasets.film.movement import HandAt
from datasets.film.poses import Pose
from datasets.play.deeds import Deed, Side

#: mm from the fingertips to the middle of a glass in the hand, and at which it stands above the table as it is seen.
AHEAD, HEIGHT = 16.0, 40.0
#: Seconds in which a hand that takes a glass is out of sight.
GONE = 3.0
#: Radius of a glass, mm.
GLASS = (28.0, 40.0)


@dataclass(frozen=True, slots=True)
class Glass:
    """A glass that one visit of a hand brings and another takes away."""

    name: str
    arm: str
    brought: Deed
    taken: Deed
    film: Choreography
    #: mm, and BGR of what is in it.
    radius: float
    drink: tuple[float, float, float]

    def at(self, t: float) -> HandAt | None:
        """Where it is at `t`; None while it is out of sight."""
        if not self.brought.reached <= t < self.taken.landed + GONE:
            return None
        # it stands still from the moment it is put down until it is taken up again
        carried = t < self.brought.lifted or t >= self.taken.landed
        hand = self.film.hand(self.arm, t if carried else self.brought.lifted)
        if hand is None:
            return None
        turn = np.radians(hand.points)
        x, y = hand.x + AHEAD * float(np.sin(turn)), hand.y - AHEAD * float(np.cos(turn))
        return replace(hand, arm=self.name, x=x, y=y, z=HEIGHT, points=0.0, holding=False)

    def draw(self, px_per_mm: float) -> Arm:
        """Seen from above: what is in it, its rim, and light on both."""
        side = 2 * round((self.radius + 2) * px_per_mm) + 1
        fine = 4
        picture = np.zeros((side * fine, side * fine, 4), np.float32)
        middle = (side * fine // 2, side * fine // 2)
        r = self.radius * px_per_mm * fine
        for share, colour, alpha in (
            (1.0, (215.0, 222.0, 225.0), 0.72),
            (0.88, self.drink, 0.88),
            (0.8, tuple(1.12 * c for c in self.drink), 0.88),
        ):
            cv2.circle(picture, middle, round(share * r), [*(alpha * c for c in colour), 255 * alpha], -1)
        at = (round(middle[0] - 0.55 * r), round(middle[1] - 0.62 * r))
        cv2.ellipse(picture, at, (round(0.22 * r), round(0.09 * r)), -45, 0, 360, (250, 250, 250, 255), -1)
        small = cv2.resize(np.clip(picture, 0, 255), (side, side), interpolation=cv2.INTER_AREA)
        sprite: NDArray[np.uint8] = np.round(small).astype(np.uint8)
        return Arm(sprite, sprite, px_per_mm, (side / 2, side / 2), (side / 2, side / 2))


def visit(busy: Busy, ends: float, film: Choreography, *, glass: str | None) -> list[Glass]:
    """What one seat does at an empty table until `ends`: nothing, a hand that comes and goes; or a glass of that name."""
    rng = busy.rng
    side: Side = "main" if rng.random() < 0.6 else "other"
    if glass is not None:
        spot = _somewhere(busy)
        brought = busy.rest(spot, 0.3, reach=0.8, side=side)
        stands = ends - busy.now - 2.4 * busy.pace
        if stands < 0.8:
            busy.rests.pop()
            return []
        busy.now = round(busy.now + stands * float(rng.uniform(0.5, 1.0)), 3)
        taken = busy.rest(spot, 0.25, reach=0.6, side=side)
        drink = np.array([[30, 110, 190], [25, 35, 60], [40, 30, 110], [190, 200, 205]])[rng.integers(4)]
        radius, arm = float(rng.uniform(*GLASS)), brought.arm
        colour = (float(drink[0]), float(drink[1]), float(drink[2]))
        return [Glass(glass, arm, brought, taken, film, radius, colour)]
    while rng.random() < 0.6:
        busy.wait(0.2, 2.5)
        if busy.now + 2.6 * busy.pace > ends:
            break
        busy.rest(_somewhere(busy), float(rng.uniform(0.2, 1.2)), reach=0.5, side=side)
    return []


def lay_hands_down(busy: Busy, ends: float) -> None:
    """A hand that rests before its player until about `ends`."""
    lasts = (ends - busy.now) / busy.pace - 0.6
    if lasts > 0.4:
        across, near = busy.rng.uniform(-40, 150), busy.rng.uniform(35, 80)
        busy.rest(
            busy.before(float(across), float(near)), lasts * float(busy.rng.uniform(0.6, 0.9)), reach=0.45
        )


def count(busy: Busy, piles: list[Pose], ends: float) -> None:
    """A finger that goes from pile to pile while somebody counts."""
    for pose in piles:
        if busy.now + 1.2 * busy.pace > ends:
            break
        busy.rest(pose, float(busy.rng.uniform(0.2, 0.6)), reach=0.3)


def _somewhere(busy: Busy) -> Pose:
    """A spot of the seat's half of the table."""
    return busy.before(float(busy.rng.uniform(-130, 160)), float(busy.rng.uniform(70, 260)))
