"""Puts found cards in place: a network looks at each from straight above and says how far its corners are off.

The finder's cells vote from afar, to a few percent of a card's width. Here every card is cut out as it was found, with
room around it and with what is seen of it and of others marked, and a small network (models/placer.md) tells where the
corners truly are, and whether a card lies there at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.shrink import Sizes
from vision.found import Found
from vision.trained import open_model

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: Rows and columns of a cut, and the box in it (left, top, right, bottom) on which the card lies as it was found.
CUT = (128, 96)
BOX = (18.0, 22.0, 78.0, 106.0)
#: Corners of the box, in the order of a card's.
CORNERS = np.array([[BOX[0], BOX[1]], [BOX[2], BOX[1]], [BOX[2], BOX[3]], [BOX[0], BOX[3]]])
#: Unit of the corners' offsets, px of a cut.
UNIT = 10.0


@dataclass(slots=True)
class Placed:
    """Where cards lie; arrays with one row a card."""

    #: (n, 4, 2) px.
    corners: Floats
    #: (n, 4, 2) shares of the card's width by which each is expected to be off.
    doubt: Floats
    #: (n,) probability that a card lies there.
    real: Floats


class Placer:
    """The network."""

    def __init__(self, model: Path | None = None, threads: int = 2, batch: int = 32) -> None:
        self._session = open_model("placer.onnx", model, threads)
        self._batch = batch

    def place(
        self,
        image: Pixels,
        corners: Floats,
        seen: NDArray[np.int32],
        step: float,
        rows: NDArray[np.intp] | None = None,
    ) -> Placed:
        """Cards of `image` ((H, W, 3) BGR) that were found at `corners` (n, 4, 2).

        `seen` (H / step, W / step): row of the card that is seen there, -1 none. `rows`: which cards are asked about; all
        if not given.
        """
        asked = np.arange(len(corners)) if rows is None else rows
        return self.placed(corners[asked], cuts_of(image, corners, seen, step, asked.tolist()))

    def placed(self, corners: Floats, cuts: Pixels, both_ways: bool = False) -> Placed:
        """The same of cards at `corners` (n, 4, 2) of which there are (n, 128, 96, 5) cuts already (`cuts_of`).

        `both_ways`: looked at turned by half, too. Of 30 photos of spread backs of `tune` (1,562 things found) the median
        distance of corners fell from 0.0161 to 0.0147 widths so, mirrored both ways, too, to 0.0142.
        """
        if not len(corners):
            return Placed(np.zeros((0, 4, 2)), np.zeros((0, 4, 2)), np.zeros(0))
        told = self._told(cuts)
        if both_ways:
            told = (told + turned_by_half(self._told(np.ascontiguousarray(cuts[:, ::-1, ::-1])))) / 2
        moved = np.stack([carry(quad, offsets) for quad, offsets in zip(corners, told[:, :8], strict=True)])
        doubt = np.exp(np.clip(told[:, 8:16], -6, 3)) * UNIT / (BOX[2] - BOX[0])
        return Placed(moved, doubt.reshape(-1, 4, 2), 1 / (1 + np.exp(-told[:, 16])))

    def _told(self, cuts: Pixels) -> Floats:
        return np.concatenate(
            [self._run(cuts[k : k + self._batch]) for k in range(0, len(cuts), self._batch)]
        )

    def _run(self, cuts: Pixels) -> Floats:
        part = cuts.transpose(0, 3, 1, 2).astype(np.float32) / 255
        return np.asarray(self._session.run(None, {"cuts": part})[0], dtype=np.float64)


def cuts_of(
    image: Pixels, corners: Floats, seen: NDArray[np.int32], step: float, rows: Sequence[int]
) -> Pixels:
    """(m, 128, 96, 5): the cuts of some of the cards that `seen` tells of, by their rows of `corners` (n, 4, 2)."""
    if not len(rows):
        return np.zeros((0, *CUT, 5), np.uint8)
    sizes = Sizes(image)
    return np.stack([_cut(sizes, corners[row], seen, step, row) for row in rows])


def cut(image: Pixels, corners: Floats, seen: NDArray[np.int32], step: float, number: int) -> Pixels:
    """(128, 96, 5): a card as it was found at `corners` (4, 2), what is seen of it, and of other cards (0 or 255)."""
    return _cut(Sizes(image), corners, seen, step, number)


def _cut(sizes: Sizes, corners: Floats, seen: NDArray[np.int32], step: float, number: int) -> Pixels:
    matrix = onto_box(corners)
    shrink = float(np.linalg.norm(corners[1] - corners[0])) / (BOX[2] - BOX[0])
    view, enlarged = sizes.shown(shrink)
    colours = cv2.warpPerspective(view, _indices(matrix @ enlarged), CUT[::-1], flags=cv2.INTER_LINEAR)
    enlarge = np.diag([step, step, 1.0])
    labels = cv2.warpPerspective(
        (seen + 1).astype(np.float32),
        _indices(matrix @ enlarge),
        CUT[::-1],
        flags=cv2.INTER_NEAREST,
    )
    own = (labels == number + 1) * np.uint8(255)
    other = ((labels > 0) & (labels != number + 1)) * np.uint8(255)
    return np.dstack([colours, own, other]).astype(np.uint8)


def onto_box(corners: Floats) -> Floats:
    """(3, 3) from px of the picture to px of the cut."""
    found = cv2.getPerspectiveTransform(corners.astype(np.float32), CORNERS.astype(np.float32))
    return np.asarray(found, dtype=np.float64)


def carry(corners: Floats, offsets: Floats) -> Floats:
    """(4, 2) px where corners are that were found at `corners` and are off by `offsets` (8,), in `UNIT` of the cut."""
    there = CORNERS + offsets.reshape(4, 2) * UNIT
    back = np.linalg.inv(onto_box(corners))
    mapped = np.column_stack([there, np.ones(4)]) @ back.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def turned_by_half(told: Floats) -> Floats:
    """What the network's (n, 17) of cuts that are turned by half say of the cuts."""
    offsets, doubts = (np.roll(told[:, k : k + 8], 4, axis=1) for k in (0, 8))
    return np.concatenate([-offsets, doubts, told[:, 16:]], axis=1)


def _indices(matrix: Floats) -> Floats:
    """The same between indices of px: a px is where its middle is."""
    half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    return np.asarray(np.linalg.inv(half) @ matrix @ half)


def put_in_place(found: Found, placed: Placed) -> None:
    """Moves cards to where they were placed, those that something surer has put in place excepted."""
    corners = placed.corners
    free = np.isnan(found.given)[:, None]
    tops, bottoms = corners[:, :2].mean(axis=1), corners[:, 2:].mean(axis=1)
    lefts, rights = corners[:, [0, 3]].mean(axis=1), corners[:, [1, 2]].mean(axis=1)
    moved = {"middle": corners.mean(axis=1), "long": (bottoms - tops) / 2, "short": (rights - lefts) / 2}
    for name, there in moved.items():
        setattr(found, name, np.where(free, there, getattr(found, name)))
    found.real = placed.real
    found.off = np.where(free, np.linalg.norm(placed.doubt, axis=2), np.nan)


def seen_map(found: Found, width: int, height: int) -> tuple[NDArray[np.int32], float]:
    """Which card the finder's cells show, on the finder's own grid: `seen` and `step` of `Placer.place`."""
    step = found.cell_px
    seen = np.full((int(np.ceil(height / step)), int(np.ceil(width / step))), -1, dtype=np.int32)
    at = np.floor(found.cells_at / step).astype(int)
    inside = (at >= 0).all(axis=1) & (at[:, 0] < seen.shape[1]) & (at[:, 1] < seen.shape[0])
    seen[at[inside, 1], at[inside, 0]] = found.cells_card[inside]
    return seen, step
