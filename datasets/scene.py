"""What lies on a table, how the camera stands, what light there is: the data that every renderer draws from.

Lengths are mm on the table plane, heights mm above it, pictures are px with the origin top left. Cards are listed in
painting order: a later card lies on top of an earlier one where they overlap. `scene_file.py` keeps a scene as JSON.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from datasets.chance import Draws
from datasets.lighting import Lighting

Floats = NDArray[np.float64]

POKER_MM = (63.0, 88.0)
BRIDGE_MM = (57.0, 88.0)
#: mm, of one card as it lies.
THICKNESS = 0.3


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
    #: Heights above the table of the upper side's corners, mm: top left, top right, bottom right, bottom left.
    lift: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    #: How far its short sides bend up from its middle (or its middle from them, if below zero), mm.
    curl: float = 0.0

    def corners_mm(self) -> Floats:
        """(4, 2) mm: top left, top right, bottom right, bottom left of the printed card."""
        w, h = self.width / 2, self.height / 2
        local = np.array([[-w, -h], [w, -h], [w, h], [-w, h]])
        c, s = np.cos(self.angle), np.sin(self.angle)
        return np.asarray(local @ np.array([[c, s], [-s, c]]) + (self.x, self.y), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Camera:
    """An ideal camera above the table; angles in radians."""

    #: The point on the table in the middle of the picture, mm, and the scale there.
    look_at: tuple[float, float]
    px_per_mm: float
    roll: float
    #: Angle from straight down, and the direction that it leans towards.
    tilt: float
    tilt_towards: float
    #: Focal length and the picture's middle, px.
    focal: float
    middle: tuple[float, float]

    @property
    def distance(self) -> float:
        """mm from the lens to the point that it looks at."""
        return self.focal / self.px_per_mm

    def rotation(self) -> Floats:
        """(3, 3) from x, y (as in the picture) and depth of the table to right, down and depth of the camera."""
        c, s = np.cos(self.tilt), np.sin(self.tilt)
        lean = _turn(self.tilt_towards)
        tilted = lean @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ lean.T
        return np.asarray(tilted @ _turn(self.roll), dtype=np.float64)

    def position(self) -> Floats:
        """(3,) x, y and height of the lens, mm."""
        x, y, depth = self.rotation().T @ (0.0, 0.0, -self.distance)
        return np.array([x + self.look_at[0], y + self.look_at[1], -depth])

    def homography(self) -> Floats:
        """(3, 3) from mm on the table to px in the picture."""
        rotation = self.rotation()
        translate = np.array(
            [[1, 0, -self.look_at[0]], [0, 1, -self.look_at[1]], [0, 0, 1]], dtype=np.float64
        )
        plane = np.column_stack([rotation[:, 0], rotation[:, 1], [0, 0, self.distance]])
        f, (x, y) = self.focal, self.middle
        intrinsics = np.array([[f, 0, x], [0, f, y], [0, 0, 1]], dtype=np.float64)
        matrix = intrinsics @ plane @ translate
        return np.asarray(matrix / matrix[2, 2], dtype=np.float64)

    def project(self, points: Floats) -> Floats:
        """(n, 3) x, y and height above the table, mm, to (n, 2) px."""
        seen = (points - self.position()) * (1.0, 1.0, -1.0) @ self.rotation().T
        return np.asarray(self.focal * seen[:, :2] / seen[:, 2:] + self.middle, dtype=np.float64)

    def scaled(self, factor: float) -> Camera:
        """The same view in a picture of `factor` times the size."""
        x, y = self.middle
        middle = (x * factor, y * factor)
        return replace(self, px_per_mm=self.px_per_mm * factor, focal=self.focal * factor, middle=middle)


@dataclass(frozen=True, slots=True)
class PaintStyle:
    """How cards look in one scene."""

    #: Paper colour, BGR multipliers up to 1.
    tint: tuple[float, float, float]
    #: Strength 0..1, softness px and offset px of the shadow that a card casts on what lies below.
    shadow: float
    shadow_blur: float
    shadow_offset: tuple[float, float]
    #: How visible the cut edge of a card is, -1 (light) .. 1 (dark).
    edge: float


@dataclass(slots=True)
class Scene:
    """A table as one camera sees it."""

    width: int
    height: int
    camera: Camera
    #: Names of the decks, known to the caller's art.
    decks: list[str]
    cards: list[PlacedCard] = field(default_factory=list)
    #: Paper, shadows and edges; None until a renderer has prepared the scene.
    style: PaintStyle | None = None
    #: Lamps, room and finishes; of path-traced scenes only.
    lighting: Lighting | None = None
    #: What lens and sensor do to the picture: 0 (kind) .. 1 (all kinds of trouble).
    hardness: float = 1.0
    #: What is left to chance: the surface, what lies in the way, the exposure.
    draws: Draws = field(default_factory=Draws)

    @property
    def to_picture(self) -> Floats:
        """(3, 3) homography from mm on the table to px in the picture."""
        return self.camera.homography()

    def project(self, points: Floats) -> Floats:
        """(n, 2) mm on the table to (n, 2) px."""
        homogeneous = np.ones((len(points), 3))
        homogeneous[:, :2] = points
        homogeneous = homogeneous @ self.to_picture.T
        return np.asarray(homogeneous[:, :2] / homogeneous[:, 2:], dtype=np.float64)

    def corners(self, card: PlacedCard) -> Floats:
        """(4, 2) px of a card's printed corners, where they lie above the table too."""
        flat = card.corners_mm()
        if not any(card.lift):
            return self.project(flat)
        return self.camera.project(np.column_stack([flat, card.lift]))

    def middle(self, card: PlacedCard) -> Floats:
        """(2,) px of a card's middle."""
        if not any(card.lift):
            return np.asarray(self.project(np.array([[card.x, card.y]]))[0])
        return np.asarray(self.camera.project(np.array([[card.x, card.y, sum(card.lift) / 4]]))[0])

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
) -> Camera:
    """A camera that looks at `look_at`.

    `tilt` is the angle from straight down, leaning towards the direction `tilt_towards` (radians), and
    `distance` the camera's distance in picture widths (smaller means stronger perspective).
    """
    focal = distance * max(width, height)
    return Camera(look_at, px_per_mm, roll, tilt, tilt_towards, focal, (width / 2, height / 2))


def _turn(angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
