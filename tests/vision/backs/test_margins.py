"""By how much backs are likelier of their own design than of the next."""

import numpy as np
import pytest

from vision.backs.margins import margins, splits


def test_a_back_between_two_designs_has_the_least_margin() -> None:
    odds = np.full((5, 5), -6.0)
    odds[:2, :2] = odds[2:4, 2:4] = 6.0
    odds[1, 2:4] = odds[2:4, 1] = 5.0  # the second is nearly as like the others
    told = margins(odds, np.ones((5, 5)), ["red", "red", "blue", "blue", "green"])
    assert told[0] == pytest.approx(12.0) and told[1] == pytest.approx(1.0)
    # the only one of its design is told by how unlike the others it is
    assert told[4] == pytest.approx(6.0)


def test_without_another_design_there_is_no_margin() -> None:
    assert margins(np.zeros((3, 3)), np.ones((3, 3)), ["red"] * 3) == [None] * 3
    assert margins(np.zeros((0, 0)), np.zeros((0, 0)), []) == []


def test_two_decks_taken_for_one_fall_into_these() -> None:
    odds = np.full((6, 6), 6.0)
    odds[:2, 2:] = odds[2:, :2] = 1.5
    told = splits(odds, np.ones((6, 6)), ["red"] * 6)
    assert [path[0][1] for path in told] == [1, 1, 0, 0, 0, 0]
    assert all(path[0][0] == pytest.approx(1.5) and path[1][0] == pytest.approx(6.0) for path in told)
    apart = splits(odds, np.ones((6, 6)), ["red"] * 2 + ["blue"] * 3 + ["green"])
    assert [path[0][0] for path in apart[:5]] == [pytest.approx(6.0)] * 5 and apart[5] == ()


def test_three_decks_taken_for_one_fall_apart_twice() -> None:
    decks = np.array([0, 0, 1, 1, 2, 2])
    odds = np.where(decks[:, None] == decks, 6.0, -2.0)
    odds[:2, 2:4] = odds[2:4, :2] = 1.0
    told = splits(odds, np.ones((6, 6)), ["red"] * 6)
    assert [path[0][1] for path in told] == [0, 0, 0, 0, 1, 1]
    assert [path[1][0] for path in told[:4]] == [pytest.approx(1.0)] * 4
    assert told[0][1][1] == told[1][1][1] != told[2][1][1] == told[3][1][1]
