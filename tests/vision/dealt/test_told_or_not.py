"""Cards on tables of their own tone; what was never told, only held, or not taken back."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.dealt.test_dealt import BLUE, RED, SCALE, SIZE, Film, quad
from vision.dealt.canvas import Canvas
from vision.dealt.ending import look_back
from vision.dealt.landings import scale_of


def test_the_first_card_tells_the_scale_where_half_of_its_print_looks_like_the_table() -> None:
    canvas, table = Canvas(*SIZE), np.full((SIZE[1], SIZE[0], 3), (70, 110, 60), np.uint8)
    middle, striped = np.array([480, 300]), table.copy()
    cv2.fillPoly(striped, [np.round(quad(480, 300, 5)).astype(np.int32)], (235, 235, 235))
    inner = middle + (quad(480, 300, 5) - middle) * 0.55
    cv2.fillPoly(striped, [np.round(inner).astype(np.int32)], (70, 110, 60))
    for number, image in enumerate([table] * 3 + [striped] * 6):
        canvas.push(number / 30, image)
    (part,) = canvas.parts
    assert scale_of(part, canvas) == pytest.approx(SCALE, rel=0.045)


def test_what_never_was_told_and_no_longer_differs_is_strange_in_the_end() -> None:
    film = Film()
    film.run(4)
    film.deal((quad(300, 300), RED))
    film.blind = True
    film.deal((quad(700, 300), BLUE))
    canvas = film.dealing.canvas
    canvas.accept(canvas.area_of(quad(700, 300), 8.0))
    film.run(3)
    (strange,) = look_back(film.dealing).strange
    assert np.hypot(strange[0] - 700, strange[1] - 300) < 12


def test_the_stack_s_next_card_that_seemed_to_be_taken_back_was_only_held() -> None:
    film = Film()
    film.run(4)
    film.deal((quad(700, 300), RED))
    film.deal((quad(150, 200), BLUE))
    film.deal((quad(155, 204), RED))
    stack, top = film.dealing.landings[1:]
    top.gone = top.at + 0.2
    stack.after[:] = 255 - stack.after
    assert look_back(film.dealing).held == [stack, top]


def test_a_card_is_not_taken_back_where_only_beside_it_something_looks_as_before() -> None:
    film = Film()
    film.run(4)
    film.deal((quad(300, 300), RED))
    film.deal((quad(306, 330), BLUE))
    assert film.kinds == ["landed"] * 2
    top, canvas = film.dealing.landings[-1], film.dealing.canvas
    changed = np.zeros(canvas.labels.shape, bool)
    changed[370:400, 280:330] = True
    assert canvas.lies is not None
    canvas.lies[changed] = 250
    # a shadow, say, was taken for what lies there; now the table shows again, but all of the card does, too
    top.before[:] = canvas.seen[top.y : top.y + top.before.shape[0], top.x : top.x + top.before.shape[1]]
    own = canvas.area_of(top.corners)[
        top.y : top.y + top.before.shape[0], top.x : top.x + top.before.shape[1]
    ]
    rest = own & ~changed[top.y : top.y + top.before.shape[0], top.x : top.x + top.before.shape[1]]
    top.before[rest] = 15
    assert film.dealing.judge._taken_back(changed) is None
    top.before[rest] = canvas.seen[top.y : top.y + top.before.shape[0], top.x : top.x + top.before.shape[1]][
        rest
    ]
    assert film.dealing.judge._taken_back(changed) is not None
