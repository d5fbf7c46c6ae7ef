"""Suit signs as outlines with random proportions: hearts, diamonds, spades, clubs of our own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from datasets.decks.pen import Pen

Points = NDArray[np.float64]
Generator = np.random.Generator


@dataclass(frozen=True, slots=True)
class Sign:
    """A suit sign: shapes to fill, 1 high, the middle at (0, 0), upright, y down."""

    shapes: tuple[Points, ...]
    width: float

    def draw(
        self,
        pen: Pen,
        x: float,
        y: float,
        height: float,
        turned: bool = False,
        ink: int = 255,
        width: float = 0,
    ) -> None:
        """Draw it `height` px high around (x, y), upside down if `turned`, in outline if `width` > 0."""
        factor = -height if turned else height
        for shape in self.shapes:
            placed = shape * factor + np.array([x, y])
            pen.line(placed, width, True, ink) if width > 0 else pen.fill(placed, ink)


def _curve(*points: tuple[float, float]) -> Points:
    """A cubic curve through its control points."""
    t = np.linspace(0, 1, 24)[:, None]
    a, b, c, d = (np.array(p) for p in points)
    return np.asarray((1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d)


def _mirrored(right: Points) -> Points:
    """A closed outline from its right half, which runs from the top middle to the bottom middle."""
    return np.concatenate([right, right[::-1] * (-1, 1)])


def _heart(rng: Generator, width: float) -> Points:
    half, notch = width / 2, rng.uniform(-0.36, -0.2)
    shoulder = rng.uniform(-0.3, -0.12)
    up = _curve((0, notch), (half * 0.1, -0.53), (half * 1.02, -0.58), (half, shoulder))
    belly = rng.uniform(0.05, 0.25)
    point = half * rng.uniform(0.2, 0.5), rng.uniform(0.2, 0.34)
    down = _curve((half, shoulder), (half * 0.98, shoulder + belly), point, (0, 0.5))
    return _mirrored(np.concatenate([up, down]))


def _stem(rng: Generator, top: float, bottom: float) -> Points:
    neck, foot = rng.uniform(0.02, 0.06), rng.uniform(0.1, 0.26)
    side = _curve((neck, top), (neck, (top + bottom) / 2), (neck + 0.04, bottom - 0.03), (foot, bottom))
    return _mirrored(side)


def heart(rng: Generator) -> Sign:
    """A heart."""
    width = rng.uniform(0.8, 1.05)
    return Sign((_heart(rng, width),), width)


def spade(rng: Generator) -> Sign:
    """A spade: a heart on its head, with a stem."""
    width = rng.uniform(0.78, 1.0)
    lift = rng.uniform(0.78, 0.88)
    leaf = _heart(rng, width) * (1, -lift)
    leaf[:, 1] += -0.5 - leaf[:, 1].min()
    return Sign((leaf, _stem(rng, rng.uniform(0.0, 0.15), 0.5)), width)


def diamond(rng: Generator) -> Sign:
    """A diamond with straight or hollow sides."""
    width = rng.uniform(0.68, 0.95)
    hollow = rng.uniform(0.8, 1.0) if rng.random() < 0.75 else rng.uniform(0.7, 0.8)
    angles = np.linspace(0, 2 * np.pi, 97)[:-1]
    cosine, sine = np.cos(angles), np.sin(angles)
    power = 2 / hollow
    outline = np.stack([
        np.sign(cosine) * np.abs(cosine) ** power * width / 2,
        np.sign(sine) * np.abs(sine) ** power * 0.5,
    ], 1)  # fmt: skip
    return Sign((outline,), width)


def club(rng: Generator) -> Sign:
    """A club: three leaves and a stem."""
    radius = rng.uniform(0.2, 0.25)
    spread = radius * rng.uniform(0.98, 1.2)
    angles = np.linspace(0, 2 * np.pi, 49)[:-1]
    circle = np.stack([np.cos(angles), np.sin(angles)], 1) * radius
    top, side = np.array([0, -0.5 + radius]), rng.uniform(0.04, 0.14)
    middle = radius * rng.uniform(0.35, 0.7)
    heart_of = np.stack([np.cos(angles), np.sin(angles)], 1) * middle + (0, side * 0.5 - 0.05)
    right = np.array([spread, side])
    leaves = (circle + top, circle + right, circle + right * (-1, 1))
    return Sign((*leaves, heart_of, _stem(rng, 0.0, 0.5)), 2 * (spread + radius))


def signs(rng: Generator) -> dict[str, Sign]:
    """One sign a suit."""
    return {"S": spade(rng), "H": heart(rng), "D": diamond(rng), "C": club(rng)}
