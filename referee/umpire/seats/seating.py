"""Who sits where, and what lies in whose places, proposed from one picture of a Nerts table in the middle of a hand.

Of all rows that players may have laid (`rows.py`) the best ones that share no heap are taken. What is left lies in the
centre. `deal.py` finds a deal before the first card moves, and is stricter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from referee.rules.places import FOUNDATION, NERTS, STOCK, WASTE, WORK, Place
from referee.umpire.cover import Cover, hands_of
from referee.umpire.seats.area import PAIRS
from referee.umpire.seats.rows import ON_A_PHOTO, SIDES, WORKS, Manner, Row, rows_at
from vision.layout import Layout, SeenCard
from vision.scene.belief import readability
from vision.scene.heaps import Heap, heaps_of

#: The places of a row as they are called in it, without a seat.
OWN = {kind: Place(kind) for kind in (NERTS, STOCK, WASTE)}
OWN |= {name: Place(WORK, number) for number, name in enumerate(WORKS, 1)}
#: How sure it is that a face lies face down if it can be read less surely than that.
UNREAD, READABLE = 0.75, 0.4
#: Backs with figures are taken for courts, but not surely; faces that are seen whole hardly ever are read with less.
WHOLE, DOUBTED, LIKE_A_COURT = 0.7, 0.85, 0.6
#: A back of which less is seen beside a hand may be a face.
WELL_SEEN = 0.5
#: What a row must be worth at least to be one more.
ROW = 2.0
#: What it costs to leave a back to the centre, and a heap that lies behind a row or in one line with it.
BACK_LEFT, BEHIND_LEFT = 3.0, 2.0
#: Selections of rows that are followed at once, and rows that are tried.
FOLLOWED, TRIED = 40, 240
#: Backs and faces of one heap are two when their middles lie further side by side (mm).
TWO_MM = 15.0
#: Backs whose middles lie nearer are of one stock (mm): most often a busy back that was found in several places.
ONE_STOCK_MM = 40.0


@dataclass(slots=True)
class Seating:
    """A proposal: by card of the layout its place, and the seats, in the order south, west, north, east."""

    seats: list[str]
    places: dict[int, Place] = field(default_factory=dict)


def propose_seating(layout: Layout, manner: Manner = ON_A_PHOTO) -> Seating:
    """Seats and places of a Nerts table; without seats where no row of cards is seen."""
    heaps = _stocks_whole([part for heap in heaps_of(layout) for part in _one_sided(heap, layout)], layout)
    hands = hands_of(layout)
    cover = Cover.of(hands, [heap.at for heap in heaps])
    backs = [_back(layout.cards[heap.top], *cover.hides(heap.at[-1:, 0], heap.at[-1, 1])) for heap in heaps]
    found = [row for side in SIDES for row in rows_at(side, heaps, backs, hands, manner)]
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

    rows: tuple[Row, ...] = ()
    taken: frozenset[int] = frozenset()
    behind: frozenset[int] = frozenset()
    worth: float = 0.0

    def fits(self, row: Row) -> bool:
        """Can this row be there, too?"""
        return self.taken.isdisjoint(row.heaps.values()) and not any(row.faces(own) for own in self.rows)

    def adding(self, row: Row) -> _Selection:
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


def _together(found: Sequence[Row], backs: Sequence[float]) -> tuple[Row, ...]:
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


def _named(rows: Sequence[Row], heaps: Sequence[Heap], left: Sequence[int]) -> Seating:
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


def seating_to_json(told: dict[str, Any], seating: Seating) -> None:
    """Adds the proposal to a layout's JSON, in place: `seats`, and each card's `place` (None where it has none)."""
    told["seats"] = seating.seats
    for number, card in enumerate(told["cards"]):
        place = seating.places.get(number)
        card["place"] = None if place is None else str(place)
