"""Which of two partners, who play with the same cards, did what is told of the one after whom these are named (P3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, log
from typing import TypeVar

from referee.rules.events import INFERRED, Play
from referee.rules.places import NERTS, WASTE, WORK, Place
from referee.umpire.one_hand import HURRY_S
from referee.umpire.seats.area import SeatArea
from referee.umpire.sights import Point
from referee.umpire.story import ROLE, Believed

#: Which of two it was is told for sure from so much on; and for good when so long (s) has passed since.
SURE_ARM, PASSED_S = 0.8, 1.0
#: One player lays no two cards within so long (s), and hardly within `HURRY_S`: what it tells (log) that another event,
#: so shortly before or after, was the one's or the other's.
AT_ONCE_S, AT_ONCE, HURRIED = 0.25, 6.0, 3.0
#: No chance is nearer to 0 or 1 than this.
LEAST = 1e-4
#: So surely an arm must be the one of the two that may not play from there, and have had nothing else to do for so long
#: (s) before and after, before it is said to have: a role is kept next to always.
BROKEN, BUSY_S = 1.0 - 1e-5, 1.0
#: A card is seen to be gone from its place within so long (s).
GONE_S = 10.0

#: Where (mm) a hand was and when (s), at last where cards were laid.
Hands = Sequence[tuple[Point, float]]
T = TypeVar("T")
#: An event, the same as it is told, and how sure it is.
Told = tuple[Believed, Believed, float]


@dataclass(slots=True)
class Partners:
    """Ask of all events that are told."""

    #: Asked for the probability that it was not the seat after whom the cards are named, by where a hand was.
    whose: Callable[[SeatArea, Hands], float] | None = None
    #: What was thought of each event from a work pile.
    known: dict[Believed, float] = field(default_factory=dict)
    #: Whether the card of each was seen to leave the pile that one of the two may not play from.
    gone: dict[Believed, bool] = field(default_factory=dict)

    def recall(self, other: Partners) -> None:
        """Think of events as another one did."""
        self.known, self.gone = dict(other.known), dict(other.gone)

    def told(
        self,
        events: Sequence[Told],
        areas: Iterable[SeatArea],
        hands: Callable[[Believed], Iterable[tuple[Place, Point, float]]],
        now: float,
        has_left: Callable[[Believed], bool],
    ) -> list[tuple[Believed, float]]:
        """Events, in order, as they are told, of whichever of the two: one has the Nut pile, the other stock and waste;
        the work piles are both's, but nobody lays two cards in one moment. Who was surely seen to play from the other
        one's pile breaks a rule. `hands`: where they were then; `now`: s; `has_left`: whether a card was seen to.
        """
        area_of = {area.seat: area for area in areas}
        alone = [self._alone(event, told, area_of[told.seat], hands, now) for event, told, _ in events]
        found: list[tuple[Believed, float]] = []
        for number, (_, told, sure) in enumerate(events):
            chance = _beside_others(number, events, alone) if _is_boths(told) else alone[number]
            if chance > 0.5:
                told = replace(told, event=replace(told.event, seat=area_of[told.seat].partner))
            found.append((told, sure if max(chance, 1 - chance) > SURE_ARM else min(sure, INFERRED)))
        for number, (event, told, sure) in enumerate(events):
            if _is_ones(told) and not told.misfit:
                if event not in self.gone or event.at > now - GONE_S:
                    self.gone[event] = self._recalled(self.gone, event, False) or has_left(event)
                seat = self._who_may_not(event, told, area_of[told.seat], hands(event), now)
                if seat and self.gone[event] and not _is_busy(seat, number, found):
                    found[number] = (
                        replace(told, event=replace(told.event, seat=seat), misfit=True, foul=ROLE),
                        sure,
                    )
        return found

    def _who_may_not(
        self,
        event: Believed,
        told: Believed,
        area: SeatArea,
        hands: Iterable[tuple[Place, Point, float]],
        now: float,
    ) -> str:
        """The one of the two that is not to play from where a card came from, if that one's arm surely did; else ""."""
        assert told.source is not None
        partner = self._partner_did(event, area, hands, now, untold=0.5)
        if told.source.kind == NERTS:
            return area.partner if partner >= BROKEN else ""
        return area.seat if 1 - partner >= BROKEN else ""

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
        self,
        event: Believed,
        area: SeatArea,
        hands: Iterable[tuple[Place, Point, float]],
        now: float,
        untold: float = 0.0,
    ) -> float:
        """The probability that it was the partner, by what was there then; later, by what was thought of it then.

        `untold`: where nobody was asked.
        """
        if self.whose is not None and (event not in self.known or event.at > now - PASSED_S):
            self.known[event] = self.whose(area, [(point, at) for _, point, at in hands])
        return self._recalled(self.known, event, untold)

    @staticmethod
    def _recalled(thought: Mapping[Believed, T], event: Believed, else_: T) -> T:
        """What was thought of an event, or of the nearest one that tells the same."""
        if event in thought:
            return thought[event]
        alike = (one for one in thought if one.identity == event.identity)
        near = min(alike, key=lambda one: abs(one.at - event.at), default=None)
        return else_ if near is None else thought[near]


def _is_boths(told: Believed) -> bool:
    """Whether either of two partners may have done it."""
    return not told.of_stock and (told.source or told.target or Place("")).kind == WORK


def _is_ones(told: Believed) -> bool:
    """Whether a card came from a pile that one of two partners alone may play from."""
    return isinstance(told.event, Play) and told.source is not None and told.source.kind in (NERTS, WASTE)


def _is_busy(seat: str, number: int, found: Sequence[tuple[Believed, float]]) -> bool:
    """Whether a seat did something else shortly before or after: then its arm was about."""
    at = found[number][0].at
    others = (one for n, (one, _) in enumerate(found) if n != number and one.seat == seat)
    return any(abs(one.at - at) < BUSY_S for one in others)


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
