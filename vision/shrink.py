"""Pictures made smaller, fast: whole halves first, which are cheap, then by area what is left."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

#: Halved only while it stays so much larger than what is wanted: what was rounded once is averaged once more.
LARGER = 1.25


def shrunk(image: Pixels, size: tuple[int, int]) -> Pixels:
    """The picture (H, W) or (H, W, 3) as one of `size` (columns, rows), not larger: means of what a px covers."""
    while image.shape[1] >= 2 * LARGER * size[0] and image.shape[0] >= 2 * LARGER * size[1]:
        half = (image.shape[1] // 2, image.shape[0] // 2)
        image = np.asarray(cv2.resize(image, half, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
