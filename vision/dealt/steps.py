"""By how much two pictures of one place differ, and by how much more it counts between dark tones."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

#: A step counts as many times as this tone is that of the lighter of both, to which a little is added; so often at most,
#: which is less than the noise counts that a step must pass: grain in the dark is none.
TONE, ADDED, MOST_TIMES = 110.0, 15.0, 2.5
_UNIT = 64
_TABLE = np.round(_UNIT * np.clip(TONE / (np.arange(256) + ADDED), 1.0, MOST_TIMES)).astype(np.uint8)


def steps(one: Pixels, other: Pixels) -> Pixels:
    """(height, width) of two pictures (height, width, 3), or (n,) of px (n, 3): by how much they differ, in the colour in
    which they do most."""
    shape = one.shape[:-1]
    if not one.size:
        return np.zeros(shape, np.uint8)
    if one.ndim == 2:
        one, other = one[:, None], other[:, None]
    return _largest(cv2.absdiff(one, other)).reshape(shape)


def larger_in_the_dark(step: Pixels, one: Pixels, other: Pixels) -> Pixels:
    """(height, width): such steps between two pictures (height, width, 3), larger for dark px."""
    times = cv2.LUT(_largest(cv2.max(one, other)), _TABLE)
    return np.asarray(cv2.multiply(step, times, scale=1 / _UNIT), dtype=np.uint8)


def _largest(picture: cv2.typing.MatLike) -> Pixels:
    """(height, width): of three colours the largest."""
    blue, green, red = cv2.split(picture)
    return np.asarray(cv2.max(cv2.max(blue, green), red), dtype=np.uint8)
