"""Trains the finder on shards of windows for a given time; writes checkpoints, a log and goes on where it stopped."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from datasets.window_targets import Floats, vary, vote_targets
from models.finder_net import FinderNet, finder_loss
from scripts.train.loop import Batch, Forward, Training, options_of

#: (cells, cards) of a window to what a network shall learn of it, arrays.
Targets = Callable[[NDArray[np.int16], Floats], tuple[NDArray[Any], ...]]


class Shards:
    """Windows on disk, varied, with their targets; new shards are taken in as they appear."""

    def __init__(
        self, folders: Sequence[Path], rng: np.random.Generator, crop: int, targets: Targets
    ) -> None:
        self._folders, self._rng, self._crop, self._targets = folders, rng, crop, targets
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
        """Images, and what the targets are made of."""
        rows = []
        for _ in range(count):
            if not self._order:
                self._refill()
            name, i = self._order.pop()
            images, cells, cards = self._arrays[name]
            image, shown, table = vary(
                np.array(images[i]), np.array(cells[i]), np.array(cards[i]), self._rng, self._crop
            )
            rows.append((image, *self._targets(shown, table)))
        pixels, *targets = (torch.from_numpy(np.stack(column)) for column in zip(*rows, strict=True))
        return pixels.permute(0, 3, 1, 2), *targets


def judge(net: Forward, batch: Batch) -> tuple[torch.Tensor, dict[str, float]]:
    """Loss and figures of one batch of `Shards`."""
    images, *truth = batch
    pixels = images.to(memory_format=torch.channels_last).float() / 255
    return finder_loss(net(pixels), *truth)


def options_of_windows(description: str | None, run: str, batch: int) -> argparse.ArgumentParser:
    """The options of a training on windows."""
    parser = options_of(description, run, minutes=100, batch=batch, lr=1.5e-3)
    parser.add_argument("--crop", type=int, default=256, help="side of the part of a window that is used, px")
    return parser


def main() -> None:
    """Command line."""
    options = options_of_windows(__doc__, "runs/finder", batch=4).parse_args()
    torch.manual_seed(options.seed)
    net = FinderNet().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    training = Training(net, options)
    training.run(
        lambda rng: partial(Shards(options.data, rng, options.crop, vote_targets).batch, options.batch), judge
    )


if __name__ == "__main__":
    main()
