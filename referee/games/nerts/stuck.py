"""Is a player stuck, are all? (N14): no play now, nor with any card that the stock will show in a whole pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from referee.games.nerts.game import NertsGame
from referee.rules.events import Draw, Event, Play, Recycle
from referee.rules.hand import Hand


@dataclass(frozen=True, slots=True)
class Stuck:
    """Whether a side is stuck; `undecided` when it hangs on cards that nobody has seen. `play`: one that it has."""

    verdict: Literal["stuck", "free", "undecided"]
    play: Play | None = None
    #: How many draws and turn-overs come before `play`.
    draws: int = 0

    def __str__(self) -> str:
        if self.play is None:
            return self.verdict
        return f"free: {self.play}" + (f" after {self.draws} draws" if self.draws else "")


def _family(hand: Hand) -> NertsGame:
    assert isinstance(hand.game, NertsGame), "only the Nerts family has a rule for being stuck"
    return hand.game


def is_stuck(hand: Hand, seat: str) -> Stuck:
    """Whether the side of `seat` is stuck. A seat that was never dealt is undecided.

    A whole pile moved to an empty pile changes nothing and is no play.
    """
    game = _family(hand)
    partners = game.sides[game.owner[seat]]
    if game.owner[seat] not in hand.dealt:
        return Stuck("undecided")
    ahead = hand.copy()
    perhaps, recycled = False, 0
    for draws in range(120):
        play, open_question = _play_of(ahead, partners)
        if play is not None:
            return Stuck("free", play, draws)
        perhaps = perhaps or open_question
        step = _next_draw(ahead, partners)
        if step is None or (isinstance(step, Recycle) and recycled):
            break
        recycled += isinstance(step, Recycle)
        ahead.push(step)
    return Stuck("undecided" if perhaps else "stuck")


def all_stuck(hand: Hand) -> Stuck:
    """Whether every side is stuck: free if one is free, undecided if one of the others is."""
    said = [is_stuck(hand, owner) for owner in _family(hand).sides]
    for verdict in said:
        if verdict.verdict == "free":
            return verdict
    return Stuck("undecided" if any(one.verdict == "undecided" for one in said) else "stuck")


def _play_of(hand: Hand, partners: tuple[str, ...]) -> tuple[Play | None, bool]:
    """A play that the side surely has now, and whether it may have one that cannot be judged."""
    perhaps = False
    for seat in partners:
        for event in hand.game.candidates(hand, seat):
            if not isinstance(event, Play) or _changes_nothing(hand, event):
                continue
            findings = hand.game.judge(hand, event)
            if not findings:
                return event, perhaps
            perhaps = perhaps or all(finding.need is not None for finding in findings)
    return None, perhaps


def _changes_nothing(hand: Hand, play: Play) -> bool:
    source, target = hand.game.place(play.source, play.seat), hand.game.place(play.target, play.seat)
    whole = source.kind == target.kind == "work" and len(play.cards) == len(hand.table.pile(source))
    return whole and not hand.table.pile(target)


def _next_draw(hand: Hand, partners: tuple[str, ...]) -> Event | None:
    for seat in partners:
        for event in hand.game.candidates(hand, seat):
            if isinstance(event, Draw | Recycle) and not hand.game.judge(hand, event):
                return event
    return None
