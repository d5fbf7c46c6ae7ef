"""The training loop that finder, reader and row reader share: time or views as the budget, checkpoints, log, resume."""

from __future__ import annotations

import argparse
import copy
import json
import math
import queue
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

Batch = tuple[Tensor, ...]
#: (net, batch) to the loss and the figures that are logged.
Judge = Callable[[nn.Module, Batch], tuple[Tensor, dict[str, float]]]

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
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--init", type=Path, help="weights to begin with, as models/*.npz")
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


class Training:
    """A network on its way; goes on from the run's checkpoint."""

    def __init__(self, net: nn.Module, options: argparse.Namespace) -> None:
        torch.set_num_threads(options.threads)
        options.run.mkdir(parents=True, exist_ok=True)
        if options.init is not None:
            take_weights(net, options.init)
        self.net, self._options = net, options
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

    def run(self, take: Callable[[], Batch], judge: Judge) -> None:
        """Trains on the batches that `take` gives until the time is up or the views are seen."""
        batches: queue.Queue[Batch] = queue.Queue(4)

        def load() -> None:
            while True:
                batches.put(take())

        threading.Thread(target=load, daemon=True).start()
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

    def _progress(self) -> float:
        """How much of the budget is used up, 0 to 1."""
        if self._options.views is not None:
            return self.views / float(self._options.views)
        return self._spent / (float(self._options.minutes) * 60)

    def _step(self, batch: Batch, judge: Judge, rate: float) -> dict[str, float]:
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        loss, figures = judge(self.net, batch)
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self._optimizer.step()
        self.views += len(batch[0])
        keep = min(KEEP, 1 - 1 / (self.views / len(batch[0]) + 10))
        with torch.no_grad():
            pairs = zip(self._average.state_dict().values(), self.net.state_dict().values(), strict=True)
            for mean, value in pairs:
                if mean.dtype.is_floating_point:
                    mean.lerp_(value, 1 - keep)
                else:
                    mean.copy_(value)
        return figures | {"loss": float(loss.detach())}

    def _log(self, figures: dict[str, float], rate: float) -> None:
        line = {"views": self.views, "minutes": round(self._spent / 60, 2), "lr": round(rate, 6)} | figures
        with (self._options.run / "log.jsonl").open("a") as log:
            log.write(json.dumps(line) + "\n")
        print(line, flush=True)

    def _resume(self) -> None:
        state = torch.load(self._checkpoint, weights_only=False)
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


def _cosine(progress: float) -> float:
    return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * progress))
