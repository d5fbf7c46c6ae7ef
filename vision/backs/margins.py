"""How far a picture's backs are what they are called: of their own design rather than of the next, and of one design."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.backs.similarity import CLEAR, HARDLY

Floats = NDArray[np.float64]


def margins(odds: Floats, trust: Floats, designs: Sequence[str]) -> list[float | None]:
    """Log odds a pair, for each of n backs, of the only one of a design that it is of no other; None without others.

    `odds` (n, n): log odds of being one design; `trust` (n, n): how much each pair counts; `designs` (n): what the backs
    are called.
    """
    names = sorted(set(designs))
    member = np.array([[name == design for name in names] for design in designs], dtype=np.float64)
    counts = HARDLY + trust
    np.fill_diagonal(counts, 0.0)
    weight = counts @ member
    mean = (counts * np.clip(odds, -CLEAR, CLEAR)) @ member / np.maximum(weight, 1e-9)
    mean[weight <= 0] = 0.0
    told: list[float | None] = []
    for row, design in enumerate(designs):
        own = names.index(design)
        others = np.delete(mean[row], own)
        told.append(float(mean[row, own] - others.max()) if len(others) else None)
    return told


def unities(odds: Floats, trust: Floats, designs: Sequence[str]) -> list[float | None]:
    """Log odds a pair, for each of n backs, by which the two least alike parts of its design are one; None of one alone.

    Low where two decks were taken for one, and where something is among the cards that is none of them.
    """
    told: list[float | None] = [None] * len(designs)
    for design in set(designs):
        rows = [row for row, name in enumerate(designs) if name == design]
        if len(rows) > 1:
            unity = _unity(*(np.asarray(each[np.ix_(rows, rows)]) for each in (odds, HARDLY + trust)))
            for row in rows:
                told[row] = unity
    return told


def _unity(odds: Floats, counts: Floats) -> float:
    """Of (n, n): how alike the two parts are that average linkage joins last."""
    odds = np.clip(odds, -CLEAR, CLEAR)
    sums, weights = odds * counts, counts.copy()
    barred = np.eye(len(odds), dtype=bool)
    last = CLEAR
    for _ in range(len(odds) - 1):
        alike = np.where(barred, -np.inf, sums / weights)
        one, two = np.unravel_index(int(np.argmax(alike)), alike.shape)
        last = float(alike[one, two])
        for table in (sums, weights):
            table[one] += table[two]
            table[:, one] += table[:, two]
        barred[two] = barred[:, two] = True
    return last
