"""The sheet that a back is printed on: its size, its inks, and how masks are laid on it."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.decks.pen import SUPER, Mask

Generator = np.random.Generator
#: (HEIGHT, WIDTH, 3) BGR, 0 to 255.
Sheet = NDArray[np.float32]
Colour = NDArray[np.float32]

#: px: a card of 63 x 88 mm, `SUPER` times as large as it is kept.
WIDTH, HEIGHT = 252 * SUPER, 352 * SUPER
#: Inks lie at least so far apart (the largest difference of a channel) where one is printed on the other.
APART = 45.0


def colour(hue: float, saturation: float, value: float) -> Colour:
    """BGR of a hue (degrees), saturation and value (0 to 1)."""
    pixel = np.array([[[hue % 360, min(max(saturation, 0.0), 1.0), min(max(value, 0.0), 1.0)]]], np.float32)
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0] * 255, np.float32)


def white_paper(rng: Generator) -> Colour:
    """Paper without ink."""
    return colour(float(rng.uniform(30, 60)), float(rng.uniform(0, 0.06)), float(rng.uniform(0.93, 1)))


def ground_colour(rng: Generator) -> Colour:
    """What covers a whole back: mostly strong, now and then dark, pale or grey; seldom white, which has no edge."""
    kind = rng.random()
    hue = float(rng.uniform(0, 360))
    if kind < 0.55:
        return colour(hue, float(rng.uniform(0.5, 1)), float(rng.uniform(0.3, 0.9)))
    if kind < 0.75:
        return colour(hue, float(rng.uniform(0.2, 1)), float(rng.uniform(0.05, 0.3)))
    if kind < 0.9:
        return colour(hue, float(rng.uniform(0.05, 0.45)), float(rng.uniform(0.6, 0.95)))
    return colour(hue, float(rng.uniform(0, 0.1)), float(rng.uniform(0.1, 0.95)))


def ink_on(rng: Generator, ground: Colour, near: float = 0.35) -> Colour:
    """An ink that shows on a ground: often white, black or gold, or (a share `near`) the ground's own colour, lighter
    or darker."""
    while True:
        kind = rng.random()
        if kind < near:
            ink = ground * np.float32(rng.uniform(0.35, 0.85))
            if rng.random() < 0.5:
                ink = 255 - (255 - ground) * np.float32(rng.uniform(0.35, 0.85))
        elif kind < near + 0.3:
            ink = colour(float(rng.uniform(20, 60)), float(rng.uniform(0, 0.1)), float(rng.uniform(0.9, 1)))
        elif kind < near + 0.4:
            ink = colour(
                float(rng.uniform(35, 50)), float(rng.uniform(0.4, 0.8)), float(rng.uniform(0.6, 0.9))
            )
        else:
            ink = colour(float(rng.uniform(0, 360)), float(rng.uniform(0.3, 1)), float(rng.uniform(0.1, 1)))
        apart = APART if kind >= near else APART / 4
        if float(np.abs(ink - ground).max()) >= apart:
            return np.asarray(ink, np.float32)


def plain(ground: Colour) -> Sheet:
    """A sheet of one colour."""
    return np.tile(ground, (HEIGHT, WIDTH, 1))


def mask() -> Mask:
    """A mask of a sheet, without ink."""
    return np.zeros((HEIGHT, WIDTH), np.uint8)


def print_on(sheet: Sheet, inked: Mask, ink: Colour, strength: float = 1.0) -> None:
    """Print a mask (HEIGHT, WIDTH) on a sheet, in place."""
    share = inked[..., None].astype(np.float32) * np.float32(strength / 255)
    sheet += (ink - sheet) * share


def clouds(rng: Generator, finest: float, rows: int = HEIGHT, columns: int = WIDTH) -> NDArray[np.float32]:
    """(rows, columns), 0 to 1: soft noise, its finest structure so many px wide."""
    total, cell, weight = np.zeros((rows, columns), np.float32), float(max(rows, columns)) / 2, 1.0
    while cell >= finest:
        shape = (round(rows / cell) + 2, round(columns / cell) + 2)
        grid = rng.standard_normal(shape, dtype=np.float32)
        total += np.float32(weight) * cv2.resize(grid, (columns, rows), interpolation=cv2.INTER_CUBIC)
        cell, weight = cell / 2, weight * 0.55
    low, high = float(total.min()), float(total.max())
    return np.asarray((total - low) / max(high - low, 1e-6), np.float32)
