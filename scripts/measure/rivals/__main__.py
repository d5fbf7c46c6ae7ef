"""Votes, oriented boxes or corner points? Each trained on the same windows for equal views, then measured on others.

    python -m scripts.measure.rivals --data cache/windows cache/windows-cut --tune cache/windows-tune \\
        --figures cache/windows-figures --views 40000 --out docs/finders.md

All begin from nothing, with the finder's trunk and schedule. Thresholds and what suppression may overlap are settled on
the windows of `--tune`; the figures are of `--figures`. What is trained already is kept, so a stopped comparison goes on.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import onnxruntime as ort
import torch
from numpy.typing import NDArray

from datasets.window_targets import vote_targets
from models.finder_net import FinderNet
from scripts.building import ended, positive
from scripts.measure.rivals.decode import Rectangles, read_peaks, suppressed
from scripts.measure.rivals.loss import judge
from scripts.measure.rivals.measure import View, outcome, views
from scripts.measure.rivals.page import Row, page, picture
from scripts.measure.rivals.peaks import CHANNELS, Rival, peak_targets
from scripts.train.export.checked import export, load_average
from scripts.train.export.nets import NETS
from scripts.train.finder import Shards
from scripts.train.finder import judge as judge_votes
from scripts.train.loop import Training, options_of
from vision.detect.finder import Finder
from vision.scene.confidence import confidence
from vision.scene.stacking import stack_up

Pixels = NDArray[np.uint8]
Find = Callable[[Pixels], Rectangles]

#: What of each other cards may overlap (oriented IoU) and still be two: tried on the windows of `--tune`.
OVERLAPS = (0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class Way:
    """One way of finding cards."""

    told: str
    net: str
    size_known: bool = False


WAYS = (
    Way("votes of all cells (ours)", "votes"),
    Way("oriented boxes, suppressed", "boxes"),
    Way("corner points, each with its rectangle", "corners"),
    Way("corner points, size of cards known", "corners", size_known=True),
)


def train(name: str, options: argparse.Namespace) -> Path:
    """The network of a way, trained and exported, unless it is there."""
    out: Path = options.runs / f"{name}.onnx"
    if out.exists():
        return out
    given = ["--data", *map(str, options.data), "--run", str(options.runs / name)]
    given += ["--views", str(options.views), "--batch", "8", "--threads", str(options.threads)]
    said = options_of(None, "", minutes=0, batch=8, lr=2e-3).parse_args(given)
    torch.manual_seed(0)
    votes = name == "votes"
    net = FinderNet() if votes else FinderNet(channels=CHANNELS)
    training = Training(net.to(memory_format=torch.channels_last), said)  # type: ignore[call-overload]
    targets = vote_targets if votes else partial(peak_targets, _rival(name))
    training.run(
        lambda rng: partial(Shards(said.data, rng, options.crop, targets).batch, said.batch),
        judge_votes if votes else judge,
    )
    learned = FinderNet() if votes else FinderNet(channels=CHANNELS)
    load_average(learned, said.run / "last.pt")
    finder = NETS["finder"]
    export(learned, finder.inputs, finder.output, finder.free, out)
    return out


def _rival(name: str) -> Rival:
    return "boxes" if name == "boxes" else "corners"


def finds(way: Way, model: Path) -> Find:
    """Pictures to rectangles, before anything is suppressed."""
    if way.net == "votes":
        return partial(_voted, Finder(model, threads=1))
    session = ort.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    return partial(_peaked, session, way.size_known)


def _voted(finder: Finder, image: Pixels) -> Rectangles:
    found = finder.find(image)
    sure = confidence(found, stack_up(found, image.shape[1], image.shape[0]))
    order = np.argsort(-sure, kind="stable")
    return Rectangles(found.corners[order], sure[order])


def _peaked(session: ort.InferenceSession, size_known: bool, image: Pixels) -> Rectangles:
    batch = image.transpose(2, 0, 1)[None].astype(np.float32) / 255
    (output,) = session.run(None, {"image": batch})
    return read_peaks(output[0].astype(np.float64), size_known)


def settle(way: Way, find: Find, tune: Sequence[View]) -> tuple[Find, float, float | None]:
    """The way with what is settled on the windows of `--tune`: threshold, and what suppression may overlap."""
    raw = [find(view.image) for view in tune]
    best: tuple[float, float, float | None] = (-1.0, 0.5, None)
    for overlap in (None,) if way.net == "votes" else OVERLAPS:
        kept = ((_kept(found, overlap), view) for found, view in zip(raw, tune, strict=True))
        told = outcome(kept, f"{way.net}, {overlap or 'as found'}")
        threshold = told.best()
        best = max(best, (told.f(threshold), threshold, overlap), key=lambda one: one[0])
    _, threshold, overlap = best
    return lambda image: _kept(find(image), overlap), threshold, overlap


def _kept(found: Rectangles, overlap: float | None) -> Rectangles:
    return found if overlap is None else suppressed(found, overlap)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    for name, told in (
        ("data", "to train on"),
        ("tune", "to settle thresholds on"),
        ("figures", "to measure on"),
    ):
        parser.add_argument(
            f"--{name}", type=Path, nargs="+", required=True, help=f"folders of windows {told}"
        )
    parser.add_argument("--runs", type=Path, default=Path("runs/rivals"))
    parser.add_argument("--views", type=positive, default=40_000)
    parser.add_argument("--crop", type=positive, default=256)
    parser.add_argument("--threads", type=positive, default=1)
    parser.add_argument("--only", choices=("votes", "boxes", "corners"), help="train this network and end")
    parser.add_argument("--out", type=Path, required=True, help="page to write: .md")
    options = parser.parse_args(arguments)
    return ended("measure.rivals", lambda: _compare(options))


def _compare(options: argparse.Namespace) -> str:
    if options.only:
        return f"{train(options.only, options)} is there"
    models = {name: train(name, options) for name in dict.fromkeys(way.net for way in WAYS)}
    tune = [view for folder in options.tune for view in views(folder)]
    given = [view for folder in options.figures for view in views(folder)]
    rows = []
    for way in WAYS:
        find, threshold, overlap = settle(way, finds(way, models[way.net]), tune)
        began = time.process_time()
        told = outcome(((find(view.image), view) for view in given), way.told)
        rows.append(Row(way.told, overlap, threshold, told, (time.process_time() - began) / len(given)))
    options.out.write_text(page(rows, options.views, options.crop, len(given)))
    runs = {name: options.runs / name for name in models}
    picture(rows, runs, options.out.with_suffix(".png"))
    return f"{options.out}: {len(given)} windows"


if __name__ == "__main__":
    sys.exit(main())
