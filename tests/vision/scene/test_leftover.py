"""What is seen of cards must be some card's: doubted ones that explain it are kept, others are not."""

from __future__ import annotations

import numpy as np
from drawn_rows import card
from numpy.typing import NDArray

from vision.scene.leftover import needed

Floats = NDArray[np.float64]
STEP = 4.0


def cells(*boxes: tuple[float, float, float, float]) -> Floats:
    """(n, 2) px in boxes (left, top, right, bottom)."""
    parts = []
    for left, top, right, bottom in boxes:
        x, y = np.meshgrid(np.arange(left, right, STEP), np.arange(top, bottom, STEP))
        parts.append(np.column_stack([x.ravel(), y.ravel()]))
    return np.concatenate(parts)


def test_the_likeliest_card_that_explains_what_is_left_over_is_kept() -> None:
    believed, right, wrong = card(60, 80), card(160, 80), card(150, 100, 0.6)
    corners = np.array([believed, right, wrong])
    seen = cells((70, 70, 140, 200), (230, 70, 310, 200))
    assert needed(seen, STEP, corners, np.array([0.9, 0.4, 0.2]), 0.5).tolist() == [1]


def test_nothing_is_kept_where_nothing_is_left_over_or_nobody_believes_it() -> None:
    corners = np.array([card(60, 80), card(70, 90, 0.3)])
    seen = cells((60, 60, 140, 200))
    assert not len(needed(seen, STEP, corners, np.array([0.9, 0.4]), 0.5))
    apart = np.array([card(60, 80), card(200, 80)])
    both = cells((60, 60, 140, 200), (300, 70, 370, 200))
    assert needed(both, STEP, apart, np.array([0.9, 0.4]), 0.5).tolist() == [1]
    assert not len(needed(both, STEP, apart, np.array([0.9, 0.05]), 0.5))


def test_a_few_cells_at_an_edge_are_no_card() -> None:
    corners = np.array([card(60, 80), card(64, 80)])
    beside = cells((60, 60, 140, 200), (155.5, 60, 163, 200))
    assert not len(needed(beside, STEP, corners, np.array([0.9, 0.4]), 0.5))
    assert not len(needed(np.zeros((0, 2)), STEP, np.zeros((0, 4, 2)), np.zeros(0), 0.5))
