"""Events in the order in which they are told: by their moments, but none before what it rests on."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from itertools import accumulate

from referee.rules.cards import UNKNOWN
from referee.rules.events import Play, Turn
from referee.rules.places import WASTE, Place
from referee.umpire.story import Believed


def in_time(events: Sequence[Believed]) -> list[tuple[Believed, float]]:
    """Events with their moments (s), by moment, but none before one that it rests on (same place or same cards).

    One that several others rest on that were seen earlier was itself seen late: it is moved, not they.
    """
    ordered: list[Believed] = []
    for event in events:
        spot = _before_uncovered(ordered, event, _before_later(ordered, event, len(ordered)))
        ordered.insert(_before_later(ordered, event, spot), event)
    moments = [event.at for event in ordered]
    later: list[float] = []
    for i in reversed(range(len(moments))):
        if bisect_left(later, moments[i]) > 1:
            moments[i] = later[0]
        insort(later, moments[i])
    return list(zip(ordered, accumulate(moments, max), strict=True))


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
    same_stock = a.seat == b.seat and (a.of_stock or b.of_stock)
    # each seat has a card of its own of every face, but for who lays another's
    one_deck = a.seat == b.seat or a.misfit or b.misfit
    return bool(places) or same_stock or (one_deck and bool(set(a.cards) & set(b.cards) - {UNKNOWN}))
