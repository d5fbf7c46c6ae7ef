"""Judges quick.onnx on pictures of decks and surfaces that training never saw, and writes what it finds.

    python -m scripts.train.quick.measure runs/quick/quick.onnx --data cache/quick --out runs/quick/measured

Writes OUT.json and OUT.md: recall and precision of hands and of carried cards, and ms a frame.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from tqdm import tqdm

from datasets.decks import Split
from datasets.files import put
from scripts.building import BuildError, ended, positive
from scripts.here import here
from scripts.intervals import wilson
from scripts.matching import best_first
from scripts.train.quick.data import SPLITS, label_path
from scripts.train.quick.labels import CLASSES, Box, read_boxes

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]

#: Least confidence of what counts as seen, and IoU from which it is the thing that is there.
SURE, SAME = 0.25, 0.5
#: Grey of what the network is shown beside the picture.
BESIDE = 114
#: Looks before the clock runs.
WARM = 5


class Looker:
    """The exported network."""

    def __init__(self, path: Path, threads: int) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        try:
            self._net = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # ONNX Runtime has no error of its own to catch
            raise BuildError(f"{path}: no network that can be read ({error}); train it again") from None
        (self._input,) = self._net.get_inputs()
        self.size: tuple[int, int] = (self._input.shape[3], self._input.shape[2])

    def prepared(self, image: Pixels) -> tuple[NDArray[np.float32], float, tuple[int, int]]:
        """A picture (H, W, 3) BGR as the network wants it, by what it was scaled, and where it lies, px."""
        height, width = image.shape[:2]
        scale = min(self.size[0] / width, self.size[1] / height)
        small = (round(width * scale), round(height * scale))
        left, top = (self.size[0] - small[0]) // 2, (self.size[1] - small[1]) // 2
        shown = np.full((self.size[1], self.size[0], 3), BESIDE, np.uint8)
        shown[top : top + small[1], left : left + small[0]] = cv2.resize(
            image, small, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        )
        planes = shown[..., ::-1].transpose(2, 0, 1)[None]
        return np.ascontiguousarray(planes, dtype=np.float32) / np.float32(255), scale, (left, top)

    def told(self, tensor: NDArray[np.float32]) -> Floats:
        """(n, 6): left, top, right, bottom in what was shown, confidence, class."""
        (rows,) = self._net.run(None, {self._input.name: tensor})
        return np.asarray(rows[0], dtype=np.float64)

    def look(self, image: Pixels) -> list[Box]:
        """The boxes that it is sure of, px of the picture."""
        tensor, scale, offset = self.prepared(image)
        rows = self.told(tensor)
        rows = rows[rows[:, 4] >= SURE]
        corners = (rows[:, :4] - np.tile(offset, 2)) / scale
        return [Box(int(row[5]), *corner) for row, corner in zip(rows, corners.tolist(), strict=True)]


@dataclass(slots=True)
class Tally:
    """How many are there, were told, and were both."""

    there: int = 0
    told: int = 0
    both: int = 0

    def as_json(self) -> dict[str, object]:
        """Counts and shares with their 95 % intervals."""
        shares = {"recall": (self.both, self.there), "precision": (self.both, self.told)}
        figures: dict[str, object] = {"there": self.there, "told": self.told, "both": self.both}
        for name, (part, whole) in shares.items():
            figures[name] = round(part / whole, 4) if whole else None
            figures[f"{name}_interval"] = [round(end, 4) for end in wilson(part, whole)]
        return figures


@dataclass(slots=True)
class Judged:
    """What came of looking at pictures."""

    pictures: int = 0
    tallies: list[Tally] = field(default_factory=lambda: [Tally() for _ in CLASSES])
    #: ms of a look at a picture, the first few left out: shrinking it, the network, the boxes.
    look_ms: list[float] = field(default_factory=list)

    def count(self, truth: Sequence[Box], seen: Sequence[Box]) -> None:
        """Adds a picture."""
        self.pictures += 1
        for kind, tally in enumerate(self.tallies):
            there, told = ([box for box in boxes if box.kind == kind] for boxes in (truth, seen))
            tally.there += len(there)
            tally.told += len(told)
            if there and told:
                overlap = overlaps(there, told)
                tally.both += len(best_first(overlap, np.zeros_like(overlap), SAME))


def overlaps(some: Sequence[Box], others: Sequence[Box]) -> Floats:
    """(n, m) intersection over union."""
    a, b = (np.array([box[1:] for box in boxes], dtype=np.float64) for boxes in (some, others))
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:], b[None, :, 2:])
    common = np.clip(high - low, 0, None).prod(axis=2)
    areas = [(boxes[:, 2:] - boxes[:, :2]).prod(axis=1) for boxes in (a, b)]
    return np.asarray(common / np.maximum(areas[0][:, None] + areas[1] - common, 1e-9))


def judge(looker: Looker, pictures: Sequence[Path]) -> Judged:
    """Looks at every picture; raises BuildError where one or its labels cannot be read."""
    judged = Judged()
    for number, path in enumerate(tqdm(pictures, desc="pictures")):
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if image is None:
            raise BuildError(f"{path}: not a picture; delete it and write the pictures again")
        picture = np.asarray(image, dtype=np.uint8)
        begun = time.perf_counter()
        seen = looker.look(picture)
        looked = time.perf_counter()
        judged.count(_truth(path, picture), seen)
        if number >= WARM or len(pictures) <= WARM:
            judged.look_ms.append(1e3 * (looked - begun))
    return judged


def _truth(path: Path, picture: Pixels) -> list[Box]:
    labels = label_path(path)
    try:
        return read_boxes(labels.read_text(encoding="utf-8"), (picture.shape[1], picture.shape[0]))
    except (OSError, ValueError):
        raise BuildError(f"{labels}: not the labels of a picture; write the pictures again") from None


def figures_of(judged: Judged, options: argparse.Namespace) -> dict[str, Any]:
    """What was found, on what, and where."""
    return {
        "net": {"file": options.net.name, "trained": _noted(options.net.with_name("spent.json"))},
        "data": _noted(options.data / "quick.json")
        | {split: len(_pictures(options.data, split)) for split in SPLITS},
        "pictures": judged.pictures,
        "sure": SURE,
        "same": SAME,
        **{name: tally.as_json() for name, tally in zip(CLASSES, judged.tallies, strict=True)},
        "look_ms": round(statistics.median(judged.look_ms), 1),
        "threads": options.threads,
        "here": here(),
    }


def _noted(path: Path) -> dict[str, Any]:
    """What a step before has noted down; empty where it has not."""
    try:
        noted: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return noted


def _pictures(data: Path, split: Split) -> list[Path]:
    return sorted((data / "images" / split).glob("*.jpg"))


def report(figures: dict[str, Any]) -> str:
    """The figures as a page of markdown."""
    data, place = figures["data"], figures["here"]
    trained = {"seconds": 0, "epochs": 0, "views": 0} | figures["net"]["trained"]
    rows = "".join(_row(name, figures[name]) for name in CLASSES)
    return f"""# A quick look at hands and carried cards

`make train NET=quick` trains yolo26n from nothing on pictures of filmed hands, each film with a table, light, decks,
sleeves and players of its own, and judges the exported network on decks and surfaces that training never saw. Made by
`scripts/train/quick/measure.py`.

| what | there | told | recall | precision |
| --- | --- | --- | --- | --- |
{rows}
Boxes with confidence from {figures["sure"]:g} count as told, and as right from an IoU of {figures["same"]:g} with what is
there; in brackets 95 % intervals that take every thing for independent of the others in its picture. Carried cards
count from a quarter visible.

* {data["train"]} pictures trained on, {data["tune"]} looked at (seed {data.get("seed", "unknown")}).
* Trained for {trained["seconds"] / 60:.1f} minutes: {trained["epochs"]} epochs, {trained["views"]} views.
* A look takes {figures["look_ms"]:g} ms (median), {figures["threads"]} threads, load {place["load"]:g}.
* Commit {place["commit"]}, {place["machine"]}, Python {place["python"]}.
"""


def _row(name: str, tally: dict[str, Any]) -> str:
    cells = [f"{name}s", str(tally["there"]), str(tally["told"])]
    for share in ("recall", "precision"):
        low, high = tally[f"{share}_interval"]
        known = tally[share] is not None
        cells.append(f"{tally[share]:.3f} ({low:.3f} to {high:.3f})" if known else "none to tell")
    return f"| {' | '.join(cells)} |\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    options = _parser().parse_args(arguments)
    return ended("train.quick.measure", lambda: _measure(options))


def _measure(options: argparse.Namespace) -> str:
    pictures = _pictures(options.data, SPLITS[1])
    if not pictures:
        raise BuildError(
            f"{options.data}: no pictures to look at; write them with python -m scripts.train.quick.data"
        )
    cv2.setNumThreads(options.threads)
    figures = figures_of(judge(Looker(options.net, options.threads), pictures), options)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    put(options.out.with_suffix(".json"), json.dumps(figures, indent=1) + "\n")
    put(options.out.with_suffix(".md"), report(figures))
    hand, card = (figures[name] for name in CLASSES)
    return (
        f"{options.out}.md: recall of hands {hand['recall']}, of cards {card['recall']}, "
        f"{figures['look_ms']:g} ms a look"
    )


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("net", type=Path, help="an ONNX file that scripts.train.quick.train wrote")
    parser.add_argument(
        "--data", type=Path, default=Path("cache/quick"), help="what scripts.train.quick.data wrote"
    )
    parser.add_argument("--out", type=Path, default=Path("runs/quick/measured"), help="without an ending")
    parser.add_argument("--threads", type=positive, default=2)
    return parser


if __name__ == "__main__":
    sys.exit(main())
