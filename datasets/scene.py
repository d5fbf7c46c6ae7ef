"""What lies on a table and how the camera stands: the data that every renderer draws from.

Lengths are mm on the table plane, pictures are px with the origin top left. Cards are listed in painting
order: a later card lies on top of an earlier one where they overlap.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

POKER_MM = (63.0, 88.0)
BRIDGE_MM = (57.0, 88.0)


@dataclass(frozen=True, slots=True)
class PlacedCard:
    """One card on the table."""

    #: Index into the scene's decks.
    deck: int
    #: "QS" as printed on the card, whichever side is up.
    face: str
    face_up: bool
    #: Middle of the card, mm.
    x: float
    y: float
    #: Clockwise turn of the card in the picture sense (y down), radians.
    angle: float
    pile: int
    width: float = POKER_MM[0]
    height: float = POKER_MM[1]

    def corners_mm(self) -> Floats:
        """(4, 2) mm: top left, top right, bottom right, bottom left of the printed card."""
        w, h = self.width / 2, self.height / 2
        local = np.array([[-w, -h], [w, -h], [w, h], [-w, h]])
        c, s = np.cos(self.angle), np.sin(self.angle)
        return np.asarray(local @ np.array([[c, s], [-s, c]]) + (self.x, self.y), dtype=np.float64)


@dataclass(slots=True)
class Scene:
    """A table as one camera sees it."""

    width: int
    height: int
    #: (3, 3) homography from mm on the table to px in the picture.
    to_picture: Floats
    #: Names of the decks, known to the caller's art.
    decks: list[str]
    cards: list[PlacedCard] = field(default_factory=list)

    def project(self, points: Floats) -> Floats:
        """(n, 2) mm to (n, 2) px."""
        homogeneous = np.ones((len(points), 3))
        homogeneous[:, :2] = points
        homogeneous = homogeneous @ self.to_picture.T
        return np.asarray(homogeneous[:, :2] / homogeneous[:, 2:], dtype=np.float64)

    def px_per_mm(self) -> float:
        """Scale at the middle of the picture, px a mm (square root of the area scale)."""
        middle = np.linalg.inv(self.to_picture) @ (self.width / 2, self.height / 2, 1.0)
        x, y = middle[:2] / middle[2]
        square = self.project(np.array([[x, y], [x + 1, y], [x, y + 1]]))
        return float(np.sqrt(abs(np.linalg.det(np.array([square[1] - square[0], square[2] - square[0]])))))


def overhead_camera(
    width: int,
    height: int,
    px_per_mm: float,
    *,
    look_at: tuple[float, float] = (0.0, 0.0),
    roll: float = 0.0,
    tilt: float = 0.0,
    tilt_towards: float = 0.0,
    distance: float = 3.0,
) -> Floats:
    """Homography mm -> px of a camera that looks at `look_at`.

    `tilt` is the angle from straight down, leaning towards the direction `tilt_towards` (radians), and
    `distance` the camera's distance in picture widths (smaller means stronger perspective).
    """
    f = distance * max(width, height)
    away = f / px_per_mm
    c, s = np.cos(tilt), np.sin(tilt)
    lean = _turn(tilt_towards)
    tilted = lean @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ lean.T
    rotation = tilted @ _turn(roll)
    translate = np.array([[1, 0, -look_at[0]], [0, 1, -look_at[1]], [0, 0, 1]], dtype=np.float64)
    plane = np.column_stack([rotation[:, 0], rotation[:, 1], [0, 0, away]])
    intrinsics = np.array([[f, 0, width / 2], [0, f, height / 2], [0, 0, 1]], dtype=np.float64)
    matrix = intrinsics @ plane @ translate
    return np.asarray(matrix / matrix[2, 2], dtype=np.float64)


def _turn(angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
