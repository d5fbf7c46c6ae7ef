"""Whether a back has a rim: what its print is like changes at one distance from its edge, all along that.

Where two cards of such a design overlap, the rim of the upper one parts them. Of a design without one nothing does but
the card's thickness and its shadow, so that two that lie almost on one another may look like one.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.layout import CARD_WIDTH_MM

Floats = NDArray[np.floating]
Flags = NDArray[np.bool_]
Pixels = NDArray[np.uint8]

#: Crop pixels from the edge inwards that are looked at (8 mm), and that must be seen (5 mm), along so many mm of an edge.
DEPTH, SEEN, LEAST_MM = 14, 9, 10.0
#: The first of them (1 mm): nearer to the edge another card or the table shows where the corners are a little off, and
#: paper where edges are worn. A rim's edge is told over so many.
FIRST, ACROSS = 2, 2
#: mm of either end of an edge that are left out, for corners are round; mm along an edge over which a print is one thing.
CORNER_MM, ALONG_MM = 4.0, 4.5
#: Standard errors by which a change must be more than a print's own unevenness.
BEYOND = 2.0


def rims(crops: Pixels, masks: Pixels) -> list[float | None]:
    """How clear the edge of a rim is on each back, Lab units; below 4: there is none. None where no edge is seen well.

    From rectified (n, H, W, 3) BGR crops and (n, H, W) masks (255 = visible part of this card).
    """
    return [_of_card(crop, mask) for crop, mask in zip(crops, masks, strict=True)]


def _of_card(crop: Pixels, mask: Pixels) -> float | None:
    per_mm = crop.shape[1] / CARD_WIDTH_MM
    edges = _edges(crop, mask, round(CORNER_MM * per_mm))
    told = [clear for edge, seen in edges if (clear := _of_edge(edge, seen, per_mm)) is not None]
    return float(np.median(told)) if told else None


def _edges(crop: Pixels, mask: Pixels, corner: int) -> Iterator[tuple[Floats, Flags]]:
    """(DEPTH, n, 3) Lab along each edge, the first row at the edge itself, and (DEPTH, n) what of it is seen."""
    colour = cv2.cvtColor(crop.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
    lab: Floats = np.asarray(colour, dtype=np.float32)
    for quarter in range(4):
        along = slice(DEPTH), slice(corner, -corner)
        yield np.rot90(lab, quarter)[along], np.rot90(mask > 127, quarter)[along]


def _of_edge(edge: Floats, seen: Flags, per_mm: float) -> float | None:
    shown = seen[1:SEEN].mean(axis=0) > 0.9
    least = LEAST_MM * per_mm
    if shown.sum() < least:
        return None
    edge, seen = edge[:, shown], seen[:, shown]
    clear = 0.0
    for row in range(FIRST, DEPTH - ACROSS):
        both = seen[row] & seen[row + ACROSS]
        if both.sum() >= least:
            change = (edge[row + ACROSS] - edge[row])[both]
            mean = change.mean(axis=0)
            uneven = float(np.linalg.norm(change - mean, axis=1).mean())
            error = uneven / np.sqrt(max(both.sum() / (ALONG_MM * per_mm), 1.0))
            clear = max(clear, float(np.linalg.norm(mean)) - BEYOND * error)
    return clear
