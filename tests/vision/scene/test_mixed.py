"""Backs that lie spread beside faces are looked at by themselves, and put beside what was made of the rest."""

from __future__ import annotations

import numpy as np
import pytest
from voted_cards import cards, grid

from vision.found import Found
from vision.layout import FACES, Layout, SeenCard
from vision.scene.mixed import LEAST, piled_backs, seen_among, taken_together

WIDTH, HEIGHT = 1200, 800


def fan(x: float, back: float, count: int = 4) -> Found:
    """Strips of cards 100 px wide, each 20 px further to the right than the one below."""
    middles = [(x + 20.0 * k, 400.0) for k in range(count)]
    found = cards(middles, [grid(at - 40, 400, 16, 120) for at, _ in middles])
    found.back = np.full(count, back)
    return found


def seen(x: float, side: str, sure: float = 0.9, pile: int = 0) -> SeenCard:
    corners = np.array([[x, 100], [x + 63, 100], [x + 63, 188], [x, 188.0]])
    card = SeenCard(corners, side, corners, 1.0, sure, pile=pile)  # type: ignore[arg-type]
    if side == "face":
        chances = np.zeros(len(FACES))
        chances[3] = sure
        card.name_face(chances)
    return card


def part(*cards: SeenCard) -> tuple[Layout, np.ndarray]:
    masks = np.zeros((len(cards), 4, 4), dtype=bool)
    for number in range(len(cards)):
        masks[number, number] = True
    return Layout(WIDTH, HEIGHT, 1.0, list(cards)), masks


def test_piles_of_backs_that_show_strips_are_told_from_faces_from_few_backs_and_from_whole_ones() -> None:
    told = [seen(20.0 * k, "back", pile=0) for k in range(4)]
    told += [seen(300 + 20.0 * k, "face", pile=1) for k in range(4)]
    told += [seen(600 + 20.0 * k, "back", pile=2) for k in range(LEAST - 1)]
    for card in told:
        card.visible_fraction = 0.3
    told += [seen(900 + 20.0 * k, "back", pile=3) for k in range(4)]
    assert piled_backs(told).tolist() == [True] * 4 + [False] * (4 + LEAST - 1 + 4)


def test_what_another_finder_sees_in_a_pile_is_told_from_what_it_sees_elsewhere() -> None:
    other = fan(210, 1.0, 5).joined([fan(700, 1.0)])
    assert seen_among(other, fan(200, 1.0).corners, WIDTH, HEIGHT).tolist() == [0, 1, 2, 3, 4]


def test_both_parts_are_one_layout_with_piles_of_their_own() -> None:
    layout, masks = taken_together(part(seen(0, "face", pile=2)), part(seen(300, "back"), seen(320, "back")))
    assert [card.side for card in layout.cards] == ["face", "back", "back"]
    assert [card.pile for card in layout.cards] == [2, 3, 3]
    assert masks.argmax(axis=1)[:, 0].tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("side", "sure", "left"), [("face", 0.9, "face"), ("face", 0.5, "back"), ("back", 0.99, "back")]
)
def test_what_both_parts_have_is_a_back_unless_a_face_is_surely_read(
    side: str, sure: float, left: str
) -> None:
    theirs = seen(10, "back", 0.7)
    layout, masks = taken_together(part(seen(0, side, sure)), part(theirs))
    assert [card.side for card in layout.cards] == [left] and len(masks) == 1
    assert (layout.cards[0] is theirs) == (left == "back")


def test_nothing_is_left_of_nothing() -> None:
    layout, masks = taken_together(part(), part())
    assert layout.cards == [] and masks.shape == (0, 4, 4)
