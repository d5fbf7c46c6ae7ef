"""Who sits where, and what lies in whose places, proposed from one picture of a Nerts table in the middle of a hand.

A player's cards lie in a row as people lay them: the Nerts pile, four work piles, and stock and waste beside them,
behind them, or the stock behind the waste; from left to right or the other way round. Every such row that fits what
lies there is weighed by what each heap looks like (a stock shows a back, a Nerts pile is squared, columns grow
towards their player), and the best ones that share no heap are taken. What is left lies in the centre. The rules
that say what lies where are N1 and N2; `deal.py` finds a deal before the first card moves, and is stricter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from referee.umpire.sights import Place
from referee.umpire.story import NERTS, STOCK, WASTE
from vision.belief import readability
from vision.heaps import Heap, heaps_of
from vision.layout import CARD_HEIGHT_MM, Floats, Layout, SeenCard

WORKS = tuple(f"work {number}" for number in range(1, 5))
#: Ways to lay a row, from the Nerts pile on, and what lies behind it: place → how many pitches from the Nerts pile.
ROWS: tuple[tuple[tuple[str, ...], dict[str, float]], ...] = (
    ((NERTS, *WORKS, STOCK, WASTE), {}),
    ((NERTS, *WORKS, WASTE), {STOCK: 5.0}),
    *(((NERTS, *WORKS), {STOCK: shift, WASTE: shift + 1}) for shift in (0.0, 1.5, 3.0)),
)
#: Pitches of a row that are tried, mm.
PITCHES = np.arange(60.0, 81.0, 2.0)
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
#: A row on the other side of the table's middle is worth one less for so many mm.
FAR_MM = 60.0
#: How sure it is that a face lies face down if it can be read less surely than that.
UNREAD, READABLE = 0.75, 0.4
#: What a place that is empty is worth.
EMPTY = {NERTS: -0.8, STOCK: -0.7, WASTE: -0.5} | dict.fromkeys(WORKS, -0.8)
#: Sides of the table: the turn of a card that lies upright for a player there, quarters.
SIDES = {"south": 0, "west": 1, "north": 2, "east": 3}
#: Two players along one side, from the left in the picture or from its upper end.
PAIRS = {
    "south": ("southwest", "southeast"),
    "north": ("northwest", "northeast"),
    "west": ("northwest", "southwest"),
    "east": ("northeast", "southeast"),
}


@dataclass(slots=True)
class Seating:
    """A proposal: by card of the layout its place, and the seats, in the order south, west, north, east."""

    seats: list[str]
    places: dict[int, Place] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Row:
    """One player's places at a side: the heap (its number) in each that is not empty."""

    worth: float
    side: str
    along: float
    heaps: dict[str, int]
    #: Where its Nerts pile and work piles begin and end along the side, mm.
    span: tuple[float, float]

    def faces(self, other: _Row) -> bool:
        """Does it lie before or behind another row of its side? Two players sit side by side, so one of the two is what
        lies in the centre."""
        (first, last), (begin, end) = self.span, other.span
        return self.side == other.side and first < end and begin < last


def propose_seating(layout: Layout) -> Seating:
    """Seats and places of a Nerts table; without seats where no row of cards is seen."""
    heaps = heaps_of(layout)
    backs = [_back(layout.cards[heap.top]) for heap in heaps]
    rows: list[_Row] = []
    left = set(range(len(heaps)))
    found = [row for side in SIDES for row in _rows(side, heaps, backs)]
    found.sort(key=lambda row: -row.worth)
    for row in found:
        if left.issuperset(row.heaps.values()) and not any(row.faces(other) for other in rows):
            left -= set(row.heaps.values())
            rows.append(row)
    return _named(rows, heaps, sorted(left))


def _back(card: SeenCard) -> float:
    """How surely a card lies face down: a face that cannot be read may be a back that looks like one."""
    if card.side == "back":
        return 1.0
    return UNREAD if readability(card) < READABLE else 0.0


def _named(rows: Sequence[_Row], heaps: Sequence[Heap], left: Sequence[int]) -> Seating:
    seating = Seating([])
    for side in SIDES:
        here = sorted((row for row in rows if row.side == side), key=lambda row: row.along)
        names = [side] if len(here) == 1 else list(PAIRS[side])
        for name, row in zip(names, here, strict=False):
            seating.seats.append(name)
            for place, number in row.heaps.items():
                seating.places |= dict.fromkeys(heaps[number].cards, Place(name, place))
    for count, number in enumerate(left, 1):
        seating.places |= dict.fromkeys(heaps[number].cards, Place("", f"foundation {count}"))
    return seating


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


def _view(side: str, heaps: Sequence[Heap], backs: Sequence[float]) -> _View:
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
    return _View(
        x=np.array([_along(cards[:, 0]) for cards in at]) - middle[0],
        y=np.array([cards[:, 1].min() for cards in at]) - middle[1],
        grows=np.array([cards[-1, 1] - cards[0, 1] for cards in at]),
        apart=np.array([float(np.ptp(cards[:, 1])) for cards in at]),
        backs=np.array(backs, dtype=np.float64),
        upright=(off < np.sin(TURNED)).astype(np.float64),
        number=np.array([len(heap.cards) for heap in heaps], dtype=np.float64),
    )


def _along(x: Floats) -> float:
    """Where a heap lies by its cards from the lowest to the topmost."""
    return float(x[0] if np.ptp(x) > FANNED_MM else np.median(x))


def _rows(side: str, heaps: Sequence[Heap], backs: Sequence[float]) -> list[_Row]:
    """Every row at a side that is worth something."""
    if not heaps:
        return []
    view = _view(side, heaps, backs)
    worth = _worth(view)
    rows = []
    upright = np.flatnonzero(view.upright > 0)
    for anchor in upright:
        beside = np.abs(view.x[upright] - view.x[anchor])
        if (beside < 3 * PITCHES[-1]).sum() < LEAST_HEAPS:
            continue
        for pitch in PITCHES:
            spots = view.x[anchor] + pitch * np.arange(-6, 7)
            near = _nearest(view, spots, float(view.y[anchor]))
            if sum(heap >= 0 for heap in near) < LEAST_HEAPS:
                continue
            for step in (1, -1):
                rows += _laid(side, view, worth, near[::step], spots[::step], pitch * step, int(anchor))
    return rows


def _laid(
    side: str,
    view: _View,
    worth: dict[str, Floats],
    near: Sequence[int],
    spots: Floats,
    step: float,
    anchor: int,
) -> list[_Row]:
    """The rows that are worth something among heaps `near` spots, the Nerts pile at any of these."""
    found = (
        _row(side, view, worth, near[first:], names, behind, float(spots[first]), step, anchor)
        for names, behind in ROWS
        for first in range(7)
        if first + len(names) <= len(near)
    )
    return [row for row in found if row is not None]


def _worth(view: _View) -> dict[str, Floats]:
    """By kind of place: (n,) what each heap is worth there."""
    squared = view.apart < SQUARED_MM
    column = np.where(squared, 1.0, np.where(view.grows > 0.5 * view.apart, 1.6, 0.3))
    face = 1.0 - 3.5 * view.backs
    spread = np.where(squared, 0.0, -2.5)
    return {
        # of a squared pile one card is seen
        NERTS: face + spread - 0.5 * (view.number > 1),
        STOCK: 4.5 * view.backs - 3.0 + spread,
        WASTE: 1.0 - 1.4 * view.backs + 0.6 * spread,
    } | dict.fromkeys(WORKS, column - 3.5 * view.backs)


def _nearest(view: _View, spots: Floats, y: float) -> list[int]:
    """The heap at each spot of a row, -1 where there is none."""
    off = np.abs(view.x[None] - spots[:, None]) / ALONG_MM
    level = np.abs(view.y - y) / np.where(view.y > y, LATE_MM, ACROSS_MM)
    off = np.where((view.upright > 0)[None] & (level < 1)[None], off, np.inf)
    best = off.argmin(axis=1)
    return [int(b) if off[k, b] < 1 else -1 for k, b in enumerate(best)]


def _row(
    side: str,
    view: _View,
    worth: dict[str, Floats],
    near: Sequence[int],
    names: Sequence[str],
    behind: dict[str, float],
    first: float,
    step: float,
    anchor: int,
) -> _Row | None:
    heaps = {name: heap for name, heap in zip(names, near, strict=False) if heap >= 0}
    if anchor not in heaps.values() or sum(name in heaps for name in (NERTS, *WORKS)) < LEAST_HEAPS:
        return None
    deep = max(float(view.y[heap] + view.apart[heap]) for heap in heaps.values())
    for name, pitches in behind.items():
        spot = _behind(view, first + pitches * step, deep, name == STOCK)
        if spot is not None:
            heaps[name] = spot
    whole = (*names, *behind)
    total = sum(worth[name][heaps[name]] if name in heaps else EMPTY[name] for name in whole)
    total -= sum(
        0.6 * (abs(view.x[heap] - first - step * k) / ALONG_MM) ** 2
        + 0.4 * min(abs(view.y[heap] - view.y[anchor]) / ACROSS_MM, 1.5) ** 2
        for k, name in enumerate(names)
        if (heap := heaps.get(name)) is not None
    )
    total -= MIRRORED * (step < 0) + max(0.0, -float(view.y[anchor])) / FAR_MM
    if total < LEAST_WORTH:
        return None
    middle = float(np.mean([view.x[heap] for heap in heaps.values()]))
    own = [float(view.x[heaps[name]]) for name in (NERTS, *WORKS) if name in heaps]
    along = middle if side in ("south", "west") else -middle
    return _Row(float(total), side, along, heaps, (min(own), max(own)))


def _behind(view: _View, x: float, deep: float, back: bool) -> int | None:
    """The heap behind a row at a spot, nearest to the row: a back for a stock, a face for a waste."""
    low, high = deep + CARD_HEIGHT_MM * 0.8, deep + CARD_HEIGHT_MM * 2.2
    fits = (view.upright > 0) & (np.abs(view.x - x) < ALONG_MM * 1.6) & (view.y > low) & (view.y < high)
    fits &= (view.backs > 0) if back else (view.backs < 1)
    return int(np.flatnonzero(fits)[np.argmin(view.y[fits])]) if fits.any() else None


def seating_to_json(told: dict[str, Any], seating: Seating) -> None:
    """Adds the proposal to a layout's JSON, in place: `seats`, and each card's `place` (None where it has none)."""
    told["seats"] = seating.seats
    for number, card in enumerate(told["cards"]):
        place = seating.places.get(number)
        card["place"] = None if place is None else str(place)
