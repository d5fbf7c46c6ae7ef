"""How somebody photographs a table with a phone: where it is held, and the table and floor in the picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.scene import PlacedCard, Scene, overhead_camera

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]
MakeSurface = Callable[[np.random.Generator, int, int, float], Pixels]

#: Long and short side of a still, px: the shape of a phone's 12 megapixels at a quarter of them.
LONG, SHORT = 2016, 1512
#: Furthest that a phone is tilted from straight down, radians.
STEEPEST = np.radians(45.0)
#: Most px of a table's picture as seen from straight above.
MOST_PX = 5_000_000
#: px of the floor's picture at most a side, and mm of the table's rim that is rounded off.
FLOOR_PX, RIM_MM = 640, 4.0


@dataclass(frozen=True, slots=True)
class Phone:
    """How a phone is held; angles in radians."""

    width: int = LONG
    height: int = SHORT
    tilt: float = 0.0
    #: Direction that the tilt leans to: pi for somebody who stands at the lower rim of the picture.
    towards: float = np.pi
    roll: float = 0.0
    #: Focal length in widths of the picture.
    focal: float = 0.8
    #: Share of the picture left free around the cards.
    free: float = 0.06
    #: Most px a mm, where there are few cards.
    most: float = 5.0

    def aim(self, cards: Sequence[PlacedCard], decks: Sequence[str]) -> Scene:
        """The scene with all the cards in the picture, as large as they can be."""
        points = np.concatenate([card.corners_mm() for card in cards])
        look = (points.min(axis=0) + points.max(axis=0)) / 2
        scale = self.most
        for _ in range(200):
            scene = self._scene(scale, look, cards, decks)
            spots = scene.project(points)
            low, high = spots.min(axis=0), spots.max(axis=0)
            room = np.array([self.width, self.height]) * (1 - self.free)
            excess = float(((high - low) / room).max())
            if excess > 1:
                scale *= max(0.6, 1 / excess) * 0.995
                continue
            off = (low + high) / 2 - (self.width / 2, self.height / 2)
            if np.abs(off).max() < 4:
                break
            back = np.linalg.inv(scene.to_picture) @ (*(off * 0.7 + (self.width / 2, self.height / 2)), 1.0)
            look = back[:2] / back[2]
        return scene

    def _scene(self, scale: float, look: Floats, cards: Sequence[PlacedCard], decks: Sequence[str]) -> Scene:
        camera = overhead_camera(
            self.width,
            self.height,
            scale,
            look_at=(float(look[0]), float(look[1])),
            roll=self.roll,
            tilt=self.tilt,
            tilt_towards=self.towards,
            distance=self.focal,
        )
        return Scene(self.width, self.height, camera, list(decks), list(cards))


def hold_phone(rng: np.random.Generator, cards: Sequence[PlacedCard]) -> Phone:
    """A phone over these cards: mostly held the way the cards lie, leaning forward more often than not."""
    points = np.concatenate([card.corners_mm() for card in cards])
    across, along = points.max(axis=0) - points.min(axis=0)
    wide = bool(across > along) if rng.random() < 0.75 else bool(rng.random() < 0.5)
    leans = rng.random() < 0.8
    return Phone(
        width=LONG if wide else SHORT,
        height=SHORT if wide else LONG,
        tilt=float(STEEPEST * rng.beta(1.5, 1.7)),
        towards=float(np.pi + rng.normal(0, 0.35) if leans else rng.uniform(0, 2 * np.pi)),
        roll=float(rng.normal(0, 0.12)),
        focal=float(rng.uniform(0.72, 1.25)),
        free=float(rng.uniform(0.03, 0.2)),
    )


@dataclass(frozen=True, slots=True)
class Table:
    """A table top: its left, top, right and bottom edge, mm."""

    left: float
    top: float
    right: float
    bottom: float

    def within(self, other: Table) -> Table:
        """The part of it that lies in another rectangle."""
        return Table(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )


def table_around(rng: np.random.Generator, cards: Sequence[PlacedCard]) -> Table:
    """A table on which these cards lie somewhere."""
    points = np.concatenate([card.corners_mm() for card in cards])
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    more = np.exp(rng.uniform(np.log(45), np.log(700), 4))
    # no table is narrower than half a metre or so
    across, along = (max(0.0, 600.0 - float(v)) / 2 for v in (right - left, bottom - top))
    return Table(
        float(left - more[0] - across),
        float(top - more[1] - along),
        float(right + more[2] + across),
        float(bottom + more[3] + along),
    )


def lay_ground(rng: np.random.Generator, scene: Scene, make_surface: MakeSurface, table: Table) -> Pixels:
    """(height, width, 3): the table as the scene's camera sees it, and the floor where it ends."""
    seen = _seen_part(scene)
    part = table.within(seen)
    across, along = part.right - part.left, part.bottom - part.top
    scale = min(scene.px_per_mm() * 1.1, float(np.sqrt(MOST_PX / (across * along))))
    top = make_surface(rng, max(2, round(along * scale)), max(2, round(across * scale)), scale)
    to_top = np.array([[1 / scale, 0, part.left], [0, 1 / scale, part.top], [0, 0, 1]])
    matrix, size = scene.to_picture @ to_top, (scene.width, scene.height)
    if part == seen:
        return np.asarray(cv2.warpPerspective(top, matrix, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)
    _round_off(top, part, table, scale)
    laid = cv2.warpPerspective(top, matrix, size)
    cover = cv2.warpPerspective(np.full(top.shape, 255, np.uint8), matrix, size)
    # half over the edge `laid` is as much darker already
    return np.asarray(
        cv2.add(laid, cv2.multiply(_floor(rng, scene, make_surface), 255 - cover, scale=1 / 255))
    )


def _seen_part(scene: Scene) -> Table:
    """The least upright rectangle on the table's plane that holds all the camera sees."""
    rim = np.array([[0, 0, 1], [scene.width, 0, 1], [scene.width, scene.height, 1], [0, scene.height, 1.0]])
    spots = rim @ np.linalg.inv(scene.to_picture).T
    spots = spots[:, :2] / spots[:, 2:]
    return Table(*(float(v) for v in (*spots.min(axis=0), *spots.max(axis=0))))


def _round_off(top: Pixels, part: Table, table: Table, scale: float) -> None:
    """Darkens the rim of a table top where the table ends."""
    deep = round(RIM_MM * scale)
    shade = 0.45 + 0.55 * (np.arange(deep) / max(deep, 1)) ** 0.5
    ends = (part.left, part.top, part.right, part.bottom), (table.left, table.top, table.right, table.bottom)
    sides = top.swapaxes(0, 1), top, top.swapaxes(0, 1)[::-1], top[::-1]
    for here, edge, side in zip(*ends, sides, strict=True):
        if here == edge:
            side[:deep] = (side[:deep] * shade[: len(side), None, None]).astype(np.uint8)


def _floor(rng: np.random.Generator, scene: Scene, make_surface: MakeSurface) -> Pixels:
    """What lies further down than the table: out of focus, less lit, and smaller."""
    shrink = FLOOR_PX / max(scene.width, scene.height)
    rows, columns = round(scene.height * shrink), round(scene.width * shrink)
    picture = make_surface(rng, rows, columns, scene.px_per_mm() * shrink * 0.6)
    blurred = cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.6, 2.5)))
    dark = (blurred * float(rng.uniform(0.25, 0.75))).astype(np.uint8)
    return np.asarray(cv2.resize(dark, (scene.width, scene.height), interpolation=cv2.INTER_LINEAR))
