"""Pictures from straight above: cards come out as rectangles of one size, and what is seen there is carried back."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from voted_cards import cards as voted

from datasets.scene import PlacedCard, overhead_camera
from vision.found import Found
from vision.geometry.above import WORTH_OF_PHOTO, Above, from_above, upright
from vision.geometry.plane import apply
from vision.layout import Layout, SeenCard, SeenHand

WIDTH, HEIGHT = 1600, 1200


def quads(tilt: float, count: int = 24, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """(n, 4, 2) px corners of cards under a camera that leans by `tilt` (rad); the camera, mm to px."""
    rng = np.random.default_rng(seed)
    camera = overhead_camera(
        WIDTH, HEIGHT, 2.0, tilt=tilt, tilt_towards=0.7, roll=0.3, distance=1.2
    ).homography()
    lying = [
        PlacedCard(0, "AS", True, *rng.uniform(-250, 250, 2).tolist(), float(rng.uniform(0, 6.3)), i)
        for i in range(count)
    ]
    return np.stack([apply(camera, card.corners_mm()) for card in lying]), camera


def glanced(corners: np.ndarray, noise: float = 0.0) -> Found:
    """What the finder makes of them: parallelograms."""
    rng = np.random.default_rng(1)
    corners = corners + rng.normal(0, noise, corners.shape)
    found = voted([(0.0, 0.0)] * len(corners), [[(0.0, 0.0)] * 30] * len(corners))
    found.middle = corners.mean(axis=1)
    found.short = (corners[:, [1, 2]].mean(axis=1) - corners[:, [0, 3]].mean(axis=1)) / 2
    found.long = (corners[:, [2, 3]].mean(axis=1) - corners[:, [0, 1]].mean(axis=1)) / 2
    return found


def assert_cards_from_above(above: Above, corners: np.ndarray) -> None:
    """Cards come out square-cornered and of one size."""
    flat = apply(above.matrix, corners.reshape(-1, 2)).reshape(corners.shape)
    wide = np.linalg.norm(flat[:, 1] - flat[:, 0], axis=1)
    high = np.linalg.norm(flat[:, 3] - flat[:, 0], axis=1)
    assert wide == pytest.approx(above.card_px, rel=0.05)
    assert high == pytest.approx(above.card_px * 88 / 63, rel=0.05)
    square = ((flat[:, 1] - flat[:, 0]) * (flat[:, 3] - flat[:, 0])).sum(axis=1) / (wide * high)
    assert np.abs(square).max() < 0.06


@pytest.mark.parametrize("tilt", [0.35, 0.6, 0.78])
def test_cards_seen_at_a_slant_come_out_as_rectangles_of_one_size(tilt: float) -> None:
    corners, _ = quads(tilt)
    above = from_above(np.zeros((HEIGHT, WIDTH, 3), np.uint8), glanced(corners, 0.5))
    assert above is not None
    assert_cards_from_above(above, corners)
    # and they lie in the new picture
    inside = corners[((corners > 0) & (corners < (WIDTH, HEIGHT))).all(axis=(1, 2))]
    kept = apply(above.matrix, inside.reshape(-1, 2))
    assert (kept > -1).all() and (kept < np.array(above.image.shape[1::-1]) + 1).all()


def test_many_of_which_little_is_seen_do_not_outvote_few_that_are_seen_well() -> None:
    corners, _ = quads(0.6, 8)
    strips, _ = quads(0.6, 12, seed=4)
    # strips of which nobody sees how long their cards are
    short = strips.copy()
    short[:, 2:] = 0.3 * strips[:, 2:] + 0.7 * strips[:, [1, 0]]
    glance = glanced(np.concatenate([corners, short]), 0.5)
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    assert from_above(image, glance) is None
    glance.support[8:] = 3
    above = from_above(image, glance)
    assert above is not None
    flat = apply(above.matrix, corners.reshape(-1, 2)).reshape(corners.shape)
    wide = np.linalg.norm(flat[:, 1] - flat[:, 0], axis=1)
    assert wide.max() / wide.min() < 1.15


def test_what_is_slanted_still_in_the_new_picture_is_made_good() -> None:
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    # a glance that sees half of the slant
    halfway = from_above(image, glanced(quads(0.35)[0]))
    assert halfway is not None
    corners, _ = quads(0.7)
    seen = apply(halfway.matrix, corners.reshape(-1, 2)).reshape(corners.shape)
    above = from_above(image, glanced(seen, 0.5), halfway)
    assert above is not None
    assert_cards_from_above(above, corners)
    level = apply(above.matrix, corners.reshape(-1, 2)).reshape(corners.shape)
    assert from_above(image, glanced(level), above) is None


def test_the_picture_is_drawn_where_its_matrix_says() -> None:
    corners, _ = quads(0.6)
    image = np.full((HEIGHT, WIDTH, 3), 40, np.uint8)
    spot = np.array([[700.0, 500.0]])
    cv2.circle(image, (700, 500), 6, (255, 255, 255), -1)
    above = from_above(image, glanced(corners))
    assert above is not None
    rows, columns = np.nonzero(above.image[..., 0] > 150)
    assert np.hypot(*(apply(above.matrix, spot + 0.5)[0] - (columns.mean() + 0.5, rows.mean() + 0.5))) < 0.7


def test_what_is_seen_from_above_is_carried_back() -> None:
    corners, camera = quads(0.6)
    above = from_above(np.zeros((HEIGHT, WIDTH, 3), np.uint8), glanced(corners))
    assert above is not None
    flat = apply(above.matrix, corners[0])
    card = SeenCard(flat[[2, 3, 0, 1]], "face", flat, 1.0, 0.9)
    scale = above.card_px / 63
    layout = Layout(
        *above.image.shape[1::-1], scale, [card], [SeenHand(flat, 0.9)], np.diag([1 / scale, 1 / scale, 1.0])
    )
    back = above.carried_back(layout, WIDTH, HEIGHT)
    assert (back.width, back.height) == (WIDTH, HEIGHT)
    assert back.cards[0].corners == pytest.approx(upright(corners[:1])[0], abs=0.01)
    assert back.cards[0].visible == pytest.approx(corners[0], abs=0.01)
    assert back.hands[0].corners == pytest.approx(corners[0], abs=0.01)
    assert back.to_table is not None
    # the camera looks at the middle, where a mm across the slant has 2 px
    assert back.px_per_mm == pytest.approx(2.0 * np.sqrt(np.cos(0.6)), rel=0.03)
    ends = apply(back.to_table, apply(camera, np.array([[-100.0, 0], [100, 50]])))
    assert np.linalg.norm(ends[1] - ends[0]) == pytest.approx(np.hypot(200, 50), rel=0.03)


@pytest.mark.parametrize("tilt", [0.0, 0.05])
def test_a_picture_from_above_is_left_as_it_is(tilt: float) -> None:
    assert from_above(np.zeros((HEIGHT, WIDTH, 3), np.uint8), glanced(quads(tilt)[0], 0.5)) is None


def test_a_slight_slant_is_made_good_where_it_is_worth_it() -> None:
    image, glance = np.zeros((HEIGHT, WIDTH, 3), np.uint8), glanced(quads(0.085)[0])
    assert from_above(image, glance) is None
    assert from_above(image, glance, worth=WORTH_OF_PHOTO) is not None


def test_too_few_cards_and_cards_that_are_none_tell_no_plane() -> None:
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    corners, _ = quads(0.6)
    assert from_above(image, glanced(corners[:1])) is None
    rng = np.random.default_rng(2)
    anything = glanced(rng.uniform(0, 1200, (20, 1, 2)) + rng.normal(0, 80, (20, 4, 2)))
    assert from_above(image, anything) is None


def test_corners_that_are_said_to_be_off_count_less() -> None:
    """The nearer half of the cards is seen too small: of no matter where the placer says so."""
    corners, _ = quads(0.6)
    near = corners[:, :, 1].mean(axis=1) > HEIGHT / 2
    middle = corners.mean(axis=1, keepdims=True)
    wrong = np.where(near[:, None, None], middle + 0.8 * (corners - middle), corners)
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    misled, told = glanced(wrong), glanced(wrong)
    told.off = np.where(near[:, None], 0.5, 0.005) * np.ones(4)
    above = from_above(image, told)
    assert above is not None
    off = _slant(above, corners)
    assert off < 1.06
    by_all = from_above(image, misled)
    assert by_all is None or _slant(by_all, corners) > off


def _slant(above: Above, corners: np.ndarray) -> float:
    """Largest card of all, by its length, over the smallest, as drawn from above."""
    drawn = apply(above.matrix, corners.reshape(-1, 2)).reshape(-1, 4, 2)
    long = np.linalg.norm(drawn[:, 3] - drawn[:, 0], axis=1)
    return float(long.max() / long.min())
