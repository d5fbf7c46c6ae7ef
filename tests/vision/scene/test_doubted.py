"""What may be a card and is reported as none."""

import numpy as np
import pytest

from tests.vision.voted_cards import cards
from vision.layout import SeenCard
from vision.scene.doubted import doubted


def test_only_what_lies_where_no_card_is_reported_is_told_and_once() -> None:
    found = cards([(100, 100), (400, 100), (405, 103), (700, 100), (1000, 100)], [[]] * 5)
    found.weighed, found.weights = found.corners, np.array([0.99, 0.3, 0.4, 0.2, 0.01])
    reported = [SeenCard(found.corners[0], "back", found.corners[0], 1.0, 0.99)]
    told = doubted(found, reported)
    assert [one.chance for one in told] == [0.4, 0.2]
    assert np.allclose(told[0].corners, found.corners[2])


def test_what_crosses_a_reported_card_may_be_one_of_its_own() -> None:
    found = cards([(100, 100), (160, 100)], [[]] * 2)
    found.weighed, found.weights = found.corners, np.array([0.99, 0.3])
    reported = [SeenCard(found.corners[0], "back", found.corners[0], 1.0, 0.99)]
    assert [one.chance for one in doubted(found, reported)] == [pytest.approx(0.3)]
