"""Pictures that show nothing, or hardly are pictures, are looked at by the whole eye and answered like others."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from vision.eye import Eye


@cache
def eye() -> Eye:
    return Eye(threads=1)


@pytest.mark.parametrize("size", [(1, 1), (1, 3000), (3000, 1), (2, 2), (7, 5000), (40, 40)])
def test_pictures_of_any_shape_are_looked_at(size: tuple[int, int]) -> None:
    image = np.random.default_rng(0).integers(0, 256, (*size, 3), dtype=np.uint8)
    layout = eye().see(image)
    assert (layout.height, layout.width) == size
    assert layout.cards == []


@pytest.mark.parametrize("grey", [0, 128, 255])
def test_a_picture_without_anything_shows_nothing(grey: int) -> None:
    layout = eye().see(np.full((480, 640, 3), grey, np.uint8))
    assert (layout.cards, layout.hands, layout.px_per_mm) == ([], [], 0.0)
