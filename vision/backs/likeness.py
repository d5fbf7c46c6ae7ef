"""How alike backs of different pictures are: the light they lie in is unknown, their paint is not.

Small tiles of a back are looked for on another about where they should lie (normalised correlation), because crops are a
few mm off. Light multiplies each colour channel of a card by one number, which takes the same share of the contrast in
every channel; where ink stands out from paper in other channels it is other ink. So twins in two colours are told
apart, in any light and however blurred.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
Pixels = NDArray[np.uint8]

#: Rows and columns of a tile, px of a crop (about 1.8 px/mm): a strip of 6 mm holds one. How far it may be off, px.
TILE, REACH = (48, 10), 6
#: Tiles of a back, at most, how far apart (px) at least, and the share of each that must be its own.
MOST_TILES, APART, OWN = 6, 14.0, 0.9
#: Tiles that vary less than this (grey values) say little.
NOISE = 6.0
#: Share of a tile's place that the other must show.
SHOWN = 0.8


@dataclass(frozen=True, slots=True)
class Likeness:
    """(n, m) arrays: n backs beside m others; NaN where they share too little."""

    #: How well the tiles fit, -1 to 1.
    fit: Floats
    #: Log of the mean variance of the tiles.
    contrast: Floats
    #: By how much (log) the contrast of the channels differs.
    ink: Floats


def likeness(crops: Pixels, masks: Pixels, others: Pixels, others_masks: Pixels) -> Likeness:
    """Every back of (n, 160, 112, 3) crops with masks beside every one of (m) others, the better way round."""
    own, other = ([_smooth(crop) for crop in some] for some in (crops, others))
    result = np.full((3, len(crops), len(others)), np.nan)
    turned = [
        [(_bordered(crop[::turn, ::turn]), mask[::turn, ::turn] > 0) for turn in (1, -1)]
        for crop, mask in zip(other, others_masks, strict=True)
    ]
    for row, (crop, mask) in enumerate(zip(own, masks, strict=True)):
        tiles = [(y, x, crop[y : y + TILE[0], x : x + TILE[1]]) for y, x in _places(mask)]
        for column, ways in enumerate(turned):
            told = [alike for way in ways if (alike := _compared(tiles, *way)) is not None]
            if told:
                result[:, row, column] = max(told)
    return Likeness(*result)


def _smooth(crop: Pixels) -> Pixels:
    return np.asarray(cv2.GaussianBlur(crop, (0, 0), 0.8), dtype=np.uint8)


def _bordered(crop: Pixels) -> Pixels:
    around = (REACH, REACH, REACH, REACH)
    return np.asarray(
        cv2.copyMakeBorder(np.ascontiguousarray(crop), *around, cv2.BORDER_REPLICATE), dtype=np.uint8
    )


def _places(mask: Pixels) -> list[tuple[int, int]]:
    """Top left corners (y, x) of tiles on the visible part, spread over it."""
    sure = (cv2.erode(mask, np.ones((3, 3), np.uint8)) > 0).astype(np.uint8)
    sums = cv2.integral(sure)
    ys, xs = (
        np.arange(0, side - tile + 1, step) for side, tile, step in zip(mask.shape, TILE, (8, 5), strict=True)
    )
    y, x = (grid.ravel() for grid in np.meshgrid(ys, xs, indexing="ij"))
    own = sums[y + TILE[0], x + TILE[1]] - sums[y, x + TILE[1]] - sums[y + TILE[0], x] + sums[y, x]
    points = np.column_stack([y, x])[own >= OWN * TILE[0] * TILE[1]]
    chosen: list[tuple[int, int]] = []
    away = np.full(len(points), np.inf)
    while len(points) and len(chosen) < MOST_TILES and (not chosen or away.max() >= APART):
        next_one = int(away.argmax())
        chosen.append((int(points[next_one, 0]), int(points[next_one, 1])))
        away = np.minimum(away, np.hypot(*((points - points[next_one]) * (1.0, 1.4)).T))
    return chosen


def _compared(
    tiles: list[tuple[int, int, Pixels]], other: Pixels, shown: NDArray[np.bool_]
) -> tuple[float, float, float] | None:
    """Fit, contrast and ink of tiles on a bordered crop; None where no tile's place is shown."""
    fits, weights, mine, yours = [], [], [], []
    for y, x, tile in tiles:
        if shown[y : y + TILE[0], x : x + TILE[1]].mean() < SHOWN:
            continue
        around = other[y : y + TILE[0] + 2 * REACH, x : x + TILE[1] + 2 * REACH]
        _, best, _, (right, down) = cv2.minMaxLoc(cv2.matchTemplate(around, tile, cv2.TM_CCOEFF_NORMED))
        variance = float(tile.reshape(-1, 3).astype(np.float32).var(axis=0).sum())
        fits.append(best * variance)
        weights.append(variance + NOISE**2)
        mine.append(tile.reshape(-1, 3))
        yours.append(around[down : down + TILE[0], right : right + TILE[1]].reshape(-1, 3))
    if not fits:
        return None
    total = sum(weights)
    a, b = (np.concatenate(some).astype(np.float32) for some in (mine, yours))
    return sum(fits) / total, float(np.log(total / len(fits))), _ink(a, b)


def _ink(mine: Floats, yours: Floats) -> float:
    """How much the contrast of the channels differs, from (k, 3) colours."""
    varied = [np.log(some.var(axis=0) + NOISE**2) / 2 for some in (mine, yours)]
    blue, green, red = varied[0] - varied[1]
    return float(np.hypot(blue - green, red - green))
