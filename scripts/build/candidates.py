"""Has the eye look at the finder's windows, and keeps the cuts of what may be cards with whether they are.

So the verifier learns from what the finder takes for cards by mistake; windows that the finder was not trained on show
best what that is. Shards are NUMBER.npz with `cuts` (n, 128, 96, 5), `right`, `back` and `visible` (n,).

python -m scripts.build.candidates cache/windows --out cache/candidates
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from datasets.files import whole
from scripts.building import BuildError, claim, ended, room_for
from scripts.matching import best_first, corners_of
from scripts.open_eye import OpenEye
from vision.detect.cells import CELL
from vision.eye import Bounds
from vision.geometry.polygons import oriented_iou

Floats = NDArray[np.float64]

#: From which confidence of the finder on something may be a card: lower than the eye's own.
CONFIDENCE = 0.25
#: A true card shows in so many cells at least; so much of a candidate lies in the window.
LEAST_CELLS, WITHIN = 3, 0.75
#: What is kept of each.
NAMES = ("cuts", "right", "back", "visible")
#: Bytes of a window's cuts on the disk, about.
WINDOW_BYTES = 200_000


def candidates(
    eye: OpenEye, image: NDArray[np.uint8], cells: NDArray[np.int16], cards: Floats
) -> dict[str, NDArray[Any]]:
    """What may be a card in a window, arrays side by side; `cells`, `cards`: as in the window's shard."""
    found, seen, cuts = eye.candidate_cuts(image)
    counts = np.bincount(cells[cells >= 0], minlength=len(cards))
    shown = np.flatnonzero(counts >= LEAST_CELLS)
    true = [corners_of(cards[row]) for row in shown]
    right = np.zeros(len(found), dtype=bool)
    if len(true) and len(found):
        iou = np.array([[oriented_iou(one, other) for other in found.corners] for one in true])
        share = [counts[row] * CELL**2 / _area(quad) for row, quad in zip(shown, true, strict=True)]
        right[[column for _, column in best_first(iou, np.abs(np.array(share)[:, None] - seen))]] = True
    side = image.shape[0]
    inside = np.array(
        [_area(np.clip(quad, 0, side)) >= WITHIN * _area(quad) for quad in found.corners], dtype=bool
    )
    told = {"cuts": cuts, "right": right, "back": found.back > 0.5, "visible": seen.astype(np.float32)}
    return {name: values[inside] for name, values in told.items()}


def _area(quad: Floats) -> float:
    return max(float(cv2.contourArea(quad.astype(np.float32))), 1.0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("windows", type=Path, nargs="+", help="folders of scripts/build/windows.py")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--models", type=Path, help="folder with the networks, *.onnx")
    options = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    return ended("build.candidates", lambda: _build(options))


def _build(options: argparse.Namespace) -> str:
    out = options.out
    shards = [path for folder in options.windows for path in sorted(folder.glob("*.cards.npy"))]
    if not shards:
        raise BuildError(f"{options.windows[0]}: no windows; draw some with scripts.build.windows")
    claim(out, "candidates.json", {"windows": [str(folder) for folder in options.windows]}, adopt="*.npz")
    left = [(number, path) for number, path in enumerate(shards) if not (out / f"{number:04d}.npz").exists()]
    room_for(out, sum(len(np.load(path, mmap_mode="r")) for _, path in left) * WINDOW_BYTES)
    eye = OpenEye(options.models, Bounds(confidence=CONFIDENCE), threads=1)
    for number, path in tqdm(left, desc="shards"):
        images, cells = (np.load(path.with_name(path.name.replace("cards", k))) for k in ("images", "cells"))
        cards = np.load(path).astype(np.float64)
        windows = zip(images, cells, cards, strict=True)
        parts = [
            candidates(eye, *one)
            for one in tqdm(windows, total=len(images), desc=f"shard {number}", leave=False)
        ]
        with whole(out / f"{number:04d}.npz") as part, part.open("wb") as file:
            cuts, right, back, visible = (np.concatenate([one[name] for one in parts]) for name in NAMES)
            np.savez_compressed(file, cuts=cuts, right=right, back=back, visible=visible)
    return f"{out}: {len(shards)} shards, {len(left)} of them made now"


if __name__ == "__main__":
    sys.exit(main())
