"""Scores from photos: counting, agreement of faces and backs, doubts. Layouts as a good eye would report them."""

import numpy as np
import pytest

from referee.photos import UnknownBackError, score_photos, shows_faces
from vision.layout import Layout, SeenCard


def card(
    x: float,
    pile: int,
    *,
    face: str | None = None,
    back: str | None = None,
    order: int = 0,
    sure: float = 0.99,
):
    corners = np.array([[x, 0], [x + 63, 0], [x + 63, 88], [x, 88]], dtype=float)
    return SeenCard(
        corners=corners,
        side="back" if back else "face",
        visible=corners,
        visible_fraction=1.0,
        confidence=sure,
        face=face,
        face_confidence=sure if face else 0.0,
        back=back,
        pile=pile,
        order=order,
    )


def layout(*cards: SeenCard) -> Layout:
    return Layout(1000, 800, 2.0, list(cards))


def faces(*tops: str) -> Layout:
    return layout(*[card(100 * i, i, face=top) for i, top in enumerate(tops)])


def spread(**counts: int) -> Layout:
    cards = [
        card(8 * i, 0, back=back, order=i)
        for i, back in enumerate(b for b, n in counts.items() for _ in range(n))
    ]
    return layout(*cards)


def test_a_foundation_holds_as_many_cards_as_its_top_rank() -> None:
    score = score_photos([faces("AS", "7H", "TD", "KC")])
    assert score.total_by_faces == 1 + 7 + 10 + 13
    assert score.foundations == [("AS", 1), ("7H", 7), ("TD", 10), ("KC", 13)]
    assert score.agrees is None
    assert score.decks == []


def test_only_the_top_of_a_pile_counts() -> None:
    lower, upper = card(0, 0, face="4S", order=0), card(3, 0, face="5S", order=1)
    assert score_photos([layout(upper, lower)]).foundations == [("5S", 5)]


def test_backs_are_counted_by_design_and_left_cards_cost_two() -> None:
    score = score_photos([spread(red=17, blue=9)], left={"north": 3}, seats={"blue": "north", "red": "south"})
    by_seat = {deck.seat: deck for deck in score.decks}
    assert (by_seat["south"].centre, by_seat["south"].points) == (17, 17)
    assert (by_seat["north"].centre, by_seat["north"].left, by_seat["north"].points) == (9, 3, 3)
    assert score.total_by_backs == 26


def test_points_may_be_negative() -> None:
    score = score_photos([spread(red=2)], left={"red": 10})
    assert score.decks[0].points == -18


@pytest.mark.parametrize(("tops", "agrees"), [(("5S", "4H"), True), (("5S", "5H"), False)])
def test_faces_and_backs_must_agree(tops: tuple[str, ...], agrees: bool) -> None:
    score = score_photos([faces(*tops), spread(red=5, blue=4)])
    assert score.agrees is agrees
    assert any("faces give" in doubt.asks for doubt in score.doubts) is not agrees


def test_a_pile_turned_over_among_the_faces_is_thirteen_and_said_so() -> None:
    score = score_photos([layout(card(0, 0, face="3D"), card(200, 1, face="9S"), card(400, 2, back="red"))])
    assert score.total_by_faces == 3 + 9 + 13
    assert any("13" in doubt.asks and doubt.corners for doubt in score.doubts)


def test_an_unread_top_is_asked_for() -> None:
    score = score_photos([layout(card(0, 0, face="3D"), card(200, 1))])
    assert score.total_by_faces == 3
    assert any("Which card" in doubt.asks for doubt in score.doubts)


def test_a_card_that_is_barely_there_is_asked_about() -> None:
    shaky = card(50, 0, back="red", order=1, sure=0.6)
    score = score_photos([layout(card(0, 0, back="red"), shaky)])
    assert score.decks[0].centre == 2
    assert len(score.doubts) == 1
    assert score.decks[0].confidence < 0.7


def test_a_photo_of_backs_with_one_face_is_still_a_spread() -> None:
    photo = layout(*[card(9 * i, 0, back="blue", order=i) for i in range(8)], card(300, 1, face="2C"))
    assert not shows_faces(photo)
    score = score_photos([photo])
    assert score.total_by_backs == 8
    assert any("face up" in doubt.asks for doubt in score.doubts)


def test_an_unknown_label_is_named_with_those_that_are_known() -> None:
    with pytest.raises(UnknownBackError, match=r"green.*blue, red"):
        score_photos([spread(red=3, blue=2)], seats={"green": "north"})


def test_more_than_a_deck_is_a_doubt() -> None:
    assert any("52" in doubt.asks for doubt in score_photos([spread(red=53)]).doubts)


def test_an_empty_picture_is_a_doubt() -> None:
    score = score_photos([Layout(640, 480, 0.0)])
    assert score.decks == [] and len(score.doubts) == 1
