"""How groups of backs are judged, against pictures small enough to be counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from scripts.calibrate_backs import Compared, Seen, fitted, judged


def test_right_groups_by_other_numbers_are_right() -> None:
    decks, told = np.array([4, 4, 9, 9, 9]), np.array([1, 1, 0, 0, 0])
    grouping = judged([decks], [told])
    assert (grouping.exact, grouping.pictures, grouping.more) == (1, 1, 0)
    assert grouping.same == grouping.other == grouping.b_cubed == 1.0


def test_a_deck_torn_in_two_and_cards_that_are_none() -> None:
    """Two and two of one deck: a third of its pairs is right; every card's group is pure and holds half of its deck."""
    decks = np.array([1, 1, 1, 1, -1, 2])
    grouping = judged([decks], [np.array([0, 0, 1, 1, 2, 3])])
    assert (grouping.exact, grouping.more) == (0, 1)
    assert grouping.same == pytest.approx(1 / 3)
    recall = (4 / 2 + 1) / 5
    assert grouping.b_cubed == pytest.approx(2 * recall / (1 + recall))


def test_two_decks_taken_for_one() -> None:
    grouping = judged([np.array([1, 1, 2, 2]), np.array([1, 2])], [np.zeros(4, int), np.array([0, 1])])
    assert (grouping.exact, grouping.pictures, grouping.more) == (1, 2, -1)
    assert grouping.other == pytest.approx(2 / 10)


def test_the_better_network_counts_more_and_pairs_without_strips_are_fitted_by_themselves() -> None:
    rng = np.random.default_rng(3)
    pictures = []
    for _ in range(20):
        decks = rng.integers(0, 3, 12)
        truth = np.where(decks[:, None] == decks, 3.0, -3.0)
        good, poor = (truth + np.triu(rng.normal(0, far, truth.shape)) for far in (1.5, 4.0))
        good[:2] = good[:, :2] = np.nan
        blank = np.zeros((12, 4, 4, 3), np.uint8), np.zeros((12, 4, 4), np.uint8)
        pictures.append(Compared(Seen(*blank, decks), good, poor))
    both, alone = fitted(pictures)
    assert both[0] > 2 * both[1] > 0
    # as odds of two normal distributions: twice the mean over the variance
    assert alone[0] == pytest.approx(2 * 3 / 4**2, rel=0.25)
    assert len(both) == 3
    assert len(alone) == 2
