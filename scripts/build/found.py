"""Has the finder look at its windows, and keeps beside them where it finds cards, and which ones these truly are.

So the placer learns from rectangles and cells that are off in the way in which a finder's are; windows that the finder
was not trained on show that best. Beside each shard of windows comes NUMBER.found.npz with `quads` (windows, n, 4, 2)
px, NaN where there are fewer, `true` (windows, n) rows of the shard's cards, `owners` (windows, size / 4, size / 4),
which of the quads each cell is taken for, -1 none, and `looked`, which weights looked: with others all are looked at
anew.

python -m scripts.build.found cache/windows
python -m scripts.build.found cache/windows-spread --spread
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from tqdm import tqdm

from datasets.files import whole
from scripts.building import BuildError, ended, room_for
from scripts.matching import corners_of
from vision.detect.finder import Finder, SpreadFinder
from vision.detect.placing import seen_map
from vision.found import Found
from vision.geometry.polygons import oriented_iou
from vision.trained import weights_path

Floats = NDArray[np.float64]

#: Most cards found in a window that are kept; the rest is seldom, and lies on patterned cloths.
MOST = 120
#: A card lies at most so far (mean of the corners, widths) from where it was found; so much nearer counts whose cells
#: were all taken for it.
NEAR, OWN = 0.35, 0.15
#: What no card shares more than this with (IoU) is none; what is neither is not told.
NONE_HERE, NOTHING, UNTOLD = 0.4, -1, -2
#: What is kept of a shard takes about this share of the room that its table of cards does.
FOUND_PER_CARDS = 0.2


def truth_of(
    found: Found, owners: NDArray[np.int32], cells: NDArray[np.int16], cards: Floats
) -> NDArray[np.int16]:
    """(n,) which card each of the found ones is: a row of `cards`, `NOTHING` or `UNTOLD`.

    In a tight fan several cards lie near; each is found once, and whose cells they are tells as well.
    """
    shown = np.unique(cells[cells >= 0])
    told = np.full(len(found), NOTHING, dtype=np.int16)
    if not len(shown) or not len(found):
        return told
    true = np.stack([corners_of(cards[row]) for row in shown])
    width = np.linalg.norm(true[:, 1] - true[:, 0], axis=1)
    both = np.stack([found.corners, found.corners[:, [2, 3, 0, 1]]])
    apart = np.linalg.norm(both[:, :, None] - true[None, None], axis=4).mean(axis=3).min(axis=0) / width
    mine = (owners[None] == np.arange(len(found))[:, None, None]).reshape(len(found), -1)
    theirs = (cells[None] == shown[:, None, None]).reshape(len(shown), -1)
    share = (mine.astype(np.float64) @ theirs.T) / np.maximum(mine.sum(axis=1, keepdims=True), 1)
    cost = np.where(apart <= NEAR, apart - OWN * share, 10.0)
    rows, columns = linear_sum_assignment(cost)
    for row, column in zip(rows, columns, strict=True):
        if cost[row, column] < 10.0:
            told[row] = shown[column]
    for row in np.flatnonzero(told == NOTHING):
        near = np.flatnonzero(apart[row] < 1.5)
        if any(oriented_iou(true[k], found.corners[row]) > NONE_HERE for k in near):
            told[row] = UNTOLD
    return told


def look(
    finder: Finder, image: NDArray[np.uint8], cells: NDArray[np.int16], cards: Floats
) -> tuple[Floats, NDArray[np.int16], NDArray[np.int16]]:
    """What the finder finds in a window: (MOST, 4, 2) quads, (MOST,) which cards they are, (h, w) owners of the cells."""
    found = finder.find(image)
    owners, _ = seen_map(found, image.shape[1], image.shape[0])
    quads = np.full((MOST, 4, 2), np.nan)
    true = np.full(MOST, UNTOLD, dtype=np.int16)
    count = min(len(found), MOST)
    if count:
        quads[:count] = found.corners[:count]
        true[:count] = truth_of(found, owners, cells, cards)[:count]
    return quads, true, owners.astype(np.int16)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("windows", type=Path, nargs="+", help="folders of scripts/build/windows.py")
    parser.add_argument("--spread", action="store_true", help="with the finder of spread backs")
    parser.add_argument("--models", type=Path, help="folder with the networks, *.onnx")
    options = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    return ended("build.found", lambda: _build(options))


def _build(options: argparse.Namespace) -> str:
    shards = [path for folder in options.windows for path in sorted(folder.glob("*.cards.npy"))]
    if not shards:
        raise BuildError(f"{options.windows[0]}: no windows; draw some with scripts.build.windows")
    kind = SpreadFinder if options.spread else Finder
    weights = weights_path(kind.weights) if options.models is None else options.models / kind.weights
    finder, looked = kind(weights, threads=1), hashlib.sha256(weights.read_bytes()).hexdigest()
    left = [path for path in shards if looked_by(_beside(path, "found.npz")) != looked]
    for folder in options.windows:
        mine = [path for path in left if path.parent == folder]
        room_for(folder, sum(path.stat().st_size for path in mine) * FOUND_PER_CARDS)
    for path in tqdm(left, desc="shards"):
        images, cells = (np.load(_beside(path, f"{k}.npy"), mmap_mode="r") for k in ("images", "cells"))
        cards = np.load(path).astype(np.float64)
        windows = zip(images, cells, cards, strict=True)
        told = [
            look(finder, np.asarray(image), np.asarray(cell), card)
            for image, cell, card in tqdm(windows, total=len(images), desc=path.stem, leave=False)
        ]
        quads, true, owners = (np.stack(parts) for parts in zip(*told, strict=True))
        with whole(_beside(path, "found.npz")) as part, part.open("wb") as file:
            small = quads.astype(np.float32)
            np.savez_compressed(file, quads=small, true=true, owners=owners, looked=np.array(looked))
    return f"{len(shards)} shards, {len(left)} of them looked at now"


def looked_by(path: Path) -> str | None:
    """Which weights looked at the windows of a shard, by what was found; None where nobody did, or it was not noted."""
    if not path.exists():
        return None
    with np.load(path) as found:
        return str(found["looked"]) if "looked" in found else None


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name.replace("cards.npy", ending))


if __name__ == "__main__":
    sys.exit(main())
