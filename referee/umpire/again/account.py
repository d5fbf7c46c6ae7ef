"""What was told of a hand, as a bound for stories that tell nothing else: how much do all looks say for it?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import islice, takewhile

from referee.rules.cards import UNKNOWN
from referee.umpire.beam import SAME_EVENT_S
from referee.umpire.story import Believed, Past, Story

#: So far back stories are gone through for what they tell anew: a tie tells some of it otherwise.
NEWEST = 12


class Account:
    """Bound stories `admits` to tell nothing but these events, each at about its moment."""

    def __init__(self, events: Iterable[Believed]) -> None:
        self._told: dict[tuple[object, ...], list[Believed]] = defaultdict(list)
        for event in events:
            self._told[_deed(event)].append(event)
        #: What has been asked; stories share most of what they tell.
        self._known: dict[int, tuple[Believed, bool]] = {}

    def admits(self, new: Story, old: Story) -> bool:
        """Whether all that a story tells and the one before it does not is told here."""
        if new.past is old.past:
            return True
        before = {id(node) for node in islice(_nodes(old.past), NEWEST)}
        fresh = takewhile(lambda node: id(node) not in before, islice(_nodes(new.past), NEWEST))
        return all(self.tells(node.last) for node in fresh)

    def tells(self, event: Believed) -> bool:
        """Whether this is one of its events; some are told before all their cards are known."""
        known = self._known.get(id(event))
        if known is None or known[0] is not event:
            told = self._told.get(_deed(event), ())
            same = any(
                abs(one.at - event.at) <= SAME_EVENT_S and _may_be(one.cards, event.cards) for one in told
            )
            known = self._known[id(event)] = event, same
        return known[1]


def _nodes(past: Past | None) -> Iterable[Past]:
    while past is not None:
        yield past
        past = past.before


def _deed(event: Believed) -> tuple[object, ...]:
    return event.event.kind, event.event.seat, event.source, event.target


def _may_be(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether these may be the same cards: some are not known yet when they are told first."""
    return len(one) == len(other) and all(
        a == b or UNKNOWN in (a, b) for a, b in zip(one, other, strict=True)
    )
