"""Backs that lie spread beside faces: in a photo of both each side is looked at as if it were alone.

At the end of a hand some players fan their left-over cards faces up and some backs up. What finds and judges spread backs
was made for photos of nothing else, so piles of backs are handed to it by themselves, and what it makes of them is put
beside what was made of the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.found import Found
from vision.geometry.polygons import oriented_iou
from vision.layout import Layout, SeenCard
from vision.rows.reader import PLAIN

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]
Index = NDArray[np.intp]

#: A pile of spread backs has so many of them at least, and this share of its cards are backs.
LEAST, BACKS = 3, 0.6
#: Another finder's cards are seen there if this share of their cells lies in the pile or so many widths around it.
INSIDE, AROUND = 0.7, 0.08
#: Cards of both parts are one from this IoU on; a face that is read so surely stays.
SAME, READ = 0.15, 0.8
#: px of the picture that a place of the map is large on which piles are marked.
PLACE = 4.0


def piled_backs(cards: Sequence[SeenCard]) -> Masks:
    """(n,) which cards lie in piles of spread backs, where others do not."""
    piled = np.zeros(len(cards), dtype=bool)
    for pile in {card.pile for card in cards}:
        rows = [row for row, card in enumerate(cards) if card.pile == pile]
        backs = [row for row in rows if cards[row].side == "back"]
        shown = [cards[row].visible_fraction for row in backs]
        if len(backs) >= LEAST and len(backs) >= BACKS * len(rows) and np.median(shown) <= PLAIN:
            piled[rows] = True
    return piled


def seen_among(found: Found, corners: Floats, width: int, height: int) -> Index:
    """Which cards of `found` are seen where those at `corners` (n, 4, 2) lie, in a picture of `width` x `height` px."""
    there = np.zeros((int(height / PLACE) + 1, int(width / PLACE) + 1), np.uint8)
    for quad in corners:
        cv2.fillConvexPoly(there, np.round(quad / PLACE).astype(np.int32), 1)
    across = float(np.median(np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)))
    reach = 2 * int(AROUND * across / PLACE) + 1
    there = np.asarray(cv2.dilate(there, np.ones((reach, reach), np.uint8)), dtype=np.uint8)
    place = np.clip((found.cells_at / PLACE).astype(np.intp), 0, (there.shape[1] - 1, there.shape[0] - 1))
    inside = there[place[:, 1], place[:, 0]] > 0
    cells = np.bincount(found.cells_card, minlength=len(found))
    kept = np.bincount(found.cells_card[inside], minlength=len(found))
    return np.flatnonzero(kept >= np.maximum(INSIDE * cells, 1))


def taken_together(rest: tuple[Layout, Masks], backs: tuple[Layout, Masks]) -> tuple[Layout, Masks]:
    """One layout of both parts of a picture, with the cards' masks (n, h, w).

    Where both have a card, that of the backs counts, unless the other is a face that is surely read.
    """
    (layout, masks), (other, other_masks) = rest, backs
    mine, theirs = _distinct(layout.cards, other.cards)
    first = max((card.pile for card in layout.cards), default=-1) + 1
    for row in theirs:
        other.cards[row].pile += first
    layout.cards = [layout.cards[row] for row in mine] + [other.cards[row] for row in theirs]
    layout.doubted = [*layout.doubted, *other.doubted]
    parts = [part[rows] for part, rows in ((masks, mine), (other_masks, theirs)) if len(rows)]
    return layout, np.concatenate(parts) if parts else masks[:0]


def _distinct(mine: list[SeenCard], theirs: list[SeenCard]) -> tuple[list[int], list[int]]:
    """Numbers of the cards of each part that are left when no card is in both."""
    gone: tuple[set[int], set[int]] = set(), set()
    for number, card in enumerate(mine):
        for other, back in enumerate(theirs):
            if oriented_iou(card.corners, back.corners) > SAME:
                read = card.side == "face" and card.face_confidence >= READ
                gone[read].add(other if read else number)
    left = [
        [k for k in range(len(cards)) if k not in lost]
        for cards, lost in zip((mine, theirs), gone, strict=True)
    ]
    return left[0], left[1]
