"""Trains the verifier on what the finder took for cards (scripts/build/candidates.py); checkpoints, log, resume.

python -m scripts.train.verifier --data cache/candidates --init models/placer.npz
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from datasets.window_targets import recolour
from models.verify_net import VerifyNet, verify_loss
from scripts.train.loop import Batch, Forward, Training, options_of

Pixels = NDArray[np.uint8]

#: Of cards that are seen so well this share is left out: nobody doubts them.
PLAIN, LEFT_OUT = 0.6, 0.6
#: How often the channels of colour change places.
SWAPPED = 0.4


class Cuts:
    """Cuts on disk, kept in memory once they were read; new shards are taken in as they appear."""

    def __init__(self, folders: Sequence[Path], rng: np.random.Generator) -> None:
        self._folders, self._rng = folders, rng
        self._order: list[tuple[Path, int]] = []
        self._arrays: dict[Path, tuple[Pixels, NDArray[np.bool_], NDArray[np.bool_]]] = {}

    def _refill(self) -> None:
        for path in (path for folder in self._folders for path in sorted(folder.glob("*.npz"))):
            if path not in self._arrays:
                with np.load(path) as shard:
                    plain = shard["right"] & (shard["visible"] >= PLAIN)
                    self._arrays[path] = (shard["cuts"], shard["right"], plain)
        order = [
            (path, i)
            for path, (cuts, _, plain) in self._arrays.items()
            for i in range(len(cuts))
            if not plain[i] or self._rng.random() > LEFT_OUT
        ]
        self._order = [order[i] for i in self._rng.permutation(len(order))]

    def batch(self, count: int) -> tuple[torch.Tensor, ...]:
        """(count, 5, 128, 96) uint8, (count,) whether a card lies there."""
        cuts, real = [], []
        for _ in range(count):
            if not self._order:
                self._refill()
            path, i = self._order.pop()
            cuts.append(varied(self._arrays[path][0][i], self._rng))
            real.append(float(self._arrays[path][1][i]))
        return torch.from_numpy(np.stack(cuts)), torch.tensor(real, dtype=torch.float32)


def varied(cut: Pixels, rng: np.random.Generator) -> Pixels:
    """(5, 128, 96): mirrored either way at random, in other light, now and then in other colours."""
    colours = rng.permutation(3) if rng.random() < SWAPPED else np.arange(3)
    image = recolour(np.ascontiguousarray(cut[..., colours]), rng)
    made = np.concatenate([image, cut[..., 3:]], axis=2)
    if rng.random() < 0.5:
        made = made[:, ::-1]
    if rng.random() < 0.5:
        made = made[::-1]
    return np.ascontiguousarray(made.transpose(2, 0, 1))


def judge(net: Forward, batch: Batch) -> tuple[torch.Tensor, dict[str, float]]:
    """Loss and figures of one batch of `Cuts`."""
    cuts, real = batch
    return verify_loss(net(cuts.to(memory_format=torch.channels_last).float() / 255), real)


def main() -> None:
    """Command line."""
    options = options_of(__doc__, "runs/verifier", minutes=30, batch=96, lr=1e-3).parse_args()
    torch.manual_seed(options.seed)
    net = VerifyNet().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    training = Training(net, options)
    training.run(lambda rng: partial(Cuts(options.data, rng).batch, options.batch), judge)


if __name__ == "__main__":
    main()
