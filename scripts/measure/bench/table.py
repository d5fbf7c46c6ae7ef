"""Measures how fast the digital table is: stills for training and frames of filmed hands; wants the art in the cache.

    python -m scripts.measure.bench.table --out docs/bench/table.json

Whole programs by the clock, from their start to their end, as asked for on two cores; stills by the processor time of
one core, too: on a busy machine the clock says nothing. The load is written down with the figures.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import cv2

from datasets.decks import AssetError
from datasets.files import put
from datasets.sets import PictureSet, SetError, draw, read_sets
from scripts.build.dataset import build
from scripts.building import BuildError, ended, positive
from scripts.here import ROOT, here
from scripts.measure.bench.speed import Figure, rates

#: Seconds that are filmed of a hand of four, and at how many frames a second.
SECONDS, FPS = 12, 30


def stills(wanted: PictureSet, times: int, workers: int) -> list[Figure]:
    """Pictures of a set a second, written with their truth, by all workers; and by one core's processor time."""
    by_clock = []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            begun = time.perf_counter()
            build("stills", wanted, Path(folder), workers)
            by_clock.append(wanted.pictures / (time.perf_counter() - begun))

    def one_core() -> int:
        for number in range(wanted.pictures):
            draw(wanted, number)
        return wanted.pictures

    cv2.setNumThreads(1)
    name = f"stills of {wanted.size} px"
    return [
        Figure(f"{name}, {workers} workers", "1/s", by_clock, at_least=4),
        Figure(f"{name}, processor time of one core", "1/s", rates(one_core, times)),
    ]


def filmed(times: int) -> Figure:
    """Frames a second of a hand of four that is filmed in 1080p, with truth, blur and encoding."""
    runs = []
    for seed in range(1, times + 1):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "scripts.build.film.hand", "--players", "4", "--quick"]
            command += ["--seed", str(seed), "--until", str(SECONDS), "--fps", str(FPS), "--out", folder]
            begun = time.perf_counter()
            if subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL).returncode:
                raise BuildError("no hand could be filmed; why stands above")
            runs.append(SECONDS * FPS / (time.perf_counter() - begun))
    return Figure("frames of a hand of four, 1080p", "1/s", runs, at_least=3)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; with `--out` write the figures as JSON too."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=positive, default=40, help="stills a run")
    parser.add_argument("--times", type=positive, default=3, help="runs of each")
    parser.add_argument("--workers", type=positive, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, help="where to write the figures as JSON")
    options = parser.parse_args(arguments)
    return ended(
        "measure.bench.table", lambda: _measure(options), AssetError, SetError, remedy="measure again"
    )


def _measure(options: argparse.Namespace) -> str:
    asked = read_sets()["stills"]
    if not isinstance(asked, PictureSet):
        raise SetError("the set `stills` of the manifest holds no pictures")
    wanted = asked.model_copy(update={"pictures": options.pictures})
    figures = [*stills(wanted, options.times, options.workers), filmed(options.times)]
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        report = {"figures": [figure.to_json() for figure in figures], "here": here()}
        put(options.out, json.dumps(report, indent=1) + "\n")
    return "\n".join(_line(figure) for figure in figures)


def _line(figure: Figure) -> str:
    verdict = "" if not figure.asked else "met" if figure.met else "NOT MET"
    return f"{figure.name:54} {figure.median:8.2f} {figure.unit:4} {figure.asked:>6} {verdict}"


if __name__ == "__main__":
    sys.exit(main())
