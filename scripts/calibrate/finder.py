"""Fits the finder's confidence (vision/scene/confidence.py) on windows of tuning decks, prints the numbers to enter."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment, minimize
from tqdm import tqdm

from scripts.matching import corners_of
from vision.detect.finder import Finder, SpreadFinder
from vision.geometry.polygons import oriented_iou
from vision.scene.confidence import features
from vision.scene.stacking import stack_up

Floats = NDArray[np.float64]


def true_ones(truth: list[Floats], found: Floats) -> NDArray[np.bool_]:
    """(n,) which found rectangles are true cards (oriented IoU 0.5, each card once)."""
    right = np.zeros(len(found), dtype=bool)
    if truth and len(found):
        iou = np.array([[oriented_iou(t, f) for f in found] for t in truth])
        rows, columns = linear_sum_assignment(-np.where(iou >= 0.5, iou, 0))
        right[[c for r, c in zip(rows, columns, strict=True) if iou[r, c] >= 0.5]] = True
    return right


def gather_examples(finder: Finder, folder: Path) -> tuple[Floats, NDArray[np.bool_]]:
    """Features and truth of everything found in the shards of a folder."""
    rows, right = [], []
    for path in sorted(folder.glob("*.images.npy")):
        images = np.load(path, mmap_mode="r")
        cells = np.load(path.with_name(path.name.replace("images", "cells")))
        cards = np.load(path.with_name(path.name.replace("images", "cards"))).astype(np.float64)
        for image, shown, table in tqdm(zip(images, cells, cards, strict=True), total=len(images)):
            found = finder.find(np.array(image))
            stacking = stack_up(found, image.shape[1], image.shape[0])
            visible = [i for i in range(len(table)) if np.count_nonzero(shown == i) >= 3]
            rows.append(features(found, stacking))
            right.append(true_ones([corners_of(table[i]) for i in visible], found.corners))
    return np.concatenate(rows), np.concatenate(right)


def fit(
    x: Floats, y: NDArray[np.bool_], trust: Floats | None = None, hold: float = 1e-4
) -> tuple[Floats, float]:
    """Weights and constant of a logistic model; `trust` (n,): how much each example counts, `hold`: pull to nought."""
    mean, scale = x.mean(axis=0), x.std(axis=0)
    # what is always the same tells nothing
    scale[scale == 0] = np.inf
    z = np.column_stack([(x - mean) / scale, np.ones(len(x))])
    share = np.ones(len(x)) / len(x) if trust is None else trust / trust.sum()

    def loss(w: Floats) -> float:
        margin = z @ w * np.where(y, 1, -1)
        return float(share @ np.logaddexp(0, -margin) + hold * (w[:-1] ** 2).sum())

    w = minimize(loss, np.zeros(z.shape[1])).x
    return w[:-1] / scale, float(w[-1] - (w[:-1] * mean / scale).sum())


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="shards of windows of the split `tune`")
    parser.add_argument("--model", type=Path, default=None)
    parser.add_argument(
        "--spread", action="store_true", help="of the finder of spread backs, on windows of these"
    )
    options = parser.parse_args()
    finder = SpreadFinder(options.model) if options.spread else Finder(options.model)
    x, y = gather_examples(finder, options.folder)
    weights, constant = fit(x, y)
    print(f"a row of WEIGHTS: {np.round(weights, 3).tolist()}, of CONSTANTS: {constant:.3f}")
    chance = 1 / (1 + np.exp(-(x @ weights + constant)))
    for threshold in np.arange(0.2, 0.85, 0.1):
        kept = chance >= threshold
        print(
            f"{threshold:.1f}: precision {y[kept].mean():.3f}, recall of what is found {y[kept].sum() / y.sum():.3f}"
        )


if __name__ == "__main__":
    main()
