"""How much changed beside one card, wherever exactly it lies: what tells one card from two that landed at once.

The eye puts a card's corners a few mm off at times, and may not tell its rim from the table. But its size is known: if
one card landed alone, there is a place for it that holds all that changed.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.layout import Floats

Mask = NDArray[np.bool_]
Pixels = NDArray[np.uint8]

#: px a mm of the grid that is worked on, and mm around the card.
FINE, ROOM_MM = 2.0, 18.0
#: A card lies no further off than this (mm, degrees) from where the eye has it; steps of degrees.
OFF_MM, TURNS = 6.0, np.arange(-4.0, 4.1, 1.0)
#: mm around the card that are a little of its edge, its shadow, and what blur makes of them.
EDGE_MM = 1.0
#: What is no wider than so many px of the grid is a speck.
SPECK = 3
#: mm from the card within which a part of another shows, if one landed with it: beyond the rims of both, which are alike.
NEAR_MM = 4.0

#: A shadow leaves so much of the light at least, and where one goes there is so much more at most; of all colours alike,
#: but for this much (of 255).
DARKEST, LIGHTEST, COLOURED = 0.4, 2.0, 10.0


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


def beside(changed: Mask, corners: Floats, size_mm: tuple[float, float], px_per_mm: float) -> float:
    """mm² that changed (height, width) and lie under no one card of this size near (4, 2) px `corners`.

    `px_per_mm`: of both.
    """
    wide, high = size_mm
    rows, columns = round((high + 2 * ROOM_MM) * FINE), round((wide + 2 * ROOM_MM) * FINE)
    middle = corners.mean(axis=0)
    across = corners[1] - corners[0] + corners[2] - corners[3]
    angle = float(np.arctan2(across[1], across[0]))
    best, most = (0, 0), -1
    for turn in TURNS:
        flat = _upright(changed, middle, angle + float(np.radians(turn)), px_per_mm, (rows, columns))
        held, top, left = _held(flat, wide + 2 * EDGE_MM, high + 2 * EDGE_MM)
        if held > most:
            best, most, rest = (top, left), held, flat
    top, left = best
    bottom, right = top + round((high + 2 * EDGE_MM) * FINE), left + round((wide + 2 * EDGE_MM) * FINE)
    rest[top:bottom, left:right] = 0
    clear = cv2.morphologyEx(rest, cv2.MORPH_OPEN, np.ones((SPECK, SPECK), np.uint8))
    _, labels = cv2.connectedComponents(clear)
    near = round(NEAR_MM * FINE)
    touching = np.unique(labels[max(0, top - near) : bottom + near, max(0, left - near) : right + near])
    return float(np.isin(labels, touching[touching > 0]).sum() / FINE**2)


def _upright(changed: Mask, middle: Floats, angle: float, px_per_mm: float, shape: tuple[int, int]) -> Pixels:
    """What changed around a card on a grid along its sides, 1 where it did."""
    scale = FINE / px_per_mm
    cos, sin = np.cos(angle) * scale, np.sin(angle) * scale
    turn = np.array([[cos, sin], [-sin, cos]])
    shift = np.array(shape[::-1]) / 2 - turn @ middle
    onto = np.column_stack([turn, shift])
    flat = cv2.warpAffine(changed.astype(np.uint8) * 255, onto, shape[::-1], flags=cv2.INTER_LINEAR)
    return np.asarray(flat > 127, dtype=np.uint8)


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
