"""Stop in Pishe Pasha (S5): whether a call is right, and what becomes of the turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.games.pishe_pasha.course import pishe_of
from referee.rules.events import Call, Draw, Event, Play, Recycle, TakeBack
from referee.rules.places import Place
from referee.rules.rulings import Finding

if TYPE_CHECKING:
    from referee.games.pishe_pasha.game import PishePasha
    from referee.rules.hand import Entry, Hand


def follow(game: PishePasha, hand: Hand, entry: Entry) -> list[Finding]:
    """Calls of Stop, as soon as they can be settled."""
    course, event = pishe_of(hand), entry.event
    if isinstance(event, Call) and event.word.strip().lower().startswith("stop"):
        course.open_stops = (*course.open_stops, entry.position)
    found: list[Finding] = []
    for position in course.open_stops:
        verdict, infraction = _settle(hand, position)
        if verdict == "undecided":
            if position == entry.position:
                _leave_open(game, hand, hand.log[position].event)
            continue
        course.open_stops = tuple(p for p in course.open_stops if p != position)
        found.append(_right_or_wrong(hand, position, infraction))
        if position == entry.position and infraction >= 0:
            _carry_out(game, hand, hand.log[position].event, infraction)
    return found


def finish(hand: Hand) -> list[Finding]:
    """Calls that could not be settled."""
    return [_open_stop(hand, position) for position in pishe_of(hand).open_stops]


def _settle(hand: Hand, call: int) -> tuple[str, int]:
    """The verdict on a call of Stop, and the infraction that it is about (-1 = none)."""
    named = _named(hand, call)
    suspects = [p for p in _suspects(hand, call) if hand.verdict_on(p) == "illegal"]
    if suspects:
        return "legal", named if named in suspects else suspects[-1]
    open_ones = [p for p in _suspects(hand, call) if hand.verdict_on(p) == "undecided"]
    return ("undecided", open_ones[-1]) if open_ones else ("illegal", -1)


def _named(hand: Hand, call: int) -> int:
    event = hand.log[call].event
    assert isinstance(event, Call)
    return next((e.position for e in hand.log[:call] if e.index == event.of), -1)


def _suspects(hand: Hand, call: int) -> list[int]:
    """Events of the opponent in the turn that ran at a call or had just ended, that were not repaired.

    Only those after which the caller neither drew nor played.
    """
    course, caller = pishe_of(hand), hand.log[call].event.seat
    number = course.turns[call]
    found: list[int] = []
    for entry in reversed(hand.log[:call]):
        if entry.event.seat == caller and isinstance(entry.event, Draw | Play):
            break
        if entry.event.seat == caller or entry.position not in course.turns:
            continue
        if not isinstance(entry.event, Draw | Play | Recycle) or course.turns[entry.position] < number - 1:
            continue
        if entry.position not in course.closed and not _is_repaired(hand, entry, call):
            found.append(entry.position)
    return found[::-1]


def _is_repaired(hand: Hand, entry: Entry, call: int) -> bool:
    """Whether an infraction's card was taken back, or the missed card was played, before a call."""
    missed = pishe_of(hand).missed.get(entry.position, -1)
    for later in hand.log[entry.position + 1 : call]:
        move = later.move
        if move is None:
            continue
        if isinstance(later.event, TakeBack) and entry.move is not None and move.cards == entry.move.cards:
            return True
        to_foundation = isinstance(later.event, Play) and move.target.kind == "foundation"
        if to_foundation and missed in move.cards and hand.verdict_on(later.position) is None:
            return True
    return False


def _right_or_wrong(hand: Hand, call: int, infraction: int) -> Finding:
    caller = hand.log[call].event.seat
    if infraction < 0:
        why = f"{caller} called Stop, but there is nothing to correct."
        return Finding("S5", "wrong-stop", why, about=(call,))
    why = f"{caller} called Stop rightly: {_said(hand, infraction)}."
    return Finding("S5", "stop", why, verdict="legal", about=(infraction, call), seat=caller)


def _open_stop(hand: Hand, call: int) -> Finding:
    _, infraction = _settle(hand, call)
    caller = hand.log[call].event.seat
    why = f"{caller} called Stop; whether {_said(hand, infraction)} was right cannot be said."
    return Finding("S5", "stop", why, verdict="undecided", about=(infraction, call), seat=caller)


def _carry_out(game: PishePasha, hand: Hand, call: Event, infraction: int) -> None:
    """What the caller chose: the opponent's turn goes on for a correction, or is over."""
    course, caller = pishe_of(hand), str(call.seat)
    assert isinstance(call, Call)
    opponent = game.other(caller)
    if call.choice == "correct":
        course.correcting = infraction
        if course.turn == caller and course.turns[infraction] < course.number:
            game.return_turn(hand)
        if course.winner == opponent:
            course.ended, course.winner = False, ""
    elif call.choice == "end-turn":
        course.closed = (*course.closed, infraction)
        move = hand.log[infraction].move
        course.to_lay = move.cards if move is not None else ()
        put_down(hand, opponent)
        if course.turn == opponent:
            game.pass_turn(hand, hand.position)
    else:
        course.correcting = infraction
        _leave_open(game, hand, call)


def _leave_open(game: PishePasha, hand: Hand, call: Event) -> None:
    """It cannot be said whose turn it is: nobody knows if the Stop was right, or what the caller chose."""
    assert isinstance(call, Call)
    course, caller = pishe_of(hand), str(call.seat)
    course.turn, course.ran, course.goes_back = "", course.turn, course.turn == caller
    course.perhaps_stopped = "" if call.choice == "correct" else caller
    suspects = [hand.log[p].move for p in _suspects(hand, hand.position)]
    held = hand.table.pile(Place("hand", 0, game.other(caller)))
    course.to_lay = (*held, *(card for move in suspects if move is not None for card in move.cards))


def put_down(hand: Hand, seat: str) -> None:
    """A Stop has ended a seat's turn: what it holds goes onto its discard pile."""
    course, held = pishe_of(hand), tuple(hand.table.pile(Place("hand", 0, seat)))
    course.stopped, course.to_lay = seat, (*course.to_lay, *held)
    hand.table.move(held, Place("discard", 0, seat), hand.position)


def _said(hand: Hand, position: int) -> str:
    """An event as it is spoken of."""
    event = hand.log[position].event
    return str(event) if isinstance(event, Draw | Play) else f"{event.seat}'s {event.kind}"
