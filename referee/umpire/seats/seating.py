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
from typing import Any, NamedTuple

import numpy as np

from referee.rules.places import FOUNDATION, NERTS, STOCK, WASTE, WORK, Place
from referee.umpire.cover import Cover, hands_of
from referee.umpire.seats.area import PAIRS
from vision.layout import CARD_HEIGHT_MM, Floats, Layout, SeenCard
from vision.scene.belief import readability
from vision.scene.heaps import Heap, heaps_of

WORKS = tuple(f"{WORK} {number}" for number in range(1, 5))
#: The places of a row as they are called in it, without a seat.
OWN = {kind: Place(kind) for kind in (NERTS, STOCK, WASTE)}
OWN |= {name: Place(WORK, number) for number, name in enumerate(WORKS, 1)}


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
#: How sure it is that a face lies face down if it can be read less surely than that.
UNREAD, READABLE = 0.75, 0.4
#: Backs with figures are taken for courts, but not surely; faces that are seen whole hardly ever are read with less.
WHOLE, DOUBTED, LIKE_A_COURT = 0.7, 0.85, 0.6
#: A back of which less is seen beside a hand may be a face.
WELL_SEEN = 0.5
#: What a place that is empty is worth; when a Nerts pile is, the hand is over.
EMPTY = {NERTS: -1.5, STOCK: -0.7, WASTE: -0.5} | dict.fromkeys(WORKS, -0.8)
#: What a row must be worth at least to be one more.
ROW = 2.0
#: What it costs to leave a back to the centre, and a heap that lies behind a row (further from the middle by this, mm,
#: and along it no further than so many mm beyond the row's ends) or in one line with it (so many pitches beyond them).
BACK_LEFT, BEHIND_LEFT, BEHIND_MM, BEYOND_MM, BESIDE = 3.0, 2.0, 45.0, 160.0, 2.4
#: Selections of rows that are followed at once, and rows that are tried.
FOLLOWED, TRIED = 40, 240
#: Backs and faces of one heap are two when their middles lie further side by side (mm).
TWO_MM = 15.0
#: Backs whose middles lie nearer are of one stock (mm): most often a busy back that was found in several places.
ONE_STOCK_MM = 40.0
#: Sides of the table: the turn of a card that lies upright for a player there, quarters.
SIDES = {"south": 0, "west": 1, "north": 2, "east": 3}


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
    #: Where what lies in one line with its Nerts pile begins and ends along the side, mm.
    span: tuple[float, float]
    #: The heaps that lie behind it or beside its ends.
    behind: frozenset[int]

    def faces(self, other: _Row) -> bool:
        """Does it lie before or behind another row of its side? Two players sit side by side, so one of the two is what
        lies in the centre."""
        (first, last), (begin, end) = self.span, other.span
        return self.side == other.side and first < end and begin < last


def propose_seating(layout: Layout, manner: Manner = ON_A_PHOTO) -> Seating:
    """Seats and places of a Nerts table; without seats where no row of cards is seen."""
    heaps = _stocks_whole([part for heap in heaps_of(layout) for part in _one_sided(heap, layout)], layout)
    hands = hands_of(layout)
    cover = Cover.of(hands, [heap.at for heap in heaps])
    backs = [_back(layout.cards[heap.top], *cover.hides(heap.at[-1:, 0], heap.at[-1, 1])) for heap in heaps]
    found = [row for side in SIDES for row in _rows(side, heaps, backs, hands, manner)]
    rows = _together(found, [BACK_LEFT * back for back in backs])
    taken = {number for row in rows for number in row.heaps.values()}
    return _named(rows, heaps, [number for number in range(len(heaps)) if number not in taken])


def _one_sided(heap: Heap, layout: Layout) -> list[Heap]:
    """A stock and the waste that was fanned over its edge are two heaps; a Nerts pile and backs under it are one."""
    face = np.array([layout.cards[number].side != "back" for number in heap.cards])
    if face.all() or not face.any():
        return [heap]
    sideways = np.array([np.cos(heap.turns[0]), np.sin(heap.turns[0])])
    if abs((heap.at[face].mean(axis=0) - heap.at[~face].mean(axis=0)) @ sideways) < TWO_MM:
        return [heap]
    numbers = np.array(heap.cards)
    return [Heap(tuple(numbers[rows].tolist()), heap.at[rows], heap.turns[rows]) for rows in (~face, face)]


def _stocks_whole(heaps: Sequence[Heap], layout: Layout) -> list[Heap]:
    """The heaps, those of backs alone that lie over one another as one: two places are further apart than that."""
    whole: list[Heap] = []
    for heap in heaps:
        if _is_stock(heap, layout):
            for number, other in enumerate(whole):
                near = np.linalg.norm(heap.at[:, None] - other.at[None], axis=2).min() < ONE_STOCK_MM
                if near and _is_stock(other, layout):
                    whole.pop(number)
                    heap = _joined(other, heap)
                    break
        whole.append(heap)
    return whole


def _is_stock(heap: Heap, layout: Layout) -> bool:
    return all(layout.cards[number].side == "back" for number in heap.cards)


def _joined(one: Heap, other: Heap) -> Heap:
    """Two heaps as one, in the order in which the layout lists their cards."""
    numbers = np.array(one.cards + other.cards)
    order = np.argsort(numbers)
    at, turns = np.concatenate([one.at, other.at]), np.concatenate([one.turns, other.turns])
    return Heap(tuple(numbers[order].tolist()), at[order], turns[order])


@dataclass(frozen=True, slots=True)
class _Selection:
    """Rows that can all be there."""

    rows: tuple[_Row, ...] = ()
    taken: frozenset[int] = frozenset()
    behind: frozenset[int] = frozenset()
    worth: float = 0.0

    def fits(self, row: _Row) -> bool:
        """Can this row be there, too?"""
        return self.taken.isdisjoint(row.heaps.values()) and not any(row.faces(own) for own in self.rows)

    def adding(self, row: _Row) -> _Selection:
        """With this row, too."""
        return _Selection(
            (*self.rows, row),
            self.taken.union(row.heaps.values()),
            self.behind | row.behind,
            self.worth + row.worth - ROW,
        )

    def total(self, backs: Sequence[float]) -> float:
        """What it is worth with what is left to the centre; `backs`: what it costs to leave each heap there."""
        left = sum(cost for number, cost in enumerate(backs) if number not in self.taken)
        return self.worth - left - BEHIND_LEFT * len(self.behind - self.taken)


def _together(found: Sequence[_Row], backs: Sequence[float]) -> tuple[_Row, ...]:
    """The rows that are worth most together (beam search), the best one first."""
    selections = [_Selection()]
    for row in sorted(found, key=lambda row: -row.worth)[:TRIED]:
        selections += [selection.adding(row) for selection in selections if selection.fits(row)]
        selections.sort(key=lambda selection: -selection.total(backs))
        del selections[FOLLOWED:]
    return selections[0].rows


def _back(card: SeenCard, hidden: float) -> float:
    """How surely a card lies face down: a face that cannot be read may be a back that looks like one, and the sliver
    of a card that a hand leaves (`hidden`: 0 to 1) a face."""
    if card.side == "back":
        return 1 - hidden * max(0.0, 1 - card.visible_fraction / WELL_SEEN)
    if readability(card) < READABLE:
        return UNREAD
    assert card.face_probabilities is not None
    doubted = card.visible_fraction >= WHOLE and card.face_probabilities.max() < DOUBTED
    return LIKE_A_COURT if doubted else 0.0


def _named(rows: Sequence[_Row], heaps: Sequence[Heap], left: Sequence[int]) -> Seating:
    seating = Seating([])
    for side in SIDES:
        here = sorted((row for row in rows if row.side == side), key=lambda row: row.along)
        names = [side] if len(here) == 1 else list(PAIRS[side])
        for name, row in zip(names, here, strict=False):
            seating.seats.append(name)
            for place, number in row.heaps.items():
                seating.places |= dict.fromkeys(heaps[number].cards, OWN[place]._replace(seat=name))
    for count, number in enumerate(left, 1):
        seating.places |= dict.fromkeys(heaps[number].cards, Place(FOUNDATION, count))
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


def _rows(
    side: str, heaps: Sequence[Heap], backs: Sequence[float], hands: Sequence[Floats], manner: Manner
) -> list[_Row]:
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


def _row(side: str, view: _View, lying: _Lying) -> _Row:
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
    return _Row(lying.worth, side, along, heaps, span, frozenset(around))


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


def seating_to_json(told: dict[str, Any], seating: Seating) -> None:
    """Adds the proposal to a layout's JSON, in place: `seats`, and each card's `place` (None where it has none)."""
    told["seats"] = seating.seats
    for number, card in enumerate(told["cards"]):
        place = seating.places.get(number)
        card["place"] = None if place is None else str(place)
