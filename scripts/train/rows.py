"""Trains the row reader on shards of bands for a given time; checkpoints, log, resume."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from models.row_net import SCALES, STRIDE, RowNet, row_loss
from scripts.train.loop import Batch, Forward, Training, options_of
from vision.rows.band import COLUMN_MM

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float32]

#: mm of the output's columns.
STEP_MM = STRIDE * COLUMN_MM
#: How far from an edge (mm) the target falls to 0.6.
NEAR_MM = 1.0


class BandShards:
    """Bands on disk; new shards are taken in as they appear."""

    def __init__(self, folders: Sequence[Path], rng: np.random.Generator, length: int) -> None:
        self._folders, self._rng, self._length = folders, rng, length
        self._known: set[Path] = set()
        self._bands: list[tuple[Pixels, NDArray[np.float64]]] = []
        self._order: list[int] = []

    def _refill(self) -> None:
        for path in (path for folder in self._folders for path in sorted(folder.glob("*[0-9].npz"))):
            if path not in self._known:
                self._known.add(path)
                self._bands += load_bands(path)
        self._order = list(self._rng.permutation(len(self._bands)))

    def batch(self, count: int) -> tuple[torch.Tensor, ...]:
        """Pictures (uint8), heat, shape, known (see `row_loss`)."""
        rows = []
        for _ in range(count):
            if not self._order:
                self._refill()
            image, edges = self._bands[self._order.pop()]
            shown, edges = part(image, edges, self._rng, self._length)
            rows.append((vary(shown, self._rng).transpose(2, 0, 1).copy(), *targets(edges, self._length)))
        return tuple(torch.from_numpy(np.stack(column)) for column in zip(*rows, strict=True))


def load_bands(path: Path) -> list[tuple[Pixels, NDArray[np.float64]]]:
    """The bands of a shard: (64, n, 3) and their edges, see `datasets.bands.BandTruth`."""
    with np.load(path) as kept:
        images, ends, edges = kept["images"], kept["ends"], kept["edges"]
    return [
        (np.array(images[:, a:b]), edges[edges[:, 0] == n][:, 1:]) for n, (a, b) in enumerate(pairwise(ends))
    ]


def part(
    image: Pixels, edges: NDArray[np.float64], rng: np.random.Generator, length: int
) -> tuple[Pixels, NDArray[np.float64]]:
    """`length` columns of a band, perhaps turned by half a turn or mirrored; padded where it is shorter."""
    edges = edges.copy()
    if rng.random() < 0.5:
        image = image[:, ::-1]
        edges[:, 0] = 1 - edges[:, 0]
        edges[:, 1] = image.shape[1] * COLUMN_MM - edges[:, 1] - COLUMN_MM
        edges[:, 2] *= -1
    if rng.random() < 0.5:
        image = image[::-1]
        edges[:, 2] *= -1
        edges[:, 3] *= -1
    room = image.shape[1] - length
    if room >= 0:
        start = int(rng.integers(0, room + 1))
        image = image[:, start : start + length]
    else:
        start = -int(rng.integers(0, -room + 1))
        padded = cv2.copyMakeBorder(image, 0, 0, -start, -room + start, cv2.BORDER_REPLICATE)
        image = np.asarray(padded, dtype=np.uint8)
    edges[:, 1] -= start * COLUMN_MM
    return image, edges


def vary(image: Pixels, rng: np.random.Generator) -> Pixels:
    """Other light, colours, sharpness: cheap changes that keep the edges."""
    ramp = np.arange(256, dtype=np.float32) / 255
    gain, gamma = np.exp(rng.normal(0, 0.15)), np.exp(rng.normal(0, 0.2))
    order = rng.permutation(3) if rng.random() < 0.3 else np.arange(3)
    channels = [
        np.clip(255 * (ramp * gain * np.exp(rng.normal(0, 0.07))) ** gamma, 0, 255).astype(np.uint8)[
            image[..., c]
        ]
        for c in order
    ]
    image = np.stack(channels, axis=-1)
    if rng.random() < 0.25:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.4, 1.2))), dtype=np.uint8)
    if rng.random() < 0.25:
        noise = rng.normal(0, rng.uniform(1, 8), image.shape)
        image = np.asarray(np.clip(image + noise, 0, 255), dtype=np.uint8)
    return image


def targets(edges: NDArray[np.float64], length: int) -> tuple[Floats, Floats, Floats]:
    """Heat, shape and known of `row_loss` for edges in a part of `length` columns."""
    columns = length // STRIDE
    heat = np.zeros((2, columns), np.float32)
    shape = np.zeros((2 * len(SCALES), columns), np.float32)
    known = np.zeros((2, columns), np.float32)
    middle = (np.arange(columns) + 0.5) * STEP_MM - COLUMN_MM / 2
    nearest = np.full((2, columns), np.inf)
    for kind, at, slant, shift, longer in edges[:, :5]:
        side = int(kind)
        away = np.abs(middle - at)
        near = int(np.argmin(away))
        if away[near] > STEP_MM:
            continue
        heat[side] = np.maximum(heat[side], np.exp(-((middle - middle[near]) ** 2) / (2 * NEAR_MM**2)))
        mine = (away < 1.6 * STEP_MM) & (away < nearest[side])
        nearest[side][mine] = away[mine]
        known[side][mine] = 1
        for row, value in enumerate((at - middle, slant, shift, longer)):
            shape[len(SCALES) * side + row][mine] = (np.broadcast_to(value, middle.shape) / SCALES[row])[mine]
    return heat, shape, known


def judge(net: Forward, batch: Batch) -> tuple[torch.Tensor, dict[str, float]]:
    """Loss and figures of one batch of `BandShards`."""
    images, heat, shape, known = batch
    return row_loss(net(images.float() / 255), heat, shape, known)


def main() -> None:
    """Command line."""
    parser = options_of(__doc__, "runs/rows", minutes=45, batch=6, lr=2e-3)
    parser.add_argument("--length", type=int, default=512, help="columns of a part, a multiple of 8")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    training = Training(RowNet(), options)
    training.run(
        lambda rng: partial(BandShards(options.data, rng, options.length).batch, options.batch), judge
    )


if __name__ == "__main__":
    main()
