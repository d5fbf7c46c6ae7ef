"""Cards that are doubted, but without which what is seen of cards in a picture would be left over.

Every cell in which the finder sees a card must be some card's. Where none of those that are believed covers a good many
of them, the likeliest of the doubted ones that does is a card after all, if hardly more than that.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.polygons import within

Floats = NDArray[np.float64]

#: Share of a card's area that must be left over for it, how little it may be believed, and by what share of its size it
#: may be larger than it is said to be.
LEFT_OVER, LEAST, BESIDE = 0.08, 0.2, 0.04


def needed(cells: Floats, cell_px: float, corners: Floats, sure: Floats, bound: float) -> NDArray[np.intp]:
    """Rows of `corners` (n, 4, 2) px, believed by `sure` (n,) less than `bound`, that explain what is left over.

    `cells`: (m, 2) px where some card is seen, `cell_px` apart.
    """
    left = np.ones(len(cells), dtype=bool)
    for quad in corners[sure >= bound]:
        left &= ~_inside(cells, quad)
    left_over = cells[left]
    doubted = np.flatnonzero((sure < bound) & (sure >= LEAST))
    covers = {int(row): _inside(left_over, corners[row]) for row in doubted}
    least = {row: LEFT_OVER * cv2.contourArea(corners[row].astype(np.float32)) / cell_px**2 for row in covers}
    chosen: list[int] = []
    while covers:
        best = max(covers, key=lambda row: float(covers[row].sum() * sure[row]))
        mine = covers.pop(best)
        if mine.sum() < least[best]:
            continue
        chosen.append(best)
        covers = {row: cover & ~mine for row, cover in covers.items()}
    return np.array(sorted(chosen), dtype=np.intp)


def _inside(points: Floats, quad: Floats) -> NDArray[np.bool_]:
    """(m,) which points lie in a convex quadrilateral (4, 2) or hardly beside it."""
    middle = quad.mean(axis=0)
    return within(points, middle + (quad - middle) * (1 + BESIDE))
