"""Names a card's face from its rectified crop and the mask of its visible part; "cannot be read" is an answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.layout import FACES
from vision.trained import open_model

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: Rows and columns of a crop: a card of 63 x 88 mm at 1.78 and 1.82 px/mm.
CROP = (160, 112)
#: What is read so surely one way round needs no second reading where time is short.
ONE_WAY = 0.98


@dataclass(slots=True)
class Reading:
    """What the reader says of some crops; arrays side by side."""

    #: (n, 52) in the order of FACES.
    probabilities: Floats
    #: (n,) that this is no face that can be read.
    reject: Floats


class Reader:
    """The reader's network; calibrated by the temperature that the model's metadata holds."""

    def __init__(self, model: Path | None = None, threads: int = 2, batch: int = 32) -> None:
        self._session = open_model("reader.onnx", model, threads)
        metadata = self._session.get_modelmeta().custom_metadata_map
        self._temperature = float(metadata.get("temperature", "1"))
        self._batch = batch

    def read(self, crops: Pixels, masks: Pixels, *, briefly: bool = False) -> Reading:
        """(n, 160, 112, 3) BGR crops with (n, 160, 112) masks, 255 = the card's own visible part.

        Both ways round are read and averaged: a card is the same upside down. `briefly`: only where one way leaves a
        doubt.
        """
        if not len(crops):
            return Reading(np.zeros((0, len(FACES))), np.zeros(0))
        both = np.concatenate([crops.transpose(0, 3, 1, 2), masks[:, None]], axis=1)
        logits = self._logits(both)
        again = np.ones(len(crops), dtype=bool)
        if briefly:
            again = _chances(logits / self._temperature).max(axis=1) < ONE_WAY
        if again.any():
            logits[again] = (logits[again] + self._logits(both[again, :, ::-1, ::-1])) / 2
        chances = _chances(logits / self._temperature)
        return Reading(chances[:, : len(FACES)], chances[:, len(FACES)])

    def _logits(self, both: Pixels) -> Floats:
        parts = []
        for start in range(0, len(both), self._batch):
            part = np.ascontiguousarray(both[start : start + self._batch]).astype(np.float32) / 255
            parts.append(self._session.run(None, {"crops": part})[0])
        return np.concatenate(parts).astype(np.float64)


def _chances(logits: Floats) -> Floats:
    """(n, k) probabilities, by softmax."""
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def rectify(
    image: Pixels, corners: Floats, masks: NDArray[np.bool_], step: float = 1.0
) -> tuple[Pixels, Pixels]:
    """Crops and their masks for cards with (n, 4, 2) px corners TL, TR, BR, BL.

    `masks` (n, H / step, W / step): where each card itself is seen. What the camera shows larger than the crop is
    smoothed before it is sampled.
    """
    crops = np.zeros((len(corners), *CROP, 3), np.uint8)
    shown = np.zeros((len(corners), *CROP), np.uint8)
    enlarge = np.diag([step, step, 1.0])
    for number, (quad, mask) in enumerate(zip(corners, masks, strict=True)):
        matrix = to_crop(quad)
        crops[number] = warp(image, matrix, quad)
        # a mask sampled at (i + 0.5) * step of the picture
        onto = matrix @ _half(0.5, 0.5, -1) @ enlarge @ _half(0.5, 0.5, 1)
        raw = cv2.warpPerspective(mask.astype(np.uint8) * 255, onto, CROP[::-1], flags=cv2.INTER_LINEAR)
        shown[number] = (raw > 127) * np.uint8(255)
    return crops, shown


def _half(x: float, y: float, sign: int) -> Floats:
    return np.array([[1, 0, sign * x], [0, 1, sign * y], [0, 0, 1]], dtype=np.float64)


def to_crop(corners: Floats) -> Floats:
    """(3, 3) homography from pixel indices of the picture to those of the crop."""
    rows, columns = CROP
    target = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], dtype=np.float32) - 0.5
    return np.asarray(
        cv2.getPerspectiveTransform((corners - 0.5).astype(np.float32), target.astype(np.float32)), np.float64
    )


def warp(image: Pixels, matrix: Floats, corners: Floats) -> Pixels:
    """(160, 112, 3) crop of the picture."""
    shrink = float(np.linalg.norm(corners[1] - corners[0])) / CROP[1]
    if shrink > 1.3:
        left, top = np.maximum(np.floor(corners.min(axis=0)).astype(int) - 8, 0)
        right, bottom = np.maximum(np.ceil(corners.max(axis=0)).astype(int) + 8, (left + 1, top + 1))
        part = image[top:bottom, left:right]
        if part.size:
            image = np.asarray(cv2.GaussianBlur(part, (0, 0), 0.42 * shrink), dtype=np.uint8)
            matrix = matrix @ _half(float(left), float(top), 1)
    return np.asarray(cv2.warpPerspective(image, matrix, CROP[::-1], flags=cv2.INTER_LINEAR), dtype=np.uint8)
