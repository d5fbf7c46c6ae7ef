"""Crops for the reader: cards cut out of drawn tables as the finder would hand them over, with their truth."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render import Painting
from datasets.scene import Scene
from vision.layout import FACES
from vision.reader import CROP, to_crop, warp

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]

#: Label of what is no readable face.
REJECT = len(FACES)
#: Least visible share of a card that is worth learning from.
LEAST = 0.05


@dataclass(slots=True)
class Crops:
    """Crops of one picture; arrays side by side."""

    #: (n, 160, 112, 3) BGR, (n, 160, 112) 255 = visible part of this card, (n,) index into FACES or REJECT.
    images: Pixels
    masks: Pixels
    labels: NDArray[np.int16]
    #: (n,) visible share, and (n,) px/mm of the source.
    fraction: NDArray[np.float32]
    scale: NDArray[np.float32]


def cut_crops(
    rng: np.random.Generator, image: Pixels, painting: Painting, scene: Scene, most: int = 12
) -> Crops:
    """Up to `most` crops of a drawn scene, with a finder's errors in place, turn and mask."""
    counts = np.bincount(painting.ids[painting.ids >= 0].ravel(), minlength=len(scene.cards))
    rows = []
    for index in rng.permutation(len(scene.cards)):
        if len(rows) >= most:
            break
        card = scene.cards[index]
        corners = scene.project(card.corners_mm())
        area = max(cv2.contourArea(corners.astype(np.float32)), 1.0)
        fraction = counts[index] / area
        if fraction < LEAST or (not card.face_up and rng.random() < 0.8):
            continue
        px_per_mm = float(np.sqrt(area / (card.width * card.height)))
        label = FACES.index(card.face) if card.face_up else REJECT
        rows.append(
            (*_cut(rng, image, painting.ids == index, corners, px_per_mm), label, fraction, px_per_mm)
        )
    if len(scene.cards) == 0 or rng.random() < 0.15:
        rows.append((*_elsewhere(rng, image), REJECT, 1.0, 1.0))
    if not rows:
        return Crops(
            np.zeros((0, *CROP, 3), np.uint8),
            np.zeros((0, *CROP), np.uint8),
            *(np.zeros(0, kind) for kind in (np.int16, np.float32, np.float32)),
        )
    columns = list(zip(*rows, strict=True))
    return Crops(
        np.stack(columns[0]),
        np.stack(columns[1]),
        np.array(columns[2], dtype=np.int16),
        np.array(columns[3], dtype=np.float32),
        np.array(columns[4], dtype=np.float32),
    )


def _cut(
    rng: np.random.Generator, image: Pixels, shown: NDArray[np.bool_], corners: Floats, px_per_mm: float
) -> tuple[Pixels, Pixels]:
    """One crop and its mask: the rectangle is off by some px, the mask ragged, and either end may be up."""
    error = float(abs(rng.normal(0, 1.0))) * px_per_mm + 0.6
    moved = corners + rng.normal(0, error, 2) + rng.normal(0, 0.5 * error, (4, 2))
    middle = moved.mean(axis=0)
    moved = middle + (moved - middle) * float(np.exp(rng.normal(0, 0.015)))
    if rng.random() < 0.5:
        moved = moved[[2, 3, 0, 1]]
    matrix = to_crop(moved)
    crop = warp(image, matrix, moved)
    mask = cv2.warpPerspective(shown.astype(np.uint8) * 255, matrix, CROP[::-1], flags=cv2.INTER_LINEAR)
    kind = rng.random()
    if kind < 0.3:
        size = int(rng.integers(2, 7))
        mask = cv2.dilate(mask, np.ones((size, size), np.uint8))
    elif kind < 0.5:
        size = int(rng.integers(2, 5))
        mask = cv2.erode(mask, np.ones((size, size), np.uint8))
    shift = np.array([[1, 0, rng.normal(0, 1.5)], [0, 1, rng.normal(0, 1.5)]])
    mask = cv2.warpAffine(mask, shift, CROP[::-1])
    return crop, np.asarray((mask > 127) * np.uint8(255))


def _elsewhere(rng: np.random.Generator, image: Pixels) -> tuple[Pixels, Pixels]:
    """A rectangle anywhere, which is almost never a card."""
    short = float(np.exp(rng.uniform(np.log(20), np.log(120))))
    turn = float(rng.uniform(0, 2 * np.pi))
    c, s = np.cos(turn), np.sin(turn)
    half = np.array([[-1, -1.4], [1, -1.4], [1, 1.4], [-1, 1.4]]) * short / 2
    corners = half @ np.array([[c, s], [-s, c]]) + rng.uniform((0, 0), image.shape[1::-1])
    return warp(image, to_crop(corners), corners), np.full(CROP, 255, np.uint8)
