"""Trains the reader on shards of crops for a given time; checkpoints, log, resume."""

from __future__ import annotations

import argparse
import copy
import json
import math
import queue
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from models.reader_net import ReaderNet

Pixels = NDArray[np.uint8]

#: Crops taken before new shards are looked for.
REFILL = 6_000


class CropShards:
    """Crops on disk; new shards are taken in as they appear."""

    def __init__(self, folders: Sequence[Path], rng: np.random.Generator) -> None:
        self._folders, self._rng = folders, rng
        self._arrays: dict[Path, tuple[Pixels, Pixels, NDArray[np.int16]]] = {}
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
        order = [(path, i) for path, arrays in self._arrays.items() for i in range(len(arrays[2]))]
        self._order = [order[i] for i in self._rng.permutation(len(order))[:REFILL]]

    def batch(self, count: int) -> tuple[torch.Tensor, torch.Tensor]:
        """(count, 4, 160, 112) uint8 and (count,) labels, augmented."""
        crops, labels = [], []
        for _ in range(count):
            if not self._order:
                self._refill()
            name, i = self._order.pop()
            images, masks, truth = self._arrays[name]
            image, mask = vary(np.array(images[i]), np.array(masks[i]), self._rng)
            crops.append(np.concatenate([image.transpose(2, 0, 1), mask[None]]))
            labels.append(int(truth[i]))
        return torch.from_numpy(np.stack(crops)), torch.tensor(labels)


def vary(image: Pixels, mask: Pixels, rng: np.random.Generator) -> tuple[Pixels, Pixels]:
    """Half a turn, small moves, ink and light, an extra cover: cheap changes that keep the label."""
    if rng.random() < 0.5:
        image, mask = image[::-1, ::-1], mask[::-1, ::-1]
    if rng.random() < 0.6:
        rows, columns = mask.shape
        turn, zoom = float(rng.normal(0, 1.8)), float(np.exp(rng.normal(0, 0.03)))
        matrix = np.asarray(cv2.getRotationMatrix2D((columns / 2, rows / 2), turn, zoom), dtype=np.float64)
        matrix[:, 2] += rng.normal(0, 1.8, 2)
        matrix[0, 1] += rng.normal(0, 0.015)
        size = (columns, rows)
        image = np.asarray(
            cv2.warpAffine(image, matrix, size, borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8
        )
        mask = np.asarray(cv2.warpAffine(mask, matrix, size), dtype=np.uint8)
    if rng.random() < 0.25:
        image = _ink(image, rng)
    if rng.random() < 0.2:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.4, 1.3))), dtype=np.uint8)
    ramp = np.arange(256, dtype=np.float32) / 255
    gain, gamma, lift = np.exp(rng.normal(0, 0.15)), np.exp(rng.normal(0, 0.2)), rng.normal(0, 0.03)
    channels = [
        np.clip(255 * ((ramp * gain * np.exp(rng.normal(0, 0.05))) ** gamma + lift), 0, 255).astype(np.uint8)[
            image[..., c]
        ]
        for c in range(3)
    ]
    return np.stack(channels, axis=-1), np.ascontiguousarray(mask)


def _ink(image: Pixels, rng: np.random.Generator) -> Pixels:
    """Thinner or bolder print: dark lines grow or shrink by a pixel."""
    kernel = np.ones((2, 2), np.uint8)
    return np.asarray(cv2.erode(image, kernel) if rng.random() < 0.5 else cv2.dilate(image, kernel), np.uint8)


def train(options: argparse.Namespace) -> None:
    """Trains until the time is up."""
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    options.run.mkdir(parents=True, exist_ok=True)
    net = ReaderNet().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    if options.init is not None:
        with np.load(options.init) as kept:
            net.load_state_dict(
                {name: torch.from_numpy(kept[name].astype(np.float32)) for name in kept.files}
            )
    optimizer = torch.optim.AdamW(net.parameters(), lr=options.lr, weight_decay=0.02)
    average = copy.deepcopy(net)
    views, spent = 0, 0.0
    checkpoint = options.run / "last.pt"
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=False)
        net.load_state_dict(state["net"])
        average.load_state_dict(state["average"])
        optimizer.load_state_dict(state["optimizer"])
        views, spent = state["views"], 0.0 if options.restart else state["spent"]
    shards = CropShards(options.data, np.random.default_rng(options.seed + views))
    batches: queue.Queue[tuple[torch.Tensor, torch.Tensor]] = queue.Queue(4)

    def load() -> None:
        while True:
            batches.put(shards.batch(options.batch))

    threading.Thread(target=load, daemon=True).start()
    began, saved, step, sums = time.monotonic() - spent, time.monotonic(), 0, [0.0, 0.0]
    while (spent := time.monotonic() - began) < options.minutes * 60:
        progress = spent / (options.minutes * 60)
        rate = (
            options.lr * min(1.0, (step + 1) / 200) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * progress)))
        )
        for group in optimizer.param_groups:
            group["lr"] = rate
        crops, labels = batches.get()
        logits = net(crops.to(memory_format=torch.channels_last).float() / 255)
        loss = functional.cross_entropy(logits, labels, label_smoothing=0.02)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()
        step, views = step + 1, views + len(labels)
        keep = min(0.998, 1 - 1 / (step + 10)) if views < 60000 else 0.998
        with torch.no_grad():
            for mean, value in zip(average.state_dict().values(), net.state_dict().values(), strict=True):
                if mean.dtype.is_floating_point:
                    mean.lerp_(value, 1 - keep)
                else:
                    mean.copy_(value)
        sums[0] += float(loss.detach())
        sums[1] += float((logits.argmax(1) == labels).float().mean())
        if step % 100 == 0:
            line = {"views": views, "minutes": round(spent / 60, 2), "loss": round(sums[0] / 100, 4)}
            line |= {"right": round(sums[1] / 100, 4), "lr": round(rate, 6)}
            sums = [0.0, 0.0]
            with (options.run / "log.jsonl").open("a") as log:
                log.write(json.dumps(line) + "\n")
            print(line, flush=True)
        if time.monotonic() - saved > 120:
            _save(checkpoint, net, average, optimizer, views, spent)
            saved = time.monotonic()
    _save(checkpoint, net, average, optimizer, views, spent)


def _save(
    path: Path, net: ReaderNet, average: ReaderNet, optimizer: torch.optim.Optimizer, views: int, spent: float
) -> None:
    state = {"net": net.state_dict(), "average": average.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save({**state, "views": views, "spent": spent}, path.with_suffix(".part"))
    path.with_suffix(".part").replace(path)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, nargs="+", help="folders of shards")
    parser.add_argument("--run", type=Path, default=Path("runs/reader"))
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--init", type=Path, help="weights to begin with, as models/reader.npz")
    parser.add_argument("--restart", action="store_true", help="keep the weights, begin the schedule anew")
    train(parser.parse_args())


if __name__ == "__main__":
    main()
