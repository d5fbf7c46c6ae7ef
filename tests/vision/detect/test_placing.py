"""The placer: what it is shown of a card is where it says, and what it says is carried to the right place."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from voted_cards import cards, grid

from vision.detect.placing import (
    BOX,
    CORNERS,
    CUT,
    UNIT,
    Placed,
    Placer,
    carry,
    cut,
    onto_box,
    put_in_place,
    seen_map,
)

#: Corners of a card of 126 x 176 px, turned a little.
TURN = np.array([[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]])
CARD = np.array([[-63, -88], [63, -88], [63, 88], [-63, 88]]) @ TURN.T + (300, 260)


def picture(corners: np.ndarray = CARD, zoom: float = 1.0) -> np.ndarray:
    image = np.full((int(520 * zoom), int(640 * zoom), 3), 40, np.uint8)
    image[..., 1] = 90
    cv2.fillConvexPoly(
        image, np.round(corners * zoom * 16 - 8).astype(np.int32), (235, 235, 235), cv2.LINE_AA, 4
    )
    return image


def seen(corners: np.ndarray, step: float, zoom: float = 1.0) -> np.ndarray:
    shown = np.full((int(520 * zoom / step), int(640 * zoom / step)), -1, np.int32)
    cv2.fillConvexPoly(shown, np.round(corners * zoom / step - 0.5).astype(np.int32), 0)
    return shown


@pytest.mark.parametrize("zoom", [0.5, 1.0, 3.0])
def test_a_card_that_is_found_where_it_is_fills_the_box(zoom: float) -> None:
    made = cut(picture(zoom=zoom), CARD * zoom, seen(CARD, 4.0, zoom), 4.0, 0)
    assert made.shape == (*CUT, 5)
    left, top, right, bottom = (int(v) for v in BOX)
    assert made[top + 2 : bottom - 2, left + 2 : right - 2, 0].min() > 200
    outside = np.ones(CUT, bool)
    outside[top - 2 : bottom + 2, left - 2 : right + 2] = False
    assert made[outside][:, 0].max() < 90
    own = made[..., 3] > 0
    assert own[top + 5 : bottom - 5, left + 5 : right - 5].all() and not made[..., 4].any()


def test_other_cards_are_marked_as_such() -> None:
    shown = seen(CARD, 4.0)
    made = cut(picture(), CARD, shown, 4.0, 1)
    assert made[64, 48, 4] == 255 and made[64, 48, 3] == 0


def test_offsets_lead_from_where_a_card_was_found_to_where_it_is() -> None:
    rng = np.random.default_rng(1)
    found = CARD + np.array([9.0, -6.0]) + rng.normal(0, 3, (4, 2))
    there = np.column_stack([CARD, np.ones(4)]) @ onto_box(found).T
    offsets = (there[:, :2] / there[:, 2:] - CORNERS) / UNIT
    assert carry(found, offsets.ravel()) == pytest.approx(CARD, abs=1e-3)
    assert carry(found, np.zeros(8)) == pytest.approx(found, abs=1e-3)


def test_what_something_surer_put_in_place_stays() -> None:
    found = cards([(100, 100), (300, 200)], [grid(100, 100, 80, 80), grid(300, 200, 80, 80)])
    found.given = np.array([np.nan, 0.9])
    before = found.corners.copy()
    put_in_place(found, Placed(before + np.array([5.0, 7.0]), np.zeros((2, 4, 2)), np.ones(2)))
    assert found.corners[0] == pytest.approx(before[0] + np.array([5.0, 7.0]))
    assert found.corners[1] == pytest.approx(before[1])


def test_the_map_shows_each_card_where_its_cells_lie() -> None:
    found = cards([(100, 100), (300, 200)], [grid(100, 100, 80, 80), grid(300, 200, 80, 80)])
    shown, step = seen_map(found, 640, 480)
    assert step == found.cell_px and shown.shape == (120, 160)
    assert shown[25, 25] in (-1, 0) and set(np.unique(shown)) == {-1, 0, 1}
    for row in (0, 1):
        where = np.argwhere(shown == row)[:, ::-1] * step
        assert np.abs(where - found.middle[row]).max() <= 44


@pytest.mark.parametrize("face", ["2H", "9C", "KC", "8D"])
def test_a_card_found_a_little_off_is_put_where_it_is(face: str) -> None:
    """With the weights that are kept: a few percent of a width off before, half of that at most after, mostly."""
    rng = np.random.default_rng(3)
    art = cv2.imread(str(Path(__file__).parents[1] / "cards" / f"{face}.png"))
    assert art is not None
    own = np.array([[0, 0], [art.shape[1], 0], art.shape[1::-1], [0, art.shape[0]]], np.float32)
    matrix = cv2.getPerspectiveTransform(own, CARD.astype(np.float32))
    laid = cv2.warpPerspective(art, matrix, (640, 520), flags=cv2.INTER_AREA)
    image = np.where(picture()[..., :1] > 150, laid, picture())
    image = np.clip(cv2.GaussianBlur(image, (0, 0), 0.8) + rng.normal(0, 3, image.shape), 0, 255).astype(
        np.uint8
    )
    before, after = [], []
    for _ in range(12):
        found = (CARD - CARD.mean(axis=0)) * rng.uniform(0.96, 1.05) + CARD.mean(axis=0) + rng.normal(0, 4, 2)
        placed = Placer(threads=1).place(image, found[None], seen(found, 4.0), 4.0)
        before.append(np.linalg.norm(found - CARD, axis=1).mean())
        after.append(np.linalg.norm(placed.corners[0] - CARD, axis=1).mean())
        assert placed.real[0] > 0.8
    assert np.median(after) < 0.5 * np.median(before)


def test_some_of_the_cards_are_placed_as_all_are() -> None:
    placer, shown = Placer(), seen(CARD, 4.0)
    corners = np.stack([CARD + np.array((6, -4)), CARD + np.array((90, 60))])
    every = placer.place(picture(), corners, shown, 4.0)
    one = placer.place(picture(), corners, shown, 4.0, np.array([1]))
    assert np.allclose(one.corners, every.corners[1:], atol=1e-3) and len(one.real) == 1
    assert len(placer.place(picture(), corners, shown, 4.0, np.zeros(0, np.intp)).corners) == 0


def test_looked_at_both_ways_round_a_card_lies_where_it_does_the_other_way_round() -> None:
    placer, image = Placer(threads=1), picture()
    found = CARD + np.array([[6.0, -4.0], [2.0, -5.0], [3.0, 1.0], [5.0, -1.0]])
    cuts = np.stack([cut(image, found, seen(found, 4.0), 4.0, 0)])
    turned, other = np.roll(found, 2, axis=0), np.ascontiguousarray(cuts[:, ::-1, ::-1])
    one, same = (
        placer.placed(corners[None], mine, True) for corners, mine in ((found, cuts), (turned, other))
    )
    assert np.allclose(np.roll(one.corners, 2, axis=1), same.corners, atol=1e-3)
    assert np.allclose(np.roll(one.doubt, 2, axis=1), same.doubt, atol=1e-3)
    assert np.allclose(one.real, same.real, atol=1e-4)
    # which it does not where it is looked at one way alone
    alone, turned_alone = placer.placed(found[None], cuts), placer.placed(turned[None], other)
    assert not np.allclose(np.roll(alone.corners, 2, axis=1), turned_alone.corners, atol=1e-3)
