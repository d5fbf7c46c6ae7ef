"""What is new in a frame, followed back through the frames before: where it lay in each, and what of it moves as one."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.moments.landing import Mask, Patch, Patches
from vision.layout import Floats

#: It is looked for so far (px) around where it is at last.
AROUND_PX = 24
#: It is there where the correlation is at least this; what is flat has no more grain than this (of 255).
ALIKE, GRAIN = 0.25, 2.0
#: It comes from so far at least (px), in a line (cosine; near its end it hardly has one), ever further but for what noise
#: makes of it (px). What lay there stays.
FROM_PX, STRAIGHT, NEAR_PX, NOISE_PX, LAY_PX = 5.0, 0.9, 3.0, 0.4, 0.3
#: What moves as one looks alike (of 255) in so many frames before.
SAME, COMPARED = 14.0, 3


def way_of(parts: Patches, shown: Patch, mask: Patch) -> Floats:
    """(n, 2) px: where what shows in a mask lay, away from where it is at last, in the last n of these frames.

    `parts`: the frames up to that one, `AROUND_PX` wider on all sides. Nothing where it did not come in a line from afar.
    """
    way, side, far = [np.zeros(2)], np.zeros(2), 0.0
    for part in parts[-2::-1]:
        x, y, alike = _found(part, shown, mask)
        away = np.array([x, y])
        further = float(np.hypot(*away))
        bent = min(further, far) > NEAR_PX and away @ side < STRAIGHT * further * np.hypot(*side)
        lay = further > NEAR_PX and further - far < LAY_PX
        seen = alike >= ALIKE and max(abs(x), abs(y)) < AROUND_PX - 0.5
        if not seen or bent or lay or further < far - NOISE_PX:
            break
        way.append(away)
        side, far = away, max(far, further)
    return np.array(way[::-1]) if far >= FROM_PX else np.empty((0, 2))


def moves_along(parts: Patches, shown: Patch, mask: Mask, way: Floats) -> Mask:
    """(height, width): what of a mask looks alike all along the way on which it was found."""
    size, compared = shown.shape[::-1], min(len(way) - 1, COMPARED)
    apart = np.zeros_like(shown)
    for back in range(1, compared + 1):
        x, y = way[-1 - back] + AROUND_PX
        shift = np.array([[1.0, 0.0, x], [0.0, 1.0, y]])
        before = cv2.warpAffine(parts[-1 - back], shift, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
        apart += np.abs(before - shown) / compared
    return np.asarray((cv2.boxFilter(apart, -1, (3, 3)) < SAME) & mask)


def _found(patch: Patch, wanted: Patch, mask: Patch) -> tuple[float, float, float]:
    """(x, y) px away and how alike: where in a patch what shows in a mask is most likely."""
    count = float(mask.sum())
    flat = (wanted - float((wanted * mask).sum()) / count) * mask
    fits, sums = cv2.matchTemplate(patch, flat, cv2.TM_CCORR), cv2.matchTemplate(patch, mask, cv2.TM_CCORR)
    squares = cv2.matchTemplate(patch * patch, mask, cv2.TM_CCORR)
    grain = np.maximum(squares - sums * sums / count, count * GRAIN**2)
    alike = fits / (np.sqrt(grain) * float(np.sqrt((flat * flat).sum())))
    y, x = np.unravel_index(int(alike.argmax()), alike.shape)
    score = float(alike[y, x])
    return (
        x - AROUND_PX + _peak(alike[y, x - 1 : x + 2]),
        y - AROUND_PX + _peak(alike[y - 1 : y + 2, x]),
        score,
    )


def _peak(three: NDArray[np.floating]) -> float:
    """How far from the middle one of three values their parabola has its peak."""
    if len(three) < 3:
        return 0.0
    left, middle, right = (float(one) for one in three)
    bend = left - 2 * middle + right
    return 0.0 if bend >= 0 else float(np.clip(0.5 * (left - right) / bend, -0.5, 0.5))
