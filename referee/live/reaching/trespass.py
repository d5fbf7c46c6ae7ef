"""Whose arm took a card out of a player's area, or laid it in one: its owner's, or that of another one who may not reach
there (N3).

An arm hides its whole way: of the way from where a card was laid to who did not lay it some part shows. Both ends must
speak against a card's owner: another seat's arm came to where the card lay and to where it was laid, and to the latter
the owner's did not. An owner who laid a card in another's area must have been seen to reach there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from referee.live.reaching.reaches import (
    CAME,
    CAME_NOT,
    HIDDEN,
    PASSED_S,
    REMEMBERED_S,
    STANDS_OUT,
    Reach,
    Reaches,
    are_side_by_side,
)
from referee.rules.events import INFERRED, Play, Recycle, SetAside
from referee.rules.places import Place
from referee.umpire.sights import Point
from referee.umpire.story import ASIDE, FOREIGN, Believed
from referee.umpire.umpire import Umpire
from vision.layout import Floats

#: Where a card's owner surely did not come less is enough for another one; and it is for the owner, whose card it is.
SURELY_NOT, LIKELY = 0.3, 0.7
#: A card is taken so long (s) before it is laid; moments that are looked at, every so many s.
TAKEN_S, EVERY_S = (1.2, 0.15), 0.1
#: A landing is told no more than so long (s) after it was.
LATE_S = 1.5
#: A landing that is told no more widely than this (s) was seen.
TIMED_S = 0.2
#: An arm that stands out as a whole does at so many moments, so close (s), from so long (s) before a landing that frames
#: saw until so long after.
STOOD_OUT, CLOSE_S, LAID_S = 3, 0.05, (0.1, 0.25)
#: A foundation is set aside with an arm over it for so long (s) before and behind the moment that is told.
ASIDE_S = (0.35, 0.05)
#: Whoever turned a waste over so long (s) before or after may have laid its top card on a foundation, and a pile of backs
#: elsewhere.
OVER_S = 2.0
#: Whoever lays a card of their own there so long (s) before or after did not lay another's as well.
OWN_WAY_S = 1.0
#: Two tellings of one event differ by no more than this (s).
SAME_S = 1.0


@dataclass(slots=True)
class Trespass:
    """Ask of each play that is believed: what has been said of one stays."""

    umpire: Umpire
    reaches: Reaches
    #: By what an event tells: its moment, and who came for the card of another.
    _came: dict[tuple[object, ...], list[tuple[float, str]]] = field(default_factory=dict)

    def told(
        self, event: Believed, sure: float, now: float, beside: Sequence[tuple[Believed, float]] = ()
    ) -> tuple[Believed, float]:
        """The same event, or by the seat whose arm it was, and how sure that is.

        `now`: s; `beside`: what else is believed, and how surely.
        """
        if event.foul == ASIDE and isinstance(event.event, SetAside):
            seat = self._who(event, now, self._seen_aside)
            by = replace(event, event=replace(event.event, seat=seat)) if seat else event
            told = seat and not any(_turns_over(other, seat, event) for other, _ in beside)
            return by, sure if told else min(sure, INFERRED)
        if not isinstance(event.event, Play) or event.source is None or not event.source.seat:
            return event, sure
        if event.foul not in (None, FOREIGN) or self.umpire.dealing.partners:
            return event, sure
        seat = self._who(event, now, self._seen)
        if seat not in ("", event.source.seat) and self.umpire.has_left(event):
            if any(_lays_own(other, seat, event) for other, _ in beside):
                # that arm was there with a card of its own, as in every tie
                return event, sure
            return _by(event, seat), sure
        return event, sure if seat or event.foul is None else min(sure, INFERRED)

    def _who(self, event: Believed, now: float, seen: Callable[[Believed], str]) -> str:
        known = self._came.setdefault(event.identity, [])
        for at, seat in known:
            if abs(at - event.at) <= SAME_S:
                return seat
        if not now - REMEMBERED_S < event.at < now - PASSED_S:
            return ""
        known.append((event.at, seen(event)))
        return known[-1][1]

    def _seen(self, event: Believed) -> str:
        """Whose arm it was, if that can be told: nobody else's where a card's owner may have been it."""
        assert event.source is not None and event.target is not None
        owner, timed = event.source.seat, self._timed(event)
        # whoever comes only when frames saw it lie there did not lay it
        after = () if timed is not None else (event.at + EVERY_S,)
        laid = self.came_to(event.target, (*after, event.at, event.at - EVERY_S))
        least = LIKELY if laid.get(owner, 1.0) <= SURELY_NOT else CAME
        others = [seat for seat, share in laid.items() if seat != owner and share >= least]
        not_there = (
            SURELY_NOT if others and are_side_by_side(self.umpire.dealt_area, owner, others[0]) else CAME_NOT
        )
        if not others and laid.get(owner, 1.0) <= SURELY_NOT:
            return self._stands_out(event)
        if len(others) != 1 or laid.get(owner, 1.0) > not_there:
            return owner if laid.get(owner, 0.0) >= LIKELY else ""
        moments = np.arange(event.at - TAKEN_S[0], event.at - TAKEN_S[1], EVERY_S).tolist()
        taken = self.came_to(event.source, moments)
        if self._came_before(event) > not_there:
            return ""
        return others[0] if taken.get(others[0], 0.0) >= CAME else self._stands_out(event)

    def _came_before(self, event: Believed) -> float:
        """How surely a card's owner came to where it lies in any of the moments before: a landing may be seen late."""
        assert event.source is not None and event.target is not None
        since, timed = (
            max(event.at - LATE_S, min(self.umpire.untouched(event), event.at) - EVERY_S),
            self._timed(event),
        )
        if timed is not None:
            since = max(since, timed - EVERY_S)
        return self.came_to(event.target, np.arange(since, event.at, EVERY_S).tolist()).get(
            event.source.seat, 1.0
        )

    def _stands_out(self, event: Believed) -> str:
        """The other seat whose arm stood out as a whole where a card was taken and where frames saw it laid, some of it
        being as bright as the table; nobody's where the owner's may have been at either.
        """
        assert event.source is not None and event.target is not None
        owner, timed = event.source.seat, self._timed(event)
        if timed is None or self._came_before(event) > SURELY_NOT:
            return ""
        moments = np.arange(timed - LAID_S[0], timed + LAID_S[1], CLOSE_S)
        shown = self._arms(event.target, moments)
        ways = chain.from_iterable(chain.from_iterable(shown))
        if any(reach.seat == owner and reach.hidden >= HIDDEN for reach in ways):
            return ""
        laid = _alone(shown)
        moments = np.arange(timed - TAKEN_S[0], timed - TAKEN_S[1], CLOSE_S)
        taken = _alone(self._arms(event.source, moments))
        seats = [seat for seat, often in laid.items() if often >= STOOD_OUT]
        if len(seats) != 1 or are_side_by_side(self.umpire.dealt_area, owner, seats[0]):
            return ""
        return seats[0] if taken[seats[0]] >= max(STOOD_OUT, taken[owner] + 1) else ""

    def _arms(self, place: Place, moments: Floats) -> list[list[list[Reach]]]:
        """By moment (s) and where a hand may be at a place: how an arm of each seat may reach there, the best first."""
        area, points = self.umpire.dealt_area, self.umpire.middles(place)
        return [
            [self.reaches.at(point, moment, area.seats, area.from_table) for point in points]
            for moment in moments.tolist()
        ]

    @staticmethod
    def _timed(event: Believed) -> float | None:
        """When (s) its card was seen to come to rest at the soonest; None where frames did not show it."""
        landed = event.event.landed if isinstance(event.event, Play) else None
        return None if landed is None or landed[1] - landed[0] > TIMED_S else landed[0]

    def _seen_aside(self, event: Believed) -> str:
        """Whose arm alone was at a foundation that was set aside; nobody's where two may have been."""
        assert event.target is not None
        moments = np.arange(event.at - ASIDE_S[0], event.at + ASIDE_S[1], EVERY_S).tolist()
        came = self.came_to(event.target, moments)
        there = [seat for seat, share in came.items() if share >= CAME]
        if not there:
            # some part of an arm may look like the table; then it must stand out, and nobody else's may have come
            there, not_there = self._standing_out(event.target, moments), SURELY_NOT
        else:
            not_there = CAME_NOT
        others = [share for seat, share in came.items() if seat not in there]
        return there[0] if len(there) == 1 and max(others, default=0.0) <= not_there else ""

    def _standing_out(self, place: Place, moments: Sequence[float]) -> list[str]:
        """The seats whose arm stands out at a place in most of these moments (s)."""
        area, points = self.umpire.dealt_area, self.umpire.middles(place)
        reaches = (
            self.reaches.whose(point, moment, area.seats, area.from_table)
            for moment in moments
            for point in points
        )
        seats = Counter(reach.seat for reach in reaches if reach is not None)
        return [seat for seat, times in seats.items() if 2 * times > len(moments) * len(points)]

    def came_to(self, place: Place, moments: Iterable[float]) -> dict[str, float]:
        """By seat: how surely an arm came to a place at one of the moments (s)."""
        area = self.umpire.dealt_area
        found: dict[str, float] = {}
        points = self.umpire.middles(place)
        for moment in moments:
            for seat, share in self._ways(points, moment):
                found[seat] = max(found.get(seat, 0.0), share)
        return found if len(found) == len(area.seats) else {}

    def _ways(self, points: Sequence[Point], moment: float) -> Iterable[tuple[str, float]]:
        area = self.umpire.dealt_area
        for point in points:
            yield from self.reaches.least_hidden(point, moment, area.seats, area.from_table).items()


def _alone(shown: Iterable[Iterable[Sequence[Reach]]]) -> Counter[str]:
    """By seat: at how many moments so much more was hidden of a way than of those to other seats that it was its arm."""
    return Counter(
        chain.from_iterable(
            {first.seat for first, *others in filter(None, ways) if _is_clear(first, others)}
            for ways in shown
        )
    )


def _is_clear(first: Reach, others: Sequence[Reach]) -> bool:
    return first.hidden >= HIDDEN and all(other.hidden <= first.hidden - STANDS_OUT for other in others)


def _lays_own(other: Believed, seat: str, event: Believed) -> bool:
    """Whether another event is of this seat's own card, laid where `event` lays one, at about its moment."""
    return (
        isinstance(other.event, Play)
        and other.seat == seat
        and other.source is not None
        and other.source.seat == seat
        and other.target == event.target
        and abs(other.at - event.at) <= OWN_WAY_S
    )


def _turns_over(other: Believed, seat: str, event: Believed) -> bool:
    """Whether another event is this seat's waste turned over at about the moment of `event`."""
    return isinstance(other.event, Recycle) and other.seat == seat and abs(other.at - event.at) <= OVER_S


def _by(event: Believed, seat: str) -> Believed:
    """The play as one of another seat, which breaks a rule as soon as the card or where it went is not that seat's."""
    play = event.event
    assert isinstance(play, Play) and event.source is not None and event.target is not None
    written = replace(
        play, seat=seat, hand=None, source=event.source.written_by(seat), target=event.target.written_by(seat)
    )
    return replace(event, event=written, misfit=True, foul=FOREIGN)
