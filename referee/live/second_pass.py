"""The second pass over a recorded hand: when all of it was seen, it is explained again, and the record corrected."""

from __future__ import annotations

from collections.abc import Sequence

from referee.live import scribe
from referee.live.hand import TELL_EVERY_S, Referee
from referee.live.look_back import Footing, doubts_of, look_back
from referee.rules.events import INFERRED
from referee.umpire.again.passes import explained_again
from referee.umpire.beam import SAME_EVENT_S
from referee.umpire.story import Believed
from referee.umpire.umpire import Umpire

Events = list[tuple[Believed, float]]


def second_pass(referee: Referee, footing: Footing | None = None) -> list[scribe.Line]:
    """What the record of a hand that is over and told gains: corrections with `pass` 2; none where all stands.

    `footing`: how the recording can be gone through again; what is in doubt is looked at once more then.
    """
    if footing is not None and referee.umpire.kept.whole and not _was_knocked(referee):
        look_back(referee.umpire, doubts_of(referee.umpire, referee.events), footing)
    found = explained_again(referee.umpire, referee.cut_at + TELL_EVERY_S)
    if found is None:
        return []
    events = referee.moments.dress(found.umpire.events(), referee.ended_at)
    events = _accusing_nobody(events, referee.events)
    if not _keeps_calls(referee, found.umpire, events):
        return []
    assert referee.book is not None
    referee.book.correcting = {"pass": 2}
    return referee.tell_again(found.umpire, events)


def _was_knocked(referee: Referee) -> bool:
    """Whether the camera was, so that a later frame shows the table elsewhere than the first."""
    return any(gap.why == "moved" for gap in referee.unseen.gaps)


def _accusing_nobody(events: Events, before: Events) -> Events:
    """The events, none surer to break a rule than when it was seen: another look backwards accuses nobody. Where both
    accounts say that a play broke one, what was seen better holds.
    """
    return [_as_seen(one, sure, before) if one.misfit else (one, sure) for one, sure in events]


def _as_seen(event: Believed, sure: float, before: Events) -> tuple[Believed, float]:
    """A play that breaks a rule as it was told before, wherever its card was said to be from, if that was surer."""
    told = [
        (one, surely)
        for one, surely in before
        if one.misfit and _laid(one) == _laid(event) and abs(one.at - event.at) <= SAME_EVENT_S
    ]
    if not told:
        return event, min(sure, INFERRED)
    surest = max(told, key=lambda one: one[1])
    return surest if surest[1] > sure and surest[0].seat == event.seat else (event, sure)


def _laid(event: Believed) -> tuple[object, ...]:
    """What an event laid where; of what no card shows all that it tells."""
    shown = event.event.kind == "play" and event.target is not None
    return (event.cards, event.target) if shown else event.identity


def _keeps_calls(referee: Referee, umpire: Umpire, events: Events) -> bool:
    """Whether every call that was right still is."""
    right = [call for call in referee.calls if referee.ends_hand(*call)]
    return all(is_right(umpire, *call, events) for call in right)


def is_right(umpire: Umpire, seat: str, at: float, events: Sequence[tuple[Believed, float]]) -> bool:
    """Whether a call is right by what an umpire believes."""
    return umpire.nerts_left(seat, at + scribe.LATE_SIGHT_S, events) == 0 or umpire.shows_none(seat)
