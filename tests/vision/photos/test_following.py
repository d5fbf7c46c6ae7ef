"""Pictures of a camera that is held by hand, laid on the first one, and what changed since."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hand_held import CARD, HEIGHT, PLACES, WIDTH, seen_from, table

from vision.geometry.plane import apply
from vision.photos.following import Follower

SPREAD = [("red" if k % 2 else "blue", at) for k, at in enumerate(PLACES[:10])]
#: px² of one card.
A_CARD = CARD[0] * CARD[1]


def middle(at: tuple[int, int]) -> np.ndarray:
    return np.array([at[0] + CARD[0] / 2, at[1] + CARD[1] / 2])


def outline(at: tuple[int, int]) -> np.ndarray:
    (x, y), (w, h) = at, CARD
    return np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]], dtype=float)


def test_what_lies_still_is_carried_along_and_did_not_change() -> None:
    picture = table(SPREAD)
    follower = Follower(picture)
    for step in (2.0, 5.0, 9.0, 13.0, 9.0, 4.0):
        followed = follower.follow(seen_from(picture, step))
        assert followed is not None
        spots = np.zeros((HEIGHT, WIDTH), np.uint8)
        x, y = (int(v) for v in middle(PLACES[3]))
        cv2.circle(spots, (x, y), 4, 255, -1)
        there = np.argwhere(seen_from(np.repeat(spots[..., None], 3, axis=2), step)[..., 0] > 128)
        seen = there.mean(axis=0)[::-1]
        assert np.abs(apply(followed.onto, middle(PLACES[3])[None])[0] - seen).max() < 1.0
        assert followed.most < 0.05 * A_CARD


@pytest.mark.parametrize("light", [0.75, 1.2])
def test_light_and_a_little_blur_change_nothing(light: float) -> None:
    picture = table(SPREAD)
    follower = Follower(picture)
    shade = np.linspace(1.0, light, WIDTH)[None, :, None]
    seen = np.clip(seen_from(picture, 3.0, blur=3) * shade, 0, 255).astype(np.uint8)
    followed = follower.follow(seen)
    assert followed is not None
    assert followed.most < 0.05 * A_CARD


def test_a_card_that_is_gone_and_one_that_came_show() -> None:
    follower = Follower(table(SPREAD))
    moved = [*SPREAD[:3], *SPREAD[4:], ("green", PLACES[11])]
    followed = follower.follow(seen_from(table(moved), 3.0))
    assert followed is not None
    assert followed.share(outline(PLACES[3])) > 0.5
    assert followed.share(outline(PLACES[11])) > 0.3
    assert max(followed.share(outline(at)) for at in PLACES[:3]) < 0.1
    assert followed.most > 0.3 * A_CARD


def test_a_hand_that_moves_is_told_from_one_that_rests() -> None:
    follower = Follower(table(SPREAD))
    first, second, third = (
        follower.follow(seen_from(table(SPREAD, hand), step))
        for step, hand in ((2.0, (200, 150)), (3.0, (330, 170)), (4.0, (330, 170)))
    )
    assert first is not None
    assert second is not None
    assert third is not None
    assert second.since(first) > 0.5 * A_CARD
    assert third.since(second) < 0.1 * A_CARD
    assert third.most > 0.5 * A_CARD


@pytest.mark.parametrize("other", ["elsewhere", "plain", "size"])
def test_another_picture_is_not_laid_on_it(other: str) -> None:
    picture = table(SPREAD)
    odd = {
        "elsewhere": np.random.default_rng(9).integers(0, 255, picture.shape, np.uint8),
        "plain": np.full_like(picture, 90),
        "size": picture[:300],
    }[other]
    follower = Follower(picture)
    assert follower.follow(odd) is None
    assert follower.follow(seen_from(picture, 2.0)) is not None
    assert Follower(np.full_like(picture, 90)).follow(picture) is None
