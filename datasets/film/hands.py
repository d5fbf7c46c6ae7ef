"""Arms with hands as pictures from above, and how they are laid over the table."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.film.camera import Camera
from datasets.film.hand_mesh import HOLDING, REACHING, ArmLook, draw_arm
from datasets.film.movement import HandAt
from datasets.film.table import Table

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Arm:
    """One player's arm: premultiplied BGRA pictures, fingers towards the top."""

    reaching: Pixels
    holding: Pixels
    px_per_mm: float
    #: px on each picture of the point between the fingertips.
    reaching_pivot: tuple[float, float]
    holding_pivot: tuple[float, float]
    left: bool = False

    def sprite(self, holding: bool) -> Pixels:
        """The picture of the hand that holds a card, or of the empty one."""
        return self.holding if holding else self.reaching

    def pivot(self, holding: bool) -> tuple[float, float]:
        """px on that picture of the point between the fingertips."""
        return self.holding_pivot if holding else self.reaching_pivot

    def mirrored(self) -> Arm:
        """The same player's other arm."""
        return replace(self, left=not self.left)

    def outline_box(self, holding: bool) -> Floats:
        """(4, 2) px: the corners of the picture."""
        h, w = self.sprite(holding).shape[:2]
        return np.array([[0, 0], [w, 0], [w, h], [0, h]], dtype=np.float64)


def hand_to_canvas(camera: Camera, arm: Arm, hand: HandAt) -> Floats:
    """(2, 3) affine map from the arm's picture to the canvas."""
    turn = np.radians(hand.points)
    ahead, right = np.array([np.sin(turn), -np.cos(turn)]), np.array([np.cos(turn), np.sin(turn)])
    base = np.array([hand.x, hand.y])
    points = np.array([[*base, hand.z], [*(base + 100 * ahead), hand.z], [*(base + 100 * right), hand.z]])
    seen = camera.to_canvas(points).astype(np.float32)
    px, (x, y) = arm.px_per_mm * 100, arm.pivot(hand.holding)
    side = -px if arm.left else px
    drawn = np.array([[x, y], [x, y - px], [x + side, y]], dtype=np.float32)
    return np.asarray(cv2.getAffineTransform(drawn, seen), dtype=np.float64)


def arms_for(table: Table, camera: Camera, rng: np.random.Generator) -> dict[str, Arm]:
    """An arm a seat, its skin, sleeve and handedness its own."""
    return {seat: draw(camera.px_per_mm, rng, left=style.left_handed) for seat, style in table.styles.items()}


#: Metals, BGR.
GOLD, SILVER = (95.0, 180.0, 222.0), (205.0, 205.0, 205.0)
#: The palest and the darkest skin, BGR.
PALE, DARK = np.array([176.0, 198.0, 236.0]), np.array([46.0, 66.0, 104.0])


def draw(px_per_mm: float, rng: np.random.Generator, *, left: bool = False) -> Arm:
    """A random player's arm."""
    extras = rng.spawn(1)[0]
    tone = float(rng.beta(2.0, 1.5))
    skin = (DARK + tone * (PALE - DARK)) * rng.normal(1.0, 0.03, 3)
    look = ArmLook(
        skin=_colour(skin),
        cloth=_colour(rng.uniform(15, 235, 3)),
        sleeve=float(rng.choice([rng.uniform(15, 70), rng.uniform(100, 190)])),
        sleeve_width=float(rng.uniform(70, 95)),
        light=(float(rng.uniform(-0.5, 0.5)), float(rng.uniform(-0.5, 0.5))),
        rings=tuple(int(f) for f in np.flatnonzero(extras.random(5) < (0.03, 0.08, 0.12, 0.3, 0.08))),
        metal=GOLD if extras.random() < 0.6 else SILVER,
        strap=_colour(extras.uniform(10, 200, 3)) if extras.random() < 0.35 else None,
    )
    reaching, pivot = draw_arm(REACHING, look, px_per_mm, rng)
    holding, held = draw_arm(HOLDING, look, px_per_mm, rng)
    return Arm(reaching, holding, px_per_mm, pivot, held, left)


def _colour(bgr: Floats) -> tuple[float, float, float]:
    return float(bgr[0]), float(bgr[1]), float(bgr[2])
