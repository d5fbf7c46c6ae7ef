"""Pictures made smaller show the same things at the same places, with nothing that was not there."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.capture.shrink import AS_IT_IS, Sizes, shrunk


@pytest.mark.parametrize(
    ("rows", "columns", "size"),
    [
        (3024, 4032, (704, 528)),
        (401, 399, (100, 101)),
        (1001, 700, (350, 500)),
        (64, 64, (64, 64)),
        (500, 90, (9, 50)),
    ],
)
def test_as_averaged_at_once(rows: int, columns: int, size: tuple[int, int]) -> None:
    rng = np.random.default_rng(rows)
    coarse = rng.integers(0, 256, (max(rows // 23, 2), max(columns // 23, 2), 3), dtype=np.uint8)
    image = np.asarray(cv2.resize(coarse, (columns, rows), interpolation=cv2.INTER_LINEAR), dtype=np.uint8)
    small = shrunk(image, size)
    assert small.shape == (size[1], size[0], 3)
    at_once = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    # an odd side is halved to a px that covers a little more than two
    assert np.abs(small.astype(int) - at_once).mean() < 1.5


def test_stripes_finer_than_a_px_become_grey() -> None:
    stripes = np.zeros((960, 1280), np.uint8)
    stripes[:, ::2] = 255
    small = shrunk(stripes, (200, 150))
    assert np.abs(small.astype(int) - 127).max() <= 1


@pytest.mark.parametrize("shrink", [1.0, 1.29, 1.5, 2.3, 4.1, 7.7])
def test_of_the_sizes_kept_one_is_a_little_larger_than_what_is_shown(shrink: float) -> None:
    image = np.zeros((1500, 2001, 3), np.uint8)
    view, enlarged = Sizes(image).shown(shrink)
    assert enlarged @ (view.shape[1], view.shape[0], 1) == pytest.approx((2001, 1500, 1))
    assert (AS_IT_IS if shrink < AS_IT_IS else 1.16) >= shrink / enlarged[0, 0] >= 0.999


def test_a_size_is_made_once() -> None:
    sizes = Sizes(np.zeros((600, 800, 3), np.uint8))
    assert sizes.shown(2.0)[0] is sizes.shown(2.01)[0]
