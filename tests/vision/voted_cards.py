"""Cards of one size with the cells that voted for them."""

from __future__ import annotations

import numpy as np

from vision.found import Found


def cards(middles: list[tuple[float, float]], votes: list[list[tuple[float, float]]]) -> Found:
    """Cards of 100 x 140 px at `middles`; `votes`: where the cells of each lie."""
    count = len(middles)
    return Found(
        middle=np.array(middles, dtype=float),
        long=np.tile((0.0, 70.0), (count, 1)),
        short=np.tile((50.0, 0.0), (count, 1)),
        back=np.zeros(count),
        confidence=np.ones(count),
        support=np.array([len(v) for v in votes], dtype=float),
        evidence=np.zeros((count, 3)),
        cells_at=np.array([at for v in votes for at in v], dtype=float),
        cells_card=np.repeat(np.arange(count), [len(v) for v in votes]),
        hands=[],
    )


def grid(x: float, y: float, wide: float, high: float, each: float = 8.0) -> list[tuple[float, float]]:
    """Cells in a box around (x, y)."""
    return [
        (float(a), float(b))
        for a in np.arange(x - wide / 2, x + wide / 2, each)
        for b in np.arange(y - high / 2, y + high / 2, each)
    ]
