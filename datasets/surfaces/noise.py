"""Cheap noise: everything is resized from small grids or cropped from one sheet kept in memory."""

from __future__ import annotations

from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.float32]
Pixels = NDArray[np.uint8]
Colour = NDArray[np.float32]

_SHEET = 1024


@cache
def _sheet() -> Field:
    return np.random.default_rng(20_260).standard_normal((_SHEET, _SHEET)).astype(np.float32)


def white(rng: np.random.Generator, height: int, width: int) -> Field:
    """(height, width) white noise of unit variance, a random window of one sheet (tiled where larger)."""
    y, x = rng.integers(0, _SHEET, 2)
    if y + height <= _SHEET and x + width <= _SHEET:
        window = _sheet()[y : y + height, x : x + width]
    else:
        window = np.take(np.take(_sheet(), np.arange(y, y + height) % _SHEET, axis=0),
                         np.arange(x, x + width) % _SHEET, axis=1)  # fmt: skip
    if rng.random() < 0.5:
        window = window[:, ::-1]
    return np.array(window if rng.random() < 0.5 else window[::-1])


def smooth(rng: np.random.Generator, height: int, width: int, cell_y: float, cell_x: float) -> Field:
    """(height, width) smooth noise of about unit variance, its features `cell_y` x `cell_x` px large."""
    rows, columns = int(height / max(cell_y, 1)) + 4, int(width / max(cell_x, 1)) + 4
    grid = rng.standard_normal((rows, columns), dtype=np.float32)
    shift = rng.random(2)
    to_grid = np.array(
        [[1 / max(cell_x, 1), 0, 1 + shift[0]], [0, 1 / max(cell_y, 1), 1 + shift[1]]], np.float32
    )
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    drawn = cv2.warpAffine(grid, to_grid, (width, height), flags=flags, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(drawn, dtype=np.float32)


def fractal(
    rng: np.random.Generator, height: int, width: int, cell: float, octaves: int = 4, stretch: float = 1.0
) -> Field:
    """(height, width) sum of octaves of `smooth`, about unit variance; features `stretch` times as wide."""
    total = np.zeros((height, width), np.float32)
    weight = 1.0
    power = 0.0
    for _ in range(octaves):
        total += weight * smooth(rng, height, width, cell, cell * stretch)
        power += weight * weight
        cell, weight = cell / 2, weight * 0.55
        if cell < 1.5:
            break
    return total / np.float32(np.sqrt(power))


def hsv(hue: float, saturation: float, value: float) -> Colour:
    """A BGR colour, 0 to 1, from hue (degrees), saturation and value (0 to 1)."""
    pixel = np.array([[[hue % 360, np.clip(saturation, 0, 1), np.clip(value, 0, 1)]]], np.float32)
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0], dtype=np.float32)


def random_colour(rng: np.random.Generator) -> Colour:
    """Any BGR colour, greys and dark ones as likely as bright ones."""
    return hsv(rng.uniform(0, 360), rng.uniform(0, 1) ** 1.3, rng.uniform(0.08, 0.98))


def tinted(colour: Colour, light: Field) -> Field:
    """(H, W, 3) BGR: one colour made lighter and darker by a field around 0."""
    shade = 1 + light
    return np.asarray(cv2.merge([shade * part for part in colour]), dtype=shade.dtype)


def mixed(low: Colour, high: Colour, share: Field) -> Field:
    """(H, W, 3) BGR: from `low` where share is 0 to `high` where it is 1."""
    part = np.clip(share, 0, 1)
    planes = [part * rise + least for least, rise in zip(low, high - low, strict=True)]
    return np.asarray(cv2.merge(planes), dtype=part.dtype)


def lit(picture: Field, light: NDArray[np.floating[Any]]) -> Field:
    """(H, W, 3) BGR in another light, (H, W): far faster than a product that spreads the light by broadcasting."""
    planes = [np.multiply(plane, light).astype(np.float32, copy=False) for plane in cv2.split(picture)]
    return np.asarray(cv2.merge(planes), dtype=np.float32)


def laid_over(picture: Field, colour: Colour, share: NDArray[np.floating[Any]]) -> Field:
    """(H, W, 3) BGR: one colour over a picture, where share, (H, W), is 1 and nothing of it where it is 0."""
    rest = 1 - share
    planes = [
        np.asarray(plane * rest + part * share, np.float32)
        for plane, part in zip(cv2.split(picture), colour, strict=True)
    ]
    return np.asarray(cv2.merge(planes), dtype=np.float32)


def to_pixels(picture: Field) -> Pixels:
    """BGR 0 to 1 to uint8."""
    scaled = picture * 255
    scaled += 0.5
    return np.clip(scaled, 0, 255, out=scaled).astype(np.uint8)
