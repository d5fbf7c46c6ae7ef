"""Trains the placer on the windows of the finder for a given time; checkpoints, log, resume."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from datasets.window_targets import recolour
from datasets.windows import CELL
from models.place_net import OFFSETS, PlaceNet, place_loss
from scripts.build.found import UNTOLD
from scripts.matching import corners_of
from scripts.train.loop import Batch, Forward, Training, options_of
from vision.detect.placing import CORNERS, UNIT, cut, onto_box

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]

#: Cards taken from one window, least visible px of one, and the share of samples where no card lies.
EACH, LEAST_CELLS, NOTHING = 6, 4, 0.2
#: Share of a card that must lie in the window: pictures have fewer rims than windows.
WITHIN = 0.75
#: How often a window at which a finder has looked (`scripts/build/found.py`) shows what that found.
AS_FOUND = 0.75
#: How far off a finder is: shift (widths), turn (radians), size (both sides alike, and each); and how much more the
#: worst tenths are.
SHIFT, TURN, SIZE, ASPECT = 0.045, 0.035, 0.035, 0.02
ROUGH, ROUGHER = 0.3, 2.5


@dataclass(frozen=True, slots=True)
class Looked:
    """What a finder found in the windows of a shard, see `scripts/build/found.py`."""

    quads: NDArray[np.float32]
    true: NDArray[np.int16]
    owners: NDArray[np.int16]

    @classmethod
    def of(cls, path: Path) -> Looked:
        """As `scripts/build/found.py` keeps it."""
        with np.load(path) as kept:
            return cls(kept["quads"], kept["true"], kept["owners"])


class CutShards:
    """Windows on disk; new shards are taken in as they appear."""

    def __init__(self, folders: Sequence[Path], rng: np.random.Generator) -> None:
        self._folders, self._rng = folders, rng
        self._order: list[tuple[Path, int]] = []
        self._arrays: dict[Path, tuple[Pixels, NDArray[np.int16], NDArray[np.float32]]] = {}
        self._found: dict[Path, Looked] = {}
        self._ready: list[tuple[Pixels, NDArray[np.float32], float]] = []

    def _refill(self) -> None:
        for path in (path for folder in self._folders for path in sorted(folder.glob("*.cards.npy"))):
            if path not in self._arrays:
                kinds = (
                    path.with_name(path.name.replace("cards", kind)) for kind in ("images", "cells", "cards")
                )
                images, cells, cards = (np.load(kind, mmap_mode="r") for kind in kinds)
                self._arrays[path] = (images, cells, cards)
            found = path.with_name(path.name.replace("cards.npy", "found.npz"))
            if path not in self._found and found.exists():
                self._found[path] = Looked.of(found)
        order = [(path, i) for path, arrays in self._arrays.items() for i in range(len(arrays[0]))]
        self._order = [order[i] for i in self._rng.permutation(len(order))]

    def batch(self, count: int) -> tuple[torch.Tensor, ...]:
        """(count, 5, 128, 96) uint8, (count, 8) offsets, (count,) whether a card lies there."""
        while len(self._ready) < 4 * count:
            if not self._order:
                self._refill()
            path, i = self._order.pop()
            images, cells, cards = self._arrays[path]
            image, table = np.array(images[i]), np.array(cards[i])
            if path in self._found and self._rng.random() < AS_FOUND:
                self._ready += found_samples(image, self._found[path], i, table, self._rng)
            else:
                self._ready += samples(image, np.array(cells[i]), table, self._rng)
        self._rng.shuffle(self._ready)  # type: ignore[arg-type]
        taken, self._ready = self._ready[:count], self._ready[count:]
        cuts, offsets, real = zip(*taken, strict=True)
        return (
            torch.from_numpy(np.stack(cuts)),
            torch.from_numpy(np.stack(offsets)),
            torch.tensor(real, dtype=torch.float32),
        )


def found_samples(
    image: Pixels, looked: Looked, window: int, cards: NDArray[np.float32], rng: np.random.Generator
) -> list[tuple[Pixels, NDArray[np.float32], float]]:
    """As `samples`, of what a finder found in a window."""
    image = recolour(image, rng)
    quads, true = looked.quads[window].astype(np.float64), looked.true[window]
    owners = np.ascontiguousarray(looked.owners[window].astype(np.int32))
    result = []
    for number in rng.permutation(np.flatnonzero(true != UNTOLD))[:EACH]:
        quad = quads[number]
        if not within(quad, image.shape[0]):
            continue
        made = cut(image, quad, owners, CELL, int(number))
        if true[number] < 0:
            result.append(flipped(made, np.zeros(OFFSETS, np.float32), 0.0, rng))
            continue
        corners = corners_of(cards[true[number], :6].astype(np.float64))
        turned = corners[[2, 3, 0, 1]]
        if np.linalg.norm(turned - quad) < np.linalg.norm(corners - quad):
            corners = turned
        result.append(flipped(made, off_by(quad, corners), 1.0, rng))
    return result


def within(quad: Floats, size: int) -> bool:
    """Does enough of a card lie in the window?"""
    inside = np.clip(quad, 0, size).astype(np.float32)
    return bool(cv2.contourArea(inside) >= WITHIN * cv2.contourArea(quad.astype(np.float32)))


def off_by(quad: Floats, true: Floats) -> NDArray[np.float32]:
    """(8,) by how much the corners of a cut card are off, in `UNIT` of the cut."""
    at = np.column_stack([true, np.ones(4)]) @ onto_box(quad).T
    return np.asarray(((at[:, :2] / at[:, 2:] - CORNERS) / UNIT).ravel(), dtype=np.float32)


def samples(
    image: Pixels, cells: NDArray[np.int16], cards: NDArray[np.float32], rng: np.random.Generator
) -> list[tuple[Pixels, NDArray[np.float32], float]]:
    """Cuts of some cards of a window, and of some places without one: (5, 128, 96), offsets, whether there is one."""
    image = recolour(image, rng)
    seen = doubted(cells, rng)
    counts = np.bincount(cells[cells >= 0], minlength=1)
    shown = np.flatnonzero(counts >= LEAST_CELLS)
    result = []
    for number in rng.permutation(shown)[:EACH]:
        true = corners_of(cards[number, :6].astype(np.float64))
        if not within(true, image.shape[0]):
            continue
        if rng.random() < NOTHING:
            wrong = astray(true, rng)
            mine = most_seen(seen, wrong)
            result.append(
                flipped(cut(image, wrong, seen, CELL, mine), np.zeros(OFFSETS, np.float32), 0.0, rng)
            )
            continue
        quad = jittered(true, rng)
        made = cut(image, quad, seen, CELL, int(number))
        result.append(flipped(made, off_by(quad, true), 1.0, rng))
    return result


def jittered(true: Floats, rng: np.random.Generator) -> Floats:
    """(4, 2) corners as a finder might give them, either end first."""
    rough = ROUGHER if rng.random() < ROUGH else 1.0
    middle = true.mean(axis=0)
    u, v = (true[1] + true[2] - true[0] - true[3]) / 4, (true[2] + true[3] - true[0] - true[1]) / 4
    width = 2 * float(np.linalg.norm(u))
    both = rng.normal(0, SIZE * rough)
    u = _turned(u, rng.normal(0, TURN * rough)) * np.exp(both + rng.normal(0, ASPECT * rough))
    v = _turned(v, rng.normal(0, TURN * rough)) * np.exp(both + rng.normal(0, ASPECT * rough))
    # both axes turn together, but for a little
    shared = rng.normal(0, TURN * rough)
    u, v = _turned(u, shared), _turned(v, shared)
    middle = middle + rng.normal(0, SHIFT * rough, 2) * width
    quad = np.array([middle - u - v, middle + u - v, middle + u + v, middle - u + v])
    return quad


def astray(true: Floats, rng: np.random.Generator) -> Floats:
    """A rectangle of a card's size that shares less than half of it with the card."""
    middle = true.mean(axis=0)
    u, v = (true[1] - true[0]) / 2, (true[3] - true[0]) / 2
    away = float(rng.uniform(0.45, 1.2)) * 2 * np.linalg.norm(u)
    side = float(rng.uniform(0, 2 * np.pi))
    turn = float(rng.uniform(-np.pi, np.pi)) if rng.random() < 0.5 else float(rng.normal(0, 0.3))
    u, v = _turned(u, turn), _turned(v, turn)
    middle = middle + away * np.array([np.cos(side), np.sin(side)])
    return np.array([middle - u - v, middle + u - v, middle + u + v, middle - u + v])


def _turned(vector: Floats, angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


def doubted(cells: NDArray[np.int16], rng: np.random.Generator) -> NDArray[np.int32]:
    """Which card is seen in each cell as a finder would say: blurred borders, holes, cells given to a neighbour."""
    seen = np.where(cells >= 0, cells, -1).astype(np.int32)
    rows, columns = seen.shape
    shift = rng.integers(-1, 2, (2, rows, columns)) * (rng.random((rows, columns)) < rng.uniform(0, 0.5))
    y, x = np.mgrid[0:rows, 0:columns]
    seen = seen[np.clip(y + shift[0], 0, rows - 1), np.clip(x + shift[1], 0, columns - 1)]
    if rng.random() < 0.5:
        size = int(rng.integers(4, 12))
        holes = cv2.resize(
            (rng.random((size, size)) < 0.1).astype(np.uint8),
            (columns, rows),
            interpolation=cv2.INTER_NEAREST,
        )
        seen[holes > 0] = -1
    return np.ascontiguousarray(seen)


def most_seen(seen: NDArray[np.int32], corners: Floats) -> int:
    """The card whose cells lie most in a rectangle: whose a false one would be taken to be; -1 for none."""
    inside = np.zeros(seen.shape, np.uint8)
    cv2.fillConvexPoly(inside, np.round(corners / CELL).astype(np.int32), 1)
    met = seen[(inside > 0) & (seen >= 0)]
    return int(np.bincount(met).argmax()) if len(met) else -1


def flipped(
    made: Pixels, offsets: NDArray[np.float32], real: float, rng: np.random.Generator
) -> tuple[Pixels, NDArray[np.float32], float]:
    """Mirrored either way at random: to a rectangle all is alike."""
    corners = offsets.reshape(4, 2).copy()
    if rng.random() < 0.5:
        made, corners = made[:, ::-1], corners[[1, 0, 3, 2]] * (-1, 1)
    if rng.random() < 0.5:
        made, corners = made[::-1], corners[[3, 2, 1, 0]] * (1, -1)
    return np.ascontiguousarray(made.transpose(2, 0, 1)), corners.ravel().astype(np.float32), real


def judge(net: Forward, batch: Batch) -> tuple[torch.Tensor, dict[str, float]]:
    """Loss and figures of one batch of `CutShards`."""
    cuts, offsets, real = batch
    return place_loss(net(cuts.to(memory_format=torch.channels_last).float() / 255), offsets, real)


def main() -> None:
    """Command line."""
    options = options_of(__doc__, "runs/placer", minutes=40, batch=96, lr=2e-3).parse_args()
    torch.manual_seed(options.seed)
    net = PlaceNet().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    training = Training(net, options)
    training.run(lambda rng: partial(CutShards(options.data, rng).batch, options.batch), judge)


if __name__ == "__main__":
    main()
