"""By how much each back of a picture is likelier of its own design than of the next one."""

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
