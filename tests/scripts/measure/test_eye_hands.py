"""Whole hands beside their truth: what counts as exact, as taken together, as asked about."""

from __future__ import annotations

import numpy as np

from datasets.photos.finished import FinishedHand, HandPhoto
from datasets.stills import Still
from datasets.truth import CardTruth
from scripts.measure.eyes.hands import Hands, fan_counts, told_hand
from vision.layout import Layout, SeenCard

SIZE = (63.0, 88.0)


def truth(
    x: float, deck: int, pile: int = 0, order: int = 0, up: bool = False, shown: float = 0.2
) -> CardTruth:
    corners = [[x, 0.0], [x + 63, 0.0], [x + 63, 88.0], [x, 88.0]]
    return CardTruth(corners, "7S", up, deck, pile, order, shown, None, [x + 31.5, 44.0, 0.0, *SIZE], up)


def seen(cards: list[CardTruth], names: str = "ab") -> Layout:
    """An eye that sees these cards as they are."""
    layout = Layout(2000, 200, 1.0)
    for card in cards:
        corners = np.array(card.corners)
        found = SeenCard(corners, "face" if card.face_up else "back", corners, card.visible_fraction, 0.97)
        found.pile, found.order = card.pile, card.order
        if card.face_up:
            found.face, found.face_confidence = card.face, 0.99
        else:
            found.back = names[card.deck]
        layout.cards.append(found)
    return layout


def still(cards: list[CardTruth]) -> Still:
    return Still(np.zeros((1, 1, 3), np.uint8), cards, 1.0)


BACKS = [truth(10.0 * i, i % 3 == 0) for i in range(9)]
FAN = [truth(14.0 * i, 1, order=i, up=True) for i in range(4)]
HAND = FinishedHand(
    [6, 3], [0, 4], [9], [HandPhoto("backs", 0, None, still(BACKS)), HandPhoto("fan", 1, 1, still(FAN))]
)


def test_what_is_seen_as_it_is_gives_every_seat_its_points() -> None:
    fan = seen(FAN)
    for card, face in zip(fan.cards, ("7S", "8D", "2C", "KH"), strict=True):
        card.face = face
    record = told_hand(HAND, [seen(BACKS, "xy"), fan], 0)
    assert (record.points, record.given, record.exact) == ([6, -5], [6, -5], True)
    assert record.fans == [(4, 4)] and record.together
    assert (record.cards, record.asked, record.wrong) == (9, 0, 0)


def test_a_missed_card_makes_its_seat_wrong_and_a_question_beside_it_covers_it() -> None:
    photo = seen(BACKS)
    del photo.cards[3]
    photo.cards[3].confidence = 0.6
    record = told_hand(HAND, [photo, seen(FAN[:3])], 0)
    assert record.given[0] == 6 and record.given[1] != record.points[1] and not record.exact
    assert (record.asked, record.wrong, record.wrong_asked) == (1, 1, 1)
    rows = {point: str(measured) for point, _, measured in Hands([record]).rows()}
    assert rows["... fans of a hand counted exactly"].startswith("0.000")


def test_a_photo_that_is_not_seen_as_the_same_cards_is_told() -> None:
    twice = FinishedHand([6, 3], [0, 0], [9], [HandPhoto("backs", 0, None, still(BACKS)) for _ in range(2)])
    record = told_hand(twice, [seen(BACKS), seen(BACKS)], 0)
    assert record.given == [12, 6] and not record.together


def test_fans_are_counted_pile_by_pile_and_squared_piles_are_none() -> None:
    squared = [truth(600.0 + i, 0, pile=7, shown=0.01 if i < 3 else 1.0) for i in range(4)]
    cards = [*FAN, truth(300.0, 0, pile=2), *squared]
    assert sorted(fan_counts(still(cards), seen([*FAN[:3], *cards[4:]]))) == [(1, 1), (4, 3)]


def test_a_pile_laid_apart_as_asked_settles_what_a_first_photo_of_it_left_open() -> None:
    one = Still(np.zeros((1, 1, 3), np.uint8), FAN, 1.0)
    backs, hidden, apart = seen(BACKS), seen(FAN[:2]), seen(FAN)
    hidden.cards[1].confidence = 0.5
    for fan in (hidden, apart):
        for card, face in zip(fan.cards, ("7S", "8D", "2C", "KH"), strict=False):
            card.face = face
    for card in (*backs.cards, *hidden.cards[:1], *apart.cards):
        card.confidence = 0.999
    alone = told_hand(HAND, [backs, hidden], 0)
    assert alone.given == [6, -1] and alone.after == alone.then
    followed = told_hand(HAND, [backs, hidden], 0, [(HandPhoto("fan", 1, 1, one), apart)])
    assert followed.then == alone.then and followed.after == followed.points == [6, -5]
    assert (followed.photos_more, alone.photos_more) == (1, 0)
