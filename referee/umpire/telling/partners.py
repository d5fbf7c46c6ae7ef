"""Which of two partners, who play with the same cards, did what is told of the one after whom these are named (P3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import exp, log

from referee.rules.events import INFERRED
from referee.rules.places import WASTE, WORK, Place
from referee.umpire.one_hand import HURRY_S
from referee.umpire.seats.area import SeatArea
from referee.umpire.sights import Point
from referee.umpire.story import Believed

#: Which of two it was is told for sure from so much on; and for good when so long (s) has passed since.
SURE_ARM, PASSED_S = 0.8, 1.0
#: One player lays no two cards within so long (s), and hardly within `HURRY_S`: what it tells (log) that another event,
#: so shortly before or after, was the one's or the other's.
AT_ONCE_S, AT_ONCE, HURRIED = 0.25, 6.0, 3.0
#: No chance is nearer to 0 or 1 than this.
LEAST = 1e-4

#: Where (mm) a hand was and when (s), at last where cards were laid.
Hands = Sequence[tuple[Point, float]]
#: An event, the same as it is told, and how sure it is.
Told = tuple[Believed, Believed, float]


@dataclass(slots=True)
class Partners:
    """Ask of all events that are told."""

    #: Asked for the probability that it was not the seat after whom the cards are named, by where a hand was.
    whose: Callable[[SeatArea, Hands], float] | None = None
    #: What was thought of each event from a work pile.
    known: dict[Believed, float] = field(default_factory=dict)

    def told(
        self,
        events: Sequence[Told],
        areas: Iterable[SeatArea],
        hands: Callable[[Believed], Iterable[tuple[Place, Point, float]]],
        now: float,
    ) -> list[tuple[Believed, float]]:
        """Events, in order, as they are told, of whichever of the two: one has the Nut pile, the other stock and waste;
        the work piles are both's, but nobody lays two cards in one moment. `hands`: where they were then; `now`: s.
        """
        area_of = {area.seat: area for area in areas}
        alone = [self._alone(event, told, area_of[told.seat], hands, now) for event, told, _ in events]
        found: list[tuple[Believed, float]] = []
        for number, (_, told, sure) in enumerate(events):
            chance = _beside_others(number, events, alone) if _is_boths(told) else alone[number]
            if chance > 0.5:
                told = replace(told, event=replace(told.event, seat=area_of[told.seat].partner))
            found.append((told, sure if max(chance, 1 - chance) > SURE_ARM else min(sure, INFERRED)))
        return found

    def _alone(
        self,
        event: Believed,
        told: Believed,
        area: SeatArea,
        hands: Callable[[Believed], Iterable[tuple[Place, Point, float]]],
        now: float,
    ) -> float:
        """The probability that it was the partner, by this event alone."""
        if _is_boths(told):
            return self._partner_did(event, area, hands(event), now)
        return float(told.of_stock or (told.source is not None and told.source.kind == WASTE))

    def _partner_did(
        self, event: Believed, area: SeatArea, hands: Iterable[tuple[Place, Point, float]], now: float
    ) -> float:
        """The probability that it was the partner, by what was there then; later, by what was thought of it then."""
        if self.whose is not None and (event not in self.known or event.at > now - PASSED_S):
            self.known[event] = self.whose(area, [(point, at) for _, point, at in hands])
        elif event not in self.known:
            alike = (one for one in self.known if one.identity == event.identity)
            near = min(alike, key=lambda one: abs(one.at - event.at), default=None)
            return 0.0 if near is None else self.known[near]
        return self.known[event]


def _is_boths(told: Believed) -> bool:
    """Whether either of two partners may have done it."""
    return not told.of_stock and (told.source or told.target or Place("")).kind == WORK


def _beside_others(number: int, events: Sequence[Told], alone: Sequence[float]) -> float:
    """The probability that it was the partner, by what was done at the same time, too."""
    told = events[number][1]
    chance = min(max(alone[number], LEAST), 1 - LEAST)
    odds = log(chance / (1 - chance))
    for other in (*_towards(number, -1, events), *_towards(number, 1, events)):
        beside = events[other][1]
        if beside.seat == told.seat:
            near = abs(beside.at - told.at) < AT_ONCE_S
            odds -= (AT_ONCE if near else HURRIED) * (2 * alone[other] - 1)
    return 1 / (1 + exp(-odds))


def _towards(number: int, step: int, events: Sequence[Told]) -> Iterator[int]:
    """The numbers of events shortly before, or after, another one."""
    at, number = events[number][1].at, number + step
    while 0 <= number < len(events) and abs(events[number][1].at - at) < HURRY_S:
        yield number
        number += step
