"""Measures the reader: on drawn crops by deck, cover and scale with its calibration, and on real single cards.

Drawn crops come from `build_reader_crops.py --split figures`. Real cards (`--real`, the folder with
labels.jsonl) are cut out without the finder, by their outline where that is plain: the figure is the reader's alone.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.faces.reader import CROP, Reader, to_crop, warp
from vision.layout import FACES, RANKS

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]
#: Edges of the px/mm classes.
SCALES = (0.8, 1.1, 1.6, 2.6, 7.01)


@dataclass(slots=True)
class Answers:
    """What was read and what is true, side by side."""

    #: (n, 53) probabilities, the last for reject; (n,) truth.
    chances: Floats
    labels: NDArray[np.int64]

    @property
    def right(self) -> NDArray[np.bool_]:
        """(n,) most likely is true."""
        return np.asarray(self.chances.argmax(axis=1) == self.labels)

    def calibration_error(self, bins: int = 15) -> float:
        """Expected calibration error of the most likely answer, bins of equal count."""
        sure, right = self.chances.max(axis=1), self.right
        parts = np.array_split(np.argsort(sure), bins)
        gaps = [abs(float(sure[p].mean() - right[p].mean())) * len(p) for p in parts if len(p)]
        return float(sum(gaps) / max(len(sure), 1))

    def sure_wrong(self, least: float = 0.99) -> tuple[int, int]:
        """How many faces are named with at least this confidence, and how many of those wrongly."""
        named = (self.chances.max(axis=1) >= least) & (self.chances.argmax(axis=1) < len(FACES))
        return int(named.sum()), int((named & ~self.right).sum())


def read_all(reader: Reader, images: Pixels, masks: Pixels) -> Floats:
    """(n, 53) probabilities."""
    reading = reader.read(images, masks)
    return np.concatenate([reading.probabilities, reading.reject[:, None]], axis=1)


def drawn(reader: Reader, folder: Path) -> tuple[Answers, dict[str, NDArray[np.str_]], Floats]:
    """Answers on all shards of a folder, their kind, deck and true name, and px/mm."""
    columns: dict[str, list[NDArray[np.generic]]] = {}
    chances = []
    for path in sorted(folder.glob("*.labels.npy")):
        shard = {
            kind: np.load(path.with_name(path.name.replace("labels", kind)), mmap_mode="r")
            for kind in ("images", "masks", "kind", "deck", "name", "scale", "labels")
        }
        chances.append(read_all(reader, np.asarray(shard["images"]), np.asarray(shard["masks"])))
        for kind in ("kind", "deck", "name", "scale", "labels"):
            columns.setdefault(kind, []).append(np.asarray(shard[kind]))
    joined = {kind: np.concatenate(parts) for kind, parts in columns.items()}
    answers = Answers(np.concatenate(chances), joined["labels"].astype(np.int64))
    words = {kind: joined[kind].astype(np.str_) for kind in ("kind", "deck", "name")}
    return answers, words, joined["scale"].astype(np.float64)


def table(answers: Answers, words: dict[str, NDArray[np.str_]], scale: Floats) -> Iterator[str]:
    """Lines of figures: right among readable faces, by class; what is said of what is no face; calibration."""
    face = answers.labels < len(FACES)
    for title in ("kind", "deck"):
        for value in sorted(set(words[title][face])):
            yield _line(f"{title} {value}", answers.right[face & (words[title] == value)])
    for low, high in pairwise(SCALES):
        within = face & (scale >= low) & (scale < high)
        yield _line(f"{low:.1f}-{high:.1f} px/mm", answers.right[within])
        yield _line("  of these whole", answers.right[within & (words["kind"] == "whole")])
    yield _line("all readable faces", answers.right[face])
    yield _line("rejected of what is no readable face", answers.right[~face])
    named, wrong = answers.sure_wrong()
    yield f"calibration error {answers.calibration_error():.4f}"
    yield f"named with 0.99 or more: {named / max(int(face.sum()), 1):.3f} of faces, wrong {wrong} of {named}"


def _line(title: str, right: NDArray[np.bool_]) -> str:
    return f"{title:40s} {right.mean() if len(right) else float('nan'):.4f} of {len(right)}"


def outline(image: Pixels, box: tuple[float, float, float, float]) -> Floats | None:
    """(4, 2) corners of a plain bright card that fills the box (x, y, w, h), or None where it is not plain."""
    x, y, w, h = box
    left, top = max(int(x) - 6, 0), max(int(y) - 6, 0)
    part = image[top : int(y + h) + 6, left : int(x + w) + 6]
    light = cv2.GaussianBlur(part.min(axis=2), (0, 0), 1.0)
    _, bright = cv2.threshold(light, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    bright = cv2.morphologyEx(bright, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    shapes, _ = cv2.findContours(bright, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not shapes:
        return None
    hull = cv2.convexHull(max(shapes, key=cv2.contourArea))
    corners = cv2.boxPoints(cv2.minAreaRect(hull)).astype(np.float64)
    sides = np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1)
    short, long = min(sides[0], sides[1]), max(sides[0], sides[1])
    plain = cv2.contourArea(hull) / max(short * long, 1.0) > 0.9 and 1.2 < long / max(short, 1.0) < 1.65
    corners = np.add(corners, (left, top))
    low, high = corners.min(axis=0), corners.max(axis=0)
    fits = np.abs(np.concatenate([low - (x, y), high - (x + w, y + h)])).max() < 0.08 * max(w, h)
    if not (plain and fits):
        return None
    if sides[0] > sides[1]:
        corners = np.roll(corners, -1, axis=0)
    return np.asarray(corners)


def real(reader: Reader, folder: Path, show: Callable[[Pixels, str], None]) -> str:
    """Rank right among the real cards that could be cut out without a finder."""
    rows = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]
    crops, truths, cards = [], [], 0
    for row in (row for row in rows if row["set"] == "edje"):
        image = np.asarray(cv2.imread(str(folder / row["image"])), dtype=np.uint8)
        for box in row["boxes"]:
            cards += 1
            corners = outline(image, (box["x"], box["y"], box["w"], box["h"]))
            if corners is not None:
                crops.append(warp(image, to_crop(corners), corners))
                truths.append(box["label"][0])
    chances = read_all(reader, np.stack(crops), np.full((len(crops), *CROP), 255, np.uint8))
    right = 0
    for crop, truth, chance in zip(crops, truths, chances, strict=True):
        ranks = chance[: len(FACES)].reshape(-1, len(RANKS)).sum(axis=0)
        said = RANKS[int(ranks.argmax())]
        right += said == truth
        if said != truth:
            show(crop, f"{truth} {FACES[int(chance[:52].argmax())]} {chance[:52].max():.2f}")
    return f"real cards that are plain to cut out: rank right {right / len(crops):.3f} of {len(crops)} (of {cards})"


def save_sheet(failures: list[tuple[Pixels, str]], path: Path) -> None:
    """A picture of crops with a word under each."""
    tiles = []
    for crop, words in failures[:160]:
        tile = cv2.copyMakeBorder(crop, 0, 16, 0, 2, cv2.BORDER_CONSTANT)
        cv2.putText(
            tile, words, (2, CROP[0] + 12), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (0, 255, 255), 1, cv2.LINE_AA
        )
        tiles.append(tile)
    if not tiles:
        return
    tiles += [np.zeros_like(tiles[0])] * (-len(tiles) % 16)
    cv2.imwrite(str(path), np.vstack([np.hstack(tiles[i : i + 16]) for i in range(0, len(tiles), 16)]))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=None, help="instead of the shipped weights")
    parser.add_argument("--shards", type=Path, default=None, help="folder of drawn crops")
    parser.add_argument("--real", type=Path, default=None, help="folder with labels.jsonl and edje/")
    parser.add_argument("--sheet", type=Path, default=None, help="picture of the failures to write")
    options = parser.parse_args()
    reader = Reader(options.model)
    failures: list[tuple[Pixels, str]] = []
    if options.shards is not None:
        answers, words, scale = drawn(reader, options.shards)
        print("\n".join(table(answers, words, scale)))
    if options.real is not None:
        print(real(reader, options.real, lambda crop, words: failures.append((crop, words))))
    if options.sheet is not None:
        save_sheet(failures, options.sheet)


if __name__ == "__main__":
    main()
