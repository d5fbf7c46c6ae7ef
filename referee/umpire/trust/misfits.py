"""How far each misfit that is told is to be believed, kept while its views are forgotten."""

from __future__ import annotations

from math import inf

from referee.rules.events import INFERRED
from referee.rules.places import WASTE, Place
from referee.umpire.fouls.cleared import is_cleared
from referee.umpire.fouls.own import FOULS
from referee.umpire.story import BURIED, EARLY, OFF_STOCK, SPACE, Believed
from referee.umpire.trust.own import is_seen
from referee.umpire.trust.remembered import Remembered
from referee.umpire.trust.witness import is_doubtful, trust, was_seen

#: What was in hand when a hand was taken up in its middle has been laid so long (s) after that.
IN_HAND_S = 4.0


class Misfits:
    """`hearsay`: what lay where when the umpire began was only believed; `since`: when (s) that was, -inf at the deal."""

    def __init__(self, since: float = -inf, *, hearsay: bool = False) -> None:
        self.hearsay, self._begun = hearsay, since > -inf
        #: Until when (s) nobody is accused of what was said to lie, or to be in hand.
        self._until = inf if hearsay else since + IN_HAND_S
        #: How far one was trusted when its views were last all there.
        self._trusted: dict[Believed, float] = {}

    def trust(self, event: Believed, seen: Remembered, now: float) -> float:
        """How far a misfit is to be believed at a moment (s), 0 to 1: how far it is trusted is settled before its views
        are forgotten.
        """
        if event not in self._trusted or event.at > now - seen.forgotten_s / 2:
            views, left = seen.of(event.target), seen.of(event.source)
            known = not self._begun or was_seen(event, views, left, self._until)
            if known and event.foul in (BURIED, OFF_STOCK) and event.source is not None:
                known = not is_doubtful(event, seen.of(Place(WASTE, 0, event.source.seat)))
            if known and event.foul in FOULS:
                known = is_seen(event, seen) and not (self._begun and event.foul == SPACE)
            tops = seen.tops(event.target, event.under, event.at)
            sure = trust(event, event.under, views, left, tops) if known else INFERRED
            if event.foul == EARLY and not self.hearsay and is_cleared(event, seen):
                sure = 1.0
            self._trusted[event] = sure
        return self._trusted[event]
