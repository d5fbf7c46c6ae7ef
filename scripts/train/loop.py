"""The training loop that all networks share: time or views as the budget, checkpoints, log, resume.

It uses a GPU where there is one; then views are what it waits for, so `--loaders` processes vary them. On a processor
networks of fixed input sizes are compiled, and calculate in bfloat16 where it has instructions for that: on one core
of a recent Xeon the finder saw 50 views a second so instead of 24.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import queue
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import Tensor, multiprocessing, nn

from scripts.building import positive

Batch = tuple[Tensor, ...]
#: From a generator of its own to what gives one batch after the other.
Loader = Callable[[np.random.Generator], Callable[[], Batch]]
#: The network as it is trained: input to output.
Forward = Callable[[Tensor], Tensor]
#: (network, batch) to the loss and the figures that are logged.
Judge = Callable[[Forward, Batch], tuple[Tensor, dict[str, float]]]

#: Steps between two lines of the log; seconds between two checkpoints.
LOG_EVERY, SAVE_EVERY_S = 200, 120.0
#: How slowly the averaged weights follow; the averaged ones are exported.
KEEP = 0.998


def options_of(
    description: str | None, run: str, minutes: float, batch: int, lr: float
) -> argparse.ArgumentParser:
    """The options that every training has, with these defaults."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, required=True, nargs="+", help="folders of shards")
    parser.add_argument("--run", type=Path, default=Path(run), help="where checkpoint and log are kept")
    parser.add_argument("--minutes", type=float, default=minutes)
    parser.add_argument("--views", type=int, help="stop after so many views, however long it takes")
    parser.add_argument("--batch", type=int, default=batch)
    parser.add_argument("--lr", type=float, default=lr)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--loaders", type=positive, default=1, help="processes that vary views; 1: a thread")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--init", type=Path, help="weights to begin with, as models/*.npz")
    parser.add_argument("--full", action="store_true", help="single precision, nothing compiled")
    parser.add_argument("--restart", action="store_true", help="keep the weights, begin the schedule anew")
    return parser


def take_weights(net: nn.Module, path: Path) -> None:
    """Begins with weights that an export script kept; what has no place among them begins anew."""
    own = net.state_dict()
    with np.load(path) as kept:
        for name in kept.files:
            value = torch.from_numpy(kept[name].astype(np.float32))
            if name not in own or own[name].shape[1:] != value.shape[1:]:
                continue
            if not value.ndim:
                own[name].copy_(value)
                continue
            # a layer that has grown new outputs keeps the old ones
            rows = min(len(own[name]), len(value))
            own[name][:rows] = value[:rows].to(own[name].dtype)
    net.load_state_dict(own)


def fast(net: nn.Module, device: torch.device) -> Forward:
    """The network compiled, and in bfloat16 where that is fast; what it gives is in single precision."""
    half = device.type == "cuda" or has_bfloat16()
    # on a GPU it is the views that take time
    compiled = torch.compile(net) if device.type == "cpu" and shutil.which("g++") else net

    def run(x: Tensor) -> Tensor:
        with torch.autocast(device.type, torch.bfloat16, enabled=half):
            y: Tensor = compiled(x)
        return y.float()

    return run


def has_bfloat16() -> bool:
    """Does the processor multiply matrices of bfloat16? One that has to imitate it is ten times slower."""
    flags = Path("/proc/cpuinfo")
    return flags.exists() and bool({"amx_bf16", "avx512_bf16"} & set(flags.read_text().split()))


class Training:
    """A network on its way; goes on from the run's checkpoint.

    `steady`: its input has one size, so that it can be compiled.
    """

    def __init__(self, net: nn.Module, options: argparse.Namespace, *, steady: bool = True) -> None:
        torch.set_num_threads(options.threads)
        options.run.mkdir(parents=True, exist_ok=True)
        if options.init is not None:
            take_weights(net, options.init)
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        net.to(self._device)
        self.net, self._options = net, options
        self._forward: Forward = fast(net, self._device) if steady and not options.full else net
        decay = [p for p in net.parameters() if p.ndim > 1]
        rest = [p for p in net.parameters() if p.ndim <= 1]
        groups = [{"params": decay, "weight_decay": 0.02}, {"params": rest, "weight_decay": 0.0}]
        self._optimizer = torch.optim.AdamW(groups, lr=options.lr)
        self._average = copy.deepcopy(net)
        #: Views that the weights have seen, seconds of the schedule that are over.
        self.views, self._spent = 0, 0.0
        self._checkpoint = options.run / "last.pt"
        if self._checkpoint.exists():
            self._resume()

    def run(self, loader: Loader, judge: Judge) -> None:
        """Trains on the batches that `loader` gives until the time is up or the views are seen."""
        batches = _loaded(loader, self._options, self.views)
        self._trust(batches.get(), judge)
        began, saved, step, sums = time.monotonic() - self._spent, time.monotonic(), 0, dict[str, float]()
        while (progress := self._progress()) < 1:
            step += 1
            rate = self._options.lr * min(1.0, step / 100) * _cosine(progress)
            for name, value in self._step(batches.get(), judge, rate).items():
                sums[name] = sums.get(name, 0.0) + value
            self._spent = time.monotonic() - began
            if step % LOG_EVERY == 0:
                self._log({name: round(value / LOG_EVERY, 4) for name, value in sums.items()}, rate)
                sums.clear()
            if time.monotonic() - saved > SAVE_EVERY_S:
                self._save()
                saved = time.monotonic()
        self._save()

    def _trust(self, batch: Batch, judge: Judge) -> None:
        """Ends the training at once where a part of the network learns plainly but not as it is compiled."""
        if self._forward is self.net or self._device.type == "cuda":
            return
        batch = tuple(part.to(self._device) for part in batch)
        learns: list[dict[str, bool]] = []
        for forward in (self.net, self._forward):
            self._optimizer.zero_grad(set_to_none=True)
            loss, _ = judge(forward, batch)
            loss.backward()  # type: ignore[no-untyped-call]
            learns.append(
                {n: p.grad is not None and bool(p.grad.any()) for n, p in self.net.named_parameters()}
            )
        self._optimizer.zero_grad(set_to_none=True)
        lost = [name for name, so in learns[0].items() if so and not learns[1][name]]
        if lost:
            raise SystemExit(
                f"{lost[0]} and {len(lost) - 1} more learn nothing when compiled; train with --full"
            )

    def _progress(self) -> float:
        """How much of the budget is used up, 0 to 1."""
        if self._options.views is not None:
            return self.views / float(self._options.views)
        return self._spent / (float(self._options.minutes) * 60)

    def _step(self, batch: Batch, judge: Judge, rate: float) -> dict[str, float]:
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        loss, figures = judge(self._forward, tuple(part.to(self._device) for part in batch))
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self._optimizer.step()
        self.views += len(batch[0])
        self._follow(min(KEEP, 1 - 1 / (self.views / len(batch[0]) + 10)))
        return figures | {"loss": float(loss.detach())}

    @torch.no_grad()
    def _follow(self, keep: float) -> None:
        """Takes the average of the weights nearer to what they are now."""
        pairs = list(zip(self._average.state_dict().values(), self.net.state_dict().values(), strict=True))
        means, values = zip(*(pair for pair in pairs if pair[0].dtype.is_floating_point), strict=True)
        torch._foreach_lerp_(means, values, 1 - keep)
        for mean, value in pairs:
            if not mean.dtype.is_floating_point:
                mean.copy_(value)

    def _log(self, figures: dict[str, float], rate: float) -> None:
        line = {"views": self.views, "minutes": round(self._spent / 60, 2), "lr": round(rate, 6)} | figures
        with (self._options.run / "log.jsonl").open("a") as log:
            log.write(json.dumps(line) + "\n")
        print(line, flush=True)

    def _resume(self) -> None:
        state = torch.load(self._checkpoint, weights_only=False, map_location=self._device)
        self.net.load_state_dict(state["net"])
        self._average.load_state_dict(state["average"])
        self._optimizer.load_state_dict(state["optimizer"])
        self.views = state["views"]
        self._spent = 0.0 if self._options.restart else state["spent"]

    def _save(self) -> None:
        state = {
            "net": self.net.state_dict(),
            "average": self._average.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "views": self.views,
            "spent": self._spent,
        }
        part = self._checkpoint.with_suffix(".part")
        torch.save(state, part)
        part.replace(self._checkpoint)


def _loaded(loader: Loader, options: argparse.Namespace, views: int) -> Any:
    """A queue that is kept filled: by a thread, or by processes with generators of their own."""
    seed = [options.seed, views]
    if options.loaders == 1:
        batches: queue.Queue[Batch] = queue.Queue(4)
        threading.Thread(target=_load, args=(loader, seed, batches), daemon=True).start()
        return batches
    # forked before the GPU is used by them: they never touch it
    processes = multiprocessing.get_context("fork")
    shared = processes.Queue(2 * options.loaders)
    for number in range(options.loaders):
        processes.Process(target=_load, args=(loader, [*seed, number], shared), daemon=True).start()
    return shared


def _load(loader: Loader, seed: list[int], batches: Any) -> None:
    cv2.setNumThreads(1)
    take = loader(np.random.default_rng(seed))
    while True:
        batches.put(take())


def _cosine(progress: float) -> float:
    return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * progress))
