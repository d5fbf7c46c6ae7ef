"""Crops for the reader cut out of whole pictures of a named set, with a finder's errors: cards among cards.

Slower than `datasets.reader_crops`, but light, neighbours and shadows are those of a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.reader_crops import OUTLINE, PICTURE_SEEN, REJECT, Crop, View, cut_out
from vision.layout import FACES

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]

#: Less of a card is not cut out; what shows no face is cut out this often only.
LEAST, REJECTS = 0.05, 0.15
#: px around a card that a finder's errors and the crop's smoothing may reach.
MARGIN = 24


def cut_cards(rng: np.random.Generator, image: Pixels, cards: Sequence[Mapping[str, Any]]) -> Iterator[Crop]:
    """A crop of every face that shows enough, and of some backs and slivers; `cards` as in a picture's truth file."""
    outlines = [np.array(card["corners"], dtype=np.float64) for card in cards]
    for number, card in enumerate(cards):
        share = float(card["visible_fraction"])
        readable = card["face_up"] and (card["index_visible"] or share >= PICTURE_SEEN)
        if share < LEAST or (not readable and rng.random() > REJECTS):
            continue
        left, top, right, bottom = _around(outlines[number], image)
        if right - left < 8 or bottom - top < 8:
            continue
        shown = _shown(outlines, number, (left, top, right, bottom))
        own = outlines[number] - (left, top)
        matrix = cv2.getPerspectiveTransform(OUTLINE.astype(np.float32), own.astype(np.float32))
        scale = float(np.sqrt(cv2.contourArea(own.astype(np.float32)) / np.prod(OUTLINE[2])))
        view = View(np.asarray(matrix, dtype=np.float64), bottom - top, right - left, scale)
        crop, mask = cut_out(rng, np.ascontiguousarray(image[top:bottom, left:right]), shown, view)
        name = card["face"] if card["face_up"] else "back"
        label = FACES.index(card["face"]) if readable else REJECT
        yield Crop(crop, mask, label, name, "table", f"deck {card['deck']}", share, scale)


def _around(corners: Floats, image: Pixels) -> tuple[int, int, int, int]:
    low = np.maximum(np.floor(corners.min(axis=0)).astype(int) - MARGIN, 0)
    high = np.minimum(np.ceil(corners.max(axis=0)).astype(int) + MARGIN, image.shape[1::-1])
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])


def _shown(outlines: Sequence[Floats], number: int, box: tuple[int, int, int, int]) -> NDArray[np.bool_]:
    """Where a card is topmost in a part (left, top, right, bottom) of the picture; later cards lie above."""
    left, top, right, bottom = box
    shown = np.zeros((bottom - top, right - left), dtype=np.uint8)
    for index in range(number, len(outlines)):
        # fillConvexPoly counts from the middle of a px
        quad = np.round((outlines[index] - (left, top) - 0.5) * 16).astype(np.int32)
        cv2.fillConvexPoly(shown, quad, int(index == number), cv2.LINE_8, 4)
    return shown > 0
