"""Trains the finder on shards of windows for a given time; writes checkpoints, a log and goes on where it stopped."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from models.finder_net import CELL, UNIT, FinderNet, finder_loss
from scripts.training import Batch, Forward, Training, options_of

Floats = NDArray[np.float32]


class Shards:
    """Windows on disk; new shards are taken in as they appear."""

    def __init__(self, folders: Sequence[Path], rng: np.random.Generator, crop: int) -> None:
        self._folders, self._rng, self._crop = folders, rng, crop
        self._order: list[tuple[Path, int]] = []
        self._arrays: dict[Path, tuple[NDArray[np.uint8], NDArray[np.int16], Floats]] = {}

    def _refill(self) -> None:
        for path in (path for folder in self._folders for path in sorted(folder.glob("*.cards.npy"))):
            if path not in self._arrays:
                parts = [
                    path.with_name(path.name.replace("cards", kind)) for kind in ("images", "cells", "cards")
                ]
                images, cells, cards = (np.load(p, mmap_mode="r") for p in parts)
                self._arrays[path] = (images, cells, cards)
        order = [(path, i) for path, arrays in self._arrays.items() for i in range(len(arrays[0]))]
        self._order = [order[i] for i in self._rng.permutation(len(order))]

    def batch(self, count: int) -> tuple[torch.Tensor, ...]:
        """Images, kinds, boxes, weights, borders (see `finder_loss`)."""
        rows = []
        for _ in range(count):
            if not self._order:
                self._refill()
            name, i = self._order.pop()
            images, cells, cards = self._arrays[name]
            rows.append(
                prepare(np.array(images[i]), np.array(cells[i]), np.array(cards[i]), self._rng, self._crop)
            )
        return tuple(torch.from_numpy(np.stack(column)) for column in zip(*rows, strict=True))


def prepare(
    image: NDArray[np.uint8],
    cells: NDArray[np.int16],
    cards: Floats,
    rng: np.random.Generator | None,
    crop: int,
) -> tuple[NDArray[np.uint8], NDArray[np.int64], Floats, Floats, Floats]:
    """One window as the network wants it, turned, mirrored and recoloured at random."""
    if rng is not None:
        image, cells, cards = _part(image, cells, cards, rng, crop)
        image, cells, cards = _turn(image, cells, cards, int(rng.integers(0, 4)), bool(rng.integers(0, 2)))
        image = recolour(image, rng)
    size = cells.shape[0]
    kinds = np.zeros((size, size), dtype=np.int64)
    on_card = cells >= 0
    index = np.where(on_card, cells, 0)
    kinds[on_card] = 1 + (cards[index[on_card], 6] > 0.5)
    kinds[cells == -2] = 3
    kinds[cells == -3] = -1
    rows, columns = np.mgrid[0:size, 0:size] * CELL + CELL / 2
    boxes = np.zeros((12, size, size), dtype=np.float32)
    boxes[0] = (cards[index, 0] - columns) / UNIT
    boxes[1] = (cards[index, 1] - rows) / UNIT
    boxes[2:4], boxes[6] = doubled(cards[index, 2], cards[index, 3])
    boxes[4:6], boxes[7] = doubled(cards[index, 4], cards[index, 5])
    for axis in (0, 2):
        c, s = boxes[2 + axis], boxes[3 + axis]
        boxes[8 + axis], boxes[9 + axis] = c * c - s * s, 2 * c * s
    weights = np.where(on_card, 8.0 / np.sqrt(np.maximum(cards[index, 7], 4.0)), 0.0).astype(np.float32)
    boxes[:, ~on_card] = 0.0
    weights[~on_card] = 0.0
    return np.ascontiguousarray(image.transpose(2, 0, 1)), kinds, boxes, weights, borders_of(cells)


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
    image, cells = np.rot90(image, quarter), np.rot90(cells, quarter)
    if mirror:
        image, cells = image[:, ::-1], cells[:, ::-1]
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
    return np.stack([tables[c][image[..., c]] for c in range(3)], axis=-1)


def judge(net: Forward, batch: Batch) -> tuple[torch.Tensor, dict[str, float]]:
    """Loss and figures of one batch of `Shards`."""
    images, *truth = batch
    pixels = images.to(memory_format=torch.channels_last).float() / 255
    return finder_loss(net(pixels), *truth)


def main() -> None:
    """Command line."""
    parser = options_of(__doc__, "runs/finder", minutes=100, batch=4, lr=1.5e-3)
    parser.add_argument("--crop", type=int, default=256, help="side of the part of a window that is used, px")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    net = FinderNet().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    training = Training(net, options)
    shards = Shards(options.data, np.random.default_rng(options.seed + training.views), options.crop)
    training.run(lambda: shards.batch(options.batch), judge)


if __name__ == "__main__":
    main()
