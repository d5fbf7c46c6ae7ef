"""Cards are drawn to their edges, and stay where they are when there are none."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.detect.refine import FEW_ROUNDS, ROUNDS, refine
from vision.found import Found
from vision.geometry.plane import fit_plane
from vision.scene.stacking import stack_up

WIDTH, HEIGHT = 100.0, 140.0


def found(places: list[tuple[float, float, float]]) -> Found:
    """Cards at (x, y, turn); later ones lie on top."""
    n = len(places)
    middle = np.array([[x, y] for x, y, _ in places])
    turn = np.array([t for _, _, t in places])
    along = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    cells = np.concatenate([middle + 0.3 * WIDTH * d for d in (along, -along, across, -across)])
    return Found(
        middle=middle,
        long=along * HEIGHT / 2,
        short=across * WIDTH / 2,
        back=np.zeros(n),
        confidence=np.ones(n),
        support=np.arange(n, dtype=float),
        evidence=np.zeros((n, 3)),
        cells_at=cells,
        cells_card=np.tile(np.arange(n), 4),
        hands=[],
    )


def picture(cards: Found) -> np.ndarray:
    image = np.full((600, 800, 3), 90, np.uint8)
    for corners in cards.corners:
        outline = [np.round(corners * 16).astype(np.int32)]
        cv2.fillPoly(image, outline, (235, 235, 235), cv2.LINE_AA, 4)
        cv2.polylines(image, outline, True, (120, 120, 120), 1, cv2.LINE_AA, 4)
    noise = np.random.default_rng(0).normal(0, 3, image.shape)
    return np.clip(cv2.GaussianBlur(image, (0, 0), 0.8) + noise, 0, 255).astype(np.uint8)


def moved(cards: Found, rng: np.random.Generator) -> Found:
    """By up to twice as much as placed cards usually are."""
    places = [
        (
            m[0] + rng.uniform(-4, 4),
            m[1] + rng.uniform(-4, 4),
            float(np.arctan2(axis[1], axis[0])) + rng.uniform(-0.02, 0.02),
        )
        for m, axis in zip(cards.middle, cards.long, strict=True)
    ]
    return found(places)


def off(a: Found, b: Found) -> np.ndarray:
    return np.asarray(np.linalg.norm(a.corners - b.corners, axis=2).max(axis=1))


@pytest.mark.parametrize("rounds", [ROUNDS, FEW_ROUNDS])
@pytest.mark.parametrize("seed", range(5))
def test_lone_cards_are_found_to_a_pixel(seed: int, rounds: tuple[float, ...]) -> None:
    rng = np.random.default_rng(seed)
    truth = found([(150, 150, 1.4), (400, 160, 0.3), (640, 180, -0.8), (160, 430, 1.6), (500, 430, 0.0)])
    image = picture(truth)
    guess = moved(truth, rng)
    assert off(guess, truth).max() > 3
    plane = fit_plane(guess.corners, np.ones(5), 800, 600)
    assert plane is not None
    refine(guess, image, stack_up(guess, 800, 600), plane.matrix, rounds)
    assert off(guess, truth).max() < 1.5


def test_a_covered_card_is_placed_by_the_strip_that_shows() -> None:
    truth = found([(300, 300, 0.0), (330, 302, 0.03), (600, 200, 1.5)])
    image = picture(truth)
    guess = found([(302.5, 298, 0.015), (331.5, 304, 0.015), (598, 201.5, 1.51)])
    plane = fit_plane(guess.corners, np.ones(3), 800, 600)
    assert plane is not None
    before = off(guess, truth)
    stacking = stack_up(guess, 800, 600)
    assert stacking.painting.index(0) < stacking.painting.index(1)
    refine(guess, image, stacking, plane.matrix)
    assert off(guess, truth)[0] < 2.5 < before[0]


def test_without_edges_cards_stay_where_they_are() -> None:
    guess = found([(150, 150, 1.4), (400, 160, 0.3), (640, 180, -0.8)])
    before = guess.corners.copy()
    refine(guess, np.full((600, 800, 3), 128, np.uint8), stack_up(guess, 800, 600), None)
    assert np.abs(guess.corners - before).max() < 0.5


@pytest.mark.parametrize("count", [500, 740])
def test_hundreds_of_candidates_are_no_trouble(count: int) -> None:
    # more samples than OpenCV looks up in one go: a picture of clutter may have as many candidates
    rng = np.random.default_rng(count)
    cards = found([(float(x), float(y), float(t)) for x, y, t in rng.uniform(0, (800, 600, 3), (count, 3))])
    refine(cards, np.full((600, 800, 3), 90, np.uint8), stack_up(cards, 800, 600), None)
    assert np.isfinite(cards.corners).all()
