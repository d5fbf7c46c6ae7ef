"""What lies on what, and which cards are only ghosts of others."""

from __future__ import annotations

import numpy as np
import pytest

from vision.finder import Found
from vision.ghosts import fill, own_cells, real_cards
from vision.stacking import stack_up


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


def test_a_row_needs_cells_or_edges() -> None:
    """What was read in a row over bare boards has neither."""
    found = cards([(80, 200), (300, 200)], [grid(80, 200, 100, 140, 1.0), [(300, 200)]])
    found.given[:], found.back[:] = 0.8, 1
    found.edged = np.array([0.1, 0.1])
    stacking = stack_up(found, 400, 400)
    found.cell_px = 1.0
    assert fill(found, stacking).tolist() == pytest.approx([1, 0], abs=0.05)
    assert real_cards(found, stacking).tolist() == [True, False]
    found.edged[1] = 0.9
    assert real_cards(found, stacking).all()


def test_beneath_a_row_there_is_no_single_card_askew() -> None:
    row = [(100 + 20.0 * n, 200.0) for n in range(5)]
    cells = [grid(x - 40, y, 20, 140, 4.0) for x, y in row]
    cells[-1] = grid(180, 200, 100, 140, 4.0)
    found = cards([*row, (105.0, 240.0)], [*cells, grid(105, 290, 60, 20)])
    found.back[:] = 1
    found.cell_px = 4.0
    found.edged = np.full(6, 0.9)
    found.given[:5] = 0.9
    assert real_cards(found, stack_up(found, 400, 400)).tolist() == [True] * 5 + [False]
