"""Where a place of the table looks different, but for light and shadow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.dealt.canvas import LEAST_STEP

Mask = NDArray[np.bool_]
Pixels = NDArray[np.uint8]

#: A shadow leaves so much of the light at least, and where one goes there is so much more at most; of all colours alike,
#: but for this much (of 255).
SHADE, COLOURED = (0.4, 2.0), 10.0


def changed_in(before: Pixels, now: Pixels) -> Mask:
    """(height, width): where two pictures (height, width, 3) BGR differ, but for light and shadow."""
    step = np.abs(now.astype(np.int16) - before).max(axis=2)
    changed = np.asarray(step > LEAST_STEP)
    return changed & ~shaded(before, now, changed)


def shaded(before: Pixels, now: Pixels, where: Mask, shade: tuple[float, float] = SHADE) -> Mask:
    """(height, width): which px of these differ as a shadow that falls there, or falls there no more, makes them differ.

    Both pictures (height, width, 3) BGR; `shade`: the least and most of the light that it leaves. A pile
    that grows casts other shadows.
    """
    mask = np.zeros(where.shape, dtype=bool)
    lit, seen = before[where].astype(np.float32), now[where].astype(np.float32)
    light = (seen.sum(axis=1) + 6.0) / (lit.sum(axis=1) + 6.0)
    off = np.abs(seen - light[:, None] * lit).max(axis=1)
    mask[where] = (off <= COLOURED) & (light >= shade[0]) & (light <= shade[1])
    return mask
