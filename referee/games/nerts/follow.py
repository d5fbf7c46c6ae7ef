"""What only several events of the Nerts family show: who follows what up, and two hands at once (N4, T3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.games.nerts.blocked import bottom_play, bury, early_recycle, recycle_finding, round_goes_on
from referee.games.nerts.call import after_call, call, deny_open_calls
from referee.games.nerts.course import course_of
from referee.games.nerts.ties import centre_play, settle_ties, settled_by_return, take_back, unreturned
from referee.rules.events import Bury, Call, Draw, End, Play, SetAside, TakeBack, Touch, Turn
from referee.rules.rulings import Finding

if TYPE_CHECKING:
    from referee.games.nerts.game import NertsGame
    from referee.rules.hand import Entry, Hand


def follow(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    """What an event that was just carried out shows together with those before it."""
    event, course = entry.event, course_of(hand)
    found: list[Finding] = []
    if event.seat is not None and not isinstance(event, Touch | Call | Turn):
        found += early_recycle(game, hand, entry)
    if isinstance(event, Play):
        found += two_hands(game, hand, entry)
        found += after_call(game, hand, entry)
        found += bottom_play(game, hand, entry) if course.took_bottom else round_goes_on(game, hand, entry)
        if entry.move is not None and entry.move.target.kind == "foundation":
            found += centre_play(game, hand, entry)
    elif isinstance(event, Touch):
        if event.landed is not None:
            course.touches[str(event.seat), game.place(event.place, event.seat)] = event
    elif isinstance(event, Draw):
        found += round_goes_on(game, hand, entry)
    elif isinstance(event, Bury):
        found += bury(game, hand, entry)
    elif isinstance(event, TakeBack):
        found += take_back(game, hand, entry) + settled_by_return(game, hand, entry)
    elif isinstance(event, Call):
        found += call(game, hand, entry)
    elif isinstance(event, SetAside):
        course.closed.add(game.place(event.place, event.seat))
    elif isinstance(event, End):
        found += deny_open_calls(game, hand)
        if not course.ended:
            course.ended = True
            found += unreturned(game, hand, None)
    return found


def finish(game: NertsGame, hand: Hand) -> list[Finding]:
    """What is still open at the record's end."""
    course = course_of(hand)
    found = deny_open_calls(game, hand)
    for position in course.early_recycles.values():
        found.append(recycle_finding(game, position))
    for place in course.centre:
        found += settle_ties(game, hand, place)
    if course.ended:
        found += unreturned(game, hand, None)
    return found


def two_hands(game: NertsGame, hand: Hand, entry: Entry) -> list[Finding]:
    """Two plays of one seat in motion at once, one with either hand."""
    event = entry.event
    assert isinstance(event, Play)
    if event.hand is None or event.lifted is None:
        return []
    for earlier in reversed(hand.log[: entry.position]):
        other = earlier.event
        if other.at < event.lifted[0]:
            break
        if not isinstance(other, Play) or other.seat != event.seat or other.lifted is None:
            continue
        if other.hand is None or other.hand == event.hand:
            continue
        first, second = sorted((other, event), key=lambda play: play.lifted or (0.0, 0.0))
        landed = first.landed or (first.at, first.at)
        assert second.lifted is not None
        if second.lifted[0] >= landed[1]:
            continue
        sure = second.lifted[1] < landed[0]
        why = f"{event.seat} moved two cards at once, one with either hand."
        return [
            Finding(
                game.rule("N4"),
                "two-hands",
                why,
                verdict="illegal" if sure else "undecided",
                about=(earlier.position, entry.position),
            )
        ]
    return []
