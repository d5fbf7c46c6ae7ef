"""How far a picture's backs are what they are called: of their own design rather than of the next, and of one design."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.backs.similarity import CLEAR, HARDLY
from vision.layout import SeenCard

Floats = NDArray[np.float64]
#: Log odds a pair by which two parts of a design are one, and which of the two is meant.
Split = tuple[float, int]
#: So often a design is taken apart.
DEPTH = 3
#: Log odds a pair by which a design's parts are doubted to be one, and how sharply; and that a margin is doubted by.
UNITY, SHARP = 1.7, 0.3
MARGIN = 0.8
#: What is of one name is never told to be two with more: that takes another picture.
HARDLY_TWO = 0.4


def margins(odds: Floats, trust: Floats, designs: Sequence[str]) -> list[float | None]:
    """Log odds a pair, for each of n backs, of the only one of a design that it is of no other; None without others.

    `odds` (n, n): log odds of being one design; `trust` (n, n): how much each pair counts; `designs` (n): what the backs
    are called.
    """
    names = sorted(set(designs))
    member = np.array([[name == design for name in names] for design in designs], dtype=np.float64)
    counts = HARDLY + trust
    np.fill_diagonal(counts, 0.0)
    weight = counts @ member
    mean = (counts * np.clip(odds, -CLEAR, CLEAR)) @ member / np.maximum(weight, 1e-9)
    mean[weight <= 0] = 0.0
    told: list[float | None] = []
    for row, design in enumerate(designs):
        own = names.index(design)
        others = np.delete(mean[row], own)
        told.append(float(mean[row, own] - others.max()) if len(others) else None)
    return told


def splits(odds: Floats, trust: Floats, designs: Sequence[str]) -> list[tuple[Split, ...]]:
    """Of each of n backs, how its design falls into its two least alike parts, then that part into its own, and so on:
    by what log odds a pair the two are one, and in which of them the back lies, 0 the larger one. () of one alone.

    Low odds where two decks were taken for one, and where something is among the cards that is none of them.
    """
    told: list[tuple[Split, ...]] = [()] * len(designs)
    for design in set(designs):
        rows = [row for row, name in enumerate(designs) if name == design]
        joined = _joined(*(np.asarray(each[np.ix_(rows, rows)]) for each in (odds, HARDLY + trust)))
        for member, path in _paths(joined):
            told[rows[member]] = path
    return told


def apart_in(cards: Sequence[SeenCard | None]) -> Floats:
    """(n, n) that two of n backs are of two designs, by what one picture calls them and how sure it is of that; 0 for
    those that it does not show (None)."""
    both = np.array([card is not None for card in cards])
    names = np.array(["" if card is None else card.back or "" for card in cards])
    margin = [np.inf if card is None or card.back_margin is None else card.back_margin for card in cards]
    own = _chance(np.array(margin) / MARGIN)
    falls = [card.back_splits[0] if card is not None and card.back_splits else (CLEAR, 0) for card in cards]
    alike, part = (np.array(each) for each in zip(*falls, strict=True))
    two = _chance((UNITY - np.minimum(alike[:, None], alike[None])) / SHARP)
    one_name = np.where(part[:, None] != part[None], HARDLY_TWO * two, 0.0)
    apart = np.where(names[:, None] != names[None], np.minimum(own[:, None], own[None]), one_name)
    return np.where(both[:, None] & both[None], apart, 0.0)


def _chance(odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-odds)), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Part:
    """Some of a design's backs: two parts and how alike they are, or a single one."""

    rows: tuple[int, ...]
    parts: tuple[_Part, ...] = ()
    alike: float = CLEAR


def _joined(odds: Floats, counts: Floats) -> _Part:
    """Average linkage of (n, n): the parts that are joined last, the likest ones first."""
    odds = np.clip(odds, -CLEAR, CLEAR)
    sums, weights = odds * counts, counts.copy()
    barred = np.eye(len(odds), dtype=bool)
    parts = [_Part((row,)) for row in range(len(odds))]
    last = 0
    for _ in range(len(odds) - 1):
        alike = np.where(barred, -np.inf, sums / weights)
        one, two = (int(row) for row in np.unravel_index(int(np.argmax(alike)), alike.shape))
        pair = sorted((parts[one], parts[two]), key=lambda part: -len(part.rows))
        parts[one] = _Part(pair[0].rows + pair[1].rows, tuple(pair), float(alike[one, two]))
        for table in (sums, weights):
            table[one] += table[two]
            table[:, one] += table[:, two]
        barred[two] = barred[:, two] = True
        last = one
    return parts[last]


def _paths(part: _Part, path: tuple[Split, ...] = ()) -> Iterator[tuple[int, tuple[Split, ...]]]:
    """Each row of a part with the way down to it, `DEPTH` steps at most."""
    if not part.parts or len(path) == DEPTH:
        yield from ((row, path) for row in part.rows)
    for number, smaller in enumerate(part.parts if len(path) < DEPTH else ()):
        yield from _paths(smaller, (*path, (part.alike, number)))
