"""Which designs of backs in one photo are which in another: labels are made for each photo anew, light differs.

A design is described by the mean of its cards' `back_embedding`: colours on a coarse grid where some card shows them. Of
two designs the gains of the three colour channels are fitted that make one look most like the other; what is left
differs in paint, and gains that differ much between channels are no light either.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from vision.backs.deckfile import UNKNOWN
from vision.layout import SeenCard

Floats = NDArray[np.float64]

#: Rows and columns of an embedding, and the lightness that paper is taken to have.
GRID, PAPER = (22, 16), 88.0
#: Places that two designs must share, and grey values that plain designs vary by.
LEAST_SHARED, PLAIN = 10, 0.05
#: Up to this two designs may be one, and a second one that is no more than so much further off leaves a doubt. Chosen on
#: drawn spreads of the tuning decks: nine of ten designs seen twice differ less, five of six other pairs more.
ONE, DOUBTFUL = 1.15, 0.15


@dataclass(frozen=True, slots=True)
class Design:
    """What a design looks like."""

    #: (rows, columns, 3) BGR, 0 to 1, and where it is known.
    colour: Floats
    known: NDArray[np.bool_]


def design_of(cards: Sequence[SeenCard]) -> Design | None:
    """The design of these backs; None where none of them is described."""
    told = [card.back_embedding for card in cards if card.back_embedding is not None]
    told = [vector for vector in told if vector.size == GRID[0] * GRID[1] * 3]
    if not told:
        return None
    lab = np.stack(told).reshape(-1, *GRID, 3)
    seen = np.abs(lab).sum(axis=3) > 1e-9
    lab = lab[seen.any(axis=(1, 2))]
    seen = seen[seen.any(axis=(1, 2))]
    if not len(lab):
        return None
    mean = _together(lab, seen)
    known = seen.any(axis=0)
    mean *= PAPER / max(float(np.percentile(mean[known, 0], 95)), 1e-6)
    bgr = cv2.cvtColor(mean.astype(np.float32), cv2.COLOR_LAB2BGR).clip(0.005, 1)
    return Design(np.asarray(bgr, dtype=np.float64), known)


def _together(lab: Floats, seen: NDArray[np.bool_]) -> Floats:
    """(rows, columns, 3) mean of (n, rows, columns, 3) that are each known but for their scale."""
    middle = np.array([np.median(one[..., 0][where]) for one, where in zip(lab, seen, strict=True)])
    lab = lab / np.maximum(middle, 1e-6)[:, None, None, None]
    weight = seen[..., None].astype(np.float64)
    total = np.maximum(weight.sum(axis=0), 1)
    for _ in range(3):
        mean = (lab * weight).sum(axis=0) / total
        fit = (lab * mean * weight).sum(axis=(1, 2, 3)) / np.maximum(
            (lab**2 * weight).sum(axis=(1, 2, 3)), 1e-9
        )
        lab = lab * fit[:, None, None, None]
    return np.asarray((lab * weight).sum(axis=0) / total)


def unlikeness(one: Design | None, two: Design | None) -> float:
    """How much two designs differ once the light is taken out; NaN where that cannot be told."""
    if one is None or two is None:
        return float("nan")
    both = one.known & two.known
    if both.sum() < LEAST_SHARED:
        return float("nan")
    x, y = one.colour[both], two.colour[both]
    gain, back = (x * y).sum(axis=0) / (y * y).sum(axis=0), (x * y).sum(axis=0) / (x * x).sum(axis=0)
    left = (np.sqrt(((x - gain * y) ** 2).mean()) + np.sqrt(((y - back * x) ** 2).mean())) / 2
    vary = (x.var(axis=0).mean() + y.var(axis=0).mean()) / 2
    return float(left / np.sqrt(vary + PLAIN**2) + np.std(np.log(gain / back)) / 2)


@dataclass(frozen=True, slots=True)
class Matching:
    """Designs of one photo found again in another."""

    #: Label of the one to label of the other.
    same: dict[str, str]
    #: Of these, those that might as well be, or be none of, the others.
    doubtful: frozenset[str]


def match_designs(one: Mapping[str, Sequence[SeenCard]], two: Mapping[str, Sequence[SeenCard]]) -> Matching:
    """Each label's backs (`one`) beside those of another photo: the assignment in which all differ least.

    Where nothing is known of how they look, labels of one name are one.
    """
    left, right = list(one), list(two)
    if not left or not right:
        return Matching({}, frozenset())
    designs = [design_of(one[name]) for name in left], [design_of(two[name]) for name in right]
    far = np.array([[unlikeness(a, b) for b in designs[1]] for a in designs[0]])
    for i, j in np.argwhere(np.isnan(far)):
        far[i, j] = 0.0 if left[i] == right[j] else 9.0
    rows, columns = linear_sum_assignment(np.minimum(far, ONE + 0.5))
    same, doubtful = {}, set()
    for i, j in zip(rows, columns, strict=True):
        if far[i, j] <= ONE:
            same[left[i]] = right[j]
            others = np.concatenate([np.delete(far[i], j), np.delete(far[:, j], i)])
            if others.min(initial=np.inf) - far[i, j] < DOUBTFUL:
                doubtful.add(left[i])
    return Matching(same, frozenset(doubtful))


def common_labels(
    photos: Sequence[Mapping[str, Sequence[SeenCard]]],
) -> tuple[list[dict[str, str]], list[tuple[int, str]]]:
    """One label for each design in all photos: of each photo, what its labels become; and (photo, label) in doubt.

    `photos`: the backs of each by label. Those of the first photo keep theirs, and so do decks that were enrolled: one
    name is one deck, whatever the light.
    """
    decks: dict[str, list[SeenCard]] = {}
    renamed, doubts = [], []
    for number, mine in enumerate(photos):
        named = {label for label, cards in mine.items() if is_enrolled(label, cards)}
        matching = match_designs(
            {label: cards for label, cards in mine.items() if label not in named},
            {label: cards for label, cards in decks.items() if label not in named},
        )
        new = matching.same | {label: label for label in named}
        doubts += [(number, label) for label in sorted(matching.doubtful)]
        for label in mine:
            if label not in new:
                new[label] = free_label(label, {*decks, *new.values()})
        for label, cards in mine.items():
            decks.setdefault(new[label], []).extend(cards)
        renamed.append(new)
    return renamed, doubts


def is_enrolled(label: str, cards: Sequence[SeenCard]) -> bool:
    """Is this label of a photo the name of an enrolled deck, not one made for this photo?"""
    return label.partition(" ")[0] != UNKNOWN and any(card.back_confidence is not None for card in cards)


def free_label(label: str, taken: Collection[str]) -> str:
    """This label, or the first one like it ("blue 2") that is not taken."""
    if label not in taken:
        return label
    base = label.rstrip("0123456789 ") or label
    number = 2
    while f"{base} {number}" in taken:
        number += 1
    return f"{base} {number}"
