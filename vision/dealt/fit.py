"""How much changed beside one card, wherever exactly it lies: what tells one card from two that landed at once.

The eye puts a card's corners a few mm off at times, and may not tell its rim from the table. But all cards of a deck are
of one size: if one landed alone, there is a place for a card of that size that holds all that changed.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dealt.canvas import LEAST_STEP
from vision.layout import CARD_HEIGHT_MM, CARD_WIDTH_MM, Floats

Mask = NDArray[np.bool_]
Pixels = NDArray[np.uint8]

#: px a mm of the grid that is worked on, and mm around the card.
FINE, ROOM_MM = 2.0, 18.0
#: A card lies no further off than this (mm, degrees) from where the eye has it; steps of degrees.
OFF_MM, TURNS = 6.0, np.arange(-4.0, 4.1, 0.5)
#: mm around the card that are a little of its edge, its shadow, and what blur makes of them.
EDGE_MM = 1.0
#: What is no wider than so many px of the grid is a speck.
SPECK = 3
#: mm from the card within which a part of another shows, if one landed with it: beyond the rims of both, which are alike.
NEAR_MM = 4.0
#: A side of what changed is where so many mm of a line along it did (across, along the card).
ACROSS_MM, ALONG_MM = 18.0, 25.0
#: A card that changed so much of its area shows its size.
SHOWS_SIZE = 0.55

#: A shadow leaves so much of the light at least, and where one goes there is so much more at most; of all colours alike,
#: but for this much (of 255).
DARKEST, LIGHTEST, COLOURED = 0.4, 2.0, 10.0

#: (rows, columns) of the grid around a card.
GRID = (round((CARD_HEIGHT_MM + 2 * ROOM_MM) * FINE), round((CARD_WIDTH_MM + 2 * ROOM_MM) * FINE))


def changed_in(before: Pixels, now: Pixels) -> Mask:
    """(height, width): where two pictures (height, width, 3) BGR differ, but for light and shadow."""
    step = np.abs(now.astype(np.int16) - before).max(axis=2)
    changed = np.asarray(step > LEAST_STEP)
    return changed & ~shaded(before, now, changed)


def shaded(before: Pixels, now: Pixels, where: Mask) -> Mask:
    """(height, width): which px of these differ as a shadow that falls there, or falls there no more, makes them differ.

    Both pictures (height, width, 3) BGR. A pile that grows casts other shadows.
    """
    mask = np.zeros(where.shape, dtype=bool)
    lit, seen = before[where].astype(np.float32), now[where].astype(np.float32)
    light = (seen.sum(axis=1) + 6.0) / (lit.sum(axis=1) + 6.0)
    off = np.abs(seen - light[:, None] * lit).max(axis=1)
    mask[where] = (off <= COLOURED) & (light >= DARKEST) & (light <= LIGHTEST)
    return mask


class Turned:
    """What changed around a card, on grids along its sides in every direction that it may have."""

    def __init__(self, changed: Mask, corners: Floats, px_per_mm: float) -> None:
        """`changed`: (height, width); `corners`: (4, 2) px of it, `px_per_mm` of both."""
        across = corners[1] - corners[0] + corners[2] - corners[3]
        angle, middle = float(np.arctan2(across[1], across[0])), corners.mean(axis=0)
        self._grids = [
            _upright(changed, middle, angle + float(np.radians(turn)), px_per_mm) for turn in TURNS
        ]

    def size(self) -> tuple[float, float] | None:
        """mm from side to side of what changed, in the direction in which it is smallest; None if too little did."""
        if (
            max(int(grid.sum()) for grid in self._grids)
            < SHOWS_SIZE * CARD_WIDTH_MM * CARD_HEIGHT_MM * FINE**2
        ):
            return None
        sizes = [size for grid in self._grids if (size := _extent(grid)) is not None]
        return min(sizes, key=lambda size: size[0] * size[1], default=None)

    def beside(self, size_mm: tuple[float, float]) -> float:
        """mm² that changed under no one card of this size near the middle."""
        wide, high = (length + 2 * EDGE_MM for length in size_mm)
        places = [_held(grid, wide, high) for grid in self._grids]
        best = max(range(len(places)), key=lambda number: places[number][0])
        _, top, left = places[best]
        bottom, right = top + round(high * FINE), left + round(wide * FINE)
        rest = self._grids[best].copy()
        rest[top:bottom, left:right] = 0
        clear = cv2.morphologyEx(rest, cv2.MORPH_OPEN, np.ones((SPECK, SPECK), np.uint8))
        _, labels = cv2.connectedComponents(clear)
        near = round(NEAR_MM * FINE)
        touching = np.unique(labels[max(0, top - near) : bottom + near, max(0, left - near) : right + near])
        return float(np.isin(labels, touching[touching > 0]).sum() / FINE**2)


def _upright(changed: Mask, middle: Floats, angle: float, px_per_mm: float) -> Pixels:
    """What changed around a card on a grid along its sides, 1 where it did."""
    scale = FINE / px_per_mm
    cos, sin = np.cos(angle) * scale, np.sin(angle) * scale
    turn = np.array([[cos, sin], [-sin, cos]])
    shift = np.array(GRID[::-1]) / 2 - turn @ middle
    onto = np.column_stack([turn, shift])
    flat = cv2.warpAffine(changed.astype(np.uint8) * 255, onto, GRID[::-1], flags=cv2.INTER_LINEAR)
    return np.asarray(flat > 127, dtype=np.uint8)


def _extent(grid: Pixels) -> tuple[float, float] | None:
    """mm from the first to the last line that changed, across and along."""
    clean = cv2.morphologyEx(grid, cv2.MORPH_OPEN, np.ones((SPECK, SPECK), np.uint8))
    columns = np.flatnonzero(clean.sum(axis=0) >= ALONG_MM * FINE)
    rows = np.flatnonzero(clean.sum(axis=1) >= ACROSS_MM * FINE)
    if not len(columns) or not len(rows):
        return None
    return float((columns[-1] - columns[0] + 1) / FINE), float((rows[-1] - rows[0] + 1) / FINE)


def _held(flat: Pixels, wide: float, high: float) -> tuple[int, int, int]:
    """Most px of the grid that a card of this size (mm) holds, at any place near the middle; its first row and column."""
    sums = cv2.integral(flat)
    w, h = round(wide * FINE), round(high * FINE)
    free = round(OFF_MM * FINE)
    y0, x0 = (flat.shape[0] - h) // 2, (flat.shape[1] - w) // 2
    ys, xs = (np.arange(start - free, start + free + 1) for start in (y0, x0))
    top, left = np.meshgrid(ys, xs, indexing="ij")
    inside = sums[top + h, left + w] - sums[top, left + w] - sums[top + h, left] + sums[top, left]
    row, column = np.unravel_index(int(inside.argmax()), inside.shape)
    return int(inside[row, column]), int(ys[row]), int(xs[column])
