"""Fits which way spread backs lie of which a corner shows (vision/backs/turned.py), and prints the numbers to enter.

    python -m scripts.calibrate.turned --heaps 40 --seed 15101

Heaps are drawn with the tuning decks; each is left out in turn and shows how good the fit is.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from tqdm import tqdm

from datasets.sets import PictureSet, draw
from datasets.truth import CardTruth
from scripts.open_eye import OpenEye
from vision.geometry.polygons import oriented_iou

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: How many backs there are in the heaps, in turn.
CARDS = ((12, 40), (40, 80), (80, 110), (80, 110))
#: A card lies so if its IoU with a true one is this, and so much more than where it was found.
SO, MORE = 0.7, 0.2
#: Pull of the weights to nought; AMISS is a share, so that its weight may be ten times as large.
HOLD, UNITS = 0.3, np.array([1.0, 1.0, 10.0])


@dataclass(frozen=True, slots=True)
class Ways:
    """Other ways of all cards: (m, 3) what tells of each, is it right, is it wrong while the card was found right, and
    (m, 2) the heap and the card."""

    told: Floats
    right: Flags
    worse: Flags
    card: NDArray[np.intp]


def heaps(eye: OpenEye, count: int, seed: int) -> Iterator[Ways]:
    """The other ways of the cards of each drawn heap."""
    for number in tqdm(range(count), desc="drawn"):
        told = {"what": "endings", "pictures": 1, "seed": seed, "split": "tune"}
        still = draw(PictureSet.model_validate({**told, "cards": CARDS[number % len(CARDS)]}), number)
        rows, found, turned, weighed = eye.other_ways(still.image)
        before, after = (np.array([_best(still.cards, quad) for quad in ways]) for ways in (found, turned))
        right = (after > SO) & (after > before + MORE)
        card = np.column_stack([np.full(len(rows), number), rows])
        yield Ways(weighed, right, ~right & (before > SO), card)


def _best(truth: list[CardTruth], corners: Floats) -> float:
    return max((oriented_iou(np.array(card.corners), corners) for card in truth), default=0.0)


def fitted(told: Floats, right: Flags) -> Floats:
    """(4,) weights and constant of the log odds that a way is right."""
    columns = np.column_stack([told * UNITS, np.ones(len(told))])

    def loss(weights: Floats) -> float:
        odds = columns @ weights
        return float((np.logaddexp(0, odds) - right * odds).sum() + HOLD * (weights[:-1] ** 2).sum())

    weights = minimize(loss, np.zeros(4)).x
    return np.asarray(np.append(weights[:3] * UNITS, weights[3]))


def left_out(ways: Ways) -> tuple[int, int]:
    """How many cards are turned rightly, and how many away from where they lie, each heap left out in turn."""
    right = wrong = 0
    for heap in np.unique(ways.card[:, 0]):
        mine = ways.card[:, 0] == heap
        weights = fitted(ways.told[~mine], ways.right[~mine])
        odds = ways.told @ weights[:3] + weights[3]
        for card in np.unique(ways.card[mine, 1]):
            rows = np.flatnonzero(mine & (ways.card[:, 1] == card))
            best = rows[np.argmax(odds[rows])]
            if odds[best] > 0:
                right, wrong = right + int(ways.right[best]), wrong + int(ways.worse[best])
    return right, wrong


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--heaps", type=int, default=40)
    parser.add_argument("--seed", type=int, default=15101)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    parts = list(heaps(OpenEye(threads=1), options.heaps, options.seed))
    ways = Ways(*(np.concatenate([getattr(part, name) for part in parts]) for name in Ways.__slots__))
    weights = fitted(ways.told, ways.right)
    print(f"{len(ways.right)} ways of {len(np.unique(ways.card, axis=0))} cards, {ways.right.sum()} right")
    print("WEIGHTS", np.round(weights[:3], 3).tolist(), "CONSTANT", round(float(weights[3]), 3))
    well, badly = left_out(ways)
    print(f"left out in turn: {well} cards turned rightly, {badly} wrongly")


if __name__ == "__main__":
    main()
