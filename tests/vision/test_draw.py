"""What was seen, drawn on its picture."""

from __future__ import annotations

import numpy as np
import pytest

from vision.draw import Tag, back_colours, draw_area, draw_layout, draw_tags
from vision.layout import Layout, SeenCard, SeenHand
from vision.report import layout_to_json


def card(x: float, *, back: str | None = None, face: str | None = None, sure: float = 0.99) -> SeenCard:
    corners = np.array([[x, 20], [x + 63, 20], [x + 63, 108], [x, 108]], dtype=np.float64)
    side = "face" if back is None else "back"
    return SeenCard(
        corners, side, corners, 1.0, 0.95, face=face, face_confidence=sure, back=back, pile=2, order=1
    )


def table(*cards: SeenCard, hands: tuple[SeenHand, ...] = ()) -> Layout:
    return Layout(400, 130, 1.0, list(cards), list(hands))


PICTURE = np.full((130, 400, 3), 90, np.uint8)


def test_the_picture_itself_stays_as_it_is() -> None:
    before = PICTURE.copy()
    drawn = draw_layout(PICTURE, table(card(10, back="red")))
    assert (before == PICTURE).all()
    assert (drawn != PICTURE).any()


def test_only_where_something_was_seen_is_drawn() -> None:
    drawn = draw_layout(PICTURE, table(card(10, face="QS")))
    changed = np.argwhere((drawn != PICTURE).any(axis=2))
    assert changed[:, 1].min() >= 5 and changed[:, 1].max() <= 80
    assert (draw_layout(PICTURE, table()) == PICTURE).all()


def test_backs_are_tinted_in_the_colour_they_are_named_by() -> None:
    drawn = draw_layout(
        PICTURE, table(card(10, back="red"), card(110, back="blue"), card(210, back="blue 2"))
    )
    red, blue, other = (drawn[100, x + 10].astype(int) for x in (10, 110, 210))
    assert red[2] > red[0] + 20
    assert blue[0] > blue[2] + 20
    assert np.abs(other - blue).max() > 10


def test_every_design_has_a_colour_of_its_own() -> None:
    names = ["red", "blue", "blue 2", "blue 3", "green", "green 2"]
    colours = back_colours(table(*(card(0, back=name) for name in names)))
    assert set(colours) == set(names)
    assert len(set(colours.values())) == len(names)


def test_a_doubtful_reading_is_drawn_otherwise() -> None:
    sure, doubtful = (draw_layout(PICTURE, table(card(10, face="QS", sure=share))) for share in (0.99, 0.5))
    assert (sure[20, 40] != doubtful[20, 40]).any()


@pytest.mark.parametrize("x", [-40, 380])
def test_a_card_that_reaches_out_of_the_picture(x: float) -> None:
    assert draw_layout(PICTURE, table(card(x, back="red"))).shape == PICTURE.shape


def test_a_hand_is_drawn() -> None:
    outline = np.array([[300, 10], [390, 10], [350, 100]], dtype=np.float64)
    drawn = draw_layout(PICTURE, table(hands=(SeenHand(outline, 0.9),)))
    assert (drawn[10, 330] != PICTURE[10, 330]).any()


def test_the_layout_as_json() -> None:
    seen = table(card(10, back="red"), card(110, face="TH", sure=0.91234567))
    seen.cards[0].pile = -1
    told = layout_to_json(seen, "photo.jpg")
    assert (told["image"], told["width"], told["height"], told["px_per_mm"], told["hands"]) == (
        "photo.jpg",
        400,
        130,
        1.0,
        [],
    )
    back, face = told["cards"]
    assert (back["side"], back["face"], back["back"], back["pile"]) == ("back", None, "red", None)
    assert (face["side"], face["face"], face["back"], face["pile"], face["order"]) == (
        "face",
        "TH",
        None,
        2,
        1,
    )
    assert face["face_confidence"] == 0.9123
    assert face["corners"] == [[110.0, 20.0], [173.0, 20.0], [173.0, 108.0], [110.0, 108.0]]


def tags(*middles: tuple[float, float]) -> list[Tag]:
    return [Tag("8", np.array(at), "red") for at in middles]


def test_tags_are_as_large_as_their_own_neighbours_let_them_be() -> None:
    image = np.full((400, 1200, 3), 90, np.uint8)
    near = draw_tags(image.copy(), tags((100, 200), (112, 200), (900, 200)), {})
    alone = draw_tags(image.copy(), tags((900, 200)), {})
    far = (near[:, 600:] == (60, 60, 235)).all(axis=2).sum()
    assert far == (alone[:, 600:] == (60, 60, 235)).all(axis=2).sum() > 0
    assert (near[:, :106] != image[:, :106]).any(axis=2).sum() < far


def test_what_is_said_of_decks_stands_beneath_the_picture() -> None:
    told = draw_tags(PICTURE.copy(), [], {"red": "red: 3", "blue": "blue: 1"})
    assert (told[: len(PICTURE)] == PICTURE).all()
    assert (told[len(PICTURE) :] == (60, 60, 235)).all(axis=2).any()


@pytest.mark.parametrize("x", [0, 330])
def test_a_name_stays_in_the_picture(x: float) -> None:
    """A label above an outline at the picture's upper edge, and at either side."""
    image = np.full((130, 400, 3), 90, np.uint8)
    area = np.array([[x, -20], [x + 60, -20], [x + 60, 50], [x, 50]], dtype=np.float64)
    inked = (draw_area(image, area, "spread 3") == (30, 30, 30)).all(axis=2)
    assert inked[0:3].sum() > 20
