"""In a heap of backs, of which parts of edges show, the finder of spread backs knows better where each card lies.

It looks twice (models/spreads.md); here it is held against the finder that looks once, on heaps that are drawn plainly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from drawn_rows import PX_MM, card, still
from numpy.typing import NDArray

from vision.detect.finder import Finder, SpreadFinder

Floats = NDArray[np.float64]
#: What spread backs are looked at, px a mm; inks of the heap's decks (BGR).
LOOKED_AT = 1.4
INKS = [(150, 60, 40), (40, 50, 160), (60, 130, 50)]
CARDS, HEAPS = 16, 8


def heap(seed: int) -> Floats:
    """(CARDS, 4, 2) px: cards turned by anything, a few mm from where a grid would have them."""
    rng = np.random.default_rng(seed)
    grid = np.array([(70 + 44 * (n % 4), 70 + 48 * (n // 4)) for n in range(CARDS)])
    at = rng.permutation(grid + rng.uniform(-14, 14, (CARDS, 2)))
    return np.array([card(x, y, rng.uniform(-3, 3)) for x, y in at])


@dataclass(frozen=True, slots=True)
class Told:
    """How well heaps were seen: cards' middles off (shares of a card's width), cards missed, and what is none.

    `unsure`: cards missed where as many things are looked at as there are cards, the surest: who calls everything a card
    misses few.
    """

    off: float
    missed: int
    false: int
    unsure: int


def told_by(finder: Finder) -> Told:
    """Of some heaps."""
    off, missed, false, unsure = list[float](), 0, 0, 0
    for seed in range(HEAPS):
        quads = heap(seed)
        found = finder.find(still(quads, INKS).image, LOOKED_AT / PX_MM)
        seen = found.middle[found.confidence > 0.3]
        nearest = apart(quads, seen)
        off += nearest[nearest < 0.25].tolist()
        missed += int((nearest >= 0.25).sum())
        false += len(seen) - int((nearest < 0.25).sum())
        surest = found.middle[np.argsort(-found.confidence)[:CARDS]]
        unsure += int((apart(quads, surest) >= 0.25).sum())
    return Told(float(np.mean(off)), missed, false, unsure)


def apart(quads: Floats, seen: Floats) -> Floats:
    """(n,) how far from each card's middle the nearest of `seen` lies, shares of a card's width."""
    away = np.linalg.norm(quads.mean(axis=1)[:, None] - seen[None], axis=2) / (63 * PX_MM)
    return np.asarray(away.min(axis=1))


@pytest.fixture(scope="module")
def spread() -> Told:
    return told_by(SpreadFinder(threads=1))


def test_cards_of_a_heap_are_found_where_they_lie(spread: Told) -> None:
    assert spread.off < 0.06
    assert spread.missed <= 0.12 * HEAPS * CARDS


def test_it_knows_more_than_the_finder_that_looks_once(spread: Told) -> None:
    once = told_by(Finder(threads=1))
    assert spread.off < 0.6 * once.off
    assert spread.unsure < 0.5 * once.unsure
    assert spread.false < 0.25 * once.false


@pytest.mark.parametrize(("across", "down"), [(True, False), (True, True)])
def test_it_sees_the_same_in_a_mirror(across: bool, down: bool) -> None:
    image = still(heap(1), INKS).image[:288, :320]
    flipped = np.ascontiguousarray(image[:: -1 if down else 1, :: -1 if across else 1])
    finder = SpreadFinder(threads=1)
    plain, seen = finder.find(image, 1.0), finder.find(flipped, 1.0)
    wanted = np.where([across, down], (320, 288) - plain.middle, plain.middle)
    assert len(seen) == len(plain) > 3
    apart = np.linalg.norm(wanted[:, None] - seen.middle[None], axis=2)
    assert apart.min(axis=1).max() < 0.5
