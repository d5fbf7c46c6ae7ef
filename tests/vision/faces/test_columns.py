"""Columns are read together where the sure ones follow an order; what does not follow is read as it lies."""

from __future__ import annotations

import numpy as np
import pytest

from vision.faces.columns import FOLLOWS, read_columns
from vision.layout import FACES, Layout, SeenCard

LONG = ["KS", "QH", "JS", "TD", "9C", "8H", "7S", "6D", "5C"]


def read(sure: dict[str, float]) -> np.ndarray:
    chances = np.full(52, (1 - sum(sure.values())) / 52)
    for face, chance in sure.items():
        chances[FACES.index(face)] += chance
    return chances


def column(number: int, cards: list[dict[str, float]], step: float = 18.0) -> list[SeenCard]:
    """Cards one below the other, mm: every reading a part of the chances of its faces."""
    seen = []
    for place, sure in enumerate(cards):
        x, y = 80.0 * number, step * place
        corners = np.array([[x, y], [x + 63, y], [x + 63, y + 88], [x, y + 88]])
        card = SeenCard(corners, "face", corners, 0.25, 0.99)
        card.name_face(read(sure))
        card.pile, card.order = number, place
        seen.append(card)
    return seen


def sure(faces: list[str]) -> list[dict[str, float]]:
    return [{face: 0.999} for face in faces]


def table(*columns: list[SeenCard]) -> Layout:
    return Layout(1000, 1000, 1.0, [card for cards in columns for card in cards], to_table=np.eye(3))


def test_what_follows_goes_down_and_changes_colour() -> None:
    def lies_on(below: str, above: str) -> bool:
        return bool(FOLLOWS[FACES.index(below), FACES.index(above)])

    assert lies_on("KS", "QH") and lies_on("2D", "AC") and lies_on("TC", "9D")
    assert not any(lies_on(*pair) for pair in (("KS", "QC"), ("QH", "KS"), ("AS", "KH"), ("9D", "9C")))
    assert FOLLOWS.sum() == 12 * 4 * 2


@pytest.mark.parametrize("place", [0, 2, 4])
def test_a_doubted_face_is_the_one_that_follows(place: int) -> None:
    faces = ["9C", "8H", "7S", "6D", "5C"]
    cards = sure(faces)
    cards[place] = {"2H": 0.5, faces[place]: 0.4}
    layout = table(column(0, sure(LONG)), column(1, cards))
    read_columns(layout)
    told = [card.face for card in layout.cards]
    assert told == LONG + faces
    assert layout.cards[len(LONG) + place].face_confidence > 0.9


def test_a_card_that_does_not_belong_is_read_as_it_lies() -> None:
    for place in (1, 2, 4):
        cards = sure(["9C", "8H", "7S", "6D", "5C"])
        cards[place] = {"KD": 0.999}
        layout = table(column(0, sure(LONG)), column(1, cards))
        read_columns(layout)
        card = layout.cards[len(LONG) + place]
        assert card.face == "KD" and card.face_confidence > 0.9


def test_nothing_changes_where_columns_follow_no_order() -> None:
    doubted = {"2H": 0.5, "7S": 0.4}
    odd = ["KS", "2S", "9H", "9D", "JC", "4C"]
    layout = table(column(0, sure(odd)), column(1, [{"8H": 0.999}, doubted]))
    read_columns(layout)
    assert layout.cards[-1].face == "2H"
    assert layout.cards[-1].face_confidence == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("step", [4.0, 60.0])
def test_squared_piles_and_cards_apart_are_no_columns(step: float) -> None:
    layout = table(column(0, sure(LONG)), column(1, [{"8H": 0.999}, {"2H": 0.5, "7S": 0.4}], step))
    before = layout.cards[-1].face_probabilities
    read_columns(layout)
    assert layout.cards[-1].face_probabilities is before


def test_backs_and_empty_tables_are_left_alone() -> None:
    read_columns(Layout(10, 10, 1.0))
    layout = table(column(0, sure(LONG)))
    layout.cards[3].side, layout.cards[3].face, layout.cards[3].face_probabilities = "back", None, None
    read_columns(layout)
    assert [card.face for card in layout.cards] == [*LONG[:3], None, *LONG[4:]]
