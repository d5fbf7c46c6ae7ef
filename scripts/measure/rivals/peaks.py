"""What the rivals learn: peaks where a card's middle or its corners are, each with the whole card's rectangle.

`boxes` is an oriented-box detector without anchors: one peak at the middle of every card (after X. Zhou et al., Objects
as points, 2019). `corners` puts a peak on every corner that can be seen.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from datasets.window_targets import Floats, boxes_of
from datasets.windows import CELL

Rival = Literal["boxes", "corners"]
#: Channels: a peak's logit for faces and for backs; a rectangle as in `boxes_of`.
SIDES, CHANNELS = 2, 14
#: Fewest cells that must show a card for it to be found, as for the finder's votes.
LEAST_CELLS = 3
#: How far inside its corner a card must be seen for the corner to count, as a share of its half axes.
INSIDE = 0.12
#: Where a peak is at least this high its rectangle is learned.
NEAR = 0.5


def peak_targets(rival: Rival, cells: NDArray[np.int16], cards: Floats) -> tuple[Floats, Floats, Floats]:
    """(2, h, w) peaks of faces and backs, (12, h, w) rectangles, (h, w) their weights."""
    height, width = cells.shape
    seen = np.bincount(cells[cells >= 0], minlength=len(cards))
    peaks = np.zeros((SIDES, height, width), dtype=np.float32)
    whose = np.full(cells.shape, -1, dtype=np.int16)
    highest = np.zeros(cells.shape, dtype=np.float32)
    rows, columns = np.mgrid[0:height, 0:width] * CELL + CELL / 2
    # cards come in painting order: where two peaks meet, the upper card's is learned
    for number in np.flatnonzero(seen >= LEAST_CELLS):
        card = cards[number]
        short = float(np.hypot(card[4], card[5]))
        reach = max(0.7 * CELL, (0.08 if rival == "boxes" else 0.06) * short)
        for x, y in points_of(rival, int(number), cells, card):
            hill = np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * reach**2)).astype(np.float32)
            hill[int(y // CELL), int(x // CELL)] = 1.0
            side = int(card[6] > 0.5)
            peaks[side] = np.maximum(peaks[side], hill)
            mine = (hill >= NEAR) & (hill >= highest - 1e-6)
            whose[mine], highest[mine] = number, hill[mine]
    boxes = boxes_of(whose, cards)
    boxes[:, whose < 0] = 0.0
    return peaks, boxes, np.where(whose >= 0, highest, 0.0).astype(np.float32)


def points_of(rival: Rival, number: int, cells: NDArray[np.int16], card: Floats) -> list[tuple[float, float]]:
    """Where a card's peaks are, px; those outside of the window are none."""
    middle, long, short = card[:2], card[2:4], card[4:6]
    if rival == "boxes":
        return [tuple(middle)] if _cell(cells, middle) is not None else []
    points = []
    for end in (-1, 1):
        for side in (-1, 1):
            corner = middle + end * long + side * short
            inner = middle + (1 - INSIDE) * (end * long + side * short)
            if _cell(cells, corner) is not None and _cell(cells, inner) == number:
                points.append((float(corner[0]), float(corner[1])))
    return points


def _cell(cells: NDArray[np.int16], point: Floats) -> int | None:
    """What the cell at a point shows; None outside."""
    column, row = (int(v // CELL) for v in point)
    inside = 0 <= row < cells.shape[0] and 0 <= column < cells.shape[1]
    return int(cells[row, column]) if inside else None
