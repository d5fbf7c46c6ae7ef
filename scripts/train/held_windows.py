"""Windows held in the memory of the device that trains on them, varied there: what `datasets.window_targets` does, for
thousands of windows a second."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from datasets.windows import CELL
from scripts.train.loop import Batch
from vision.detect.cells import UNIT

#: Ways in which a window is shown: quarters of a turn, mirrored or not.
WAYS = tuple((quarter, mirrored) for quarter in range(4) for mirrored in (False, True))
#: How often colours change places.
SWAPPED = 0.3
#: Standard deviations of the logs of how bright, how steep, how coloured it is, as in `recolour`; most noise, of 255.
BRIGHT, STEEP, TINT, NOISE = 0.12, 0.15, 0.06, 6.0


class HeldWindows:
    """The windows of folders of `scripts/build/windows.py`; shards that appear are taken in."""

    def __init__(
        self, folders: Sequence[Path], rng: np.random.Generator, crop: int, device: torch.device
    ) -> None:
        self._folders, self._rng, self._crop, self._device = folders, rng, crop, device
        self._shards: dict[Path, tuple[Tensor, ...]] = {}
        self._order: list[tuple[Path, int]] = []

    def _refill(self) -> None:
        for path in (path for folder in self._folders for path in sorted(folder.glob("*.cards.npy"))):
            if path not in self._shards:
                parts = (
                    path.with_name(path.name.replace("cards", kind)) for kind in ("images", "cells", "cards")
                )
                # in a processor's own memory only what is looked at just then
                held = (torch.from_numpy(np.load(part, mmap_mode="c")) for part in parts)
                self._shards[path] = tuple(part.to(self._device) for part in held)
        order = [(path, i) for path, parts in self._shards.items() for i in range(len(parts[0]))]
        # what is left over comes next, for it is taken from the end
        self._order = [order[i] for i in self._rng.permutation(len(order))] + self._order

    def batch(self, count: int) -> Batch:
        """`count` windows (count, 3, crop, crop) uint8 BGR and what `finder_loss` needs; an eighth each way round."""
        while len(self._order) < count:
            self._refill()
            if not self._shards:
                # the first shards may be on their way
                time.sleep(1.0)
        chosen = [self._order.pop() for _ in range(count)]
        images, cells, cards = (
            torch.stack([self._shards[path][part][i] for path, i in chosen]) for part in range(3)
        )
        parts = []
        for way, some in zip(WAYS, torch.arange(count).chunk(len(WAYS)), strict=False):
            part = images[some], cells[some].long(), cards[some]
            parts.append(turned(*_cut(*part, self._rng, self._crop), *way))
        images, cells, cards = (torch.cat(column) for column in zip(*parts, strict=True))
        return _lit(images, self._rng).permute(0, 3, 1, 2), *targets(cells, cards)


def _cut(
    images: Tensor, cells: Tensor, cards: Tensor, rng: np.random.Generator, size: int
) -> tuple[Tensor, Tensor, Tensor]:
    """The same random square part of some windows."""
    room = (images.shape[1] - size) // CELL
    row, column = (int(v) for v in rng.integers(0, room + 1, 2))
    cards = cards.clone()
    cards[..., 0] -= column * CELL
    cards[..., 1] -= row * CELL
    top, left, side = row * CELL, column * CELL, size // CELL
    return (
        images[:, top : top + size, left : left + size],
        cells[:, row : row + side, column : column + side],
        cards,
    )


def turned(
    images: Tensor, cells: Tensor, cards: Tensor, quarter: int, mirrored: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """(n, size, size, 3), (n, h, w) and (n, m, CARD_COLUMNS) turned counterclockwise, then mirrored."""
    size = images.shape[1]
    columns = list(cards.unbind(-1))
    for _ in range(quarter):
        columns[0], columns[1] = columns[1], size - columns[0]
        for axis in (2, 4):
            columns[axis], columns[axis + 1] = columns[axis + 1], -columns[axis]
    images, cells = images.rot90(quarter, (1, 2)), cells.rot90(quarter, (1, 2))
    if mirrored:
        images, cells = images.flip(2), cells.flip(2)
        columns[0], columns[2], columns[4] = size - columns[0], -columns[2], -columns[4]
    return images, cells, torch.stack(columns, -1)


def _lit(images: Tensor, rng: np.random.Generator) -> Tensor:
    """In other light, some with colours swapped, all with some more noise."""
    count, device = len(images), images.device

    def told(*shape: int) -> Tensor:
        return torch.from_numpy(rng.normal(0, 1, (count, *shape)).astype(np.float32)).to(device)

    gain = torch.exp(BRIGHT * told(1, 1, 1) + TINT * told(1, 1, 3))
    lit = (images.float() / 255 * gain).clamp(min=0) ** torch.exp(STEEP * told(1, 1, 1))
    orders = np.stack([rng.permutation(3) if rng.random() < SWAPPED else np.arange(3) for _ in range(count)])
    order = torch.from_numpy(orders).to(device)[:, None, None].expand_as(lit)
    noise = torch.from_numpy(rng.uniform(0, NOISE, (count, 1, 1, 1)).astype(np.float32) ** 2 / NOISE).to(
        device
    )
    noisy = lit.gather(-1, order) * 255 + noise * torch.randn_like(lit)
    return noisy.round().clamp(0, 255).to(torch.uint8)


def targets(cells: Tensor, cards: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """As `vote_targets`, of many windows: (n, h, w) cells and (n, m, CARD_COLUMNS) cards."""
    count, height, width = cells.shape
    on_card = cells >= 0
    index = cells.clamp(min=0).reshape(count, -1, 1).expand(-1, -1, cards.shape[-1])
    card = cards.gather(1, index).reshape(count, height, width, -1).permute(0, 3, 1, 2)
    kinds = torch.where(on_card, 1 + (card[:, 6] > 0.5).long(), 0)
    kinds = torch.where(cells == -2, 3, torch.where(cells == -3, -1, kinds))
    weights = torch.where(on_card, 8 / card[:, 7].clamp(min=4).sqrt(), 0.0)
    rows, columns = (torch.arange(n, device=cells.device) * CELL + CELL / 2 for n in (height, width))
    long, long_log = _doubled(card[:, 2], card[:, 3])
    short, short_log = _doubled(card[:, 4], card[:, 5])
    boxes = torch.stack(
        [
            (card[:, 0] - columns) / UNIT,
            (card[:, 1] - rows[:, None]) / UNIT,
            *(*long, *short, long_log, short_log),
            *(*_twice(*long), *_twice(*short)),
        ],
        1,
    )
    # a window without cards has no row that could be shown where there is none
    boxes = torch.where(on_card[:, None], boxes, 0.0)
    return kinds, boxes, weights, _borders(cells)


def _doubled(x: Tensor, y: Tensor) -> tuple[tuple[Tensor, Tensor], Tensor]:
    length = torch.hypot(x, y) + 1e-6
    return ((x * x - y * y) / length**2, 2 * x * y / length**2), torch.log(length / UNIT)


def _twice(c: Tensor, s: Tensor) -> tuple[Tensor, Tensor]:
    return c * c - s * s, 2 * c * s


def _borders(cells: Tensor) -> Tensor:
    borders = torch.zeros(cells.shape, device=cells.device)
    across, down = cells[:, :, 1:] != cells[:, :, :-1], cells[:, 1:] != cells[:, :-1]
    borders[:, :, 1:] += across
    borders[:, :, :-1] += across
    borders[:, 1:] += down
    borders[:, :-1] += down
    return borders.clamp(max=1)
