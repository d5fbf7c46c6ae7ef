"""Windows varied at random, and what the finder shall learn of each cell: what lies there, and its card's rectangle."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.windows import CELL
from vision.detect.cells import UNIT

Floats = NDArray[np.float32]
#: Quarters of a turn, counterclockwise.
_TURNS = {1: cv2.ROTATE_90_COUNTERCLOCKWISE, 2: cv2.ROTATE_180, 3: cv2.ROTATE_90_CLOCKWISE}


def vary(
    image: NDArray[np.uint8], cells: NDArray[np.int16], cards: Floats, rng: np.random.Generator, crop: int
) -> tuple[NDArray[np.uint8], NDArray[np.int16], Floats]:
    """A part of a window, turned, mirrored and recoloured at random."""
    image, cells, cards = _part(image, cells, cards, rng, crop)
    image, cells, cards = _turn(image, cells, cards, int(rng.integers(0, 4)), bool(rng.integers(0, 2)))
    return recolour(image, rng), cells, cards


def vote_targets(cells: NDArray[np.int16], cards: Floats) -> tuple[NDArray[np.int64], Floats, Floats, Floats]:
    """Kinds, boxes, weights, borders (see `finder_loss`)."""
    kinds, boxes, weights = kinds_of(cells, cards), boxes_of(cells, cards), weights_of(cells, cards)
    boxes[:, cells < 0] = 0.0
    return kinds, boxes, weights, borders_of(cells)


def kinds_of(cells: NDArray[np.int16], cards: Floats) -> NDArray[np.int64]:
    """(h, w) class of every cell, -1 = do not care."""
    kinds = np.zeros(cells.shape, dtype=np.int64)
    on_card = cells >= 0
    kinds[on_card] = 1 + (cards[cells[on_card], 6] > 0.5)
    kinds[cells == -2] = 3
    kinds[cells == -3] = -1
    return kinds


def weights_of(cells: NDArray[np.int16], cards: Floats) -> Floats:
    """(h, w) weight of a cell among the cards' cells: those of a sliver count more each; 0 off the cards."""
    on_card = cells >= 0
    seen = cards[np.where(on_card, cells, 0), 7]
    return np.where(on_card, 8.0 / np.sqrt(np.maximum(seen, 4.0)), 0.0).astype(np.float32)


def boxes_of(cells: NDArray[np.int16], cards: Floats) -> Floats:
    """(12, h, w) the rectangle of the card that each cell names, as seen from there (see `finder_loss`)."""
    index = np.maximum(cells, 0)
    height, width = cells.shape
    rows, columns = np.mgrid[0:height, 0:width] * CELL + CELL / 2
    boxes = np.zeros((12, height, width), dtype=np.float32)
    boxes[0] = (cards[index, 0] - columns) / UNIT
    boxes[1] = (cards[index, 1] - rows) / UNIT
    boxes[2:4], boxes[6] = doubled(cards[index, 2], cards[index, 3])
    boxes[4:6], boxes[7] = doubled(cards[index, 4], cards[index, 5])
    for axis in (0, 2):
        c, s = boxes[2 + axis], boxes[3 + axis]
        boxes[8 + axis], boxes[9 + axis] = c * c - s * s, 2 * c * s
    return boxes


def borders_of(cells: NDArray[np.int16]) -> Floats:
    """(h, w) 1 for a cell beside which something else is seen, 0 inside things."""
    borders = np.zeros(cells.shape, dtype=np.float32)
    for one, two in ((np.s_[:, 1:], np.s_[:, :-1]), (np.s_[1:], np.s_[:-1])):
        change = cells[one] != cells[two]
        borders[one][change] = 1.0
        borders[two][change] = 1.0
    return borders


def doubled(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """(2, ...) cos and sin of twice a vector's angle, and the logarithm of its length in UNIT."""
    length = np.hypot(x, y) + 1e-6
    turn = np.stack([(x * x - y * y), 2 * x * y]) / length**2
    return turn.astype(np.float32), np.log(length / UNIT).astype(np.float32)


def _part(
    image: NDArray[np.uint8], cells: NDArray[np.int16], cards: Floats, rng: np.random.Generator, size: int
) -> tuple[NDArray[np.uint8], NDArray[np.int16], Floats]:
    """A random square part: more steps for the same work, and cards at other places."""
    room = (image.shape[0] - size) // CELL
    if room <= 0:
        return image, cells, cards
    row, column = (int(v) for v in rng.integers(0, room + 1, 2))
    cards[:, 0] -= column * CELL
    cards[:, 1] -= row * CELL
    top, left, side = row * CELL, column * CELL, size // CELL
    return (
        image[top : top + size, left : left + size],
        cells[row : row + side, column : column + side],
        cards,
    )


def _turn(
    image: NDArray[np.uint8], cells: NDArray[np.int16], cards: Floats, quarter: int, mirror: bool
) -> tuple[NDArray[np.uint8], NDArray[np.int16], Floats]:
    size = image.shape[0]
    for _ in range(quarter):
        x, y = cards[:, 0].copy(), cards[:, 1].copy()
        cards[:, 0], cards[:, 1] = y, size - x
        for axis in (2, 4):
            vx, vy = cards[:, axis].copy(), cards[:, axis + 1].copy()
            cards[:, axis], cards[:, axis + 1] = vy, -vx
    if quarter:
        image, cells = np.asarray(cv2.rotate(image, _TURNS[quarter]), np.uint8), np.rot90(cells, quarter)
    if mirror:
        image, cells = np.asarray(cv2.flip(image, 1), np.uint8), cells[:, ::-1]
        cards[:, 0] = size - cards[:, 0]
        cards[:, [2, 4]] *= -1
    return image, cells, cards


def recolour(image: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """In other light."""
    ramp = np.arange(256, dtype=np.float32) / 255
    gain, gamma = np.exp(rng.normal(0, 0.12)), np.exp(rng.normal(0, 0.15))
    tables = [
        np.clip(255 * (ramp * gain * np.exp(rng.normal(0, 0.06))) ** gamma, 0, 255).astype(np.uint8)
        for _ in range(3)
    ]
    lit = cv2.LUT(np.ascontiguousarray(image), np.stack(tables, axis=-1)[None])
    return np.asarray(lit, dtype=np.uint8)
