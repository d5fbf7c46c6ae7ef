"""What flat cards show of themselves: an id buffer in mm to lay them on, and the strip along an edge.

A spread can be counted when every card shows a strip of some mm along a good part of one of its sides. That is
measured here, on cards that are being laid out as well as on the id buffer of a drawn picture.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.scene import PlacedCard, Scene

Floats = NDArray[np.float64]
Ids = NDArray[np.int16]

#: Least strip that can be counted, mm, and the share of a side along which it must be seen in one piece.
STRIP_MM, SIDE_SHARE = 6.0, 0.4
#: Share of the strip's width that must be seen for it to count at a point of the side.
WHOLE = 0.9
#: Cells a mm of the card, and px a mm of the ground.
_FINE, _GROUND = 2, 2
_NOTHING = -1


def strip_share(seen: NDArray[np.bool_], corners: Floats, size: tuple[float, float], strip: float) -> float:
    """Longest piece of a side, as a share of that side, along which an outer strip of `strip` mm is seen.

    `seen`: (h, w), where this card is topmost; `corners`: (4, 2) px in it, from the printed top left one on; `size`:
    the card's width and height, mm.
    """
    wide, high = (round(side * _FINE) for side in size)
    goal = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], dtype=np.float32)
    # a px is where its middle is
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32) - 0.5, goal - 0.5)
    cells = cv2.warpPerspective(seen.astype(np.uint8), matrix, (wide, high), flags=cv2.INTER_NEAREST)
    deep = round(strip * _FINE)
    bands = cells[:deep], cells[-deep:], cells[:, :deep].T, cells[:, -deep:].T
    return float(max(_longest(band.mean(axis=0) >= WHOLE) / band.shape[1] for band in bands))


def _longest(open_at: NDArray[np.bool_]) -> int:
    """Length of the longest run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], open_at.astype(np.int8), [0]])))
    return int((edges[1::2] - edges[::2]).max(initial=0))


def shows_strip(
    ids: Ids, index: int, corners: Floats, size: tuple[float, float], strip: float = STRIP_MM
) -> bool:
    """Does card `index` of an id buffer show a strip of `strip` mm along a good part of a side?"""
    low = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
    high = np.ceil(corners.max(axis=0)).astype(int) + 1
    part = ids[low[1] : high[1], low[0] : high[0]] == index
    return bool(part.any()) and strip_share(part, corners - low, size, strip) >= SIDE_SHARE


def footprints(scene: Scene, shrink: float = 1.0) -> Ids:
    """Id buffer of a scene's bare cards without drawing them, `shrink` times as large as the picture."""
    ids = np.full((round(scene.height * shrink), round(scene.width * shrink)), _NOTHING, dtype=np.int16)
    for index, card in enumerate(scene.cards):
        _fill(ids, index, scene.project(card.corners_mm()) * shrink)
    return ids


def _fill(ids: Ids, index: int, corners: Floats) -> None:
    # a px is drawn where its middle is; sixteenths keep edges where they belong
    outline = np.round((corners - 0.5) * 16).astype(np.int32)
    cv2.fillConvexPoly(ids, outline, index, lineType=cv2.LINE_8, shift=4)


class Ground:
    """A bare table that knows which of the cards laid on it is topmost where.

    It begins with `side` by `side` mm about the origin and grows as cards are laid further out.
    """

    def __init__(self, side: float = 1000.0, strip: float = STRIP_MM) -> None:
        self.cards: list[PlacedCard] = []
        self._strip = strip
        self._shift = side / 2
        self._ids: Ids = np.full((round(side * _GROUND),) * 2, _NOTHING, dtype=np.int16)

    def _corners(self, card: PlacedCard) -> Floats:
        return np.asarray((card.corners_mm() + self._shift) * _GROUND, dtype=np.float64)

    def _part(self, cards: Sequence[PlacedCard]) -> tuple[slice, slice]:
        """Rows and columns that hold these cards; there are that many afterwards."""
        points = np.concatenate([card.corners_mm() for card in cards])
        beyond = float(np.abs(points).max()) + 2.0 - self._shift
        if beyond > 0:
            more = max(round(self._shift / 2), int(np.ceil(beyond)))
            self._ids = np.pad(self._ids, more * _GROUND, constant_values=_NOTHING)
            self._shift += more
        spots = (points + self._shift) * _GROUND
        low = np.floor(spots.min(axis=0)).astype(int) - 1
        high = np.ceil(spots.max(axis=0)).astype(int) + 2
        return slice(low[1], high[1]), slice(low[0], high[0])

    def lay(self, cards: Sequence[PlacedCard]) -> None:
        """Lays cards, whatever they cover."""
        self._part(cards)
        for card in cards:
            _fill(self._ids, len(self.cards), self._corners(card))
            self.cards.append(card)

    def try_lay(self, cards: Sequence[PlacedCard]) -> bool:
        """Lays cards if then all of them, and all below, show a strip; says whether it did."""
        if not cards:
            return True
        part = self._part(cards)
        before, first = self._ids[part].copy(), len(self.cards)
        self.lay(cards)
        changed = before[(before != self._ids[part]) & (before != _NOTHING)]
        if all(self.shows(index) for index in {*np.unique(changed).tolist(), *range(first, len(self.cards))}):
            return True
        self._ids[part] = before
        del self.cards[first:]
        return False

    def shows(self, index: int) -> bool:
        """Does the card laid as number `index` show a strip?"""
        card = self.cards[index]
        return shows_strip(self._ids, index, self._corners(card), (card.width, card.height), self._strip)

    def is_free(self, cards: Sequence[PlacedCard]) -> bool:
        """Does nothing lie where these cards would?"""
        rows, columns = self._part(cards)
        taken = np.zeros_like(self._ids[rows, columns])
        for card in cards:
            _fill(taken, 1, self._corners(card) - (columns.start, rows.start))
        return not bool(((taken == 1) & (self._ids[rows, columns] != _NOTHING)).any())
