"""A card that was slid under a pile came there when it was seen there first, whatever else was read late."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log

from referee.rules.events import Play
from referee.umpire.sights import View
from referee.umpire.story import Believed
from referee.umpire.trust.remembered import Remembered

#: The log probability with which a look must have read it.
SURE = log(0.9)


class FirstSeen:
    """When slid cards were first seen where they are told to lie, kept while the views are forgotten."""

    def __init__(self) -> None:
        self._moments: dict[Believed, float] = {}

    def told(self, event: Believed, seen: Remembered) -> Believed:
        """The same event at the moment (s) at which its place began to look like that; any other event as it is."""
        if not isinstance(event.event, Play) or not event.event.under or event.event.landed is not None:
            return event
        if event not in self._moments:
            self._moments[event] = _since(event, seen.of(event.target))
        return event.moved_to(self._moments[event])


def _since(event: Believed, views: Sequence[View]) -> float:
    at = event.at
    for view in reversed([view for view in views if view.at < event.at]):
        # what lay there at the deal, or before the card had left its own place, is another one like it
        early = view.rested <= (-inf if event.lifted is None else event.lifted)
        if early or not any(sight.face_up and sight.reads(event.cards[0]) > SURE for sight in view.sights):
            break
        at = min(at, view.rested)
    return at
