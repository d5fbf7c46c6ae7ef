"""Putting pictures on pictures: boxes, warped textures, premultiplied layers, motion blur."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]
Value = TypeVar("Value", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of whole px; right and bottom are outside."""

    x0: int
    y0: int
    x1: int
    y1: int

    @classmethod
    def around(cls, points: Floats, margin: float = 2.0) -> Box:
        """The smallest box that holds (n, 2) points and a margin."""
        low, high = np.floor(points.min(axis=0) - margin), np.ceil(points.max(axis=0) + margin)
        return cls(int(low[0]), int(low[1]), int(high[0]), int(high[1]))

    def __and__(self, other: Box) -> Box:
        return Box(
            max(self.x0, other.x0), max(self.y0, other.y0), min(self.x1, other.x1), min(self.y1, other.y1)
        )

    def __or__(self, other: Box) -> Box:
        return Box(
            min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1)
        )

    def __bool__(self) -> bool:
        return self.x1 > self.x0 and self.y1 > self.y0

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.x1 - self.x0, self.y1 - self.y0

    def of(self, picture: NDArray[Value]) -> NDArray[Value]:
        """The part of a picture inside the box, as a view."""
        return picture[self.y0 : self.y1, self.x0 : self.x1]


#: mm by which the soft shadow of a lying card reaches beyond it.
SOFT_MM = 3.0


def soft_card(width: float, height: float) -> Pixels:
    """The shadow of a card of `width` × `height` mm that lies: 0 to 255, `SOFT_MM` of border around it."""
    scale = 2.0
    size = (round((height + 2 * SOFT_MM) * scale), round((width + 2 * SOFT_MM) * scale))
    alpha = np.zeros(size, dtype=np.uint8)
    edge = round(SOFT_MM * scale)
    alpha[edge:-edge, edge:-edge] = 255
    return np.asarray(cv2.GaussianBlur(alpha, (0, 0), scale), dtype=np.uint8)


def shaded(texture: Pixels, slope: float) -> Pixels:
    """A premultiplied card whose light falls off along its height: `slope` is that of its upper end towards the light."""
    rows = texture.shape[0]
    gain = 1 + slope * np.linspace(1.0, -1.0, rows, dtype=np.float32)
    lit = texture[..., :3] * gain[:, None, None]
    # premultiplied colour never exceeds its alpha
    return np.dstack([np.minimum(lit, texture[..., 3:]).astype(np.uint8), texture[..., 3]])


def corners_of(picture: Pixels) -> NDArray[np.float32]:
    """(4, 2) px: the corners of a whole picture, clockwise from the top left."""
    h, w = picture.shape[:2]
    return np.array([[0, 0], [w, 0], [w, h], [0, h]], dtype=np.float32)


def warp(texture: Pixels, corners: NDArray[np.float32], quad: Floats, part: Box) -> Pixels:
    """A texture whose corners lie at `quad`, as seen in one box of the canvas."""
    # Half a px: geometry counts from the corner of a px, OpenCV from its middle.
    to = (quad - (part.x0, part.y0) - 0.5).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(corners - np.float32(0.5), to)
    return np.asarray(cv2.warpPerspective(texture, matrix, part.size, flags=cv2.INTER_LINEAR), dtype=np.uint8)


def over(region: Pixels, layer: Pixels, light: NDArray[np.float32]) -> None:
    """Lay a premultiplied layer, lit, on a region in place."""
    clear = cv2.merge([255 - layer[..., 3]] * 3)
    under = cv2.multiply(region, clear, None, 1 / 255)
    lit = cv2.multiply(layer[..., :3].astype(np.float32), light)
    region[:] = cv2.add(under, np.clip(lit, 0, 255).astype(np.uint8))


def over_lit(region: Pixels, layer: Pixels, light: NDArray[np.float32]) -> None:
    """Lay a premultiplied layer (of any scale) on a region in place, all of it in one light (3,)."""
    lit = cv2.multiply(layer, np.array([*light, 1.0], dtype=np.float64))
    if lit.shape[:2] != region.shape[:2]:
        lit = cv2.resize(lit, region.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    clear = cv2.bitwise_not(cv2.extractChannel(lit, 3))
    under = cv2.multiply(region, cv2.merge([clear, clear, clear]), None, 1 / 255)
    region[:] = cv2.add(under, cv2.cvtColor(lit, cv2.COLOR_BGRA2BGR))


def over_layer(under: Pixels, layer: Pixels) -> None:
    """Lay one premultiplied layer on another in place."""
    clear = cv2.bitwise_not(cv2.extractChannel(layer, 3))
    clear = cv2.merge([clear] * 4)
    under[:] = cv2.add(cv2.multiply(under, clear, None, 1 / 255), layer)


def smear(layer: Pixels, travel: Floats) -> Pixels:
    """Average over a straight way of `travel` px around where it is, by halving steps."""
    length = float(np.hypot(*travel))
    if length < 1.5:
        return layer
    for step in range(min(4, int(np.ceil(np.log2(length))))):
        dx, dy = travel / 2 ** (step + 2)
        x, y = round(float(dx)), round(float(dy))
        if x or y:
            both = cv2.addWeighted(_moved(layer, x, y), 0.5, _moved(layer, -x, -y), 0.5, 0)
            layer = np.asarray(both, dtype=np.uint8)
    return layer


def _moved(layer: Pixels, x: int, y: int) -> Pixels:
    """The same picture moved by whole px, with nothing coming in at the edges."""
    h, w = layer.shape[:2]
    moved = np.zeros_like(layer)
    if abs(x) >= w or abs(y) >= h:
        return moved
    kept = layer[max(-y, 0) : h - max(y, 0), max(-x, 0) : w - max(x, 0)]
    moved[max(y, 0) : h + min(y, 0), max(x, 0) : w + min(x, 0)] = kept
    return moved


def merged(boxes: Iterable[Box]) -> list[Box]:
    """Boxes that overlap put together, so that no px is looked at twice."""
    apart: list[Box] = []
    for box in boxes:
        while touching := [other for other in apart if box & other]:
            for other in touching:
                apart.remove(other)
                box |= other
        apart.append(box)
    return apart
