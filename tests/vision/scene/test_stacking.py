"""What lies on what, and how much of it can be seen."""

from __future__ import annotations

import pytest
from voted_cards import cards, grid

from vision.scene.ghosts import own_cells
from vision.scene.stacking import stack_up


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
