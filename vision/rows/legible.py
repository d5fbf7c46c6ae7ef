"""How much can be read on cards that lie in one way or another: tells which of two accounts of a row of faces is right.

In a fan the finder's cards and those that the row reader sees are sometimes different ones, and edges alone do not tell
which are there. Faces do: a card that is put in a wrong place shows none, or that of its neighbour once more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Accounts that differ by less are read alike: an edge that lies 1 mm off changes so much, a whole card more.
ALIKE = 0.2


def legible(chances: Floats) -> float:
    """Sum of the squares of the best chance of every face that some card is read as; `chances` (n, 52), a row a card.

    Squares, since many faces read by halves are worth less than a few that are read; each face once, since one card that
    is found twice is read twice.
    """
    if not len(chances):
        return 0.0
    best = np.zeros(chances.shape[1])
    np.maximum.at(best, chances.argmax(axis=1), chances.max(axis=1))
    return float(best @ best)


def at_least_as(row: float, other: float) -> bool:
    """Is as much read in a row as in what the finder sees there? Where as much is, the row's edges are the surer ones."""
    return row + ALIKE >= other
