"""Rows of cards as people lay them at one side of a Nerts table, and what each is worth.

A player's cards lie in a row: the Nerts pile, four work piles, and stock and waste beside them, behind them, or the
stock behind the waste; from left to right or the other way round. Every such row that fits what lies there is weighed
by what each heap looks like: a stock shows a back, a Nerts pile is squared, columns grow towards their player. The
rules that say what lies where are N1 and N2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from referee.rules.places import NERTS, STOCK, WASTE, WORK
from referee.umpire.cover import Cover
from vision.layout import CARD_HEIGHT_MM, Floats
from vision.scene.heaps import Heap

WORKS = tuple(f"{WORK} {number}" for number in range(1, 5))


class Manner(NamedTuple):
    """How people lay their cards: `rows`, from the Nerts pile on, each with what may lie behind it (place → how many
    pitches from the Nerts pile), and whether that lies behind the longest column; what a Nerts pile is worth less whose
    top card has not been turned yet; and the pitches that are tried, mm.
    """

    rows: tuple[tuple[tuple[str, ...], tuple[dict[str, float], ...]], ...]
    unturned: float
    past_columns: bool
    pitches: Floats


#: On a photo that somebody takes, and on a table that is followed while play goes on.
ON_A_PHOTO = Manner(
    (
        ((NERTS, *WORKS, STOCK, WASTE), ({},)),
        ((NERTS, *WORKS, WASTE), ({STOCK: 5.0},)),
        ((NERTS, *WORKS), tuple({STOCK: shift, WASTE: shift + 1} for shift in (0.0, 1.5, 3.0))),
    ),
    3.5,
    True,
    np.arange(60.0, 81.0, 2.0),
)
IN_PLAY = Manner(
    (((NERTS, *WORKS, STOCK, WASTE), ({},)), ((NERTS, *WORKS, WASTE), ({STOCK: 0.0},))),
    1.5,
    False,
    np.arange(60.0, 105.0, 3.0),
)
#: A heap lies at most so far from its spot, mm along its row and across it; towards the player the first cards of a
#: column may have been missed.
ALONG_MM, ACROSS_MM, LATE_MM = 15.0, 20.0, 70.0
#: Cards further apart than this make no squared pile (mm), and turned further no row (radians).
SQUARED_MM, TURNED = 12.0, 0.3
#: A heap whose cards are further apart along the row than this (mm) is a fanned waste: it begins where it lies.
FANNED_MM = 15.0
#: A row has at least so many heaps among the Nerts pile and the work piles.
LEAST_HEAPS = 3
#: What a row must be worth; what a row with the Nerts pile at its right is worth less.
LEAST_WORTH, MIRRORED = 3.0, 0.3
#: What a stock or a waste behind a row is worth at most.
BEST_BEHIND = 1.5
#: A row on the other side of the table's middle is worth one less for so many mm.
FAR_MM = 60.0
#: What a place that is empty is worth; when a Nerts pile is, the hand is over.
EMPTY = {NERTS: -1.5, STOCK: -0.7, WASTE: -0.5} | dict.fromkeys(WORKS, -0.8)
#: What lies around a row lies behind it (further from the middle by this, mm, and along it no further than so many mm
#: beyond the row's ends) or in one line with it (so many pitches beyond them).
BEHIND_MM, BEYOND_MM, BESIDE = 45.0, 160.0, 2.4
#: Sides of the table: the turn of a card that lies upright for a player there, quarters.
SIDES = {"south": 0, "west": 1, "north": 2, "east": 3}


@dataclass(frozen=True, slots=True)
class Row:
    """One player's places at a side: the heap (its number) in each that is not empty."""

    worth: float
    side: str
    along: float
    heaps: dict[str, int]
    #: Where what lies in one line with its Nerts pile begins and ends along the side, mm.
    span: tuple[float, float]
    #: The heaps that lie behind it or beside its ends.
    behind: frozenset[int]

    def faces(self, other: Row) -> bool:
        """Does it lie before or behind another row of its side? Two players sit side by side, so one of the two is what
        lies in the centre."""
        (first, last), (begin, end) = self.span, other.span
        return self.side == other.side and first < end and begin < last


@dataclass(frozen=True, slots=True)
class _View:
    """The heaps as somebody at one side sees them: x to the right, y towards the player (mm, from the table's
    middle).
    """

    #: (n,) the card furthest from the player; how far the topmost lies nearer than the lowest, and all apart.
    x: Floats
    y: Floats
    grows: Floats
    apart: Floats
    #: (n,) is its top a back; do its cards lie upright?
    backs: Floats
    upright: Floats
    #: (n,) cards that are seen of it.
    number: Floats
    #: `x` and `y` once more, as numbers that are quickly looked up.
    spots: tuple[list[float], list[float]]
    #: Heaps that may be a stock or a waste behind a row, the nearest to the middle first.
    behind: dict[str, list[int]]
    cover: Cover


def _view(side: str, heaps: Sequence[Heap], backs: Sequence[float], hands: Sequence[Floats]) -> _View:
    quarter = SIDES[side] * np.pi / 2
    turns = np.concatenate([heap.turns for heap in heaps])
    # the picture may be turned a little against the table
    lean = float(np.median(np.mod(turns + np.pi / 4, np.pi / 2) - np.pi / 4))
    c, s = np.cos(quarter + lean), np.sin(quarter + lean)
    axes = np.array([[c, -s], [s, c]])
    at = [heap.at @ axes for heap in heaps]
    every = np.concatenate(at)
    middle = (every.min(axis=0) + every.max(axis=0)) / 2
    off = np.array([np.median(np.abs(np.sin(heap.turns - lean - quarter))) for heap in heaps])
    x = np.array([_along(cards[:, 0]) for cards in at]) - middle[0]
    y = np.array([cards[:, 1].min() for cards in at]) - middle[1]
    upright, back = off < np.sin(TURNED), np.array(backs, dtype=np.float64)
    nearest = np.argsort(y, kind="stable")
    return _View(
        x=x,
        y=y,
        spots=(x.tolist(), y.tolist()),
        behind={
            STOCK: nearest[(upright & (back > 0))[nearest]].tolist(),
            WASTE: nearest[(upright & (back < 1))[nearest]].tolist(),
        },
        grows=np.array([cards[-1, 1] - cards[0, 1] for cards in at]),
        apart=np.array([float(np.ptp(cards[:, 1])) for cards in at]),
        backs=back,
        upright=upright.astype(np.float64),
        number=np.array([len(heap.cards) for heap in heaps], dtype=np.float64),
        cover=Cover.of([hand @ axes - middle for hand in hands], [cards - middle for cards in at]),
    )


def _along(x: Floats) -> float:
    """Where a heap lies by its cards from the lowest to the topmost."""
    return float(x[0] if np.ptp(x) > FANNED_MM else np.median(x))


@dataclass(frozen=True, slots=True)
class _Lying:
    """Heaps that may be a row, and what they are worth as one; `line` are those of them that lie in one line."""

    worth: float
    heaps: dict[str, int]
    line: dict[str, int]
    step: float


def rows_at(
    side: str, heaps: Sequence[Heap], backs: Sequence[float], hands: Sequence[Floats], manner: Manner
) -> list[Row]:
    """Every row at a side that is worth something: the same heaps once, where they are worth most."""
    if not heaps:
        return []
    view = _view(side, heaps, backs, hands)
    worth = _worth(view, manner)
    found: list[_Lying] = []
    upright = np.flatnonzero(view.upright > 0)
    for anchor in upright:
        beside = np.abs(view.x[upright] - view.x[anchor])
        if (beside < 3 * manner.pitches[-1]).sum() < LEAST_HEAPS:
            continue
        for pitch in manner.pitches:
            spots = view.x[anchor] + pitch * np.arange(-6, 7)
            near = _nearest(view, spots, float(view.y[anchor]))
            if sum(heap >= 0 for heap in near) < LEAST_HEAPS:
                continue
            bare = [1 - hidden for hidden in view.cover.hides(spots, float(view.y[anchor]))]
            for step in (1, -1):
                seen = near[::step], spots[::step].tolist(), bare[::step]
                found += _laid(view, worth, *seen, float(pitch) * step, int(anchor), manner)
    best: dict[frozenset[tuple[str, int]], _Lying] = {}
    for lying in sorted(found, key=lambda lying: -lying.worth):
        best.setdefault(frozenset(lying.heaps.items()), lying)
    return [_row(side, view, lying) for lying in best.values()]


def _laid(
    view: _View,
    worth: dict[str, list[float]],
    near: list[int],
    spots: list[float],
    bare: list[float],
    step: float,
    anchor: int,
    manner: Manner,
) -> list[_Lying]:
    """What is worth something among heaps `near` spots, the Nerts pile at any of these.

    `bare`: how surely each spot would be seen empty.
    """
    found = []
    for names, behinds in manner.rows:
        for first in range(min(7, len(near) - len(names) + 1)):
            here = near[first : first + len(names)]
            if anchor not in here or here[: 1 + len(WORKS)].count(-1) > 1 + len(WORKS) - LEAST_HEAPS:
                continue
            line = dict(zip(names, here, strict=True))
            total = _in_line(view, worth, line, spots[first], step, anchor, bare[first:])
            heaps = {name: heap for name, heap in line.items() if heap >= 0}
            for behind in behinds:
                # most are worth so little that nothing behind them helps
                if total + BEST_BEHIND * len(behind) >= LEAST_WORTH:
                    found.append(_lying(view, worth, heaps, behind, spots[first], step, total, manner))
    return [lying for lying in found if lying.worth >= LEAST_WORTH]


def _worth(view: _View, manner: Manner) -> dict[str, list[float]]:
    """By kind of place: what each of the n heaps is worth there."""
    squared = view.apart < SQUARED_MM
    column = np.where(squared, 1.0, np.where(view.grows > 0.5 * view.apart, 1.6, 0.3))
    face = 1.0 - manner.unturned * view.backs
    spread = np.where(squared, 0.0, -2.5)
    worth = {
        # of a squared pile one card is seen
        NERTS: face + spread - 0.5 * (view.number > 1),
        STOCK: 4.5 * view.backs - 3.0 + spread,
        WASTE: 1.0 - 1.4 * view.backs + 0.6 * spread,
    } | dict.fromkeys(WORKS, column - 3.5 * view.backs)
    return {name: values.tolist() for name, values in worth.items()}


def _nearest(view: _View, spots: Floats, y: float) -> list[int]:
    """The heap at each spot of a row, -1 where there is none."""
    off = np.abs(view.x[None] - spots[:, None]) / ALONG_MM
    level = np.abs(view.y - y) / np.where(view.y > y, LATE_MM, ACROSS_MM)
    off = np.where((view.upright > 0)[None] & (level < 1)[None], off, np.inf)
    best = off.argmin(axis=1)
    return [int(b) if off[k, b] < 1 else -1 for k, b in enumerate(best)]


def _in_line(
    view: _View,
    worth: dict[str, list[float]],
    line: dict[str, int],
    first: float,
    step: float,
    anchor: int,
    bare: Sequence[float],
) -> float:
    """What a row is worth by what lies in one line: by place its heap, -1 where none lies.

    `bare`: how surely each place would be seen empty.
    """
    x, y = view.spots
    level = y[anchor]
    total = -MIRRORED * (step < 0) - max(0.0, -level) / FAR_MM
    for k, (name, heap) in enumerate(line.items()):
        if heap < 0:
            total += EMPTY[name] * bare[k]
            continue
        total += worth[name][heap]
        total -= 0.6 * ((x[heap] - first - step * k) / ALONG_MM) ** 2
        total -= 0.4 * min(abs(y[heap] - level) / ACROSS_MM, 1.5) ** 2
    return total


def _lying(
    view: _View,
    worth: dict[str, list[float]],
    line: dict[str, int],
    behind: dict[str, float],
    first: float,
    step: float,
    total: float,
    manner: Manner,
) -> _Lying:
    """The heaps of a line, worth `total`, and what lies behind it."""
    y = view.spots[1]
    deep = 0.0
    if behind:
        ends = (y[heap] + view.apart[heap] if manner.past_columns else y[heap] for heap in line.values())
        deep = max(ends) if manner.past_columns else min(ends)
    heaps = dict(line)
    for name, pitches in behind.items():
        spot = _behind(view, first + pitches * step, deep, name)
        if spot is not None:
            heaps[name] = spot
        total += _unseen(view, name, first + pitches * step, deep) if spot is None else worth[name][spot]
    return _Lying(total, heaps, line, step)


def _row(side: str, view: _View, lying: _Lying) -> Row:
    """A row, and what lies around it."""
    x, y = view.spots
    heaps, line, step = lying.heaps, lying.line, lying.step
    middle = float(np.mean([x[heap] for heap in heaps.values()]))
    along = middle if side in ("south", "west") else -middle
    ends = [x[heap] for heap in line.values()]
    span = min(ends), max(ends)
    further = view.y > float(np.median([y[heap] for heap in heaps.values()])) + BEHIND_MM
    outside = further & (view.x > span[0] - BEYOND_MM) & (view.x < span[1] + BEYOND_MM)
    level = float(np.median([y[heap] for heap in line.values()]))
    beside = (view.upright > 0) & (np.abs(view.y - level) < ACROSS_MM)
    beside &= (view.x > span[0] - BESIDE * abs(step)) & (view.x < span[1] + BESIDE * abs(step))
    around = set(np.flatnonzero(outside | beside).tolist()) - set(heaps.values())
    return Row(lying.worth, side, along, heaps, span, frozenset(around))


def _behind(view: _View, x: float, deep: float, name: str) -> int | None:
    """The heap behind a row at a spot, nearest to the row: a back for a stock, a face for a waste."""
    low, high = deep + CARD_HEIGHT_MM * 0.8, deep + CARD_HEIGHT_MM * 2.2
    along, across = view.spots
    fits = (
        heap
        for heap in view.behind[name]
        if abs(along[heap] - x) < ALONG_MM * 1.6 and low < across[heap] < high
    )
    return next(fits, None)


def _unseen(view: _View, name: str, x: float, deep: float) -> float:
    """What it is worth that nothing is seen behind a row: a hand may lie there."""
    (hidden,) = view.cover.hides([x], deep + CARD_HEIGHT_MM * 1.3)
    return EMPTY[name] * (1 - hidden)
