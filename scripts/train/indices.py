"""Trains the reader of indices on crops of decks with letters of other languages (scripts/build/crops.py --letters)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from datasets.indices import letter_of
from models.index_net import IndexNet
from scripts.train.loop import Batch, Forward, Training, options_of
from vision.faces.indices import LETTERS, corners_of

Pixels = NDArray[np.uint8]

#: An index of which so much is seen is learnt, and one of which less is seen is none; what lies between is left out.
SEEN, HIDDEN = 0.55, 0.3
#: Rows of a corner in which letters stand.
LETTER_ROWS = 30
#: How far corners are moved, px; how much their ink varies, by factor and by addition.
MOVED, INK, LIFT, NOISE = 3, (0.7, 1.3), 0.08, 0.03


class CornerShards:
    """The corners of all crops of the folders; shards that come while it trains are taken in, too."""

    def __init__(self, folders: Sequence[Path], rng: np.random.Generator) -> None:
        self._folders, self._rng = folders, rng
        self._known: set[Path] = set()
        self._corners: list[tuple[Pixels, int]] = []
        self._order: list[int] = []

    def _refill(self) -> None:
        for path in (path for folder in self._folders for path in sorted(folder.glob("*.labels.npy"))):
            if path not in self._known:
                self._known.add(path)
                self._corners += list(zip(*corners_and_letters(path), strict=True))
        self._order = list(self._rng.permutation(len(self._corners)))

    def batch(self, count: int) -> Batch:
        """(count, 2, 44, 34) uint8 and the (count,) numbers of what stands there."""
        rows: list[tuple[Pixels, int]] = []
        while len(rows) < count:
            if not self._order:
                self._refill()
            rows.append(self._corners[self._order.pop()])
        corners = torch.from_numpy(np.stack([corner for corner, _ in rows]))
        return vary(corners, self._rng), torch.tensor([letter for _, letter in rows])


def corners_and_letters(labels: Path) -> tuple[Pixels, NDArray[np.intp]]:
    """Of a shard of crops: (n, 2, 44, 34) and (n,) what stands there, in the order of LETTERS; the last: nothing."""
    images, masks, decks, names = (
        np.load(labels.with_name(labels.name.replace("labels", kind)))
        for kind in ("images", "masks", "deck", "name")
    )
    corners = corners_of(images, masks)
    told = [letter_of(str(deck), str(name)) for deck, name in zip(decks, names, strict=True)]
    letters = np.array([LETTERS.find(letter) if letter else len(LETTERS) for letter in told])
    seen = (corners[:, :, 1, :LETTER_ROWS] > 0).mean(axis=(2, 3))
    each = np.where(seen >= SEEN, letters[:, None], np.where(seen < HIDDEN, len(LETTERS), -1))
    kept = each.ravel() >= 0
    return corners.reshape(-1, *corners.shape[2:])[kept], each.ravel()[kept]


def vary(corners: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
    """Moved a little, with more or less ink."""
    across, down = (int(v) for v in rng.integers(-MOVED, MOVED + 1, 2))
    corners = torch.roll(corners, (down, across), (2, 3)).float() / 255
    count = len(corners)
    gain = rng.uniform(*INK, (count, 1, 1)).astype(np.float32)
    lift = rng.normal(0, LIFT, (count, 1, 1)).astype(np.float32)
    noise = rng.normal(0, NOISE, (count, *corners.shape[2:])).astype(np.float32)
    corners[:, 0] = corners[:, 0] * torch.from_numpy(gain) + torch.from_numpy(lift + noise)
    return corners.clamp(0, 1).mul(255).to(torch.uint8)


def judge(net: Forward, batch: Batch) -> tuple[torch.Tensor, dict[str, float]]:
    """Loss and share of right letters of one batch of `CornerShards`."""
    corners, letters = batch
    logits = net(corners.float() / 255)
    loss = functional.cross_entropy(logits, letters, label_smoothing=0.02)
    return loss, {"right": float((logits.argmax(1) == letters).float().mean())}


def main() -> None:
    """Command line."""
    options = options_of(__doc__, "runs/indices", minutes=30, batch=128, lr=2e-3).parse_args()
    torch.manual_seed(options.seed)
    training = Training(IndexNet(), options)
    training.run(lambda rng: partial(CornerShards(options.data, rng).batch, options.batch), judge)


if __name__ == "__main__":
    main()
