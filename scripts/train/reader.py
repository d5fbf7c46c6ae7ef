"""Trains the reader on shards of crops for a given time; checkpoints, log, resume."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from datasets.development import overexposed
from datasets.printing import out_of_shape
from models.reader_net import ReaderNet
from scripts.train.loop import Batch, Forward, Training, options_of
from vision.faces.reader import CROP

Pixels = NDArray[np.uint8]

#: Crops taken before new shards are looked for.
REFILL = 6_000
#: How often a crop is overexposed.
BLOWN = 0.12
#: How often print is out of shape.
BENT = 0.5


class CropShards:
    """Crops on disk; new shards are taken in as they appear."""

    def __init__(
        self, folders: Sequence[Path], rng: np.random.Generator, without: Collection[str] = ()
    ) -> None:
        """`without`: decks whose crops are passed over, however they were printed."""
        self._folders, self._rng, self._without = folders, rng, frozenset(without)
        self._arrays: dict[Path, tuple[Pixels, Pixels, NDArray[np.int16]]] = {}
        self._wanted: dict[Path, list[int]] = {}
        self._order: list[tuple[Path, int]] = []

    def _refill(self) -> None:
        """A new order of all crops: those of new shards too, without those of shards that are gone."""
        found = [path for folder in self._folders for path in sorted(folder.glob("*.labels.npy"))]
        self._arrays = {path: arrays for path, arrays in self._arrays.items() if path in found}
        for path in found:
            if path not in self._arrays:
                images, masks = (
                    np.load(path.with_name(path.name.replace("labels", kind)), mmap_mode="r")
                    for kind in ("images", "masks")
                )
                self._arrays[path] = (images, masks, np.load(path))
                decks = np.load(path.with_name(path.name.replace("labels", "deck")))
                self._wanted[path] = [i for i, deck in enumerate(decks) if plain(deck) not in self._without]
        order = [(path, i) for path in self._arrays for i in self._wanted[path]]
        if not order:
            raise SystemExit(f"no crops to train on in {', '.join(map(str, self._folders))}")
        self._order = [order[i] for i in self._rng.permutation(len(order))[:REFILL]]

    def batch(self, count: int) -> tuple[torch.Tensor, torch.Tensor]:
        """(count, 4, 160, 112) uint8 and (count,) labels, augmented."""
        crops, labels = np.empty((count, *CROP, 4), np.uint8), []
        for row in range(count):
            if not self._order:
                self._refill()
            name, i = self._order.pop()
            images, masks, truth = self._arrays[name]
            crops[row] = cv2.merge(vary(np.array(images[i]), np.array(masks[i]), self._rng))
            labels.append(int(truth[i]))
        return torch.from_numpy(crops).permute(0, 3, 1, 2), torch.tensor(labels)


def plain(title: str) -> str:
    """The deck that a title of `datasets.printing` is of: "set:anglo" is of "anglo"."""
    return str(title).rpartition(":")[2]


def vary(image: Pixels, mask: Pixels, rng: np.random.Generator) -> tuple[Pixels, Pixels]:
    """Half a turn, small moves, ink and light, an extra cover: cheap changes that keep the label."""
    if rng.random() < 0.5:
        image, mask = image[::-1, ::-1], mask[::-1, ::-1]
    if rng.random() < 0.6:
        rows, columns = mask.shape
        # some rectangles are far off: of cards that show a strip
        far = 2.5 if rng.random() < 0.3 else 1.0
        turn, zoom = float(rng.normal(0, 1.8 * far)), float(np.exp(rng.normal(0, 0.03 * far)))
        matrix = np.asarray(cv2.getRotationMatrix2D((columns / 2, rows / 2), turn, zoom), dtype=np.float64)
        matrix[:, 2] += rng.normal(0, 1.8 * far, 2)
        matrix[0, 1] += rng.normal(0, 0.015 * far)
        size = (columns, rows)
        image = np.asarray(
            cv2.warpAffine(image, matrix, size, borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8
        )
        mask = np.asarray(cv2.warpAffine(mask, matrix, size), dtype=np.uint8)
    if rng.random() < BENT:
        image = out_of_shape(rng, image)
    if rng.random() < 0.25:
        image = _ink(image, rng)
    if rng.random() < 0.2:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.4, 1.3))), dtype=np.uint8)
    if rng.random() < BLOWN:
        image = overexposed(rng, image)
    ramp = np.arange(256, dtype=np.float32) / 255
    gain, gamma, lift = np.exp(rng.normal(0, 0.15)), np.exp(rng.normal(0, 0.2)), rng.normal(0, 0.03)
    tables = [
        np.clip(255 * ((ramp * gain * np.exp(rng.normal(0, 0.05))) ** gamma + lift), 0, 255).astype(np.uint8)
        for _ in range(3)
    ]
    lit = cv2.LUT(np.ascontiguousarray(image), np.stack(tables, axis=-1)[None])
    return np.asarray(lit, dtype=np.uint8), np.ascontiguousarray(mask)


def _ink(image: Pixels, rng: np.random.Generator) -> Pixels:
    """Thinner or bolder print: dark lines grow or shrink by a pixel."""
    kernel = np.ones((2, 2), np.uint8)
    return np.asarray(cv2.erode(image, kernel) if rng.random() < 0.5 else cv2.dilate(image, kernel), np.uint8)


def judge(net: Forward, batch: Batch) -> tuple[torch.Tensor, dict[str, float]]:
    """Loss and share of right names of one batch of `CropShards`."""
    crops, labels = batch
    logits = net(crops.to(memory_format=torch.channels_last).float() / 255)
    loss = functional.cross_entropy(logits, labels)
    return loss, {"right": float((logits.argmax(1) == labels).float().mean())}


def main() -> None:
    """Command line."""
    parser = options_of(__doc__, "runs/reader", minutes=60, batch=64, lr=2e-3)
    parser.add_argument("--without", nargs="+", default=[], metavar="DECK", help="decks passed over")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    net = ReaderNet().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    training = Training(net, options)
    training.run(
        lambda rng: partial(CropShards(options.data, rng, options.without).batch, options.batch), judge
    )


if __name__ == "__main__":
    main()
