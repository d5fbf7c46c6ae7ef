"""The faces' total settles doubtful backs: which, how many, and against how much."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.photos.second_witness import MOST, backs_of, witnessed
from referee.photos.spreads import A_CARD
from vision.layout import SeenCard
from vision.photos.merging import MergedCard, Spread


def merged(confidence: float, side: str = "back", photo: int = 0) -> MergedCard:
    card = SeenCard(np.zeros((4, 2)), side, np.zeros((0, 2)), 1.0, confidence)  # type: ignore[arg-type]
    return MergedCard(card, photo, (photo,))


def spread(confidences: Sequence[float], photos: tuple[int, ...] = (0, 1)) -> Spread:
    return Spread(photos, tuple(merged(sure, photo=photos[0]) for sure in confidences))


def sure(cards: Sequence[MergedCard]) -> list[float]:
    return [one.card.confidence for one in cards]


def test_without_the_faces_what_is_likelier_a_card_than_not_counts() -> None:
    told = witnessed([spread([0.9, 0.45, 0.5]), spread([0.3], photos=(2,))], None)
    assert [sure(one.cards) for one in told.spreads] == [[0.9, 0.5], [0.3]]
    assert told.seen == 3 and not told.settled


def test_the_likeliest_of_what_was_not_counted_makes_up_what_is_missing() -> None:
    told = witnessed([spread([0.9, 0.2, 0.9]), spread([0.97, 0.4, 0.3])], 5)
    assert sure(told.taken) == [0.4, 0.3] and not told.left
    assert [sure(one.cards) for one in told.spreads] == [[0.9, 0.9], [0.97, 0.4, 0.3]]
    assert told.seen == 3


def test_the_least_sure_of_what_was_counted_is_what_is_too_much() -> None:
    told = witnessed([spread([0.9, 0.6, 0.9]), spread([0.97, 0.4])], 3)
    assert sure(told.left) == [0.6] and not told.taken
    assert [sure(one.cards) for one in told.spreads] == [[0.9, 0.9], [0.97]]


@pytest.mark.parametrize(
    ("confidences", "faces"),
    [
        ([0.99, 0.99, 0.99], 2),  # nothing there is in doubt: something else is wrong
        ([0.99, 0.01], 2),
        ([0.9, 0.9], 3),  # nothing is there to be taken up
        ([0.9, 0.85, 0.85, 0.85, 0.85], 2),  # too much at once
        ([0.9] + [0.45] * (MOST + 1), MOST + 2),
    ],
)
def test_what_is_sure_or_too_much_is_not_settled(confidences: list[float], faces: int) -> None:
    told = witnessed([spread(confidences)], faces)
    assert not told.settled
    assert [sure(one.cards) for one in told.spreads] == [[c for c in confidences if c >= A_CARD]]


def test_faces_among_the_backs_are_no_backs() -> None:
    among = Spread((0, 1), (merged(0.9), merged(0.55, "face"), merged(0.6)))
    told = witnessed([among], 1)
    assert sure(told.left) == [0.6]
    assert [one.card.side for one in told.spreads[0].cards] == ["back", "face"]


@given(
    st.lists(st.lists(st.floats(0.02, 0.98), min_size=1, max_size=8), min_size=1, max_size=3),
    st.integers(0, 24),
)
def test_where_it_is_settled_as_many_backs_count_as_the_faces_say_and_the_likeliest_do(
    confidences: list[list[float]], faces: int
) -> None:
    given_spreads = [spread(mine) for mine in confidences]
    told = witnessed(given_spreads, faces)
    counted = [one.card.confidence for s in told.spreads for one in s.cards]
    assert told.seen == sum(c >= A_CARD for mine in confidences for c in mine)
    if not told.settled:
        assert sum(map(backs_of, told.spreads)) == told.seen
        return
    assert sum(map(backs_of, told.spreads)) == faces
    assert abs(faces - told.seen) == len(told.taken) + len(told.left) <= MOST
    rest = sorted((c for mine in confidences for c in mine), reverse=True)[faces:]
    assert not rest or not counted or min(counted) >= max(rest)
