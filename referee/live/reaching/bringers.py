"""Whose arm alone was at a place when a card came to rest there: said to the umpire as soon as it is known.

When a landing is seen the arm still lies there, or another one does; what it hid for a while is known a second later. By
then the umpire has weighed who may have laid the card by where it may have come from. Where it thinks that somebody laid
one that nobody had seen before, of which nothing else tells whose it was, the arm does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from referee.live.reaching.reaches import CAME, CAME_NOT, PASSED_S, REMEMBERED_S
from referee.live.reaching.trespass import EVERY_S, TIMED_S, Trespass
from referee.rules.places import FOUNDATION, WORK
from referee.umpire.sights import View
from referee.umpire.trust.guessed import is_asked, laid_by

#: Of a place that was touched for longer than this (s) until a card lay there, more than one hand may have been at it.
LATE_S = 1.5


@dataclass(slots=True)
class Bringers:
    """`see` every view, and `tell` the umpire of those by now that hands have left."""

    trespass: Trespass
    _waiting: list[View] = field(default_factory=list)

    def see(self, views: Sequence[View]) -> None:
        """What was looked at now."""
        self._waiting += [
            view
            for view in views
            if view.place.kind in (FOUNDATION, WORK)
            and view.top is not None
            and view.untouched < view.rested
            and view.rested - _bare(view) <= LATE_S
        ]

    def tell(self, now: float) -> None:
        """Tell the umpire who laid what has lain there for long enough at a moment (s)."""
        umpire, waiting = self.trespass.umpire, self._waiting
        self._waiting = [view for view in waiting if view.rested >= now - PASSED_S]
        for view in waiting:
            passed = now - REMEMBERED_S < view.rested < now - PASSED_S
            if passed and is_asked(umpire.beam, view) and (seat := self._who(view)):
                laid_by(umpire.beam, view, seat, umpire.odds)
                umpire.kept.laid_by(view, seat)

    def _who(self, view: View) -> str:
        """The seat whose arm was there, if no other one's may have been since the place looked as before."""
        landed = self.trespass.came_to(
            view.place, (view.rested + EVERY_S, view.rested, view.rested - EVERY_S)
        )
        since = _bare(view) - EVERY_S
        meanwhile = self.trespass.came_to(
            view.place, np.arange(since, view.rested + EVERY_S, EVERY_S).tolist()
        )
        came = [seat for seat, share in landed.items() if share >= CAME]
        others = [share for seat, share in meanwhile.items() if seat not in came]
        return came[0] if len(came) == 1 and max(others, default=1.0) <= CAME_NOT else ""


def _bare(view: View) -> float:
    """From when on (s) the card can have come that a view shows on top."""
    bare = max(view.untouched, view.steady)
    if view.landed is None or view.landed[1] - view.landed[0] > TIMED_S:
        return bare
    # frames showed when it came to rest
    return max(bare, view.landed[0])
