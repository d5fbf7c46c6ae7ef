"""Trains the finder on shards of windows for a given time; writes checkpoints, a log and goes on where it stopped."""

from __future__ import annotations

import argparse
import copy
import json
import math
import queue
import threading
import time
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from models.finder_net import CELL, UNIT, FinderNet, finder_loss

Floats = NDArray[np.float32]


class Shards:
    """Windows on disk; new shards are taken in as they appear."""

    def __init__(self, folder: Path, rng: np.random.Generator, crop: int) -> None:
        self._folder, self._rng, self._crop = folder, rng, crop
        self._names: list[str] = []
        self._order: list[tuple[str, int]] = []
        self._arrays: dict[str, tuple[NDArray[np.uint8], NDArray[np.int16], Floats]] = {}

    def _refill(self) -> None:
        self._names = sorted(p.name[:4] for p in self._folder.glob("*.cards.npy"))
        for name in self._names:
            if name not in self._arrays:
                parts = [self._folder / f"{name}.{kind}.npy" for kind in ("images", "cells", "cards")]
                images, cells, cards = (np.load(p, mmap_mode="r") for p in parts)
                self._arrays[name] = (images, cells, cards)
        order = [(name, i) for name in self._names for i in range(len(self._arrays[name][0]))]
        self._order = [order[i] for i in self._rng.permutation(len(order))]

    def batch(self, count: int) -> tuple[torch.Tensor, ...]:
        """Images, kinds, boxes, weights, borders (see `finder_loss`)."""
        rows = []
        for _ in range(count):
            if not self._order:
                self._refill()
            name, i = self._order.pop()
            images, cells, cards = self._arrays[name]
            rows.append(
                prepare(np.array(images[i]), np.array(cells[i]), np.array(cards[i]), self._rng, self._crop)
            )
        return tuple(torch.from_numpy(np.stack(column)) for column in zip(*rows, strict=True))


def prepare(
    image: NDArray[np.uint8],
    cells: NDArray[np.int16],
    cards: Floats,
    rng: np.random.Generator | None,
    crop: int,
) -> tuple[NDArray[np.uint8], NDArray[np.int64], Floats, Floats, Floats]:
    """One window as the network wants it, turned, mirrored and recoloured at random."""
    if rng is not None:
        image, cells, cards = _part(image, cells, cards, rng, crop)
        image, cells, cards = _turn(image, cells, cards, int(rng.integers(0, 4)), bool(rng.integers(0, 2)))
        image = _recolour(image, rng)
    size = cells.shape[0]
    kinds = np.zeros((size, size), dtype=np.int64)
    on_card = cells >= 0
    index = np.where(on_card, cells, 0)
    kinds[on_card] = 1 + (cards[index[on_card], 6] > 0.5)
    kinds[cells == -2] = 3
    kinds[cells == -3] = -1
    rows, columns = np.mgrid[0:size, 0:size] * CELL + CELL / 2
    boxes = np.zeros((12, size, size), dtype=np.float32)
    boxes[0] = (cards[index, 0] - columns) / UNIT
    boxes[1] = (cards[index, 1] - rows) / UNIT
    boxes[2:4], boxes[6] = doubled(cards[index, 2], cards[index, 3])
    boxes[4:6], boxes[7] = doubled(cards[index, 4], cards[index, 5])
    for axis in (0, 2):
        c, s = boxes[2 + axis], boxes[3 + axis]
        boxes[8 + axis], boxes[9 + axis] = c * c - s * s, 2 * c * s
    weights = np.where(on_card, 8.0 / np.sqrt(np.maximum(cards[index, 7], 4.0)), 0.0).astype(np.float32)
    boxes[:, ~on_card] = 0.0
    weights[~on_card] = 0.0
    return np.ascontiguousarray(image.transpose(2, 0, 1)), kinds, boxes, weights, borders_of(cells)


def borders_of(cells: NDArray[np.int16]) -> Floats:
    """(h, w) 1 for a cell beside which something else is seen, 0 inside things."""
    borders = np.zeros(cells.shape, dtype=np.float32)
    for one, two in ((np.s_[:, 1:], np.s_[:, :-1]), (np.s_[1:], np.s_[:-1])):
        change = cells[one] != cells[two]
        borders[one][change] = 1.0
        borders[two][change] = 1.0
    return borders


def doubled(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """(2, ...) cos and sin of twice a vector's angle, and the logarithm of its length in UNIT."""
    length = np.hypot(x, y) + 1e-6
    turn = np.stack([(x * x - y * y), 2 * x * y]) / length**2
    return turn.astype(np.float32), np.log(length / UNIT).astype(np.float32)


def _part(
    image: NDArray[np.uint8], cells: NDArray[np.int16], cards: Floats, rng: np.random.Generator, size: int
) -> tuple[NDArray[np.uint8], NDArray[np.int16], Floats]:
    """A random square part: more steps for the same work, and cards at other places."""
    room = (image.shape[0] - size) // CELL
    if room <= 0:
        return image, cells, cards
    row, column = (int(v) for v in rng.integers(0, room + 1, 2))
    cards[:, 0] -= column * CELL
    cards[:, 1] -= row * CELL
    top, left, side = row * CELL, column * CELL, size // CELL
    return (
        image[top : top + size, left : left + size],
        cells[row : row + side, column : column + side],
        cards,
    )


def _turn(
    image: NDArray[np.uint8], cells: NDArray[np.int16], cards: Floats, quarter: int, mirror: bool
) -> tuple[NDArray[np.uint8], NDArray[np.int16], Floats]:
    size = image.shape[0]
    for _ in range(quarter):
        x, y = cards[:, 0].copy(), cards[:, 1].copy()
        cards[:, 0], cards[:, 1] = y, size - x
        for axis in (2, 4):
            vx, vy = cards[:, axis].copy(), cards[:, axis + 1].copy()
            cards[:, axis], cards[:, axis + 1] = vy, -vx
    image, cells = np.rot90(image, quarter), np.rot90(cells, quarter)
    if mirror:
        image, cells = image[:, ::-1], cells[:, ::-1]
        cards[:, 0] = size - cards[:, 0]
        cards[:, [2, 4]] *= -1
    return image, cells, cards


def _recolour(image: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    ramp = np.arange(256, dtype=np.float32) / 255
    gain, gamma = np.exp(rng.normal(0, 0.12)), np.exp(rng.normal(0, 0.15))
    tables = [
        np.clip(255 * (ramp * gain * np.exp(rng.normal(0, 0.06))) ** gamma, 0, 255).astype(np.uint8)
        for _ in range(3)
    ]
    return np.stack([tables[c][image[..., c]] for c in range(3)], axis=-1)


def train(options: argparse.Namespace) -> None:
    """Trains until the time is up."""
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    options.run.mkdir(parents=True, exist_ok=True)
    net = FinderNet().to(memory_format=torch.channels_last)
    decay = [p for p in net.parameters() if p.ndim > 1]
    rest = [p for p in net.parameters() if p.ndim <= 1]
    groups = [{"params": decay, "weight_decay": 0.02}, {"params": rest, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=options.lr)
    if options.init is not None:
        take_weights(net, options.init)
    average = copy.deepcopy(net)
    views, spent = 0, 0.0
    checkpoint = options.run / "last.pt"
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=False)
        net.load_state_dict(state["net"])
        average.load_state_dict(state["average"])
        optimizer.load_state_dict(state["optimizer"])
        views, spent = state["views"], state["spent"] * (not options.restart)
    shards = Shards(options.data, np.random.default_rng(options.seed + views), options.crop)
    batches: queue.Queue[tuple[torch.Tensor, ...]] = queue.Queue(4)
    threading.Thread(target=_load, args=(shards, options.batch, batches), daemon=True).start()
    began, saved, step, sums = time.monotonic() - spent, time.monotonic(), 0, dict[str, float]()
    while (spent := time.monotonic() - began) < options.minutes * 60:
        progress = spent / (options.minutes * 60)
        rate = (
            options.lr * min(1.0, (step + 1) / 100) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * progress)))
        )
        for group in optimizer.param_groups:
            group["lr"] = rate
        images, kinds, boxes, weights, borders = batches.get()
        pixels = images.to(memory_format=torch.channels_last).float() / 255
        with torch.autocast("cpu", torch.bfloat16, enabled=options.bf16):
            output = net(pixels)
        loss, parts = finder_loss(output, kinds, boxes, weights, borders)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()
        step, views = step + 1, views + len(images)
        keep = min(0.998, 1 - 1 / (step + 10)) if views < 4000 else 0.998
        with torch.no_grad():
            for mean, value in zip(average.state_dict().values(), net.state_dict().values(), strict=True):
                if mean.dtype.is_floating_point:
                    mean.lerp_(value, 1 - keep)
                else:
                    mean.copy_(value)
        for name, value in (*parts.items(), ("loss", float(loss.detach()))):
            sums[name] = sums.get(name, 0.0) + value
        if step % 200 == 0:
            line = {"views": views, "minutes": round(spent / 60, 2), "lr": round(rate, 6)}
            line |= {name: round(value / 200, 4) for name, value in sums.items()}
            sums.clear()
            with (options.run / "log.jsonl").open("a") as log:
                log.write(json.dumps(line) + "\n")
            print(line, flush=True)
        if time.monotonic() - saved > 120:
            _save(checkpoint, net, average, optimizer, views, spent)
            saved = time.monotonic()
    _save(checkpoint, net, average, optimizer, views, spent)


def take_weights(net: FinderNet, path: Path) -> None:
    """Begins with weights that scripts/export_finder.py kept; what has no place among them begins anew."""
    own = net.state_dict()
    with np.load(path) as kept:
        for name in kept.files:
            value = torch.from_numpy(kept[name].astype(np.float32))
            if name not in own or own[name].shape[1:] != value.shape[1:]:
                continue
            # a layer that has grown new outputs keeps the old ones
            rows = min(len(own[name]), len(value)) if value.ndim else None
            own[name][:rows] = value[:rows].to(own[name].dtype) if rows else value.to(own[name].dtype)
    net.load_state_dict(own)


def _load(shards: Shards, count: int, batches: queue.Queue[tuple[torch.Tensor, ...]]) -> None:
    while True:
        batches.put(shards.batch(count))


def _save(
    path: Path, net: FinderNet, average: FinderNet, optimizer: torch.optim.Optimizer, views: int, spent: float
) -> None:
    state = {
        "net": net.state_dict(),
        "average": average.state_dict(),
        "optimizer": optimizer.state_dict(),
        "views": views,
        "spent": spent,
    }
    torch.save(state, path.with_suffix(".part"))
    path.with_suffix(".part").replace(path)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--data", type=Path, required=True, help="folder of shards (scripts/build_windows.py)"
    )
    parser.add_argument("--run", type=Path, default=Path("runs/finder"))
    parser.add_argument("--minutes", type=float, default=100)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--crop", type=int, default=256, help="side of the part of a window that is used, px")
    parser.add_argument("--lr", type=float, default=1.5e-3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--init", type=Path, help="weights to begin with, as models/finder.npz")
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--restart", action="store_true", help="keep the weights, begin the schedule anew")
    train(parser.parse_args())


if __name__ == "__main__":
    main()
