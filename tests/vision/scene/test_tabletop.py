"""Cards that look like the table around them are none."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.scene.tabletop import Tabletop, _nearest

Boxes = list[tuple[int, int, int, int]]


def tartan(rows: int = 480, columns: int = 640) -> NDArray[np.uint8]:
    """Bands of card size in two directions, a little uneven as cloth is."""
    y, x = np.mgrid[0:rows, 0:columns]
    picture = np.full((rows, columns, 3), (60, 140, 150), np.float32)
    picture[(x % 90) < 30] *= (0.6, 0.7, 0.8)
    picture[(y % 110) < 35] *= (0.9, 0.6, 0.6)
    noise = np.random.default_rng(3).normal(0, 4, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


def laid(picture: NDArray[np.uint8], boxes: Boxes, colour: tuple[int, int, int]) -> NDArray[np.uint8]:
    """Backs with a white margin and a lattice in one colour."""
    for left, top, right, bottom in boxes:
        cv2.rectangle(picture, (left, top), (right - 1, bottom - 1), (235, 235, 235), -1)
        cv2.rectangle(picture, (left + 4, top + 4), (right - 5, bottom - 5), colour, -1)
        for at in range(left + 8, right - 6, 7):
            cv2.line(picture, (at, top + 6), (at, bottom - 7), (235, 235, 235), 1)
    return picture


def masks(boxes: Boxes, rows: int = 480, columns: int = 640, step: int = 4) -> NDArray[np.bool_]:
    result = np.zeros((len(boxes), rows // step, columns // step), dtype=bool)
    for mask, (left, top, right, bottom) in zip(result, boxes, strict=True):
        mask[top // step : bottom // step, left // step : right // step] = True
    return result


REAL: Boxes = [(40, 40, 100, 124), (60, 300, 120, 384), (500, 200, 560, 284)]
#: Where nothing lies: three stretches of cloth.
FALSE: Boxes = [(200, 60, 260, 144), (330, 250, 390, 334), (420, 380, 480, 464)]


def test_what_shows_the_cloth_is_no_card_and_a_back_of_its_own_is() -> None:
    top = Tabletop(laid(tartan(), REAL, (170, 40, 40)), 60.0)
    none = top.no_cards(masks(REAL + FALSE), np.full(6, 0.8), np.ones(6, dtype=bool))
    assert none.tolist() == [False] * 3 + [True] * 3


def test_false_cards_are_told_although_they_hide_most_of_the_cloth() -> None:
    false = [(x, y, x + 58, y + 82) for x in range(130, 480, 60) for y in range(5, 400, 88)]
    boxes = REAL + false
    top = Tabletop(laid(tartan(), REAL, (170, 40, 40)), 60.0)
    none = top.no_cards(masks(boxes), np.full(len(boxes), 0.8), np.ones(len(boxes), dtype=bool))
    assert none.tolist() == [False] * 3 + [True] * len(false)


def test_faces_are_not_judged() -> None:
    top = Tabletop(tartan(), 60.0)
    backs = np.array([True, False, True])
    assert top.no_cards(masks(FALSE), np.full(3, 0.8), backs).tolist() == [True, False, True]
    assert not top.no_cards(masks(FALSE), np.full(3, 0.8), np.zeros(3, dtype=bool)).any()


def test_a_back_in_the_colours_of_its_table_stays_if_it_is_sure() -> None:
    judged = Tabletop(tartan(), 60.0)
    backs = np.ones(3, dtype=bool)
    assert not judged.no_cards(masks(FALSE), np.full(3, 0.97), backs).any()
    assert judged.no_cards(masks(FALSE), np.full(3, 0.6), backs).all()


def test_a_doubted_back_stays_that_shows_what_its_table_does_not() -> None:
    picture = np.full((480, 640, 3), (120, 60, 40), np.uint8)
    for left, top, right, bottom in REAL:
        cv2.rectangle(picture, (left, top), (right, bottom), (126, 66, 46), 2)
    backs = np.ones(3, dtype=bool)
    assert not Tabletop(picture, 60.0).no_cards(masks(REAL), np.full(3, 0.51), backs).any()


@pytest.mark.parametrize("width", [14.0, 60.0, 400.0])
def test_a_picture_of_any_scale_and_of_one_colour_can_be_judged(width: float) -> None:
    picture = np.full((240, 320, 3), 90, np.uint8)
    top = Tabletop(picture, width)

    def judged(box: tuple[int, int, int, int], sure: float) -> bool:
        none = top.no_cards(masks([box], 240, 320), np.array([sure]), np.ones(1, dtype=bool))
        assert none.shape == (1,)
        return bool(none[0])

    # a back that looks like all of its table is one if it is sure
    lying = (120, 60, 200, 172)
    assert judged(lying, 0.6)
    assert not judged(lying, 0.97)
    # where nothing is bare there is no table to look like
    assert not judged((0, 0, 320, 240), 0.6)


def test_places_get_the_word_that_is_nearest() -> None:
    rng = np.random.default_rng(5)
    places, centres = rng.normal(60, 20, (9000, 4)).astype(np.float32), rng.normal(60, 20, (48, 4))
    apart = np.linalg.norm(places[:, None] - centres[None], axis=2)
    word = _nearest(places, centres)
    assert apart[np.arange(9000), word] == pytest.approx(apart.min(axis=1), abs=1e-3)


def test_how_much_cards_look_like_the_bare_table_is_told() -> None:
    top = Tabletop(laid(tartan(), REAL, (170, 40, 40)), 60.0)
    like = top.likeness(masks(REAL + FALSE), np.array([4, 0, 5]))
    assert like[1] < -0.5 < 0 < min(like[0], like[2])
    nothing = np.zeros((0, 0, 0), dtype=bool)
    assert not len(top.likeness(nothing, np.zeros(0, dtype=np.intp)))


def test_where_nothing_is_bare_no_card_looks_like_the_table() -> None:
    whole = masks([(0, 0, 640, 480)])
    assert Tabletop(tartan(), 60.0).likeness(whole, np.array([0])).tolist() == [0.0]
