"""Events in the order in which they are told: by their moments, but none before what it rests on."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from math import inf

from referee.rules.cards import UNKNOWN
from referee.rules.events import Play, Turn
from referee.rules.places import WASTE, Place
from referee.umpire.story import Believed


def in_time(events: Sequence[Believed]) -> list[tuple[Believed, float]]:
    """Events with their moments (s), by moment, but none before one that it rests on (same place or same cards).

    One that others rest on that were seen earlier was itself seen late, or they too early: the fewest are moved.
    """
    ordered: list[Believed] = []
    for event in events:
        spot = _before_uncovered(ordered, event, _before_later(ordered, event, len(ordered)))
        ordered.insert(_before_later(ordered, event, spot), event)
    return list(zip(ordered, never_back([event.at for event in ordered]), strict=True))


def never_back(moments: Sequence[float]) -> list[float]:
    """Moments (s) that never run backwards: as few as can be are moved, each no further than to the next that is not.

    Where either of two would do the later in order is moved.
    """
    kept = _longest_in_order(moments)
    told, at = list(moments), -inf
    for i, moment in enumerate(moments):
        at = max(at, moment) if i in kept else at
        told[i] = max(at, moment)
    at = inf
    for i in reversed(range(len(told))):
        at = told[i] = min(at, told[i])
    return told


def _longest_in_order(moments: Sequence[float]) -> set[int]:
    """Numbers of a longest part of `moments` in which none is before the one in front of it (patience sorting)."""
    # from the end, so that of equally long parts the one with the earlier numbers is found
    tops: list[float] = []
    heads: list[int] = []
    behind: list[int | None] = []
    for number in range(len(moments) - 1, -1, -1):
        pile = bisect_right(tops, -moments[number])
        behind.append(heads[pile - 1] if pile else None)
        if pile == len(tops):
            tops.append(-moments[number])
            heads.append(number)
        else:
            tops[pile], heads[pile] = -moments[number], number
    behind.reverse()
    found: set[int] = set()
    last = heads[-1] if heads else None
    while last is not None:
        found.add(last)
        last = behind[last]
    return found


def _before_later(ordered: Sequence[Believed], event: Believed, spot: int) -> int:
    """Where before `spot` an event belongs by its moment."""
    while spot and ordered[spot - 1].at > event.at and not _linked(ordered[spot - 1], event):
        spot -= 1
    return spot


def _before_uncovered(ordered: Sequence[Believed], play: Believed, spot: int) -> int:
    """Where a play belongs that was seen to land after something else had happened to the pile that it left."""
    if play.lifted is None or play.source is None:
        return spot
    for i, one in enumerate(ordered[:spot]):
        if one.at < play.lifted:
            continue
        turned_or_covered = isinstance(one.event, Turn | Play) and one.target == play.source
        drawn = one.of_stock and play.source == Place(WASTE, 0, one.seat)
        if (turned_or_covered or drawn) and not set(one.cards) & set(play.cards):
            return i
    return spot


def _linked(a: Believed, b: Believed) -> bool:
    places = {a.source, a.target} & {b.source, b.target} - {None}
    if places == {a.source} == {b.source} and _left_before(b, a):
        places = set()
    # each seat has a card of its own of every face, but for who lays another's
    one_deck = a.seat == b.seat or a.misfit or b.misfit
    return bool(places) or _share_stock(a, b) or (one_deck and bool(set(a.cards) & set(b.cards) - {UNKNOWN}))


def _left_before(a: Believed, b: Believed) -> bool:
    """Whether `a` was seen to be lifted before `b` was: from one pile it came first then, whatever was told first."""
    return a.lifted is not None and b.lifted is not None and a.lifted < b.lifted


def _share_stock(a: Believed, b: Believed) -> bool:
    """Whether both have to do with one seat's stock and waste, and one of them with both."""
    waste = Place(WASTE, 0, a.seat)
    there = (one.of_stock or waste in (one.source, one.target) for one in (a, b))
    return a.seat == b.seat and (a.of_stock or b.of_stock) and all(there)
