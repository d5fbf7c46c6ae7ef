"""A rim shows where a back changes at one distance from its edge all along; a pattern that runs to the edge has none."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from vision.backs.rims import rims

Pixels = NDArray[np.uint8]
HEIGHT, WIDTH = 160, 112


def blobs(seed: int) -> Pixels:
    """(HEIGHT, WIDTH, 3): soft spots of colour all over, to the very edge."""
    rng = np.random.default_rng(seed)
    coarse = rng.uniform(20, 235, (16, 11, 3)).astype(np.float32)
    return cv2.resize(coarse, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC).clip(0, 255).astype(np.uint8)


def plain(grey: int) -> Pixels:
    return np.full((HEIGHT, WIDTH, 3), grey, np.uint8)


def framed(back: Pixels, mm: float) -> Pixels:
    """The same within white paper."""
    edge = round(mm * WIDTH / 63)
    inside = back[edge:-edge, edge:-edge]
    return cv2.copyMakeBorder(inside, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=(250, 250, 250))


def dotted() -> Pixels:
    """Paper with dots around a dark middle: no line of it is of one colour."""
    back = framed(plain(60), 7.0)
    for y in range(8, HEIGHT, 12):
        for x in (6, WIDTH - 7):
            cv2.circle(back, (x, y), 2, (60, 30, 30), -1)
    return back


def seen(*backs: Pixels, shown: slice = slice(None)) -> list[float | None]:
    """`shown`: columns of them that are not hidden."""
    rng = np.random.default_rng(0)
    noisy = [np.clip(b + rng.normal(0, 4, b.shape), 0, 255) for b in backs]
    crops = np.stack([cv2.GaussianBlur(b.astype(np.uint8), (0, 0), 1.0) for b in noisy])
    masks = np.zeros(crops.shape[:3], np.uint8)
    masks[:, :, shown] = 255
    return rims(crops, masks)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.floats(2.5, 6.0))
def test_paper_around_a_pattern_is_a_rim_and_the_pattern_alone_has_none(seed: int, mm: float) -> None:
    without, rimmed = seen(blobs(seed), framed(blobs(seed), mm))
    assert without is not None and rimmed is not None
    assert without < 4 < 9 < rimmed


@pytest.mark.parametrize("back", [framed(plain(60), 3.0), framed(plain(120), 5.0), dotted()])
def test_a_strip_of_a_card_shows_its_rim(back: Pixels) -> None:
    (clear,) = seen(back, shown=slice(0, 14))
    assert clear is not None and clear > 9


@pytest.mark.parametrize("grey", [30, 128, 250])
def test_one_colour_to_the_edge_has_no_rim(grey: int) -> None:
    (clear,) = seen(plain(grey))
    assert clear is not None and clear < 2


def test_nothing_is_said_where_too_little_of_an_edge_is_seen() -> None:
    assert seen(framed(plain(60), 3.0), shown=slice(0, 6)) == [None]
    assert seen(framed(plain(60), 3.0), shown=slice(0, 0)) == [None]
