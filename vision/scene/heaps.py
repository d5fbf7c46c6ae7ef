"""Cards of a picture grouped by how they lie on the table: columns, squared piles and heaps, in mm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.geometry.plane import apply, on_table
from vision.layout import Floats, Layout

#: Cards of one heap follow each other at most so far: across and along the card (mm), and turned (radians).
ACROSS_MM, ALONG_MM, TURNED = 26.0, 44.0, 0.3
#: Less sure or less seen cards tell no heap.
LEAST_CONFIDENCE, LEAST_SEEN = 0.5, 0.05


@dataclass(frozen=True, slots=True)
class Heap:
    """Cards that lie on or along one another, all more or less the same way."""

    #: Numbers of its cards in the layout, the lowest first.
    cards: tuple[int, ...]
    #: (n, 2) mm: their middles; (n,) radians, 0 to pi: how they are turned.
    at: Floats
    turns: Floats

    @property
    def top(self) -> int:
        """Number of the topmost card in the layout."""
        return self.cards[-1]


def heaps_of(layout: Layout) -> list[Heap]:
    """The heaps of a layout that has a plane; none where it has not."""
    if layout.to_table is None or not layout.cards:
        return []
    at, turns = _poses(layout)
    numbers = [
        number
        for number, card in enumerate(layout.cards)
        if card.confidence >= LEAST_CONFIDENCE and card.visible_fraction >= LEAST_SEEN
    ]
    return [
        Heap(tuple(group), at[group], turns[group])
        for group in _together(numbers, at, turns, [card.pile for card in layout.cards])
    ]


def in_mm(layout: Layout, points: Floats) -> Floats:
    """(n, 2) px of a layout that has a plane as mm on the table."""
    assert layout.to_table is not None
    return apply(layout.to_table, points) if layout.plane is None else on_table(layout.plane, points)


def _poses(layout: Layout) -> tuple[Floats, Floats]:
    """(n, 2) mm and (n,) radians of the cards."""
    corners = np.concatenate([card.corners for card in layout.cards])
    quads = in_mm(layout, corners).reshape(-1, 4, 2)
    along = quads[:, 2:].mean(axis=1) - quads[:, :2].mean(axis=1)
    return quads.mean(axis=1), np.mod(np.arctan2(-along[:, 0], along[:, 1]), np.pi)


def _together(numbers: Sequence[int], at: Floats, turns: Floats, piles: Sequence[int]) -> list[list[int]]:
    """Groups of cards, each in the order in which the layout lists them: the lowest first."""
    group = {number: number for number in numbers}
    for one in numbers:
        for other in numbers:
            if one >= other or piles[one] != piles[other] or group[one] == group[other]:
                continue
            if _lies_with(at[other] - at[one], float(turns[one]), float(turns[other])):
                old, new = group[other], group[one]
                group = {number: new if root == old else root for number, root in group.items()}
    return [[number for number in numbers if group[number] == root] for root in sorted(set(group.values()))]


def _lies_with(apart: NDArray[np.float64], turn: float, other: float) -> bool:
    off = abs(turn - other) % np.pi
    if min(off, np.pi - off) > TURNED:
        return False
    across = apart[0] * np.cos(turn) + apart[1] * np.sin(turn)
    along = -apart[0] * np.sin(turn) + apart[1] * np.cos(turn)
    return bool(abs(across) < ACROSS_MM and abs(along) < ALONG_MM)
