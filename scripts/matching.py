"""Which true card is which that was seen, and where the two lie."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from datasets.truth import CardTruth
from vision.geometry.polygons import oriented_iou
from vision.layout import Layout, SeenCard

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


def corners_of(card: Floats) -> Floats:
    """(4, 2) corners of a row of the windows' card table."""
    middle, u, v = card[:2], card[2:4], card[4:6]
    return np.array([middle - u - v, middle - u + v, middle + u + v, middle + u - v])


def visible_box(card: SeenCard, layout: Layout) -> Floats:
    """(4,) x0 y0 x1 y1 of what can be seen of a card, within the picture."""
    polygon = card.visible if len(card.visible) else card.corners
    low = np.clip(polygon.min(axis=0), 0, (layout.width, layout.height))
    high = np.clip(polygon.max(axis=0), 0, (layout.width, layout.height))
    return np.concatenate([low, high])


def overlap(a: Floats, b: Floats) -> Floats:
    """(n, m) IoU of (n, 4) and (m, 4) boxes."""
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    common = np.clip(high - low, 0, None).prod(axis=2)
    areas = [(x[:, 2:] - x[:, :2]).prod(axis=1) for x in (a, b)]
    return np.asarray(common / np.maximum(areas[0][:, None] + areas[1][None] - common, 1e-9))
