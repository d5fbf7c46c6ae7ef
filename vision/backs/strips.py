"""The outer strip along a card's long edge, always the same way round: what every back of a row shows of itself."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

#: Rows and columns of a strip, and mm that its columns span, from the card's edge inwards.
STRIP = (48, 12)
STRIP_MM = 6.0
#: Share of a strip that must be the card's own.
LEAST_SEEN = 0.7


def edge_strips(crops: Pixels, masks: Pixels, width_mm: float = 63.0) -> tuple[Pixels, NDArray[np.bool_]]:
    """(n, 2, 48, 12, 3) strips along the left and the right edge of (n, H, W, 3) crops, and (n, 2) which are seen.

    The right one is turned by half a turn: most backs look the same then. `masks` (n, H, W): 255 = own visible part.
    """
    columns = round(crops.shape[2] * STRIP_MM / width_mm)
    strips = np.zeros((len(crops), 2, *STRIP, 3), np.uint8)
    seen = np.zeros((len(crops), 2), dtype=bool)
    for card, (crop, mask) in enumerate(zip(crops, masks, strict=True)):
        for side, turn in enumerate((slice(None), slice(None, None, -1))):
            strips[card, side] = cv2.resize(
                np.ascontiguousarray(crop[turn, turn][:, :columns]), STRIP[::-1], interpolation=cv2.INTER_AREA
            )
            seen[card, side] = (mask[turn, turn][:, :columns] > 127).mean() >= LEAST_SEEN
    return strips, seen
