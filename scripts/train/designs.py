"""Trains the back matcher on the strips in shards of bands (scripts/build/bands.py)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from models.design_net import DesignNet
from models.matcher import Matcher, pair_loss
from scripts.train.loop import Batch, Forward, Training, options_of
from scripts.train.rows import vary
from vision.backs.strips import STRIP, STRIP_MM
from vision.rows.band import COLUMN_MM, FILL, LONG_MM, ROWS

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]

#: How far off (standard deviation, mm) the row reader places an edge along the row and across, and how far it turns it.
OFF_MM, TURN_MM = 0.6, 1.2
#: How often some of the strips lie in a shadow, which leaves so much of the light.
SHADED, SHADOW = 0.5, (0.35, 0.9)


class StripShards:
    """The bands of every picture that shows backs of two decks or more."""

    def __init__(self, folders: Sequence[Path], rng: np.random.Generator) -> None:
        self._folders, self._rng = folders, rng
        self._known: set[Path] = set()
        self._pictures: list[list[tuple[Pixels, Floats]]] = []
        self._order: list[int] = []

    def _refill(self) -> None:
        for path in (path for folder in self._folders for path in sorted(folder.glob("*[0-9].npz"))):
            if path not in self._known:
                self._known.add(path)
                self._pictures += load_pictures(path)
        self._order = list(self._rng.permutation(len(self._pictures)))

    def batch(self) -> Batch:
        """Strips (n, 3, 48, 12) uint8 of one picture, and the (n,) numbers of their decks."""
        while True:
            if not self._order:
                self._refill()
            bands = self._pictures[self._order.pop()]
            strips, decks = strips_of(bands, self._rng)
            if len(np.unique(decks)) > 1:
                return torch.from_numpy(strips.transpose(0, 3, 1, 2).copy()), torch.from_numpy(decks)


def load_pictures(path: Path) -> list[list[tuple[Pixels, Floats]]]:
    """Of every picture of a shard its bands that show backs: (64, n, 3) and edges (see `BandTruth`)."""
    with np.load(path) as kept:
        images, ends, edges, pictures = kept["images"], kept["ends"], kept["edges"], kept["pictures"]
    result: dict[int, list[tuple[Pixels, Floats]]] = {}
    for number, (a, b) in enumerate(pairwise(ends)):
        mine = edges[edges[:, 0] == number][:, 1:]
        if len(mine) and (mine[:, 5] >= 0).all():
            result.setdefault(int(pictures[number]), []).append((np.array(images[:, a:b]), mine))
    return [bands for bands in result.values() if len({d for _, e in bands for d in e[:, 5]}) > 1]


def strips_of(
    bands: list[tuple[Pixels, Floats]], rng: np.random.Generator
) -> tuple[Pixels, NDArray[np.int64]]:
    """The strips of some bands of one picture, as they are found, and their decks."""
    chosen = rng.permutation(len(bands))[: max(2, len(bands) // 2)]
    joined = np.concatenate([bands[int(k)][0] for k in chosen], axis=1)
    shown = vary(joined, rng)
    strips, decks, start = [], [], 0
    mirror = bool(rng.random() < 0.5)
    for k in chosen:
        image, edges = bands[int(k)]
        picture = shown[:, start : start + image.shape[1]]
        start += image.shape[1]
        for edge in edges:
            strip = cut(picture, edge[:5] + rng.normal(0, (0, OFF_MM, TURN_MM, OFF_MM, 2 * OFF_MM)))
            strips.append(strip[:, ::-1] if mirror else strip)
            decks.append(int(edge[5]))
    if mirror:
        # a mirrored design is another one, but alike for all strips of the picture
        strips = [strip[::-1, ::-1] for strip in strips]
    return shaded(np.stack(strips), rng), np.array(decks, dtype=np.int64)


def shaded(strips: Pixels, rng: np.random.Generator) -> Pixels:
    """Strips (n, 48, 12, 3), some of them in a shadow, or all in light that falls off."""
    count = len(strips)
    light = np.ones((count, 1, 1, 3))
    place = np.linspace(-1, 1, count)
    if rng.random() < SHADED:
        dark = rng.uniform(*SHADOW) * (1 + rng.normal(0, 0.05, 3))
        edge = float(rng.uniform(-1, 1))
        light[(place > edge) if rng.random() < 0.5 else (place < edge)] *= dark
    if rng.random() < SHADED:
        light *= np.exp(rng.uniform(-0.35, 0.35) * place)[:, None, None, None]
    light *= np.exp(rng.normal(0, 0.03, (count, 1, 1, 1)))
    return np.asarray(np.clip(strips * light, 0, 255), dtype=np.uint8)


def cut(picture: Pixels, edge: Floats) -> Pixels:
    """(48, 12, 3): the strip inwards of an edge, turned so that the edge is at the left."""
    left, at, slant, shift, longer = edge
    rows = (np.arange(STRIP[0]) + 0.5) / STRIP[0] - 0.5
    inwards = (np.arange(STRIP[1]) + 0.5) / STRIP[1] * STRIP_MM
    sense = 1.0 if left < 0.5 else -1.0
    x = at + sense * (rows[:, None] * slant + inwards[None])
    y = shift + sense * (rows[:, None] * (LONG_MM + longer)) + np.zeros_like(x)
    columns = (x / COLUMN_MM).astype(np.float32)
    lines = ((y * FILL / LONG_MM + 0.5) * ROWS - 0.5).astype(np.float32)
    return np.asarray(
        cv2.remap(picture, columns, lines, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def judge(net: Matcher, _: Forward, batch: Batch) -> tuple[torch.Tensor, dict[str, float]]:
    """Loss of one picture, and the shares of same and different pairs that are told right."""
    things, decks = batch
    vectors = net(things.float() / 255)
    odds, same = net.odds(vectors, vectors), decks[:, None] == decks[None]
    right = (odds > 0) == same
    figures = {"same": float(right[same].float().mean()), "other": float(right[~same].float().mean())}
    return pair_loss(odds, same), figures


def main() -> None:
    """Command line."""
    options = options_of(__doc__, "runs/designs", minutes=20, batch=1, lr=1.5e-3).parse_args()
    torch.manual_seed(options.seed)
    net = DesignNet()
    # every picture has another number of strips
    training = Training(net, options, steady=False)
    training.run(lambda rng: StripShards(options.data, rng).batch, partial(judge, net))


if __name__ == "__main__":
    main()
