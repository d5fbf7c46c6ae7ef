"""Of rivals for one place the likelier lies there, whoever has more votes."""

from __future__ import annotations

import numpy as np
import pytest
from voted_cards import cards, grid

from vision.found import Found
from vision.scene.likeliest import beside_likelier
from vision.scene.stacking import stack_up


def rivals(chances: list[float]) -> Found:
    """One card with few votes, another nearly in its place with many, which hides it, and a third by itself."""
    few, many = grid(200, 170, 60, 30), grid(206, 200, 80, 120)
    found = cards([(200, 200), (206, 200), (500, 200)], [few, many, grid(500, 200, 80, 120)])
    found.confidence = np.array(chances)
    return found


def test_the_rival_with_more_votes_hides_the_other() -> None:
    stacking = stack_up(rivals([0.6, 0.3, 0.9]), 700, 400)
    assert stacking.order[1] > stacking.order[0] and stacking.fraction[0] < 0.1


def test_what_would_hide_a_likelier_one_is_given_up() -> None:
    assert beside_likelier(rivals([0.6, 0.3, 0.9])).tolist() == [0, 2]


def test_what_would_not_be_seen_beneath_a_likelier_one_is_given_up() -> None:
    assert beside_likelier(rivals([0.3, 0.6, 0.9])).tolist() == [1, 2]


def test_a_card_that_shows_beneath_another_is_kept_however_likely() -> None:
    beneath, above = grid(200, 150, 80, 30), grid(230, 230, 80, 120)
    for chances in ([0.2, 0.9], [0.9, 0.2]):
        found = cards([(200, 200), (230, 230)], [beneath, above])
        found.confidence = np.array(chances)
        assert beside_likelier(found).tolist() == [0, 1]


def test_of_several_that_hide_a_card_only_together_the_least_likely_goes() -> None:
    halves = [[(170.0, 160.0), (230.0, 160.0)], grid(160, 160, 80, 60), grid(250, 160, 60, 60)]
    found = cards([(200, 200), (130, 190), (275, 190)], halves)
    found.confidence = np.array([0.8, 0.5, 0.4])
    assert beside_likelier(found).tolist() == [0, 1]


@pytest.mark.parametrize("chances", [[0.9, 0.2, 0.9], [0.2, 0.2, 0.9]])
def test_what_was_read_in_a_row_stays(chances: list[float]) -> None:
    found = rivals(chances)
    found.given[1] = 0.6
    assert 1 in beside_likelier(found)
    # and hides what would not be seen then
    assert 0 not in beside_likelier(found)


def test_what_is_hardly_believed_to_be_of_a_row_gives_way() -> None:
    found = rivals([0.9, 0.2, 0.9])
    found.given[1] = 0.2
    assert beside_likelier(found).tolist() == [0, 2]


def test_the_order_of_what_was_found_does_not_matter() -> None:
    found = rivals([0.6, 0.3, 0.9])
    order = np.array([2, 1, 0])
    assert sorted(order[beside_likelier(found.only(order))].tolist()) == [0, 2]


def test_of_nothing_nothing_is_kept() -> None:
    assert beside_likelier(rivals([0.6, 0.3, 0.9]).only(np.array([], dtype=np.intp))).tolist() == []
