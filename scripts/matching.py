"""Which true card is which that was seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from datasets.truth import CardTruth
from vision.geometry.polygons import oriented_iou
from vision.layout import SeenCard

Floats = NDArray[np.float64]


def match(truth: list[CardTruth], seen: list[SeenCard], least: float = 0.5) -> list[tuple[int, int]]:
    """Pairs (truth, seen) of whole cards with oriented IoU >= `least`, each used once, the best ones first.

    Not the most pairs: in a column every card also meets its neighbour, and one that is missed would shift all others.
    """
    if not truth or not seen:
        return []
    iou = np.array([[oriented_iou(np.array(t.corners), s.corners) for s in seen] for t in truth])
    # in a squared pile all rectangles are alike: what shows of them tells the top card from those below
    shows = np.abs(
        np.array([t.visible_fraction for t in truth])[:, None] - np.array([s.visible_fraction for s in seen])
    )
    return best_first(iou, shows, least)


def best_first(iou: Floats, shows: Floats, least: float = 0.5) -> list[tuple[int, int]]:
    """Pairs (row, column) of (n, m) IoU >= `least`, the best ones first; `shows`: by how much what is seen differs."""
    pairs: list[tuple[int, int]] = []
    free = (np.ones(iou.shape[0], dtype=bool), np.ones(iou.shape[1], dtype=bool))
    for row, column in zip(*np.unravel_index(np.argsort(shows - iou, axis=None), iou.shape), strict=True):
        if iou[row, column] >= least and free[0][row] and free[1][column]:
            free[0][row] = free[1][column] = False
            pairs.append((int(row), int(column)))
    return sorted(pairs)
