"""Two decks that were taken for one: asked by a card of each, told apart or together in every photo."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.photos.mending import Mend, MendError
from referee.photos.one_deck import another
from referee.photos.score import Doubt, PhotoScore
from referee.photos.scoring import score_photos
from vision.layout import Layout, SeenCard

#: Which of red's cards look like one another.
PARTS = (0, 0, 0, 1, 0, 1)


def photo(*splits: tuple[tuple[float, int], ...], blues: int = 2) -> Layout:
    """Red cards that fall into parts, and blue ones, side by side."""
    cards = [_card(number, "red", path) for number, path in enumerate(splits)]
    cards += [_card(len(splits) + n, "blue", ((6.0, n % 2),)) for n in range(blues)]
    return Layout(2000, 1000, 2.0, cards)


def _card(number: int, back: str, splits: tuple[tuple[float, int], ...]) -> SeenCard:
    x, y = 40.0 + 150 * number, 300.0
    corners = np.array([[x, y], [x + 126, y], [x + 126, y + 176], [x, y + 176]])
    card = SeenCard(corners, "back", corners, 1.0, 0.999, back=back, pile=number)
    card.back_margin, card.back_splits = 6.0, splits
    return card


def counts(score: PhotoScore) -> dict[str, int]:
    return {deck.back: deck.centre for deck in score.decks}


def asked(score: PhotoScore) -> Doubt:
    (doubt,) = (doubt for doubt in score.ask if doubt.kind == "design")
    return doubt


def doubtful() -> Layout:
    return photo(*(((1.2, part), (5.0, 0)) for part in PARTS))


def test_a_card_of_each_part_is_shown() -> None:
    seen = doubtful()
    doubt = asked(score_photos([seen]))
    assert doubt.place is not None and doubt.beside is not None
    assert PARTS[doubt.place["card"]] == 1
    beside = [n for n, card in enumerate(seen.cards) if card.corners.tolist() == doubt.beside]
    assert [PARTS[n] for n in beside] == [0]
    assert (doubt.supposed, doubt.otherwise) == ("red", "red 2")


def test_a_no_makes_two_decks_of_it_that_are_sure() -> None:
    score = score_photos([doubtful()], mends=[Mend(0, 3, deck="red 2", alike="two")])
    assert counts(score) == {"red": 4, "blue": 2, "red 2": 2}
    assert {deck.state for deck in score.decks} == {"sure"} and not score.ask


def test_a_yes_leaves_one_deck_that_is_sure() -> None:
    before = score_photos([doubtful()])
    assert {deck.back: deck.state for deck in before.decks} == {"red": "asked", "blue": "sure"}
    score = score_photos([doubtful()], mends=[Mend(0, 3, alike="one")])
    assert counts(score) == {"red": 6, "blue": 2}
    assert {deck.state for deck in score.decks} == {"sure"} and not score.doubts


def test_three_decks_are_told_apart_by_two_questions() -> None:
    paths = [((0.5, 0), (1.0, part)) for part in (0, 0, 1, 1)] + [((0.5, 1), (6.0, part)) for part in (0, 1)]
    seen = photo(*paths)
    first = Mend(0, 4, deck="red 2", alike="two")
    between = score_photos([seen], mends=[first])
    doubt = asked(between)
    assert (doubt.supposed, doubt.otherwise) == ("red", "red 3")
    assert doubt.place is not None
    second = Mend(0, doubt.place["card"], deck="red 3", alike="two")
    score = score_photos([seen], mends=[first, second])
    assert counts(score) == {"red": 2, "red 3": 2, "blue": 2, "red 2": 2}
    assert {deck.state for deck in score.decks} == {"sure"}


def test_what_is_said_of_single_cards_is_not_overruled() -> None:
    mends = [Mend(0, 3, deck="red 2", alike="two"), Mend(0, 5, gone="card"), Mend(0, 0, deck="blue")]
    assert counts(score_photos([doubtful()], mends=mends)) == {"red": 3, "blue": 3, "red 2": 1}


def test_nothing_of_the_photos_is_changed() -> None:
    seen = doubtful()
    kept = [replace(card) for card in seen.cards]
    score_photos([seen], mends=[Mend(0, 3, deck="red 2", alike="two")])
    for card, before in zip(seen.cards, kept, strict=True):
        assert (card.back, card.back_splits, card.told) == (before.back, before.back_splits, before.told)


@pytest.mark.parametrize("mend", [Mend(0, 3, alike="two"), Mend(0, None, (3.0, 3.0), deck="b", alike="two")])
def test_an_answer_without_what_it_needs_is_refused(mend: Mend) -> None:
    with pytest.raises(MendError, match="reload the page"):
        score_photos([doubtful()], mends=[mend])


@given(st.sets(st.sampled_from(["red", "red 2", "red 3", "blue", "blue 2"]), min_size=1))
def test_another_deck_has_a_name_that_none_has(labels: set[str]) -> None:
    for label in labels:
        name = another(label, labels)
        assert name not in labels and name.split()[0] == label.split()[0]


def test_as_many_decks_are_looked_for_as_people_play() -> None:
    assert counts(score_photos([doubtful()], playing=2)) == {"red": 6, "blue": 2}
    three = score_photos([doubtful()], playing=3)
    assert counts(three) == {"red": 4, "blue": 2, "red 2": 2}
    assert {deck.state for deck in three.decks} == {"sure"}
    # of a design that looks like one there are no two, whoever plays
    assert counts(score_photos([photo(*[((6.0, part),) for part in PARTS])], playing=3)) == {
        "red": 6,
        "blue": 2,
    }


def test_a_part_that_is_no_card_leaves_one_deck() -> None:
    seen = photo(*[((1.2, int(number == 3)), (5.0, number % 2)) for number in range(6)])
    assert {deck.back: deck.state for deck in score_photos([seen]).decks} == {"red": "asked", "blue": "sure"}
    score = score_photos([seen], mends=[Mend(0, 3, gone="card")])
    assert counts(score) == {"red": 5, "blue": 2} and {deck.state for deck in score.decks} == {"sure"}
    # what falls apart after that is told apart as it is then
    seen = photo(*[((1.2, int(number == 3)), (1.0, number % 2)) for number in range(6)])
    mends = [Mend(0, 3, gone="card")]
    doubt = asked(score_photos([seen], mends=mends))
    assert doubt.place is not None and doubt.place["card"] % 2 == 1
    score = score_photos([seen], mends=[*mends, Mend(0, doubt.place["card"], deck="red 2", alike="two")])
    assert counts(score) == {"red": 3, "blue": 2, "red 2": 2}


def test_what_looks_like_one_deck_where_more_play_is_asked_about_and_told_apart_not_sure() -> None:
    seen = photo(*(((3.0, part),) for part in PARTS))
    assert {deck.state for deck in score_photos([seen], playing=2).decks} == {"sure"}
    score = score_photos([seen], playing=3)
    assert {deck.back: deck.state for deck in score.decks} == {"red": "asked", "blue": "asked"}
    assert {doubt.supposed for doubt in score.ask if doubt.kind == "design"} == {"red", "blue"}
    ones = [Mend(0, 0, alike="one"), Mend(0, 6, alike="one")]
    assert {deck.state for deck in score_photos([seen], playing=3, mends=ones).decks} == {"sure"}
    # a person knows that they are two, the eye not which card is of which
    two = score_photos([seen], playing=3, mends=[Mend(0, 3, deck="red 2", alike="two")])
    states = {deck.back: deck.state for deck in two.decks}
    assert states["red"] == states["red 2"] == "asked"
