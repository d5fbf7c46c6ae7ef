"""Which cards are only ghosts of others."""

from __future__ import annotations

import numpy as np
import pytest
from voted_cards import cards, grid

from vision.scene.ghosts import fill, own_cells, real_cards
from vision.scene.stacking import stack_up


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


def test_where_the_sifter_was_asked_what_lies_beneath_a_row_stays() -> None:
    row = [(100 + 20.0 * n, 200.0) for n in range(5)]
    cells = [grid(x - 40, y, 20, 140, 4.0) for x, y in row]
    cells[-1] = grid(180, 200, 100, 140, 4.0)
    found = cards([*row, (105.0, 240.0)], [*cells, grid(105, 290, 60, 20)])
    found.back[:], found.cell_px, found.sifted = 1, 4.0, True
    found.edged = np.full(6, 0.9)
    found.given[:5] = 0.9
    assert real_cards(found, stack_up(found, 400, 400)).all()
