"""The photos of a finished hand: every card once, the same in all photos of one lay, left-over ones nobody else's."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from datasets.photos import phone as phones
from datasets.photos.finished import FinishedHand, draw_finished
from tests.datasets.plain import cloth, plain_decks


@pytest.fixture(scope="module", params=[1, 2])
def hand(request: pytest.FixtureRequest) -> FinishedHand:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(phones, "LONG", 504)
        patched.setattr(phones, "SHORT", 378)
        rng = np.random.default_rng(request.param)
        return draw_finished(rng, plain_decks(2 + request.param), cloth, (2, 2))


def test_the_centre_is_what_its_foundations_hold_and_its_spreads_show(hand: FinishedHand) -> None:
    assert sum(hand.centre) == sum(hand.foundations)
    backs = {photo.lay: photo for photo in hand.photos if photo.kind == "backs"}
    shown = [(card.deck, card.face) for photo in backs.values() for card in photo.still.cards]
    assert len(set(shown)) == len(shown)
    assert [Counter(deck for deck, _ in shown)[seat] for seat in range(len(hand.centre))] == hand.centre
    tops = next(photo for photo in hand.photos if photo.kind == "tops")
    assert {(card.deck, card.face) for card in tops.still.cards} == set(shown)


def test_photos_of_one_lay_show_the_same_cards_from_elsewhere(hand: FinishedHand) -> None:
    lays: dict[int, list[int]] = {}
    for number, photo in enumerate(hand.photos):
        lays.setdefault(photo.lay, []).append(number)
    several = [numbers for numbers in lays.values() if len(numbers) > 1]
    assert several
    for one, two in several:
        first, second = hand.photos[one].still, hand.photos[two].still
        assert [card.mm for card in first.cards] == [card.mm for card in second.cards]
        assert not np.allclose(first.cards[0].corners, second.cards[0].corners, atol=2)


def test_all_but_who_called_have_cards_left_which_are_not_in_the_centre(hand: FinishedHand) -> None:
    assert hand.left.count(0) == 1
    centre = {(c.deck, c.face) for p in hand.photos if p.kind == "tops" for c in p.still.cards}
    fans = [photo for photo in hand.photos if photo.kind == "fan"]
    assert [photo.seat for photo in fans] == [seat for seat, left in enumerate(hand.left) if left]
    for photo in fans:
        assert photo.seat is not None and len(photo.still.cards) == hand.left[photo.seat]
        assert not centre & {(card.deck, card.face) for card in photo.still.cards}
