"""Which of two partners, who play with the same cards, did what is told of the one after whom these are named (P3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from referee.rules.events import INFERRED
from referee.rules.places import WASTE, WORK, Place
from referee.umpire.seats.area import SeatArea
from referee.umpire.sights import Point
from referee.umpire.story import Believed

#: Which of two it was is told for sure from so much on; and for good when so long (s) has passed since.
SURE_ARM, PASSED_S = 0.8, 1.0

#: Where (mm) a hand was and when (s), at last where cards were laid.
Hands = Sequence[tuple[Point, float]]


@dataclass(slots=True)
class Partners:
    """Ask of every event that is told."""

    #: Asked for the probability that it was not the seat after whom the cards are named, by where a hand was.
    whose: Callable[[SeatArea, Hands], float] | None = None
    #: What was thought of each event from a work pile.
    known: dict[Believed, float] = field(default_factory=dict)

    def told(
        self,
        event: Believed,
        told: Believed,
        sure: float,
        area: SeatArea,
        hands: Iterable[tuple[Place, Point, float]],
        now: float,
    ) -> tuple[Believed, float]:
        """An event as it is `told`, of whichever of the two: one has the Nut pile, the other stock and waste; the work
        piles are both's. `hands`: where they were; `now`: s.
        """
        if told.of_stock or (told.source and told.source.kind == WASTE):
            chance = 1.0
        elif (told.source or told.target or Place("")).kind != WORK:
            chance = 0.0
        else:
            chance = self._partner_did(event, area, hands, now)
        if chance > 0.5:
            told = replace(told, event=replace(told.event, seat=area.partner))
        return told, sure if max(chance, 1 - chance) > SURE_ARM else min(sure, INFERRED)

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
