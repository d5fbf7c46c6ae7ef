"""Backs of one design beyond the cards of a deck."""

import numpy as np
import pytest

from vision.deck_size import BEYOND, DECK, within_decks
from vision.layout import SeenCard


def card(back: str | None, confidence: float = 0.9, side: str = "back") -> SeenCard:
    return SeenCard(np.zeros((4, 2)), side, np.zeros((0, 2)), 1.0, confidence, back=back)  # type: ignore[arg-type]


@pytest.mark.parametrize("more", range(1, BEYOND + 1))
def test_the_least_believed_of_a_few_too_many_are_none(more: int) -> None:
    doubted = list(range(3, 3 + 7 * more, 7))
    cards = [card("red", 0.55 if n in doubted else 0.9) for n in range(DECK + more)]
    assert within_decks(cards) == [n for n in range(len(cards)) if n not in doubted]


@pytest.mark.parametrize("number", [1, DECK - 1, DECK, DECK + BEYOND + 1, 2 * DECK])
def test_a_deck_or_less_and_two_taken_for_one_stay_as_they_are(number: int) -> None:
    cards = [card("red", 0.5 + 0.4 * (n % 2)) for n in range(number)]
    assert within_decks(cards) == list(range(number))


def test_each_deck_is_counted_by_itself_and_faces_not_at_all() -> None:
    cards = [card("red") for _ in range(40)] + [card("blue") for _ in range(40)]
    cards += [card(None, side="face") for _ in range(DECK)] + [card(None) for _ in range(DECK + 1)]
    assert within_decks(cards) == list(range(len(cards)))
    cards += [card("blue", 0.51)] + [card("blue") for _ in range(12)]
    assert len(cards) - 13 not in within_decks(cards)
    assert len(within_decks(cards)) == len(cards) - 1
