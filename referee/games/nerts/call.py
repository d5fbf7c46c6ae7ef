"""The call of the Nerts family, and what is played after it (N15, N16)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.games.nerts.course import EPSILON_S, course_of, left
from referee.games.nerts.ties import unreturned
from referee.rules.events import Call, Play
from referee.rules.places import Place
from referee.rules.rulings import Finding

if TYPE_CHECKING:
    from referee.games.nerts.game import NertsGame
    from referee.rules.hand import Entry, Hand

#: Seconds after a call within which a play whose start was not seen may have been in mid-air (N16).
MID_AIR_S = 1.0


def call(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    """A call: right, false, or open until it is known how the last Nerts card came to lie."""
    event, course = entry.event, course_of(hand)
    assert isinstance(event, Call)
    if event.word.strip().lower().startswith("stop") or (course.ended and not course.call_undecided):
        return []
    course.calls.append((entry.position, *_said(game, hand, game.owner[str(event.seat)])))
    return _close_calls(game, hand)


def _said(game: NertsGame, hand: Hand, owner: str) -> tuple[str, int]:
    """What a call made now is, and the cards left: "unseen" ends the hand but cannot be ruled on."""
    count = left(game, hand, owner)
    # the top card of a pile of which nobody knows how many lie underneath is enough
    if not hand.is_known(Place("nerts", 0, owner)) and not (count and owner in course_of(hand).begun):
        return "unseen", 0
    if count:
        return "open" if count == 1 else "false", count
    last = _last_nerts_play(game, hand, owner)
    doubtful = last is not None and hand.verdict_on(last.position) is not None
    return "undecided" if doubtful else "right", 0


def _last_nerts_play(game: NertsGame, hand: Hand, owner: str) -> Entry | None:
    for entry in reversed(hand.log):
        move = entry.move
        if move is None or not isinstance(entry.event, Play) or move.target.kind == "nerts":
            continue
        if move.source.kind == "nerts" and move.source.seat == owner:
            return entry
    return None


def deny_open_calls(game: NertsGame, hand: Hand) -> list[Finding]:
    """The record or the hand ends: whoever called over a last card that never moved was wrong."""
    course = course_of(hand)
    course.calls = [(p, "false" if said == "open" else said, count) for p, said, count in course.calls]
    return _close_calls(game, hand)


def _close_calls(game: NertsGame, hand: Hand) -> list[Finding]:
    """Rule on the calls that no earlier open one holds up: the earliest right one ends the hand."""
    course, found = course_of(hand), []
    while course.calls and course.calls[0][1] == "false":
        found.append(_ruling(game, hand, *course.calls.pop(0)))
    said = [one for _, one, _ in course.calls]
    right = next((at for at, one in enumerate(said) if one in ("right", "unseen")), None)
    if "open" in said[:right]:
        # Whichever of them it was that ended the hand: it has ended.
        course.ended = course.ended or right is not None
        return found
    counting = course.calls if right is None else course.calls[: right + 1]
    meanwhile = course.after.copy()
    course.calls, course.after = [], []
    for position, one, count in counting:
        if one != "unseen":
            found.append(_ruling(game, hand, position, one, count))
        if one != "false":
            _end_by_call(hand, position, undecided=one == "undecided")
    if course.call < 0:
        return found
    since = course.call if course.doubtful_call < 0 else course.doubtful_call
    for later in meanwhile:
        if later > since:
            found += _mid_air(hand, hand.log[later])
    return found + unreturned(game, hand, None)


def _ruling(game: NertsGame, hand: Hand, position: int, said: str, count: int) -> Finding:
    seat, rule, about = hand.log[position].event.seat, game.rule("N15"), (position,)
    if said == "right":
        why = f"{seat} called with the Nerts pile empty: the hand ends."
        return Finding(rule, "call", why, verdict="legal", about=about)
    if said == "undecided":
        why = f"{seat} called, but the play that emptied the pile is in doubt."
        return Finding(rule, "call", why, verdict="undecided", about=about)
    why = f"{seat} called with {count} card{'s' if count > 1 else ''} left."
    return Finding(rule, "false-call", why, about=about)


def _end_by_call(hand: Hand, position: int, *, undecided: bool) -> None:
    course = course_of(hand)
    course.ended = True
    if undecided and course.call >= 0:
        return
    if not undecided:
        course.doubtful_call = course.call
        course.called_by = hand.game.owner[str(hand.log[position].event.seat)]
    course.call, course.call_undecided = position, undecided


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
    if course.calls:
        return _while_open(game, hand, entry, from_nerts)
    if course.call >= 0:
        return _mid_air(hand, entry)
    if course.ended:
        course.void = dict.fromkeys(move.cards, move.source) | course.void
    return []


def _while_open(game: NertsGame, hand: Hand, entry: Entry, from_nerts: bool) -> list[Finding]:
    """A play while calls are open: the last card of a pile settles the calls of its owner."""
    course, event, move = course_of(hand), entry.event, entry.move
    assert isinstance(event, Play) and move is not None
    course.after.append(entry.position)
    owner = move.source.seat
    if not from_nerts or left(game, hand, owner):
        return []
    for number, (position, said, count) in enumerate(course.calls):
        caller = hand.log[position].event
        if said != "open" or game.owner[str(caller.seat)] != owner:
            continue
        timing = _timing(event, caller.at)
        counted = hand.is_known(Place("nerts", 0, owner))
        doubtful = timing == "unclear" or not counted or hand.verdict_on(entry.position) is not None
        said = "false" if timing == "after" else "undecided" if doubtful else "right"
        course.calls[number] = position, said, count
    return _close_calls(game, hand)


def _mid_air(hand: Hand, entry: Entry) -> list[Finding]:
    course, event, move = course_of(hand), entry.event, entry.move
    assert isinstance(event, Play) and move is not None
    first = course.call if course.doubtful_call < 0 else course.doubtful_call
    about = (entry.position,)
    if _timing(event, hand.log[first].event.at) == "before":
        why = f"{event}: lifted before the call, so it counts."
        return [Finding("N16", "mid-air", why, verdict="legal", about=about)]
    if course.call_undecided or _timing(event, hand.log[course.call].event.at) != "after":
        why = f"{event}: it cannot be said whether this was in mid-air at the call; it counts."
        return [Finding("N16", "mid-air", why, verdict="undecided", about=about)]
    why = f"{event}: lifted after the call; it does not count."
    late = Finding("N16", "play-after-call", why, about=about, events=(course.call,))
    if not hand.stands(late):
        return [late._replace(why=f"{event}: perhaps lifted after the call; that is not sure, so it counts.")]
    course.void = dict.fromkeys(move.cards, move.source) | course.void
    return [late]
