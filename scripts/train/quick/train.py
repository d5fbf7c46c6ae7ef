"""Trains yolo26n from nothing on hands and cards for so many minutes, goes on where it stopped, and exports it.

    python -m scripts.train.quick.train --data cache/quick --minutes 10

The ONNX file is runs/quick/quick.onnx; how long it was trained stands in runs/quick/spent.json.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from datasets.files import whole
from scripts.building import BuildError, ended, positive
from scripts.train.quick.recipe import LOOK, NET, Spent, checkpoint, read_spent, settings, write_spent

#: Oldest operator set that has all that the network needs; ONNX Runtime has known it for years.
OPSET = 17


class Clock:
    """Tells ultralytics' trainer how long the run has trained in all its starts, and keeps that at checkpoints."""

    def __init__(self, run: Path, before: Spent) -> None:
        self._run, self._before = run, before
        self._told = False

    def begin(self, trainer: Any) -> None:
        """As if the run had never been stopped: by this reckoning it knows how many epochs there is time for."""
        if not self._told:
            trainer.train_time_start -= self._before.seconds
            trainer.start_epoch = 0
            self._told = True

    def keep(self, trainer: Any) -> None:
        """Told with every checkpoint."""
        epochs = trainer.epoch + 1
        views = epochs * len(trainer.train_loader.dataset)
        write_spent(self._run, Spent(time.time() - trainer.train_time_start, epochs, views))


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    options = _parser().parse_args(arguments)
    return ended("train.quick.train", lambda: _train(options))


def _train(options: argparse.Namespace) -> str:
    if not (options.data / "data.yaml").exists():
        raise BuildError(
            f"{options.data}: no pictures to train on; write them with python -m scripts.train.quick.data"
        )
    options.run.mkdir(parents=True, exist_ok=True)
    _alone(options.run, options.threads)
    from scripts.train.quick.halves import hasten
    from scripts.train.quick.ultralytics_here import YOLO

    spent = read_spent(options.run)
    last = checkpoint(options.run)
    if not spent.done:
        net = YOLO(str(last) if last.exists() else NET)
        clock = Clock(options.run, spent)
        net.add_callback("on_train_start", lambda trainer: hasten(trainer, options.threads))
        net.add_callback("on_train_epoch_start", clock.begin)
        net.add_callback("on_model_save", clock.keep)
        net.train(**settings(options.data, options.run, options.minutes), resume=last.exists())
        spent = replace(read_spent(options.run), done=True)
        write_spent(options.run, spent)
    out = options.run / "quick.onnx"
    made = YOLO(str(last)).export(format="onnx", imgsz=list(LOOK), opset=OPSET, simplify=False, nms=False)
    with whole(out) as part:
        shutil.move(made, part)
    return f"{out}: trained for {spent.seconds / 60:.1f} minutes, {spent.epochs} epochs"


def _alone(run: Path, threads: int) -> None:
    """Before ultralytics is there: it shall fetch nothing, install nothing, write nowhere else, use these threads."""
    home = run.resolve() / "settings"
    home.mkdir(exist_ok=True)
    own = {"YOLO_OFFLINE": "true", "YOLO_AUTOINSTALL": "false", "YOLO_CONFIG_DIR": str(home)}
    os.environ |= own | {"OMP_NUM_THREADS": str(threads)}


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument(
        "--data", type=Path, default=Path("cache/quick"), help="what scripts.train.quick.data wrote"
    )
    parser.add_argument("--run", type=Path, default=Path("runs/quick"), help="where checkpoints are kept")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--threads", type=positive, default=2)
    return parser


if __name__ == "__main__":
    sys.exit(main())
