"""What does not look like squared foundations is asked about, and no total is called sure meanwhile."""

from __future__ import annotations

import numpy as np
import pytest

from referee.photos.score import PhotoScore
from referee.photos.scoring import score_photos
from vision.layout import FACES, Layout, SeenCard

TURNED = "--"


def lying(name: str, x: float, pile: int, order: int, shows: float, sure: float = 0.99) -> SeenCard:
    """A card as the eye reports it: "7H", "--" for a back, "??" for a face that cannot be read."""
    corners = np.array([[x, 0], [x + 63, 0], [x + 63, 88], [x, 88]], dtype=float)
    if name == TURNED:
        return SeenCard(corners, "back", corners, shows, sure, back="red", pile=pile, order=order)
    seen = SeenCard(corners, "face", corners, shows, sure, pile=pile, order=order)
    chances = np.zeros(len(FACES))
    if name in FACES:
        chances[FACES.index(name)] = 0.98
    seen.name_face(chances)
    return seen


def table(*piles: str, shows: float = 0.25) -> Layout:
    """Piles, each the cards in view from the lowest to the top."""
    cards = [
        lying(name, 100.0 * pile + 8 * order, pile, order, 1.0 if name == names.split()[-1] else shows)
        for pile, names in enumerate(piles)
        for order, name in enumerate(names.split())
    ]
    return Layout(2000, 1000, 2.0, cards)


def backs(**counts: int) -> Layout:
    cards = []
    for label, count in counts.items():
        for _ in range(count):
            card = lying(TURNED, 8.0 * len(cards), 0, len(cards), 0.3)
            card.back = label
            cards.append(card)
    return Layout(2000, 1000, 2.0, cards)


def asked(score: PhotoScore) -> list[str]:
    return [doubt.asks for doubt in score.doubts]


NO_FOUNDATION = {
    "a pair that no foundation holds": "KD 2D",
    "two suits": "5S 6H",
    "a column of a solitaire": "9S 8H 7S",
    "a rank twice": "TH TH",
    "a hand laid open": "4D 6D 9D JD 7D",
    "cards face down under a face": "-- -- KS",
    "cards of which much is in view and which cannot be read": "?? ?? 7C",
    "two foundations that touch": "KC 2C",
}


@pytest.mark.parametrize("pile", NO_FOUNDATION.values(), ids=NO_FOUNDATION.keys())
def test_what_is_no_foundation_is_asked_about(pile: str) -> None:
    score = score_photos([table("AS", pile, "7H")])
    (asks,) = asked(score)
    assert asks.startswith("Is this pile a foundation? ")
    (doubt,) = score.doubts
    assert doubt.image == 0 and doubt.corners is not None and doubt.corners[0][0] >= 100
    told = score.to_json()
    assert [pile["sure"] for pile in told["foundations"]] == [True, False, True]


@pytest.mark.parametrize("top", [TURNED, "??"])
def test_a_pile_whose_number_is_asked_for_is_not_sure(top: str) -> None:
    assert [pile["sure"] for pile in score_photos([table("AS", top)]).to_json()["foundations"]] == [
        True,
        False,
    ]


FOUNDATIONS = {
    "squared": "7H",
    "a few mm of the card below": "6H 7H",
    "loosely laid": "AC 3C 4C 8C",
    "an ace and what came over it": "AS 2S 3S",
}


@pytest.mark.parametrize("pile", FOUNDATIONS.values(), ids=FOUNDATIONS.keys())
def test_an_untidy_foundation_is_not_asked_about(pile: str) -> None:
    score = score_photos([table("AS", pile, "7H")])
    assert not score.doubts
    assert all(pile["sure"] for pile in score.to_json()["foundations"])


def test_a_thin_edge_that_cannot_be_read_is_not_asked_about() -> None:
    assert not score_photos([table("?? 7H", shows=0.1)]).doubts


@pytest.mark.parametrize(("shows", "doubts"), [(0.25, 0), (0.35, 1)])
def test_a_card_laid_open_has_room_for_none_between_it_and_the_next(shows: float, doubts: int) -> None:
    assert len(score_photos([table("5D 9D", "AS", shows=shows)]).doubts) == doubts
    assert not score_photos([table("AD 2D 3D 4D", shows=shows)]).doubts


def test_what_is_hardly_a_card_is_not_asked_about() -> None:
    centre = table("KD 2D")
    centre.cards[0].confidence = 0.4
    assert not score_photos([centre]).doubts


def test_every_pile_that_is_none_is_asked_about_once() -> None:
    score = score_photos([table("KS QH JS", "5D 4C", "9H 8S 7H", "AS")])
    assert len(asked(score)) == 3


def test_faces_that_are_no_foundations_agree_with_nothing() -> None:
    centre, spread = table("KD 2D", "3S"), backs(red=3, blue=2)
    score = score_photos([centre, spread])
    assert (score.total_by_faces, score.total_by_backs) == (5, 5)
    assert score.agrees is None and score.to_json()["agrees"] is None
    assert score_photos([table("2D", "3S"), spread]).agrees is True


def test_faces_that_are_no_foundations_are_no_witness_of_the_backs() -> None:
    """Nor do they settle which photos show the same cards."""
    spread = backs(red=3, blue=2)
    spread.cards[-1].confidence = 0.6
    score = score_photos([table("KD 2D", "2S"), spread])
    assert score.total_by_backs == 5 and sum(deck.centre for deck in score.decks) == 5


@pytest.mark.parametrize("turned_up", [1, 3])
def test_faces_among_backs_leave_no_deck_sure(turned_up: int) -> None:
    photo = backs(red=20, blue=20)
    alone = score_photos([photo])
    photo.cards += [
        lying(face, 600.0, 9 + i, 0, 1.0) for i, face in enumerate(["5S", "9H", "KC"][:turned_up])
    ]
    score = score_photos([photo])
    assert [deck.centre for deck in score.decks] == [20, 20]
    for deck, bare in zip(score.decks, alone.decks, strict=True):
        assert deck.confidence <= 0.5 < bare.confidence


@pytest.mark.parametrize(
    ("tops", "spread", "players", "asks"),
    [
        ("5S 5S", {"red": 10}, (), "2 piles of spades, but only 1 deck can be told"),
        ("5S 6S 7S", {"red": 9, "blue": 9}, (), "3 piles of spades, but only 2 decks can be told"),
        ("5S 5S", {}, ("north",), "2 piles of spades, but only 1 deck can be told"),
        ("AC 2C 3C 4C 5C 6C 7C 8C 9C", {}, (), "9 piles of clubs, but so many decks hardly play"),
    ],
)
def test_more_foundations_of_a_suit_than_decks_have_aces_are_asked_about(
    tops: str, spread: dict[str, int], players: tuple[str, ...], asks: str
) -> None:
    photos = [table(*tops.split()), *([backs(**spread)] if spread else [])]
    score = score_photos(photos, players=players)
    assert any(asks in told for told in asked(score))
    assert score.agrees is None
    assert not any(pile["sure"] for pile in score.to_json()["foundations"])


def test_as_many_foundations_of_a_suit_as_decks_are_none_too_many() -> None:
    photos = [table("5S", "5S", "2H"), backs(red=6, blue=6)]
    score = score_photos(photos, players=("red", "blue"))
    assert not score.doubts and score.agrees is True
