"""Holds three ways of seeing hands against the truth of the same films: the quick look, motion, and the finder's hands.

    python -m scripts.train.quick.compare runs/quick/quick.onnx FILM.mp4 ... --out out/hands.json

A film as `scripts.build.film.hand` makes it, with the truth about some of its frames beside it. Prints for each way the
recall and precision of hands, for how many of these it tells from which side of the picture the arm comes, and ms of CPU.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from datasets.files import put
from scripts.building import BuildError, ended
from scripts.here import here
from scripts.matching import best_first
from scripts.train.quick.labels import HAND, Box, boxes_of
from scripts.train.quick.measure import SAME, Looker, Pixels, Tally, overlaps
from vision.capture.change import TILE, ChangeMap, clusters, spread_out
from vision.capture.video import Frame, Video
from vision.eye import Eye

#: What moved within so many s is motion; fewer tiles than this are noise.
MOVED_S, LEAST_TILES = 0.1, 12
#: An arm's box that ends so near (share of the picture) to one of its sides comes from there.
AT_RIM = 0.01

Way = Callable[[Frame, Pixels], list[Box]]


@dataclass(slots=True)
class Compared:
    """What came of one way of seeing hands."""

    hands: Tally = field(default_factory=Tally)
    #: Hands that were found, and of these those with the side from which their arm comes.
    found: int = 0
    sided: int = 0
    #: ms of CPU of each look.
    cpu_ms: list[float] = field(default_factory=list)

    def count(self, truth: Sequence[Box], seen: Sequence[Box], size: tuple[int, int]) -> None:
        """Adds a picture of `size` (width, height) px."""
        self.hands.there += len(truth)
        self.hands.told += len(seen)
        if not truth or not seen:
            return
        overlap = overlaps(truth, seen)
        pairs = best_first(overlap, np.zeros_like(overlap), SAME)
        self.hands.both += len(pairs)
        for mine, theirs in pairs:
            self.found += 1
            self.sided += bool(rims(truth[mine], size)) and rims(truth[mine], size) == rims(
                seen[theirs], size
            )

    def as_json(self) -> dict[str, object]:
        """Counts, shares with intervals, and the median cost."""
        cost = round(float(np.median(self.cpu_ms)), 1) if self.cpu_ms else None
        return {**self.hands.as_json(), "found": self.found, "sided": self.sided, "cpu_ms": cost}


def rims(box: Box, size: tuple[int, int]) -> str:
    """The sides of the picture at which a box ends: of t, r, b, l."""
    width, height = size
    near = AT_RIM * max(size)
    ends = {
        "t": box.top < near,
        "r": box.right > width - near,
        "b": box.bottom > height - near,
        "l": box.left < near,
    }
    return "".join(side for side, there in ends.items() if there)


def moving(change: ChangeMap) -> list[Box]:
    """Boxes about what moves, px of the film."""
    tiles = spread_out(change.moved > change.now - MOVED_S)
    boxes = []
    for cluster in clusters(tiles):
        if int(cluster.sum()) < LEAST_TILES:
            break
        rows, columns = np.nonzero(cluster)
        edges = np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]) * TILE / change.scale
        boxes.append(Box(HAND, *edges.tolist()))
    return boxes


def compare(films: Sequence[Path], looker: Looker) -> dict[str, Compared]:
    """All ways on all frames of which the truth is known; raises BuildError where a film has none."""
    eye, found = Eye(), {way: Compared() for way in ("quick", "motion", "finder")}
    for film in films:
        truth = _truth(film)
        with Video(film) as video:
            size = (video.width, video.height)
            for frame, image, change in _frames(video, size, truth):
                there = [box for box in boxes_of(truth[frame.index], size) if box.kind == HAND]
                ways: dict[str, Callable[[], list[Box]]] = {
                    "quick": partial(_looked, looker, image),
                    "motion": partial(moving, change),
                    "finder": partial(_found, eye, image, size),
                }
                for name, way in ways.items():
                    begun = time.process_time()
                    seen = way()
                    found[name].cpu_ms.append(1e3 * (time.process_time() - begun))
                    found[name].count(there, seen, size)
    return found


def _frames(
    video: Video, size: tuple[int, int], truth: dict[int, Any]
) -> Iterator[tuple[Frame, Pixels, ChangeMap]]:
    change = ChangeMap(*size)
    for frame in video:
        image = np.asarray(frame.image, dtype=np.uint8)
        change.push(frame.time_s, image)
        if frame.index in truth:
            yield frame, image, change


def _looked(looker: Looker, image: Pixels) -> list[Box]:
    return [box for box in looker.look(image) if box.kind == HAND]


def _found(eye: Eye, image: Pixels, size: tuple[int, int]) -> list[Box]:
    outlines = [np.clip(hand.corners, 0, size) for hand in eye.see(image).hands]
    return [Box(HAND, *one.min(axis=0).tolist(), *one.max(axis=0).tolist()) for one in outlines]


def _truth(film: Path) -> dict[int, Any]:
    told = film.with_suffix(".frames.jsonl")
    try:
        lines = [json.loads(line) for line in told.read_text(encoding="utf-8").splitlines()]
        return {line["frame"]: line for line in lines}
    except (OSError, ValueError, KeyError):
        raise BuildError(f"{told}: not the truth about a film's frames; film it again") from None


def table(found: dict[str, Compared]) -> str:
    """The figures as a table of markdown."""
    rows = [
        "| hands by | recall | precision | side of the arm, of those found | CPU ms |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, one in found.items():
        told = one.as_json()
        rows.append(
            f"| {name} | {told['both']} of {told['there']} | {told['both']} of {told['told']} | "
            f"{told['sided']} | {told['cpu_ms']} |"
        )
    return "\n".join(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("net", type=Path, help="an ONNX file that scripts.train.quick.train wrote")
    parser.add_argument("films", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, help="a file for all figures")
    options = parser.parse_args(arguments)
    return ended("train.quick.compare", lambda: _compared(options))


def _compared(options: argparse.Namespace) -> str:
    cv2.setNumThreads(1)
    found = compare(options.films, Looker(options.net, 1))
    if options.out is not None:
        figures = {name: one.as_json() for name, one in found.items()}
        put(options.out, json.dumps({**figures, "here": here()}, indent=1) + "\n")
    return table(found)


if __name__ == "__main__":
    sys.exit(main())
