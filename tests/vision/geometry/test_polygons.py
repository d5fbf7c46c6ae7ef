"""Tests for where points and cards lie."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.geometry.polygons import corners_apart, oriented_iou, within

CARD = np.array([[0.0, 0.0], [63.0, 0.0], [63.0, 88.0], [0.0, 88.0]])


def moved(x: float, y: float, angle: float) -> np.ndarray:
    cos, sin = np.cos(angle), np.sin(angle)
    return np.asarray(CARD @ np.array([[cos, sin], [-sin, cos]]) + (x, y))


@given(st.floats(-50, 50), st.floats(-50, 50), st.floats(0, 6.3))
def test_a_card_turned_by_half_lies_in_its_own_place(x: float, y: float, angle: float) -> None:
    card = moved(x, y, angle)
    turned = np.roll(card, 2, axis=0)
    assert corners_apart(card[None], turned[None]) == pytest.approx(np.zeros((1, 1)), abs=1e-9)
    assert oriented_iou(card, turned) == pytest.approx(1.0, abs=1e-4)


@given(st.floats(-50, 50), st.floats(-50, 50))
def test_a_card_that_is_pushed_is_as_far_off_as_it_was_pushed(x: float, y: float) -> None:
    # the other way round is never nearer: opposite corners are then off to opposite sides of that push
    (apart,) = corners_apart(CARD[None], np.stack([moved(x, y, 0.0), CARD]))
    assert apart == pytest.approx([np.hypot(x, y), 0.0])


def test_a_quarter_turn_is_no_turn_of_a_card() -> None:
    lying = moved(75.5, 12.5, np.pi / 2)
    assert corners_apart(CARD[None], lying[None])[0, 0] > 50


def test_every_card_is_compared_with_every_other() -> None:
    near = [moved(0, 0, 0), moved(10, 0, 0)]
    far = [moved(0, 5, 0), moved(10, 5, 0), moved(30, 0, 0)]
    assert corners_apart(np.stack(near), np.stack(far)) == pytest.approx(
        np.array([[5, np.hypot(10, 5), 30], [np.hypot(10, 5), 5, 20]])
    )
    assert corners_apart(np.stack(near), np.zeros((0, 4, 2))).shape == (2, 0)


@given(st.floats(-120, 120), st.floats(-120, 120))
def test_overlap_is_what_two_upright_cards_have_in_common(x: float, y: float) -> None:
    common = max(0.0, 63 - abs(x)) * max(0.0, 88 - abs(y))
    asked = common / (2 * 63 * 88 - common)
    assert oriented_iou(CARD, moved(x, y, 0.0)) == pytest.approx(asked, abs=1e-3)


@pytest.mark.parametrize("card", [CARD, CARD[::-1]])
def test_points_lie_within_either_way_round(card: np.ndarray) -> None:
    points = np.array([[1.0, 1.0], [62.0, 87.0], [-1.0, 5.0], [64.0, 5.0], [30.0, 89.0]])
    assert within(points, card).tolist() == [True, True, False, False, False]
