"""Columns are read together: what follows what on the surely read cards of a picture is evidence for the others.

In many games cards of a column go down by one and change colour. Whether they do in this picture is told by those
neighbours that are surely read, not by any game's rules; and it only counts as far as a reading leaves a doubt, so that
a card that was put where it does not belong is read as it lies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vision.layout import FACES, RANKS, Layout, SeenCard
from vision.scene.heaps import Heap, heaps_of

Floats = NDArray[np.float64]

#: Neighbours of a column lie so far apart: along the cards from and to, across them at most (mm).
ALONG_MM, ACROSS_MM = (8.0, 32.0), 12.0
#: A neighbour that is read with at least this says what follows what.
SURE = 0.95
#: How much likelier a face is that follows as the sure ones do, where all of very many do (what that gives and costs,
#: with other numbers, too: `docs/lab/models/reader.md`).
MOST = 30.0
#: No reading rules a face out.
LEAST = 1e-5


def _follows() -> NDArray[np.bool_]:
    """(52, 52): does the second face lie on the first in a column that goes down and changes colour?"""
    rank = np.array([RANKS.index(face[0]) for face in FACES])
    red = np.array([face[1] in "HD" for face in FACES])
    return np.asarray((rank[:, None] - 1 == rank[None]) & (red[:, None] != red[None]))


FOLLOWS = _follows()


def read_columns(layout: Layout) -> None:
    """Names the faces of columns anew, in place, by their neighbours, which say nothing where they follow no order."""
    chains = list(_chains(layout))
    if not chains:
        return
    likelier = np.where(FOLLOWS, _likelier(chains), 1.0)
    for chain in chains:
        read = np.stack([card.face_probabilities for card in chain if card.face_probabilities is not None])
        for card, mine, told in zip(chain, read, _together(np.maximum(read, LEAST), likelier), strict=True):
            card.name_face(told * mine.sum())


def _chains(layout: Layout) -> Iterator[list[SeenCard]]:
    """Faces that lie on one another as in a column, the lowest first; two and more."""
    for heap in heaps_of(layout):
        chain: list[SeenCard] = []
        for place, number in enumerate(heap.cards):
            card = layout.cards[number]
            if chain and not (_is_read(card) and _is_next(heap, place)):
                if len(chain) > 1:
                    yield chain
                chain = []
            if _is_read(card):
                chain.append(card)
        if len(chain) > 1:
            yield chain


def _is_read(card: SeenCard) -> bool:
    return card.side == "face" and card.face_probabilities is not None


def _is_next(heap: Heap, place: int) -> bool:
    """Does a card of a heap lie on the one before as in a column?"""
    turn = float(heap.turns[place])
    x, y = heap.at[place] - heap.at[place - 1]
    across, along = abs(x * np.cos(turn) + y * np.sin(turn)), abs(-x * np.sin(turn) + y * np.cos(turn))
    return bool(ALONG_MM[0] <= along <= ALONG_MM[1] and across <= ACROSS_MM)


def _likelier(chains: Sequence[Sequence[SeenCard]]) -> float:
    """How much likelier a face is that follows, by what the sure neighbours of all columns do: 1 to `MOST`."""
    following = sure = 0
    for chain in chains:
        for below, above in pairwise(chain):
            if min(below.face_confidence, above.face_confidence) >= SURE:
                sure += 1
                following += bool(FOLLOWS[FACES.index(str(below.face)), FACES.index(str(above.face))])
    return float(MOST ** max(0.0, 2 * (following + 1) / (sure + 2) - 1))


def _together(read: Floats, likelier: Floats) -> Floats:
    """(n, 52) chances of the faces of one column, by the (n, 52) chances read and (52, 52) what follows what."""
    down, up = np.ones_like(read), np.ones_like(read)
    for row in range(1, len(read)):
        down[row] = (down[row - 1] * read[row - 1]) @ likelier
        down[row] /= down[row].sum()
    for row in range(len(read) - 2, -1, -1):
        up[row] = likelier @ (up[row + 1] * read[row + 1])
        up[row] /= up[row].sum()
    told = read * down * up
    return np.asarray(told / told.sum(axis=1, keepdims=True))
