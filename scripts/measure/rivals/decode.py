"""From a rival's peaks to cards: the highest of each neighbourhood, its rectangle, and suppression by oriented IoU."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect.cells import CELL, UNIT, doubled_axis
from vision.geometry.polygons import oriented_iou

Floats = NDArray[np.float64]

#: Peaks lower than this are none, and no more than so many are looked at.
LOWEST, MOST = 0.05, 400


@dataclass(frozen=True, slots=True)
class Rectangles:
    """Cards that may be there, the surest first."""

    #: (n, 4, 2) px; (n,) how sure.
    corners: Floats
    sure: Floats

    def only(self, rows: NDArray[np.intp]) -> Rectangles:
        """Some of them."""
        return Rectangles(self.corners[rows], self.sure[rows])


def read_peaks(output: Floats, size_known: bool = False) -> Rectangles:
    """The rectangles that the peaks of a network's (14, h, w) name.

    `size_known`: all cards are as large as most of them are said to be.
    """
    chance = 1 / (1 + np.exp(-output[:2].max(axis=0)))
    around = cv2.dilate(chance, np.ones((3, 3), np.uint8))
    rows, columns = np.nonzero((chance >= around) & (chance >= LOWEST))
    order = np.argsort(-chance[rows, columns], kind="stable")[:MOST]
    rows, columns = rows[order], columns[order]
    box = output[2:, rows, columns]
    sizes = box[6:8].copy()
    if size_known and len(rows):
        sizes[:] = np.median(sizes[:, : max(1, len(rows) // 2)], axis=1, keepdims=True)
    middle = np.column_stack([columns, rows]) * CELL + CELL / 2 + box[0:2].T * UNIT
    long = _half_axis(box[2:4], box[8:10], sizes[0])
    short = _half_axis(box[4:6], box[10:12], sizes[1])
    corners = np.stack(
        [middle - long - short, middle - long + short, middle + long + short, middle + long - short], 1
    )
    return Rectangles(corners, chance[rows, columns])


def _half_axis(twice: Floats, four_times: Floats, log_length: Floats) -> Floats:
    """(n, 2) px."""
    doubled = doubled_axis(twice, four_times, log_length)
    length, angle = np.hypot(doubled[:, 0], doubled[:, 1]), np.arctan2(doubled[:, 1], doubled[:, 0]) / 2
    return np.column_stack([length * np.cos(angle), length * np.sin(angle)])


def suppressed(found: Rectangles, most: float) -> Rectangles:
    """Without what overlaps something surer by more than `most` (oriented IoU)."""
    kept: list[int] = []
    for number, corners in enumerate(found.corners):
        if all(oriented_iou(corners, found.corners[other]) <= most for other in kept):
            kept.append(number)
    return found.only(np.array(kept, dtype=np.intp))
