"""Fits what the eye believes to be cards (vision/belief.py) and prints the numbers to enter.

    python -m scripts.calibrate_eye --real FOLDER --tables 16 --spreads 16

Tables and spreads are drawn with the tuning decks; of the labelled photos those of the scenes that may be fitted to are
used (scripts/real_photos.py), and the others show how good the fit is. Each kind of picture counts the same.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from tqdm import tqdm

from datasets.sets import PictureSet, draw
from scripts.calibrate_finder import fit
from scripts.evaluate_real import overlap, visible_box
from scripts.evaluate_rendered import match
from scripts.real_photos import Half, edje
from vision.belief import features
from vision.eye import Bounds, Eye
from vision.frames import load_image
from vision.layout import Layout

Floats = NDArray[np.float64]
Examples = tuple[Floats, NDArray[np.bool_]]

#: The finder's confidence from which something is looked at closely here: lower than the eye's own.
LOW = 0.35
HALVES: tuple[Half, ...] = ("fit", "figures")
#: What is drawn for `--tables` and for `--spreads`, in turn.
TABLES, SPREADS = ("layouts", "tables", "layouts", "tops"), ("endings", "spreads", "endings", "leftovers")


def photo_examples(eye: Eye, folder: Path, half: Half) -> Iterator[Examples]:
    """Of one half of the labelled photos of single cards: features and truth of all candidates."""
    for row in tqdm(edje(folder, half), desc="photos"):
        layout, signs = eye.candidates(load_image(folder / row["image"]))
        truth = np.array([[b["x"], b["y"], b["x"] + b["w"], b["y"] + b["h"]] for b in row["boxes"]])
        own = np.isnan(signs.given)
        yield features(layout, signs)[own], _boxes_met(layout, truth.reshape(-1, 4).astype(np.float64))[own]


def _boxes_met(layout: Layout, truth: Floats) -> NDArray[np.bool_]:
    """(n,) which cards are the labelled ones; a real card of which a ghost hides a part is one too."""
    right = np.zeros(len(layout.cards), dtype=bool)
    if not len(right) or not len(truth):
        return right
    seen = np.array([visible_box(card, layout) for card in layout.cards])
    whole = np.array([[*card.corners.min(axis=0), *card.corners.max(axis=0)] for card in layout.cards])
    iou = np.maximum(overlap(truth, seen), 0.9 * overlap(truth, whole))
    worth = np.where(iou >= 0.5, iou + 0.3 * np.array([card.confidence for card in layout.cards]), 0)
    for row, column in zip(*linear_sum_assignment(-worth), strict=True):
        right[column] = worth[row, column] > 0
    return right


def drawn_examples(eye: Eye, tables: int, spreads: int, seed: int) -> Iterator[Examples]:
    """Of pictures drawn with the tuning decks: features and truth of all candidates."""
    for number in tqdm(range(tables + spreads), desc="drawn"):
        whats = TABLES if number < tables else SPREADS
        what = whats[number % len(whats)]
        told = {"what": what, "pictures": 1, "seed": seed, "split": "tune", "px_per_mm": (1.1, 2.6)}
        still = draw(PictureSet.model_validate(told), number)
        layout, signs = eye.candidates(still.image)
        right = np.zeros(len(layout.cards), dtype=bool)
        right[[seen for _, seen in match(still.cards, layout.cards)]] = True
        own = np.isnan(signs.given)
        yield features(layout, signs)[own], right[own]


def joined(examples: Iterator[Examples]) -> Examples:
    """One pair of arrays."""
    pairs = list(examples)
    return np.concatenate([x for x, _ in pairs]), np.concatenate([y for _, y in pairs])


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--real", type=Path, required=True, help="folder with labels.jsonl")
    parser.add_argument("--tables", type=int, default=16)
    parser.add_argument("--spreads", type=int, default=16)
    parser.add_argument("--seed", type=int, default=601)
    parser.add_argument("--keep", type=Path, help="a file to keep the examples in, or to take them from")
    options = parser.parse_args()
    if options.keep is not None and options.keep.exists():
        kept = np.load(options.keep)
        drawn, fitted, others = ((kept[f"x{k}"], kept[f"y{k}"]) for k in range(3))
    else:
        eye = Eye(bounds=Bounds(confidence=LOW))
        drawn = joined(drawn_examples(eye, options.tables, options.spreads, options.seed))
        fitted, others = (joined(photo_examples(eye, options.real, half)) for half in HALVES)
        if options.keep is not None:
            sets = (drawn, fitted, others)
            arrays: dict[str, Any] = {f"{n}{k}": s[i] for k, s in enumerate(sets) for i, n in enumerate("xy")}
            np.savez(options.keep, **arrays)
    times = max(1, round(len(drawn[1]) / max(len(fitted[1]), 1)))
    x = np.concatenate([drawn[0], *[fitted[0]] * times])
    y = np.concatenate([drawn[1], *[fitted[1]] * times])
    weights, constant = fit(x, y)
    print(f"WEIGHTS = np.array({np.round(weights, 3).tolist()})\nCONSTANT = {constant:.3f}")
    for name, (a, b) in (("drawn", drawn), ("photos fitted to", fitted), ("other photos", others)):
        chance = 1 / (1 + np.exp(-(a @ weights + constant)))
        for least in (0.3, 0.4, 0.5, 0.6):
            kept = chance >= least
            print(
                f"{name}, {least:.1f}: {kept.sum()} of {len(b)} kept, precision {b[kept].mean():.3f} (was "
                f"{b.mean():.3f}), recall of what is found {b[kept].sum() / b.sum():.3f}"
            )


if __name__ == "__main__":
    main()
