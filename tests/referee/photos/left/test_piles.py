"""Left-over piles are sure, or say what settles them: even fans, a card between two, hands, photos of the same cards."""

import numpy as np
import pytest

from referee.photos.mending import Mend
from referee.photos.score import DeckScore, PhotoScore
from referee.photos.scoring import score_photos
from vision.layout import Layout, SeenCard, SeenHand

STEP, SHOWN = 16.0, 16.0 / 63
#: px/mm
SCALE = 3.0


def fan(
    faces: str | int, at: tuple[float, float] = (100.0, 100.0), step: float = STEP, sure: float = 0.99
) -> Layout:
    """A fan from left to right, of faces ("4S KH 2C") or of so many backs, each lying on the one before."""
    names = faces.split() if isinstance(faces, str) else [None] * faces
    cards = []
    for i, face in enumerate(names):
        x, y = at[0] + step * i, at[1]
        corners = SCALE * np.array([[x, y], [x + 63, y], [x + 63, y + 88], [x, y + 88]])
        last = i == len(names) - 1
        cards.append(
            SeenCard(
                corners=corners,
                side="back" if face is None else "face",
                visible=corners,
                visible_fraction=1.0 if last else SHOWN,
                confidence=sure,
                face=face,
                face_confidence=0.99 if face else 0.0,
                back="red" if face is None else None,
                pile=0,
                order=i,
            )
        )
    return Layout(3000, 2400, SCALE, cards)


def scored(*photos: Layout, mends: tuple[Mend, ...] = ()) -> PhotoScore:
    return score_photos([], players=("north",), left_piles={"north": photos}, mends=mends)


def north(*photos: Layout, mends: tuple[Mend, ...] = ()) -> DeckScore:
    (deck,) = scored(*photos, mends=mends).decks
    return deck


@pytest.mark.parametrize("cards", ["4S", "4S KH", "4S KH 2C 9D TD", 1, 2, 7])
def test_an_even_fan_that_is_well_seen_is_sure(cards: str | int) -> None:
    photo = fan(cards)
    score = scored(photo)
    assert (score.decks[0].left, score.decks[0].left_state) == (len(photo.cards), "sure")
    assert not score.requests and not score.ask


@pytest.mark.parametrize("cards", ["4S KH 2C 9D TD 7C", "4S KH 2C 9D"])
def test_a_gap_where_a_card_may_lie_is_asked_about_with_its_place(cards: str) -> None:
    photo = fan(cards)
    del photo.cards[2]
    score = scored(photo)
    (deck,), (request,) = score.decks, score.requests
    assert (deck.left, deck.left_state) == (len(photo.cards), "asked")
    assert request.kind == "spread" and request.area and "north" in request.asks
    area = np.array(request.area)
    for card in photo.cards:
        assert (area.min(axis=0) <= card.corners.min(axis=0)).all()
        assert (card.corners.max(axis=0) <= area.max(axis=0)).all()


def test_hands_over_the_cards_are_asked_away() -> None:
    photo = fan("4S KH 2C 9D")
    beside, over = (
        np.array([[0.0, 500], [60, 500], [60, 700]]),
        np.array([[90.0, 90], [170, 90], [170, 190], [90, 190]]),
    )
    photo.hands = [SeenHand(SCALE * beside, 0.9)]
    assert scored(photo).decks[0].left_state == "sure"
    photo.hands = [SeenHand(SCALE * over, 0.9)]
    score = scored(photo)
    (request,) = score.requests
    assert score.decks[0].left_state == "asked"
    assert request.kind == "again" and "hand" in request.asks


def test_a_card_that_hardly_is_one_leaves_the_number_open_until_somebody_says() -> None:
    photo = fan("4S KH 2C 9D")
    photo.cards[1].confidence = 0.6
    score = scored(photo)
    assert score.decks[0].left_state == "asked"
    assert [doubt.place for doubt in score.ask] == [{"image": 0, "card": 1, "mend": None}]
    said = north(photo, mends=(Mend(0, 1),))
    assert (said.left, said.left_state) == (4, "sure")
    gone = north(photo, mends=(Mend(0, 1, gone="card"),))
    assert gone.left == 3


def test_a_pile_laid_out_anew_is_counted_once_as_the_surer_photo_has_it() -> None:
    first, anew = fan("4S KH 2C 9D", sure=0.7), fan("4S KH 2C 9D 7C", at=(300.0, 420.0), step=40.0)
    deck = north(first, anew)
    assert (deck.left, deck.left_state) == (5, "sure")
    score = scored(first, anew)
    assert [spread.images for spread in score.spreads] == [(0, 1)]


def test_sure_photos_of_one_pile_that_disagree_are_not_sure() -> None:
    one, other = fan("4S KH 2C 9D"), fan("4S KH 2C 9D 7C", at=(300.0, 420.0), step=40.0)
    assert north(one).left_state == north(other).left_state == "sure"
    assert north(one, other).left_state == "asked"


def test_photos_that_agree_are_surer_than_each_alone() -> None:
    one, other = fan("4S KH 2C 9D", sure=0.85), fan("4S KH 2C 9D", at=(300.0, 420.0), step=40.0, sure=0.84)
    chances = [deck.left_confidence for deck in (north(one), north(other), north(one, other))]
    assert None not in chances
    assert chances[2] > max(chances[0], chances[1])  # type: ignore[type-var,operator]


def test_parts_of_a_pile_with_other_faces_are_added() -> None:
    deck = north(fan("4S KH 2C 9D"), fan("7C 8D AS", at=(300.0, 420.0)))
    assert (deck.left, deck.left_state) == (7, "sure")


def test_an_empty_photo_is_not_sure() -> None:
    assert north(Layout(640, 480, 0.0)).left_state == "asked"


def test_points_are_sure_only_where_what_is_left_is() -> None:
    backs = fan(9, step=40.0)
    sure, gap = fan("4S KH 2C 9D TD"), fan("4S KH 2C 9D TD")
    del gap.cards[2]
    for photo, expected in ((sure, True), (gap, False)):
        (deck,) = score_photos([backs], left_piles={"red": [photo]}).decks
        assert deck.state == "sure" and deck.sure is expected
    (typed,) = score_photos([backs], left={"red": 4}).decks
    assert typed.left_state is None and typed.sure
