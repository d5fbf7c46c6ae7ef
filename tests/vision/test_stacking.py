"""What lies on what, and which cards are only ghosts of others."""

from __future__ import annotations

import numpy as np
import pytest

from vision.finder import Found
from vision.stacking import own_cells, stack_up


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


def test_the_card_whose_cells_fill_the_overlap_lies_on_top() -> None:
    strip, whole = grid(155, 200, 8, 120), grid(220, 200, 90, 130)
    for found, top in (
        (cards([(200, 200), (220, 200)], [strip, whole]), 1),
        (cards([(220, 200), (200, 200)], [whole, strip]), 0),
    ):
        stacking = stack_up(found, 400, 400)
        assert stacking.painting[-1] == top
        assert stacking.fraction[top] == pytest.approx(1, abs=0.02)
        assert stacking.fraction[1 - top] == pytest.approx(0.2, abs=0.03)
        assert stacking.pile[0] == stacking.pile[1]
        assert own_cells(found, stacking).min() > 0.9


def test_the_cells_of_a_ghost_lie_on_the_card_that_it_is_a_ghost_of() -> None:
    """Some cells of a card say that it lies a little to the left: what would be seen of that one is bare table."""
    found = cards([(200, 200), (188, 196)], [grid(200, 200, 90, 130), grid(210, 210, 40, 40, 9)])
    stacking = stack_up(found, 400, 400)
    own = own_cells(found, stacking)
    assert own[0] > 0.95 and own[1] == 0


def test_cards_that_others_put_in_place_are_nobody_s_ghosts() -> None:
    found = cards([(200, 200), (188, 196)], [grid(200, 200, 90, 130), grid(210, 210, 40, 40, 9)])
    found.given[1] = 0.8
    assert own_cells(found, stack_up(found, 400, 400))[1] == 1
