"""What lies on what: the order of overlapping cards, their piles, and the part of each that can be seen.

Where two rectangles overlap, the card whose cells are seen there lies on top. This is also how the referee sees who
was first on a foundation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.found import Found
from vision.geometry.groups import connected

Floats = NDArray[np.float64]
#: Numbers of cells.
Counts = NDArray[np.float32]

#: Share of a card's area that has to be common to two cards of one pile.
PILE_OVERLAP = 0.06
#: A cell lies in a card if it lies in the rectangle shrunk so much about its middle.
SHRUNK = 0.94


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
        """Around what is seen of a card, see `outline_of`."""
        return outline_of(self.shown == card, self.step, thin)


def outline_of(mine: NDArray[np.bool_], step: float, thin: float = 0.0) -> Floats:
    """(m, 2) px polygon around the largest piece of what is seen of a card, (H / step, W / step); empty when nothing is.

    What is thinner than `thin` px is left out, if more than that is seen: where two edges nearly meet, a small
    error of either makes a long thin strip.
    """
    rows, columns = np.flatnonzero(mine.any(axis=1)), np.flatnonzero(mine.any(axis=0))
    if not len(rows):
        return np.zeros((0, 2))
    top, left = rows[0], columns[0]
    mask = mine[top : rows[-1] + 1, left : columns[-1] + 1].astype(np.uint8)
    side = int(thin / step)
    if side > 1:
        kernel = np.ones((side, side), np.uint8)
        opened = cv2.morphologyEx(np.pad(mask, side), cv2.MORPH_OPEN, kernel)[side:-side, side:-side]
        mask = np.asarray(opened, dtype=np.uint8) if opened.any() else mask
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    largest = max(contours, key=len)
    simple = cv2.approxPolyDP(largest, 1.0, True)[:, 0]
    return np.asarray((simple + (left, top) + 0.5) * step, dtype=np.float64)


def stack_up(found: Found, width: int, height: int, most_px: int = 900) -> Stacking:
    """Order, piles and visible parts for a picture of `width` x `height` px."""
    count = len(found)
    above, overlap = pairs(found)
    painting = _painting_order(above)
    piles = connected(overlap > PILE_OVERLAP)
    order = np.zeros(count, dtype=np.intp)
    seen: dict[int, int] = {}
    for card in painting:
        order[card] = seen.get(int(piles[card]), 0)
        seen[int(piles[card])] = int(order[card]) + 1
    corners = found.corners
    shown, step = painted(corners, painting, width, height, most_px)
    areas = areas_of(corners / step)
    for outline, _ in found.hands:
        cv2.fillPoly(shown, [np.round(outline / step).astype(np.int32)], -1)
    counts = np.bincount(shown[shown >= 0], minlength=count) if count else np.zeros(0)
    return Stacking(painting, piles, order, shown, step, np.minimum(counts / areas, 1.0))


def areas_of(corners: Floats) -> Floats:
    """(n,) areas of (n, 4, 2) quadrilaterals, 1 at least."""
    return np.array([max(cv2.contourArea(quad.astype(np.float32)), 1.0) for quad in corners])


def painted(
    corners: Floats, painting: Sequence[int], width: int, height: int, most_px: int = 900
) -> tuple[NDArray[np.int32], float]:
    """Which of the cards at `corners` (n, 4, 2) px is seen where: `shown` and `step` of `Stacking`."""
    step = max(1.0, max(width, height) / most_px)
    shown = np.full((int(np.ceil(height / step)), int(np.ceil(width / step))), -1, dtype=np.int32)
    for card in painting:
        polygon = np.round((corners[card] / step - 0.5) * 16).astype(np.int32)
        cv2.fillConvexPoly(shown, polygon, int(card), cv2.LINE_8, 4)
    return shown, step


def pairs(found: Found) -> tuple[Counts, Floats]:
    """(n, n) evidence that card i lies above card j (cells), and (n, n) common share of a card's area."""
    count = len(found)
    overlap = np.zeros((count, count))
    corners = found.corners.astype(np.float32)
    # a card lies within the circle through its corners
    reach = np.linalg.norm(corners - corners.mean(axis=1, keepdims=True), axis=2).max(axis=1, initial=0.0)
    apart = np.linalg.norm(found.middle[:, None] - found.middle[None], axis=2)
    areas = areas_of(found.corners)
    for i, j in np.argwhere(np.triu(apart <= reach[:, None] + reach[None], 1)):
        common, _ = cv2.intersectConvexConvex(corners[i], corners[j])
        overlap[i, j] = overlap[j, i] = common / min(areas[i], areas[j])
    return _above(found, overlap > 0), overlap


def _above(found: Found, meet: NDArray[np.bool_]) -> Counts:
    """(n, n) how many of card i's cells lie in both, for cards that `meet` (n, n)."""
    above = np.zeros(meet.shape, dtype=np.float32)
    by_card = np.argsort(found.cells_card, kind="stable")
    first = found.cells_card[by_card].searchsorted(np.arange(len(found) + 1))
    for card in np.flatnonzero(meet.any(axis=1)):
        mine = found.cells_at[by_card[first[card] : first[card + 1]]]
        mine = mine[inside(found, np.array([card]), mine)[0]]
        others = np.flatnonzero(meet[card])
        above[card, others] = inside(found, others, mine).sum(axis=1)
    return above


def inside(found: Found, cards: NDArray[np.intp], at: Floats) -> NDArray[np.bool_]:
    """(k, m): does each of the places (m, 2) lie in the rectangle of each of some cards, shrunk a little?"""
    middle, u, v = found.middle[cards], found.long[cards], found.short[cards]
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    x, y = (at[None, :, k] - middle[:, k, None] for k in (0, 1))
    bound = np.where(np.abs(area) < 1e-6, 0.0, SHRUNK * np.abs(area))[:, None]
    aside = np.abs(x * v[:, 1:] - y * v[:, :1])
    ahead = np.abs(y * u[:, :1] - x * u[:, 1:])
    return np.asarray((aside < bound) & (ahead < bound))


def _painting_order(above: Counts) -> list[int]:
    """Rows from the lowest to the highest; a circle is broken where the evidence is weakest."""
    # how strongly each card lies on each other one
    lead = np.maximum(above - above.T, 0.0)
    left = np.ones(len(above), dtype=bool)
    painting: list[int] = []
    for _ in range(len(above)):
        # the lowest is the card that fewest others lie under
        under = np.where(left, lead[:, left].sum(axis=1), np.inf)
        lowest = int(np.argmin(under))
        painting.append(lowest)
        left[lowest] = False
    return painting
