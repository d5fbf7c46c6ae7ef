"""How groups of backs are judged, against pictures small enough to be counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from scripts.building import BuildError
from scripts.calibrate.backs import Compared, fitted, judged
from vision.backs.one_design import Evidence


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


def told(
    decks: np.ndarray, rng: np.random.Generator, strips: float, whole: float, shown: float | np.ndarray = 0.1
) -> Evidence:
    """What two measures say that are off by so much, others saying nothing; two backs show no strips."""
    truth = np.where(decks[:, None] == decks, 3.0, -3.0)
    good, poor = (truth + np.triu(rng.normal(0, far, truth.shape)) for far in (strips, whole))
    good[:2] = good[:, :2] = np.nan
    nothing = np.zeros_like(truth)
    return Evidence(good, poor, nothing, nothing, nothing, nothing, np.ones(len(decks)) * shown)


def test_the_better_measure_counts_more() -> None:
    rng = np.random.default_rng(3)
    pictures = []
    for _ in range(20):
        decks = rng.integers(0, 3, 12)
        pictures.append(Compared(told(decks, rng, 1.5, 4.0, np.repeat([0.1, 1.0], 6)), decks))
    fit = fitted(pictures)
    weights = fit[0]
    strips, _, whole, without = weights[:4]
    assert strips > 2 * whole > 0
    # as odds of two normal distributions: twice the mean over the variance; where there are no strips, by itself
    assert whole + without == pytest.approx(2 * 3 / 4**2, rel=0.3)
    grouped = [picture.grouped((weights, 0.0, *fit[2:]), 0.88) for picture in pictures]
    assert judged([picture.decks for picture in pictures], grouped).b_cubed > 0.95


def test_pictures_in_which_no_two_backs_are_seen_well_are_refused() -> None:
    decks = np.array([0, 0, 1])
    one = Compared(told(decks, np.random.default_rng(1), 1.0, 1.0, np.array([1.0, 0.1, 0.1])), decks)
    with pytest.raises(BuildError, match="--pictures"):
        fitted([one])


def test_cards_that_are_none_are_in_no_pair() -> None:
    decks = np.array([0, 0, 1, -1])
    features, same = Compared(told(decks, np.random.default_rng(1), 1.0, 1.0), decks).pairs()
    assert features.shape == (3, 14)
    assert same.tolist() == [True, False, False]


def test_pairs_that_are_seen_well_are_those_of_two_that_are() -> None:
    decks = np.array([0, 0, 1, -1])
    rng = np.random.default_rng(1)
    picture = Compared(told(decks, rng, 1.0, 1.0, np.array([1.0, 0.3, 0.9, 1.0])), decks)
    features, same = picture.well_seen(np.zeros(14), 2.0)
    assert features.shape == (1, 4) and features[0, 0] == 2.0
    assert same.tolist() == [False]
