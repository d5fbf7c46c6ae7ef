"""What is nearly a card in one photo, and what the other photos of the same cards say of its place."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_certify import lay, photo, states

from referee.photos.scoring import score_photos
from vision.geometry.plane import apply
from vision.layout import Doubted, Floats, Layout, SeenHand

#: Backs of two decks in two rows, and the place of a card that none of them is, mm.
CARDS = lay("rrrrrrrrrr", "bbbbbbbbbb")
PLACE = np.array([[60.0, 130], [123, 130], [123, 218], [60, 218]])


def at(seen: Layout, push: float = 0.0) -> Floats:
    """(4, 2) px of that place in a photo, pushed by so many mm."""
    assert seen.to_table is not None
    return apply(np.asarray(np.linalg.inv(seen.to_table)), PLACE + push)


def chances(*photos: Layout) -> dict[str, float]:
    return {deck.back: deck.confidence for deck in score_photos(photos).decks}


def two(nearly: float, other: float = 0.0, turn: float = 0.4, push: float = 0.0) -> tuple[Layout, Layout]:
    """Two photos that take that place for a card with these chances."""
    first, second = photo(CARDS), photo(CARDS, turn=turn)
    first.doubted = [Doubted(at(first), nearly)]
    second.doubted = [Doubted(at(second, push), other)] if other else []
    return first, second


def test_what_another_photo_shows_to_be_none_leaves_counts_sure() -> None:
    assert states(score_photos([two(0.8)[0]]))["blue"] == "asked"
    assert states(score_photos(two(0.8))) == {"red": "sure", "blue": "sure"}


@settings(max_examples=25, deadline=None)
@given(st.floats(0.2, 1.0), st.floats(0.3, 1.0), st.floats(-0.6, 0.6), st.floats(-8.0, 8.0))
def test_what_both_photos_nearly_take_for_a_card_says_more_than_what_one_does(
    nearly: float, other: float, turn: float, push: float
) -> None:
    """More than twice as much, wherever the second photo was taken from, and a little off."""
    plain, alone = chances(*two(0.0, turn=turn)), chances(*two(nearly, turn=turn))
    met = chances(*two(nearly, other, turn, push))
    assert met["blue"] < alone["blue"] < plain["blue"]
    assert np.log(plain["blue"] / met["blue"]) > 2.0 * np.log(plain["blue"] / alone["blue"])


@pytest.mark.parametrize("hidden", ["by a hand", "outside"])
def test_a_photo_that_does_not_show_the_place_says_nothing_of_it(hidden: str) -> None:
    first, second = two(0.8)
    if hidden == "by a hand":
        middle = at(second).mean(axis=0)
        second.hands = [SeenHand(middle + 20.0 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]), 0.9)]
    else:
        first.doubted = [Doubted(at(first) - (900.0, 900.0), 0.8)]
    shown = chances(*two(0.8))
    assert chances(first, second)["blue"] * chances(first, second)["red"] < shown["blue"] * shown["red"] - 0.1


def test_a_card_of_another_photo_that_was_voted_out_lies_there_too() -> None:
    third, out = photo(CARDS, turn=-0.3), photo([*CARDS, (91.5, 174.0, 0.0, "blue")], turn=0.4)
    out.cards[-1].confidence = 0.4
    assert {deck.centre for deck in score_photos([photo(CARDS), out, third]).decks} == {10}

    def says(second: Layout) -> float:
        """How much the blue count is left open by what the first photo nearly takes for a card."""
        first = two(0.8)[0]
        return float(
            -np.log(
                chances(first, second, third)["blue"] / chances(photo(CARDS), second, third)["blue"],
            )
        )

    assert says(out) > 1.5 * says(photo(CARDS, turn=0.4))
