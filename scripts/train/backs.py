"""Trains the matcher of whole backs on shards of photos' backs (scripts/build/backs.py)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from datasets.redesigns import redesigned
from models.back_net import BackNet
from models.matcher import pair_loss
from scripts.train.designs import shaded
from scripts.train.loop import Batch, Forward, Training, options_of

Pixels = NDArray[np.uint8]
Numbers = NDArray[np.int64]

#: Backs of a picture that are taken at once; where there are fewer, the rest is blank.
MOST = 40
#: How often more of a back is hidden than is.
HIDDEN = 0.4
#: How often some of the backs are shown in the light of another photo, as those of decks that were shown before are.
ELSEWHERE = 0.3
#: How much the odds by themselves count beside those by friends, too.
FIRST = 0.5


class BackShards:
    """The backs of photos; shards that appear are taken in."""

    def __init__(self, folders: Sequence[Path], rng: np.random.Generator) -> None:
        self._folders, self._rng = folders, rng
        self._known: set[Path] = set()
        self._pictures: list[tuple[Pixels, Pixels, Numbers]] = []
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
        """Backs (MOST, 4, 160, 112) uint8 of one picture, and the (MOST,) numbers of their decks, -1 where none is."""
        while True:
            if not self._order:
                self._refill()
            crops, masks, decks = self._pictures[self._order.pop()]
            rows = self._rng.permutation(len(crops))[:MOST]
            if len(np.unique(decks[rows])) < 2:
                continue
            shown, seen, whose = vary(crops[rows], masks[rows], decks[rows], self._rng)
            backs = np.zeros((MOST, 4, *shown.shape[1:3]), np.uint8)
            backs[: len(rows)] = np.concatenate([shown.transpose(0, 3, 1, 2), seen[:, None]], axis=1)
            all_decks = np.full(MOST, -1)
            all_decks[: len(rows)] = whose
            return torch.from_numpy(backs), torch.from_numpy(all_decks)


def vary(
    crops: Pixels, masks: Pixels, decks: Numbers, rng: np.random.Generator
) -> tuple[Pixels, Pixels, Numbers]:
    """The backs of one picture, of other designs and in another light, some turned, some hidden further."""
    shown, seen, decks = redesigned(crops, masks, decks, rng)
    shown = _elsewhere(_lit(shown, rng, 0.15, 0.2, 0.07), rng)
    order = rng.permutation(3) if rng.random() < 0.5 else np.arange(3)
    shown = shaded(np.ascontiguousarray(shown[..., order]), rng)
    for row in range(len(seen)):
        if rng.random() < HIDDEN:
            seen[row] = _hidden(seen[row], rng)
        if rng.random() < 0.5:
            shown[row], seen[row] = shown[row, ::-1, ::-1].copy(), seen[row, ::-1, ::-1].copy()
    return shown, seen, decks


def _lit(shown: Pixels, rng: np.random.Generator, gain: float, gamma: float, tint: float) -> Pixels:
    """Crops in another light, by standard deviations of the logs of how bright, how steep and how coloured it is."""
    ramp = np.arange(256) / 255
    bright, steep, lift = np.exp(rng.normal(0, gain)), np.exp(rng.normal(0, gamma)), rng.normal(0, 0.03)
    tables = [
        np.clip(255 * ((ramp * bright * np.exp(rng.normal(0, tint))) ** steep + lift), 0, 255)
        for _ in range(3)
    ]
    return np.stack([tables[c].astype(np.uint8)[shown[..., c]] for c in range(3)], axis=-1)


def _elsewhere(shown: Pixels, rng: np.random.Generator) -> Pixels:
    if rng.random() < ELSEWHERE:
        rows = np.flatnonzero(rng.random(len(shown)) < rng.uniform(0.1, 0.5))
        shown[rows] = _lit(shown[rows], rng, 0.25, 0.2, 0.1)
    return shown


def _hidden(seen: Pixels, rng: np.random.Generator) -> Pixels:
    """Without what lies on one side of a line, unless hardly anything is left."""
    rows, columns = np.mgrid[-1 : 1 : seen.shape[0] * 1j, -1 : 1 : seen.shape[1] * 1j]
    turn = float(rng.uniform(0, 2 * np.pi))
    left = seen * (rows * np.sin(turn) + columns * np.cos(turn) > rng.uniform(-0.8, 0.8)).astype(np.uint8)
    return left if (left > 0).mean() > 0.05 else seen


def judge(net: Forward, batch: Batch) -> tuple[torch.Tensor, dict[str, float]]:
    """Loss of one picture, and the shares of same and different pairs that are told right."""
    things, decks = batch
    alone, friends = net(things.float() / 255)
    real = decks >= 0
    count = int(real.sum())
    alone, friends, decks = alone[:count, :count], friends[:count, :count], decks[:count]
    same = decks[:, None] == decks[None]
    one = same & ~torch.eye(count, dtype=torch.bool, device=same.device)
    figures = {}
    for name, odds in (("", friends), (" alone", alone)):
        # a picture of single cards has no two of one design
        figures[f"same{name}"] = float((odds > 0)[one].float().mean()) if bool(one.any()) else 1.0
        figures[f"other{name}"] = float((odds <= 0)[~same].float().mean())
    return pair_loss(friends, same) + FIRST * pair_loss(alone, same), figures


def main() -> None:
    """Command line."""
    options = options_of(__doc__, "runs/backs", minutes=90, batch=1, lr=1.5e-3).parse_args()
    torch.manual_seed(options.seed)
    Training(BackNet(), options).run(lambda rng: BackShards(options.data, rng).batch, judge)


if __name__ == "__main__":
    main()
