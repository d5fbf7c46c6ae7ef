"""A pen for ink masks: (H, W) uint8, 255 where there is ink, `SUPER` times the size of a card at 4 px/mm."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.uint8]
Points = NDArray[np.float64]
Generator = np.random.Generator

SUPER = 2
#: px of a mask a mm.
MM = 4.0 * SUPER
_SUB = 4


@dataclass(slots=True)
class Pen:
    """Draws smooth lines and shapes into a mask; lengths in px of the mask."""

    mask: Mask

    def line(self, points: Points, width: float, closed: bool = False, ink: int = 255) -> None:
        """A polyline through (n, 2) x, y."""
        fixed = [np.round(points * 2**_SUB).astype(np.int32)]
        cv2.polylines(self.mask, fixed, closed, ink, max(1, round(width)), cv2.LINE_AA, _SUB)

    def fill(self, points: Points, ink: int = 255) -> None:
        """A filled polygon."""
        cv2.fillPoly(self.mask, [np.round(points * 2**_SUB).astype(np.int32)], ink, cv2.LINE_AA, _SUB)

    def fill_all(self, outlines: list[Points], ink: int = 255) -> None:
        """Outlines of one shape together: where two overlap there is a hole."""
        fixed = [np.round(points * 2**_SUB).astype(np.int32) for points in outlines]
        cv2.fillPoly(self.mask, fixed, ink, cv2.LINE_AA, _SUB)

    def dot(self, x: float, y: float, radius: float, ink: int = 255, width: float = -1) -> None:
        """A disc, or a ring where `width` is positive."""
        centre = (round(x * 2**_SUB), round(y * 2**_SUB))
        thickness = -1 if width < 0 else max(1, round(width))
        cv2.circle(self.mask, centre, max(1, round(radius * 2**_SUB)), ink, thickness, cv2.LINE_AA, _SUB)


def angles_of(count: int) -> Points:
    """Directions evenly spread over a full turn."""
    return np.linspace(0, 2 * np.pi, count, endpoint=False)


def polar(x: float, y: float, radius: Points | float, angles: Points, squash: float = 1.0) -> Points:
    """Points around (x, y); `squash` stretches them along y."""
    return np.stack([x + radius * np.cos(angles), y + squash * radius * np.sin(angles)], axis=1)
