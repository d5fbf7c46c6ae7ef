"""Finds whole cards and hands: every cell of the picture votes, the votes of one card agree.

The network (models/finder.md) says for each cell of 4 px whether a face, a back or a hand lies on top there and,
for cards, where the middle and the two half axes of the whole card are (`vision/detect/cells.py`);
`vision/detect/gathering.py` makes cards of them.
"""

from __future__ import annotations

from copy import copy
from functools import cached_property
from itertools import product
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.shrink import shrunk
from vision.detect.cells import CELL, Cells, explained, mirrored, read_cells
from vision.detect.gathering import gather
from vision.detect.hands import Skin
from vision.found import Found
from vision.trained import open_later

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: A cell votes for a middle nearly in the picture that lies less than this (half widths of a card) beside it.
BESIDE = 0.2
#: The network pads to multiples of this many px.
GRAIN = 32


class Look:
    """What the finder's cells say of a picture at one scale; grouped into cards when these are first asked for."""

    def __init__(
        self,
        cells: Cells,
        hands: Floats,
        explained: float,
        pure: float,
        scale: float,
        by: tuple[float, float],
    ) -> None:
        """`explained`, `pure`: see `Found`; `by`: px of the picture a px that was looked at, x and y."""
        self._cells, self._hands, self._by = cells, hands, by
        self.explained, self.pure, self.scale = explained, pure, scale

    @cached_property
    def found(self) -> Found:
        """The cards, in px of the picture."""
        found = gather(self._cells, self._hands)
        found.explained, found.pure = self.explained, self.pure
        return _scaled(found, *self._by)

    @property
    def skin(self) -> Skin:
        """Where hands are seen, px of the picture."""
        return Skin(self._hands, (CELL, CELL)).scaled(*self._by)


class Finder:
    """The network with its decoding."""

    #: File of the weights.
    weights = "finder.onnx"
    #: Whether it looks at a picture as it is, mirrored both ways and turned by half, and says the mean of what it saw:
    #: it knows more then, in four times as long.
    every_way = False
    #: Whether it keeps the memory that it took for a large picture, for the next one.
    keeps = True

    def __init__(self, model: Path | None = None, threads: int = 2) -> None:
        # of a whole table 0.2 GB less, for a twentieth more time
        self._session = open_later(self.weights, model, threads, sparing=True)

    def find(self, image: Pixels, scale: float = 1.0) -> Found:
        """Cards of `image` ((H, W, 3) BGR), looked at when resized by `scale`; results in px of `image`."""
        return self.look(image, scale).found

    def find_inside(self, image: Pixels, scale: float = 1.0) -> Found:
        """Those of them whose middle lies in the picture; which costs less."""
        found = self.look(image, scale, inside=True).found
        height, width = image.shape[:2]
        there = (found.middle >= 0).all(axis=1) & (found.middle < (width, height)).all(axis=1)
        return found.only(np.flatnonzero(there))

    def look(self, image: Pixels, scale: float = 1.0, *, inside: bool = False) -> Look:
        """As `find`, but cells are grouped into cards only when these are asked for; `inside`: those that may be of
        cards whose middle lies in the picture.
        """
        size = (max(GRAIN, round(image.shape[1] * scale)), max(GRAIN, round(image.shape[0] * scale)))
        view = image if size == image.shape[1::-1] else _resized(image, size)
        output = self._run(view)
        cells, hands = read_cells(output)
        if inside:
            cells = cells.take(np.flatnonzero(_votes_inside(cells, size)))
        told = explained(cells)
        by = (image.shape[1] / size[0], image.shape[0] / size[1])
        return Look(cells, hands, told / output[0].size, told / max(len(cells), 1), scale, by)

    def looking_every_way(self) -> Finder:
        """The same finder, looking every way."""
        thorough = copy(self)
        thorough.every_way = True
        return thorough

    def looking_once(self) -> Finder:
        """The same finder, looking at a picture as it is alone."""
        quick = copy(self)
        quick.every_way = False
        return quick

    def giving_back(self) -> Finder:
        """The same finder, that gives back what a large picture took."""
        frugal = copy(self)
        frugal.keeps = False
        return frugal

    def _run(self, view: Pixels) -> NDArray[np.float32]:
        rows, columns = view.shape[:2]
        # in whole grains, so that every way has the same cells
        more = (0, -rows % GRAIN, 0, -columns % GRAIN)
        edge = np.asarray(cv2.copyMakeBorder(view, *more, cv2.BORDER_REPLICATE), dtype=np.uint8)
        ways = tuple(product((False, True), repeat=2)) if self.every_way else ((False, False),)
        told = np.zeros(0, np.float32)
        for across, down in ways:
            way = mirrored(self._told(_flipped(edge, across, down)), across, down)
            told = told + way if len(told) else way
        return np.asarray(told[:, : -(-rows // CELL), : -(-columns // CELL)] / len(ways), dtype=np.float32)

    def _told(self, view: Pixels) -> NDArray[np.float32]:
        batch = np.empty((1, 3, *view.shape[:2]), np.float32)
        np.divide(view.transpose(2, 0, 1), np.float32(255), out=batch[0])
        (output,) = self._session().run(None, {"image": batch}, keeps=self.keeps)
        return np.asarray(output[0], dtype=np.float32)


class SpreadFinder(Finder):
    """The same network, trained on nothing but backs that lie spread, with a second look (models/spreads.md).

    It looks every way: of 4,323 backs in 300 windows of `tune` average precision 0.956 instead of 0.943 (0.951 without
    the mirrored ones).
    """

    weights = "spreads.onnx"
    every_way = True

    def find(self, image: Pixels, scale: float = 1.0) -> Found:
        """As `Finder.find`."""
        found = super().find(image, scale)
        found.of_spread = True
        return found


def _votes_inside(cells: Cells, size: tuple[int, int]) -> NDArray[np.bool_]:
    """(n,): which cells vote for a middle in a picture of this size (width, height), or nearly so."""
    near = BESIDE * np.hypot(cells.short[:, 0], cells.short[:, 1])
    beyond = np.maximum(-cells.middle, cells.middle - size).max(axis=1, initial=-np.inf)
    return np.asarray(beyond < near)


def _flipped(view: Pixels, across: bool, down: bool) -> Pixels:
    return np.ascontiguousarray(view[:: -1 if down else 1, :: -1 if across else 1])


def _resized(image: Pixels, size: tuple[int, int]) -> Pixels:
    if size[0] < image.shape[1]:
        return shrunk(image, size)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


def _scaled(found: Found, x: float, y: float) -> Found:
    by = np.array([x, y])
    for name in ("middle", "long", "short", "cells_at", "loose"):
        setattr(found, name, getattr(found, name) * by)
    found.hands = [(outline * by, confidence) for outline, confidence in found.hands]
    found.cell_px *= float(np.sqrt(x * y))
    return found
