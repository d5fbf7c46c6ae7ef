"""What lies on what: the order of overlapping cards, their piles, and the part of each that can be seen.

Where two rectangles overlap, the card whose cells are seen there lies on top. This is also how the referee sees who
was first on a foundation.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from vision.finder import Found

Floats = NDArray[np.float64]

#: Share of a card's area that has to be common to two cards of one pile.
PILE_OVERLAP = 0.06


@dataclass(slots=True)
class Stacking:
    """Order and visible parts of the cards of one picture; arrays have one row a card."""

    #: Painting order: rows of the cards, the lowest first.
    painting: list[int]
    #: (n,) pile number, and (n,) place within the pile, 0 = lowest.
    pile: NDArray[np.intp]
    order: NDArray[np.intp]
    #: (H / step, W / step) row of the card that is seen, -1 none.
    shown: NDArray[np.int32]
    step: float
    #: (n,) share of each card that is seen.
    fraction: Floats

    def outline(self, card: int, thin: float = 0.0) -> Floats:
        """(m, 2) px polygon around what is seen of a card (its largest piece); empty when nothing is.

        What is thinner than `thin` px is left out, if more than that is seen: where two edges nearly meet, a small
        error of either makes a long thin strip.
        """
        rows, columns = np.nonzero(self.shown == card)
        if not len(rows):
            return np.zeros((0, 2))
        top, left = rows.min(), columns.min()
        mask = (self.shown[top : rows.max() + 1, left : columns.max() + 1] == card).astype(np.uint8)
        side = int(thin / self.step)
        if side > 1:
            kernel = np.ones((side, side), np.uint8)
            opened = cv2.morphologyEx(np.pad(mask, side), cv2.MORPH_OPEN, kernel)[side:-side, side:-side]
            mask = np.asarray(opened, dtype=np.uint8) if opened.any() else mask
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        largest = max(contours, key=len)
        simple = cv2.approxPolyDP(largest, 1.0, True)[:, 0]
        return np.asarray((simple + (left, top) + 0.5) * self.step, dtype=np.float64)


def stack_up(found: Found, width: int, height: int, most_px: int = 900) -> Stacking:
    """Order, piles and visible parts for a picture of `width` x `height` px."""
    count = len(found)
    above, overlap = _pairs(found)
    painting = _painting_order(above, overlap)
    piles = _piles(overlap, count)
    order = np.zeros(count, dtype=np.intp)
    seen: dict[int, int] = {}
    for card in painting:
        order[card] = seen.get(int(piles[card]), 0)
        seen[int(piles[card])] = int(order[card]) + 1
    step = max(1.0, max(width, height) / most_px)
    shown = np.full((int(np.ceil(height / step)), int(np.ceil(width / step))), -1, dtype=np.int32)
    corners = found.corners
    areas = np.ones(count)
    for card in painting:
        polygon = np.round((corners[card] / step - 0.5) * 16).astype(np.int32)
        cv2.fillConvexPoly(shown, polygon, int(card), cv2.LINE_8, 4)
        areas[card] = max(cv2.contourArea((corners[card] / step).astype(np.float32)), 1.0)
    for outline, _ in found.hands:
        cv2.fillPoly(shown, [np.round(outline / step).astype(np.int32)], -1)
    counts = np.bincount(shown[shown >= 0], minlength=count) if count else np.zeros(0)
    return Stacking(painting, piles, order, shown, step, np.minimum(counts / areas, 1.0))


def own_cells(found: Found, stacking: Stacking) -> Floats:
    """(n,) share of the cells that voted for each card that lie where it is seen; 1 where others put it in place."""
    rows, columns = stacking.shown.shape
    at = np.clip((found.cells_at / stacking.step).astype(np.intp), 0, (columns - 1, rows - 1))
    seen = stacking.shown[at[:, 1], at[:, 0]] == found.cells_card
    cells = np.bincount(found.cells_card, minlength=len(found))
    own = np.bincount(found.cells_card, weights=seen, minlength=len(found)) / np.maximum(cells, 1)
    return np.asarray(np.where(np.isnan(found.given) & (cells > 0), own, 1.0))


def _pairs(found: Found) -> tuple[Floats, Floats]:
    """(n, n) evidence that card i lies above card j (cells), and (n, n) common share of a card's area."""
    count = len(found)
    above, overlap = np.zeros((count, count)), np.zeros((count, count))
    corners = found.corners.astype(np.float32)
    reach = np.linalg.norm(found.long, axis=1) + np.linalg.norm(found.short, axis=1)
    areas = [max(cv2.contourArea(c), 1.0) for c in corners]
    inner = _inside(found, 0.94)
    owned = [found.cells_card == card for card in range(count)]
    for i in range(count):
        for j in range(i + 1, count):
            if np.hypot(*(found.middle[i] - found.middle[j])) > reach[i] + reach[j]:
                continue
            common, _ = cv2.intersectConvexConvex(corners[i], corners[j])
            overlap[i, j] = overlap[j, i] = common / min(areas[i], areas[j])
            if common > 0:
                both = inner[i] & inner[j]
                above[i, j] = np.count_nonzero(both & owned[i])
                above[j, i] = np.count_nonzero(both & owned[j])
    return above, overlap


def _inside(found: Found, shrink: float) -> NDArray[np.bool_]:
    """(n, m): does cell m lie in card n's rectangle, shrunk by a factor about its middle?"""
    inside = np.zeros((len(found), len(found.cells_at)), dtype=bool)
    for card in range(len(found)):
        basis = np.column_stack([found.long[card], found.short[card]])
        if abs(np.linalg.det(basis)) < 1e-6:
            continue
        local = (found.cells_at - found.middle[card]) @ np.linalg.inv(basis).T
        inside[card] = np.abs(local).max(axis=1) < shrink
    return inside


def _painting_order(above: Floats, overlap: Floats) -> list[int]:
    """Rows from the lowest to the highest; a circle is broken where the evidence is weakest."""
    count = len(above)
    lead = above - above.T
    left = set(range(count))
    painting: list[int] = []
    while left:
        cards = sorted(left)
        # the lowest is the card that fewest others lie under
        under = {card: sum(max(0.0, float(lead[card, other])) for other in cards) for card in cards}
        lowest = min(cards, key=lambda card: (under[card], card))
        painting.append(lowest)
        left.remove(lowest)
    return painting


def _piles(overlap: Floats, count: int) -> NDArray[np.intp]:
    if not count:
        return np.zeros(0, dtype=np.intp)
    rows, columns = np.nonzero(overlap > PILE_OVERLAP)
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.intp)
