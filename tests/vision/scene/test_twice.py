"""Cards found twice: what is read of both together decides, not where they lie."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.layout import FACES, SeenCard
from vision.scene.twice import join, pairs

Floats = NDArray[np.float64]
WIDTH, HEIGHT = 63.0, 88.0
STEP = 2.0


def card(
    y: float, order: int, face: str | None, sure: float, share: float, side: str = "face", pile: int = 0
) -> SeenCard:
    """A `SeenCard` of a column that runs downwards, its upper edge at `y`."""
    corners = np.array([[10, y], [10 + WIDTH, y], [10 + WIDTH, y + HEIGHT], [10, y + HEIGHT]])
    seen = SeenCard(corners, side, np.zeros((0, 2)), share, 0.8, pile=pile, order=order)  # type: ignore[arg-type]
    if side == "face":
        seen.name_face(chances(face or "AS", sure))
    return seen


def chances(face: str, sure: float) -> Floats:
    told = np.zeros(len(FACES))
    told[FACES.index(face)] = sure
    return told


def masks(*rows: tuple[int, int]) -> NDArray[np.bool_]:
    """What is seen of each: from one row (px) to another."""
    seen = np.zeros((len(rows), 100, 50), dtype=bool)
    for mask, (top, bottom) in zip(seen, rows, strict=True):
        mask[int(top / STEP) : int(bottom / STEP), 5:36] = True
    return seen


def reading(face: str, sure: float) -> Callable[..., Floats]:
    """A reader that reads this whatever it is shown, and keeps what that was."""

    def read(corners: Floats, shown: NDArray[np.bool_], step: float) -> Floats:
        read.shown = (corners, shown, step)  # type: ignore[attr-defined]
        return np.stack([chances(face, sure)] * len(corners))

    return read


def column(
    first: tuple[str | None, float], second: tuple[str | None, float], side: str = "face"
) -> list[SeenCard]:
    """A card in two places 8 mm apart, under a whole one."""
    return [card(20, 0, *first, 0.1), card(28, 1, *second, 0.14, side), card(42, 2, "7C", 1.0, 1.0)]


@pytest.mark.parametrize(
    ("first", "second", "side", "together", "one"),
    [
        ((None, 0.1), ("6C", 0.48), "face", ("6C", 0.87), True),
        ((None, 0.1), (None, 0.0), "back", ("JH", 0.99), True),
        (("QS", 0.75), (None, 0.0), "back", ("QS", 0.92), True),
        (("7D", 0.96), ("7D", 0.67), "face", ("7D", 0.99), True),
        # two cards that show what they are each by itself
        (("8H", 0.9), ("7S", 0.95), "face", ("8H", 0.97), False),
        # one alone was read as well as both together
        (("2D", 0.99), (None, 0.05), "face", ("2D", 1.0), False),
        # nothing is read together
        ((None, 0.1), (None, 0.2), "face", ("2D", 0.35), False),
        # a back on a face that is another one together
        (("QS", 0.9), (None, 0.0), "back", ("QC", 0.92), False),
    ],
)
def test_two_are_one_where_both_together_show_a_face_that_neither_shows_alone(
    first: tuple[str | None, float],
    second: tuple[str | None, float],
    side: str,
    together: tuple[str, float],
    one: bool,
) -> None:
    cards, seen = column(first, second, side), masks((20, 28), (28, 42), (42, 130))
    read = reading(*together)
    kept = join(cards, seen, STEP, read)
    corners, shown, step = read.shown  # type: ignore[attr-defined]
    assert np.array_equal(corners[0], cards[0].corners)
    assert shown[0].sum() == masks((20, 42)).sum() and step == STEP
    assert kept == ([0, 2] if one else [0, 1, 2])
    if one:
        assert (cards[0].face, cards[0].face_confidence, cards[0].side) == (*together, "face")
        assert cards[0].visible_fraction == pytest.approx(0.24)
        assert seen[0].sum() == masks((20, 42)).sum()
        assert np.ptp(cards[0].visible[:, 1]) == pytest.approx(22, abs=2 * STEP)


def test_cards_far_apart_whole_ones_and_other_piles_are_not_compared() -> None:
    near = card(28, 1, None, 0.1, 0.14)
    lower = card(20, 0, None, 0.1, 0.1)
    assert pairs([lower, near]) == pairs([lower, near, card(60, 2, "7C", 1.0, 0.3)]) == [(0, 1)]
    assert not pairs([lower, card(36, 1, None, 0.1, 0.14)])
    assert not pairs([lower, card(28, 1, "7C", 1.0, 1.0)])
    assert not pairs([lower, card(28, 1, None, 0.1, 0.14, pile=1)])
    turned = card(28, 1, None, 0.1, 0.14)
    turned.corners = turned.corners[[2, 3, 0, 1]]
    assert pairs([lower, turned]) == [(0, 1)]


def test_nothing_is_read_where_nothing_lies_near() -> None:
    def read(*_: object) -> Floats:
        raise AssertionError

    assert join([card(20, 0, "6C", 0.9, 0.2)], masks((20, 40)), STEP, read) == [0]
    assert join([], masks(), STEP, read) == []


@pytest.mark.parametrize(
    ("face", "share", "y", "left"),
    [
        ("7C", 0.1, 34, [1]),  # the edge of the seven itself
        ("8D", 0.1, 34, [0, 1]),  # another face: a card beneath
        ("7C", 0.1, 16, [0, 1]),  # too far off
        ("7C", 0.4, 34, [0, 1]),  # more than a sliver
    ],
)
def test_a_sliver_with_the_face_of_the_whole_card_on_it_is_that_card(
    face: str, share: float, y: float, left: list[int]
) -> None:
    cards = [card(y, 0, face, 0.9, share), card(42, 1, "7C", 1.0, 1.0)]
    never = reading("AS", 1.0)
    assert join(cards, masks((20, 28), (42, 130)), STEP, never) == left
    assert cards[1].face == "7C" and cards[1].visible_fraction == 1.0


def test_a_sliver_on_top_of_a_whole_card_is_left_alone() -> None:
    cards = [card(34, 1, "7C", 0.9, 0.1), card(42, 0, "7C", 1.0, 1.0)]
    assert join(cards, masks((34, 42), (42, 130)), STEP, reading("AS", 1.0)) == [0, 1]


def test_two_cards_of_a_row_stay_two_whatever_both_together_are_read_as() -> None:
    cards = column((None, 0.1), ("6C", 0.48))
    seen = masks((20, 28), (28, 42), (42, 130))
    read = reading("6C", 0.87)
    assert pairs(cards, np.array([True, False, True])) == [(0, 1)]
    assert join(cards, seen, STEP, read, np.array([True, True, True])) == [0, 1, 2]
    assert cards[0].face_confidence == pytest.approx(0.1)
    assert join(cards, seen, STEP, read, np.array([False, True, True])) == [0, 2]
