"""The call of the Nerts family, and what is played after it (N15, N16)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.events import Call, Play
from referee.games.nerts_course import EPSILON_S, course_of, left
from referee.games.nerts_ties import unreturned
from referee.places import Place
from referee.rulings import Finding

if TYPE_CHECKING:
    from referee.games.nerts import NertsGame
    from referee.hand import Entry, Hand

#: Seconds after a call within which a play whose start was not seen may have been in mid-air (N16).
MID_AIR_S = 1.0


def call(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    """A call: right, false, or open until it is known how the last Nerts card came to lie."""
    event, course = entry.event, course_of(hand)
    assert isinstance(event, Call)
    if event.word.strip().lower().startswith("stop") or (course.ended and not course.call_undecided):
        return []
    found = close_call(game, hand, "false") if course.open_call >= 0 else []
    owner = game.owner[str(event.seat)]
    if not hand.is_known(Place("nerts", 0, owner)):
        course.open_call = entry.position
        _end_by_call(hand, undecided=False)
        return found
    count = left(game, hand, owner)
    if count > 1:
        return [*found, _false_call(game, hand, entry.position, count)]
    course.open_call = entry.position
    if count == 1:
        return found
    last = _last_nerts_play(game, hand, owner)
    doubtful = last is not None and hand.verdict_on(last.position) is not None
    return found + close_call(game, hand, "undecided" if doubtful else "right")


def _false_call(game: NertsGame, hand: Hand, position: int, count: int) -> Finding:
    seat = hand.log[position].event.seat
    why = f"{seat} called with {count} card{'s' if count > 1 else ''} left."
    return Finding(game.rule("N15"), "false-call", why, about=(position,))


def _last_nerts_play(game: NertsGame, hand: Hand, owner: str) -> Entry | None:
    for entry in reversed(hand.log):
        move = entry.move
        if move is None or not isinstance(entry.event, Play) or move.target.kind == "nerts":
            continue
        if move.source.kind == "nerts" and move.source.seat == owner:
            return entry
    return None


def _end_by_call(hand: Hand, *, undecided: bool) -> None:
    course = course_of(hand)
    course.ended = True
    course.call, course.call_undecided, course.open_call = course.open_call, undecided, -1
    if not undecided:
        course.called_by = hand.game.owner[str(hand.log[course.call].event.seat)]


def close_call(game: NertsGame, hand: Hand, outcome: str) -> list[Finding]:
    """Settle the open call: "right", "undecided" or "false"; plays made meanwhile are ruled on."""
    course = course_of(hand)
    position, meanwhile = course.open_call, course.after.copy()
    course.after.clear()
    seat = hand.log[position].event.seat
    if outcome == "false":
        course.open_call = -1
        return [_false_call(game, hand, position, 1)]
    _end_by_call(hand, undecided=outcome == "undecided")
    if outcome == "right":
        why = f"{seat} called with the Nerts pile empty: the hand ends."
        found = [Finding(game.rule("N15"), "call", why, verdict="legal", about=(position,))]
    else:
        why = f"{seat} called, but the play that emptied the pile is in doubt."
        found = [Finding(game.rule("N15"), "call", why, verdict="undecided", about=(position,))]
    for later in meanwhile:
        found += _mid_air(hand, hand.log[later])
    return found + unreturned(game, hand, None)


def _timing(event: Play, call_at: float) -> str:
    """Whether a play was lifted "before" the call, "after" it, or it is "unclear"."""
    if event.lifted is None:
        return "unclear" if event.at <= call_at + MID_AIR_S + EPSILON_S else "after"
    if event.lifted[1] <= call_at:
        return "before"
    return "after" if event.lifted[0] >= call_at else "unclear"


def after_call(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    """N16 for plays to the centre or from a Nerts pile; one of them may settle an open call."""
    course, event, move = course_of(hand), entry.event, entry.move
    assert isinstance(event, Play) and move is not None
    from_nerts = move.source.kind == "nerts" and move.target.kind != "nerts"
    if not from_nerts and move.target.kind != "foundation":
        return []
    if course.open_call >= 0:
        return _while_open(game, hand, entry, from_nerts)
    if course.call >= 0:
        return _mid_air(hand, entry)
    if course.ended:
        course.void.update(dict.fromkeys(move.cards, move.source))
    return []


def _while_open(game: NertsGame, hand: Hand, entry: Entry, from_nerts: bool) -> list[Finding]:
    course, event, move = course_of(hand), entry.event, entry.move
    assert isinstance(event, Play) and move is not None
    call = hand.log[course.open_call].event
    owner = game.owner[str(call.seat)]
    if not from_nerts or move.source.seat != owner or left(game, hand, owner):
        course.after.append(entry.position)
        return []
    timing = _timing(event, call.at)
    if timing == "after":
        return close_call(game, hand, "false")
    course.after.append(entry.position)
    doubtful = timing == "unclear" or hand.verdict_on(entry.position) is not None
    return close_call(game, hand, "undecided" if doubtful else "right")


def _mid_air(hand: Hand, entry: Entry) -> list[Finding]:
    course, event, move = course_of(hand), entry.event, entry.move
    assert isinstance(event, Play) and move is not None
    timing = _timing(event, hand.log[course.call].event.at)
    about = (entry.position,)
    if timing == "before":
        why = f"{event}: lifted before the call, so it counts."
        return [Finding("N16", "mid-air", why, verdict="legal", about=about)]
    if timing == "unclear" or course.call_undecided:
        why = f"{event}: it cannot be said whether this was in mid-air at the call; it counts."
        return [Finding("N16", "mid-air", why, verdict="undecided", about=about)]
    course.void.update(dict.fromkeys(move.cards, move.source))
    why = f"{event}: lifted after the call; it does not count."
    sure = hand.log[course.call].event.confidence
    return [Finding("N16", "play-after-call", why, about=about, confidence=sure)]
