"""Questions answered truly: what is no card goes, what was missed comes, two decks taken for one are told apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from datasets.truth import CardTruth
from referee.photos.mending import Mend
from referee.photos.score import PhotoScore
from referee.photos.scoring import score_photos
from scripts.build.seen.kept import SeenPhoto
from scripts.measure.eyes.answering import Answered, answered
from vision.layout import Doubted, Floats, Layout, SeenCard

RED, BLUE, GREEN = 0, 1, 2


def corners(number: int) -> Floats:
    x, y = 40.0 + 150 * number, 300.0
    return np.array([[x, y], [x + 126, y], [x + 126, y + 176], [x, y + 176]])


def truth(*decks: int | None) -> list[CardTruth]:
    """A card of each deck in its place; None: none lies there."""
    return [
        CardTruth(
            *(corners(n).tolist(), f"{deck}{n}", False, deck, n, 0, 1.0, None, [0.0] * 5, False),
        )
        for n, deck in enumerate(decks)
        if deck is not None
    ]


def seen(*backs: str | None, sure: float = 0.999) -> Layout:
    """A card of each label in its place; None: none was seen there."""
    layout = Layout(2000, 1000, 2.0)
    for n, back in enumerate(backs):
        if back is not None:
            card = SeenCard(corners(n), "back", corners(n), 1.0, sure, back=back, pile=n)
            card.back_margin = 6.0
            layout.cards.append(card)
    return layout


def told(layout: Layout, cards: list[CardTruth], most: int = 3) -> Answered:
    def count(mends: Sequence[Mend]) -> PhotoScore:
        return score_photos([layout], mends=mends)

    return answered([SeenPhoto(layout, cards)], count, most)


def counts(answer: Answered) -> dict[str, int]:
    return {deck.back: deck.centre for deck in answer.score.decks}


def test_what_is_no_card_goes() -> None:
    layout = seen("red", "red", "red", "blue", "blue")
    layout.cards[2].confidence = 0.5
    answer = told(layout, truth(RED, RED, None, BLUE, BLUE))
    assert (counts(answer), answer.questions, answer.certified) == ({"red": 2, "blue": 2}, 1, True)


def test_what_is_a_card_of_another_deck_goes_there() -> None:
    layout = seen("red", "red", "red", "blue", "blue")
    layout.cards[2].confidence = 0.5
    answer = told(layout, truth(RED, RED, BLUE, BLUE, BLUE))
    assert (counts(answer), answer.questions, answer.certified) == ({"red": 2, "blue": 3}, 1, True)
    answer = told(layout, truth(RED, RED, GREEN, BLUE, BLUE))
    assert counts(answer) == {"red": 2, "blue": 2, "other": 1}


def test_what_was_missed_comes() -> None:
    layout = seen("red", "red", None, "blue", "blue")
    layout.doubted = [Doubted(corners(2), 0.4)]
    answer = told(layout, truth(RED, RED, RED, BLUE, BLUE))
    assert (counts(answer), answer.questions, answer.certified) == ({"red": 3, "blue": 2}, 1, True)
    answer = told(layout, truth(RED, RED, None, BLUE, BLUE))
    assert (counts(answer), answer.certified) == ({"red": 2, "blue": 2}, True)


def test_two_decks_taken_for_one_are_told_apart() -> None:
    layout = seen("red", "red", "red", "red")
    for number, card in enumerate(layout.cards):
        card.back_splits = ((1.2, number % 2),)
    answer = told(layout, truth(RED, BLUE, RED, BLUE))
    assert (counts(answer), answer.questions, answer.certified) == ({"red": 2, "red 2": 2}, 1, True)
    answer = told(layout, truth(RED, RED, RED, RED))
    assert (counts(answer), answer.questions, answer.certified) == ({"red": 4}, 1, True)


def test_what_looks_like_another_deck_and_is_no_card_goes() -> None:
    layout = seen("red", "red", "red", "red")
    for number, card in enumerate(layout.cards):
        card.back_splits = ((1.2, int(number == 3)),)
    answer = told(layout, truth(RED, RED, RED, None))
    assert (counts(answer), answer.questions, answer.certified) == ({"red": 3}, 1, True)


def test_no_more_is_asked_than_may_be() -> None:
    layout = seen(*["red"] * 6, sure=0.5)
    answer = told(layout, truth(*[RED] * 6))
    assert answer.questions == 3 and not answer.certified
    assert told(layout, truth(*[RED] * 6), most=6).certified


def test_a_count_without_doubts_is_not_asked_about() -> None:
    assert told(seen("red", "red", "blue"), truth(RED, RED, BLUE)).questions == 0
