"""The second pass: a hand that was followed to its end, explained again by all that was seen of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from referee.umpire.again.account import Account
from referee.umpire.again.joined import joined
from referee.umpire.explain import HOPELESS
from referee.umpire.sights import View
from referee.umpire.story import Believed, Story

if TYPE_CHECKING:
    from referee.umpire.umpire import Umpire

#: So many stories are kept when all looks are there, and where one account is held against another.
WIDE, NARROW = 96, 24
#: What was told stands if all looks do not say so much (log) more for something else, and so much more for each event
#: that was not told.
LEAST_GAIN, EACH = 3.0, 1.5


@dataclass(frozen=True, slots=True)
class Explained:
    """A hand explained again, and how much better than before (log)."""

    umpire: Umpire
    gain: float


def explained_again(
    umpire: Umpire, until: float = inf, begins: tuple[float, Story] | None = None, width: int = WIDE
) -> Explained | None:
    """The hand of an umpire explained again by all that was seen up to a moment (s).

    `begins`: a moment (s) and the story that held then; else it begins where the umpire did.
    None where nothing else explains it so much better that what was believed is given up.
    """
    if begins is None and not umpire.kept.whole:
        return None
    strange, (since, story) = umpire.strangers.places, begins or (-inf, None)
    seen = (view for view in joined(umpire.kept) if view.place not in strange)
    views = [view for view in seen if since < view.at <= until]
    told = [event for event in umpire.story.events() if event.at <= until]
    wide = _explained(umpire.anew(width, story), views)
    found = wide.story.events()
    if list(map(_gist, found)) == list(map(_gist, told)):
        return None
    account = Account(told)
    before = _explained(umpire.anew(NARROW, story), views, account)
    gain = wide.beam.total - before.beam.evidence - _weight(before, len(told))
    new = sum(not account.tells(event) for event in found)
    return Explained(wide, gain) if gain >= LEAST_GAIN + EACH * new else None


def _explained(umpire: Umpire, views: Sequence[View], bound: Account | None = None) -> Umpire:
    """The umpire when it has explained these views, by what the account tells alone if there is one."""
    umpire.beam.admits = None if bound is None else bound.admits
    for view in views:
        umpire.explain(view)
    return umpire


def _gist(event: Believed) -> tuple[object, ...]:
    return event.identity, round(event.at)


def _weight(umpire: Umpire, count: int) -> float:
    """How likely (log) the likeliest story is that tells so many events."""
    weights = (s.weight for s in umpire.beam.stories if (s.past.length if s.past else 0) == count)
    return max(weights, default=umpire.beam.best.weight + HOPELESS)
