"""Fits what the eye believes to be cards (vision/scene/belief.py) and prints the numbers to enter.

    python -m scripts.calibrate.eye --real FOLDER --tables 16 --spreads 16

Tables and spreads are drawn with the tuning decks; of the labelled photos those of the scenes that may be fitted to are
used (scripts/real_photos.py). Every fourth picture is left out and shows how good the fit is.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from tqdm import tqdm

from datasets.sets import PictureSet, draw
from scripts.calibrate.finder import fit
from scripts.matching import match, overlap, visible_box
from scripts.real_photos import edje
from vision.capture.frames import load_image
from vision.eye import Bounds, Candidates, Eye
from vision.layout import Layout
from vision.scene.belief import (
    ASKED,
    BACK,
    CONSTANTS,
    FACE,
    SPREAD_BACK,
    WEIGHTS,
    closer_look,
    doubted,
    features,
)

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: The finder's confidence from which something is looked at closely here: lower than the eye's own.
LOW = 0.35
#: What is drawn for `--tables` and for `--spreads`, in turn.
TABLES, SPREADS = ("layouts", "tables", "layouts", "tops"), ("endings", "spreads", "endings", "leftovers")
#: Share of the drawn surfaces that look a little like cards: newspaper, tartan, tiles.
FRESH = 0.3
#: How much the photos count beside the drawn pictures: false backs are what photos are full of. Since the sifter is
#: asked, hardly any in them seem to be spread backs (4 things, in 2 of 135 photos), and so few must not count for many.
PHOTOS = {FACE: ("faces", 0.3), BACK: ("backs", 0.3), SPREAD_BACK: ("spread backs", 0.02)}
#: Pull of the weights to nought.
HOLD = 1e-3
#: One picture of so many is left out; so many that follow one another are left out together, for they are of every kind.
LEFT_OUT, TOGETHER = 4, 4


@dataclass(frozen=True, slots=True)
class Examples:
    """Candidates, arrays side by side: features, what a closer look tells, the finder's doubt and its chance of a back,
    kinds as in `vision/scene/belief.py`, are they cards, the picture, is it a photo."""

    features: Floats
    looked: Floats
    doubt: Floats
    back: Floats
    kind: NDArray[np.intp]
    right: Flags
    picture: NDArray[np.intp]
    photo: Flags

    @classmethod
    def of(cls, seen: Candidates, right: Flags, picture: int, photo: bool) -> Examples:
        """The candidates of a picture that are not as sure as a row's reader says."""
        own = np.isnan(seen.signs.given)
        told = np.full(len(own), picture)[own], np.full(len(own), photo)[own]
        looked = seen.looked[own], seen.signs.doubt[own], seen.signs.back[own]
        return cls(features(seen.layout, seen.signs)[own], *looked, seen.kind[own], right[own], *told)

    @classmethod
    def joined(cls, parts: Iterable[Examples]) -> Examples:
        """Those of many pictures."""
        every = list(parts)
        return cls(*(np.concatenate([getattr(part, f.name) for part in every]) for f in fields(cls)))

    @classmethod
    def kept(cls, path: Path) -> Examples:
        """Those that were kept in a file."""
        arrays = np.load(path)
        return cls(*(arrays[f.name] for f in fields(cls)))

    def closer(self, own: Floats) -> Floats:
        """(n, 9): what counts where a doubt is left, by these (n,) log odds of the features."""
        return closer_look(self.features, own, self.doubt, self.back, np.arange(len(own)), self.looked)

    def only(self, rows: Flags) -> Examples:
        """Some of them."""
        return Examples(*(getattr(self, f.name)[rows] for f in fields(self)))


def photo_examples(eye: Eye, folder: Path) -> Iterator[Examples]:
    """All candidates of the labelled photos of single cards that may be fitted to."""
    for number, row in enumerate(tqdm(edje(folder, "fit"), desc="photos")):
        seen = eye.candidates(load_image(folder / row["image"]))
        truth = np.array([[b["x"], b["y"], b["x"] + b["w"], b["y"] + b["h"]] for b in row["boxes"]])
        met = _boxes_met(seen.layout, truth.reshape(-1, 4).astype(np.float64))
        yield Examples.of(seen, met, number, photo=True)


def _boxes_met(layout: Layout, truth: Floats) -> Flags:
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
    """All candidates of pictures drawn with the tuning decks."""
    for number in tqdm(range(tables + spreads), desc="drawn"):
        whats = TABLES if number < tables else SPREADS
        what = whats[number % len(whats)]
        told = {"pictures": 1, "seed": seed, "split": "tune", "px_per_mm": (1.1, 2.6), "fresh": FRESH}
        still = draw(PictureSet.model_validate({"what": what, **told}), number)
        seen = eye.candidates(still.image)
        right = np.zeros(len(seen.layout.cards), dtype=bool)
        right[[found for _, found in match(still.cards, seen.layout.cards)]] = True
        yield Examples.of(seen, right, number, photo=False)


@dataclass(frozen=True, slots=True)
class Fit:
    """Weights and constant of what the eye's signs say; where a doubt is left, of these and what a closer look tells."""

    weights: Floats
    constant: float
    asked: Floats
    asked_constant: float

    @classmethod
    def to(cls, examples: Examples, photos: float) -> Fit:
        """The best fit; the photos' candidates together count `photos` times as much as the drawn ones."""
        weights, constant = fit(examples.features, examples.right, _trust(examples, photos), HOLD)
        return cls.beside(examples, photos, weights, constant)

    @classmethod
    def beside(cls, examples: Examples, photos: float, weights: Floats, constant: float) -> Fit:
        """What a closer look counts beside given weights: those of `vision/scene/belief.py` are older than it."""
        counts = (ASKED[examples.kind] != 0).any(axis=0)
        told = examples.closer(examples.features @ weights + constant)[:, counts]
        asked, asked_constant = fit(told, examples.right, _trust(examples, photos), HOLD)
        every = np.zeros(len(counts))
        every[counts] = asked
        return cls(weights, constant, every, asked_constant)

    def believes(self, examples: Examples) -> Flags:
        """(n,) which of the candidates are cards."""
        own = examples.features @ self.weights + self.constant
        asked = examples.closer(own) @ self.asked + self.asked_constant
        return np.asarray(np.where(doubted(1 / (1 + np.exp(-own)), examples.kind), asked, own) >= 0)


def _trust(examples: Examples, photos: float) -> Floats:
    drawn, real = int((~examples.photo).sum()), int(examples.photo.sum())
    return np.where(examples.photo, photos * drawn / max(real, 1), 1.0)


def main() -> None:
    """Command line."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--real", type=Path, required=True, help="folder with labels.jsonl")
    parser.add_argument("--tables", type=int, default=16)
    parser.add_argument("--spreads", type=int, default=16)
    parser.add_argument("--seed", type=int, default=601)
    parser.add_argument("--keep", type=Path, help="a file to keep the examples in, or to take them from")
    parser.add_argument(
        "--also", type=Path, nargs="*", default=[], help="examples kept before, to fit to, too"
    )
    options = parser.parse_args()
    if options.keep is not None and options.keep.exists():
        examples = Examples.kept(options.keep)
    else:
        eye = Eye(bounds=Bounds(confidence=LOW))
        drawn = drawn_examples(eye, options.tables, options.spreads, options.seed)
        examples = Examples.joined([*drawn, *photo_examples(eye, options.real)])
        if options.keep is not None:
            np.savez(options.keep, **{f.name: getattr(examples, f.name) for f in fields(Examples)})
    examples = Examples.joined([examples, *map(Examples.kept, options.also)])
    out = examples.picture // TOGETHER % LEFT_OUT == 0
    for kind, (name, photos) in PHOTOS.items():
        some = examples.kind == kind
        best = Fit.to(examples.only(some), photos)
        print(f"{name}: {np.round(best.weights, 3).tolist()}, {best.constant:.3f}")
        beside = Fit.beside(examples.only(some), photos, WEIGHTS[kind], float(CONSTANTS[kind]))
        for said, one in (("asked", best), ("asked beside the weights that are kept", beside)):
            print(f"  {said}: {np.round(one.asked, 3).tolist()}, {one.asked_constant:.3f}")
        best = Fit.to(examples.only(some & ~out), photos)
        for photo, source in enumerate(("drawn", "photos")):
            told = examples.only(some & out & (examples.photo == bool(photo)))
            kept = best.believes(told)
            true, number = int(told.right[kept].sum()), max(int(kept.sum()), 1)
            print(
                f"  left out, {source}: {kept.sum()} of {len(told.right)} kept, precision {true / number:.3f} (was "
                f"{told.right.sum() / max(len(told.right), 1):.3f}), recall of what is found "
                f"{true / max(int(told.right.sum()), 1):.3f}"
            )


if __name__ == "__main__":
    main()
