"""Measures how fast the eye is: a table of 60 cards, a photo of 12 megapixels, and `nerts-referee see` from its start.

    python -m scripts.measure.bench.eye --out docs/bench/eye.json

Medians of five, by the clock, as asked on two idle cores, and by processor time beside it: on a busy machine the
clock says nothing. The load is written down with the figures. The pictures are drawn with committable decks from the
cache (`make art`); the photo is a drawn one, enlarged.

`make bench-eye` gives numpy one thread, as the program does (`referee/commands/program.py`).
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from datasets.decks import AssetError
from datasets.files import put
from datasets.sets import PictureSet, draw
from scripts.building import BuildError, ended, positive
from scripts.here import ROOT, here
from scripts.measure.bench.speed import Figure
from vision.eye import Eye

Pixels = NDArray[np.uint8]

#: The table: how many cards it shows (and how many more or fewer will do), what shows of a card at least, and how many
#: pictures are looked through for one.
CARDS, NEARLY, SHOWN, TRIES = 60, 5, 0.15, 40
#: Sides of the photo, px.
PHOTO = (4032, 3024)
TABLE = PictureSet.model_validate(
    {"what": "layouts", "game": "nerts", "pictures": TRIES, "seed": 60, "px_per_mm": (1.6, 2.0)}
    | {"progress": (0.3, 0.7), "committable": True}
)
LEFT = PictureSet.model_validate({"what": "leftovers", "pictures": 1, "seed": 12, "committable": True})
#: Starts a program and tells its status, seconds, processor time and peak memory. It is small itself: what starts a
#: program lends it its own size, and that would count as the program's.
STARTER = """
import json, os, subprocess, sys, time
begun = time.perf_counter()
program = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(program.pid, 0)
program.returncode = os.waitstatus_to_exitcode(status)
told = program.returncode, time.perf_counter() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss
print(json.dumps(told))
"""


def table() -> Pixels:
    """The first drawn table of Nerts, 1920 x 1080, that shows about 60 cards; raises AssetError, BuildError."""
    for number in range(TRIES):
        still = draw(TABLE, number)
        shown = sum(card.visible_fraction >= SHOWN for card in still.cards)
        if abs(shown - CARDS) <= NEARLY:
            return still.image
    raise BuildError(f"none of {TRIES} tables shows {CARDS - NEARLY} to {CARDS + NEARLY} cards")


def photo() -> Pixels:
    """Left-over cards as a phone takes them, enlarged to 12 megapixels; raises AssetError."""
    image = draw(LEFT, 0).image
    size = PHOTO if image.shape[1] > image.shape[0] else PHOTO[::-1]
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)


def warm(name: str, look: Callable[[], object], times: int, at_most: float) -> list[Figure]:
    """How long an action takes that has run once before, by the clock and by processor time, ms."""
    look()
    clock, processor = [], []
    for _ in tqdm(range(times), desc=name, leave=False):
        begun, used = time.perf_counter(), time.process_time()
        look()
        clock.append(1000 * (time.perf_counter() - begun))
        processor.append(1000 * (time.process_time() - used))
    return [Figure(name, "ms", clock, at_most=at_most), Figure(f"{name}, processor time", "ms", processor)]


def cold(name: str, command: Sequence[str], times: int, at_most: float, most_mb: float) -> list[Figure]:
    """A whole program from its start to its end, by the clock and by processor time, ms; its peak memory, MB.

    Raises BuildError if the program fails.
    """
    clock, processor, memory = [], [], []
    for _ in tqdm(range(times + 1), desc=name, leave=False):
        started = subprocess.run(
            [sys.executable, "-c", STARTER, *command], cwd=ROOT, check=True, stdout=subprocess.PIPE
        )
        status, seconds, used, most = json.loads(started.stdout)
        if status:
            raise BuildError(f"{' '.join(command)} ended with {status}")
        clock.append(1000 * seconds)
        processor.append(1000 * used)
        # bytes on macOS, else KB
        memory.append(most / (1e6 if sys.platform == "darwin" else 1024))
    # the first one fills the system's caches
    return [
        Figure(name, "ms", clock[1:], at_most=at_most),
        Figure(f"{name}, processor time", "ms", processor[1:]),
        Figure(f"{name}, peak memory", "MB", memory[1:], at_most=most_mb),
    ]


def measure(times: int, threads: int) -> list[Figure]:
    """All figures; raises AssetError, BuildError."""
    eye, laid, taken = Eye(threads=threads), table(), photo()
    seen = len(eye.see(laid).cards)
    figures = warm(f"table of {seen} cards seen, 1080p, warm", lambda: eye.see(laid), times, 300)
    figures += warm("photo of 12 megapixels, warm", lambda: eye.see(taken), times, 2000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.jpg"
        cv2.imwrite(str(path), laid, [cv2.IMWRITE_JPEG_QUALITY, 95])
        command = [sys.executable, "-m", "referee.commands", "see", "--json", str(path)]
        return figures + cold("see, cold, 1080p", command, times, 2000, 700)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; with `--out` write the figures as JSON too. 0, or 2 with one line on standard error."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=positive, default=5, help="runs of each")
    parser.add_argument("--threads", type=positive, default=2, help="threads of the networks")
    parser.add_argument("--out", type=Path, help="where to write the figures as JSON")
    options = parser.parse_args(arguments)
    return ended("measure.bench.eye", lambda: _measure(options), AssetError, remedy="measure again")


def _measure(options: argparse.Namespace) -> str:
    figures = measure(options.times, options.threads)
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        report = {"figures": [figure.to_json() for figure in figures], "here": here()}
        put(options.out, json.dumps(report, indent=1) + "\n")
    return "\n".join(_line(figure) for figure in figures)


def _line(figure: Figure) -> str:
    verdict = "" if not figure.asked else "met" if figure.met else "NOT MET"
    return (
        f"{figure.name:54} {statistics.median(figure.runs):8.0f} {figure.unit:4} {figure.asked:>8} {verdict}"
    )


if __name__ == "__main__":
    sys.exit(main())
