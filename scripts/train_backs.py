"""Trains the matcher of whole backs on shards of photos' backs (scripts/build_backs.py)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from models.back_net import BackNet
from scripts.train_designs import judge, shaded
from scripts.training import Batch, Training, options_of

Pixels = NDArray[np.uint8]

#: Most backs of a picture that are taken at once.
MOST = 40
#: How often more of a back is hidden than is.
HIDDEN = 0.4


class BackShards:
    """The backs of photos; shards that appear are taken in."""

    def __init__(self, folders: Sequence[Path], rng: np.random.Generator) -> None:
        self._folders, self._rng = folders, rng
        self._known: set[Path] = set()
        self._pictures: list[tuple[Pixels, Pixels, NDArray[np.int64]]] = []
        self._order: list[int] = []

    def _refill(self) -> None:
        for path in (path for folder in self._folders for path in sorted(folder.glob("*[0-9].npz"))):
            if path not in self._known:
                self._known.add(path)
                with np.load(path) as kept:
                    crops, masks, decks, ends = (kept[name] for name in ("crops", "masks", "decks", "ends"))
                self._pictures += [(crops[a:b], masks[a:b], decks[a:b]) for a, b in pairwise(ends)]
        self._order = list(self._rng.permutation(len(self._pictures)))

    def batch(self) -> Batch:
        """Backs (n, 4, 80, 56) uint8 of one picture, and the (n,) numbers of their decks."""
        while True:
            if not self._order:
                self._refill()
            crops, masks, decks = self._pictures[self._order.pop()]
            rows = self._rng.permutation(len(crops))[:MOST]
            if len(np.unique(decks[rows])) > 1:
                shown, seen = vary(crops[rows], masks[rows], self._rng)
                backs = np.concatenate([shown.transpose(0, 3, 1, 2), seen[:, None]], axis=1)
                return torch.from_numpy(backs), torch.from_numpy(decks[rows])


def vary(crops: Pixels, masks: Pixels, rng: np.random.Generator) -> tuple[Pixels, Pixels]:
    """The backs of one picture in another light, some turned, some hidden further, all of them mirrored perhaps."""
    ramp = np.arange(256) / 255
    gain, gamma, lift = np.exp(rng.normal(0, 0.15)), np.exp(rng.normal(0, 0.2)), rng.normal(0, 0.03)
    tables = [
        np.clip(255 * ((ramp * gain * np.exp(rng.normal(0, 0.07))) ** gamma + lift), 0, 255) for _ in range(3)
    ]
    order = rng.permutation(3) if rng.random() < 0.5 else np.arange(3)
    shown = np.stack([tables[c].astype(np.uint8)[crops[..., order[c]]] for c in range(3)], axis=-1)
    shown, seen = shaded(shown, rng), masks.copy()
    for row in range(len(seen)):
        if rng.random() < HIDDEN:
            seen[row] = _hidden(seen[row], rng)
        if rng.random() < 0.5:
            shown[row], seen[row] = shown[row, ::-1, ::-1].copy(), seen[row, ::-1, ::-1].copy()
    if rng.random() < 0.5:
        shown, seen = shown[:, :, ::-1], seen[:, :, ::-1]
    return np.ascontiguousarray(shown), np.ascontiguousarray(seen)


def _hidden(seen: Pixels, rng: np.random.Generator) -> Pixels:
    """Without what lies on one side of a line, unless hardly anything is left."""
    rows, columns = np.mgrid[-1 : 1 : seen.shape[0] * 1j, -1 : 1 : seen.shape[1] * 1j]
    turn = float(rng.uniform(0, 2 * np.pi))
    left = seen * (rows * np.sin(turn) + columns * np.cos(turn) > rng.uniform(-0.8, 0.8)).astype(np.uint8)
    return left if (left > 0).mean() > 0.05 else seen


def main() -> None:
    """Command line."""
    options = options_of(__doc__, "runs/backs", minutes=25, batch=1, lr=1.5e-3).parse_args()
    torch.manual_seed(options.seed)
    net = BackNet()
    # every picture has another number of backs
    training = Training(net, options, steady=False)
    training.run(lambda rng: BackShards(options.data, rng).batch, partial(judge, net))


if __name__ == "__main__":
    main()
