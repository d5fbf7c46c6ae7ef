"""Crops of the backs of one photo, as the eye would cut them, with whose they are.

What the matcher of whole backs learns from.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.stills import Still
from vision.faces.reader import rectify
from vision.scene.stacking import painted

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: How far corners are off (standard deviation, shares of the card's width): most of the card's own error, some of each.
OFF, OFF_EACH, FAR, FAR_SHARE = 0.010, 0.006, 2.5, 0.2
#: Of a card at least this share is seen; pictures with fewer backs tell nothing.
LEAST_SEEN, LEAST_BACKS = 0.05, 4


@dataclass(frozen=True, slots=True)
class BackCrops:
    """The backs of one photo."""

    #: (n, 160, 112, 3) BGR and (n, 160, 112): 255 = the card's own visible part.
    crops: Pixels
    masks: Pixels
    #: (n,) number of the deck.
    decks: NDArray[np.int64]


def back_crops(still: Still, rng: np.random.Generator) -> BackCrops | None:
    """The backs of a photo; None where there are too few."""
    quads = np.array([card.corners for card in still.cards], dtype=np.float64)
    if len(quads) < LEAST_BACKS:
        return None
    quads = misplaced(quads, rng)
    shown, step = painted(quads, range(len(quads)), *still.image.shape[1::-1])
    seen = np.bincount(shown[shown >= 0], minlength=len(quads)) * step**2
    areas = np.array([cv2.contourArea(quad.astype(np.float32)) for quad in quads])
    whole = seen / np.maximum(areas, 1) >= LEAST_SEEN
    rows = [row for row, card in enumerate(still.cards) if not card.face_up and whole[row]]
    if len(rows) < LEAST_BACKS:
        return None
    crops, masks = rectify(still.image, quads[rows], np.stack([shown == row for row in rows]), step)
    decks = np.array([still.cards[row].deck for row in rows], dtype=np.int64)
    return BackCrops(crops, masks, decks)


def misplaced(quads: Floats, rng: np.random.Generator) -> Floats:
    """Corners (n, 4, 2) as far off as the eye's are."""
    width = np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)[:, None, None]
    far = np.where(rng.random((len(quads), 1, 1)) < FAR_SHARE, FAR, 1.0)
    together = rng.normal(0, OFF, (len(quads), 1, 2))
    each = rng.normal(0, OFF_EACH, quads.shape)
    return np.asarray(quads + far * width * (together + each))
