"""A card that fell on its way, was picked up and laid where it was to go, is one play: nobody laid it where it fell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from referee.rules.events import Play, TakeBack
from referee.umpire.odds import Odds
from referee.umpire.story import Believed

#: A card that fell is picked up within so long (s).
FELL_S = 4.0

#: An event as a story has it, the same at the moment at which it is told, and how sure it is.
Told = tuple[Believed, Believed, float]


def picked_up(events: Sequence[Told]) -> list[Told]:
    """The same events, what was dropped on its way laid once; in the order of their moments."""
    found: list[Told] = []
    for one in events:
        fell = next((i for i in reversed(range(len(found))) if _is_picked_up(found[i][1], one[1])), None)
        if fell is not None and not any(
            _touches(between[1], found[fell][1]) for between in found[fell + 1 :]
        ):
            dropped = found.pop(fell)
            one = one[0], _laid(dropped[1], one[1]), one[2]
        found.append(one)
    return found


def _is_picked_up(fell: Believed, laid: Believed) -> bool:
    """Whether a card that lay where none belongs went on within seconds, to another place than it came from."""
    if not isinstance(fell.event, Play) or not isinstance(laid.event, Play | TakeBack):
        return False
    same = fell.seat == laid.seat and fell.cards == laid.cards and len(fell.cards) == 1
    on_its_way = fell.target == laid.source and laid.target != fell.source
    return same and on_its_way and fell.misfit and laid.at - fell.at <= FELL_S


def _touches(between: Believed, fell: Believed) -> bool:
    """Whether something else happened where it fell: then it lay there."""
    return fell.target in (between.source, between.target)


def _laid(fell: Believed, laid: Believed) -> Believed:
    """The play from where the card came from to where it lies."""
    assert isinstance(fell.event, Play) and fell.source is not None and laid.target is not None
    assert isinstance(laid.event, Play | TakeBack)
    card, foul = laid.cards[0], fell.foul
    misfit = foul is not None or not Odds.fits(laid.target, laid.under, card)
    event = replace(
        fell.event, at=laid.at, target=laid.event.target, landed=laid.event.landed, frames=laid.event.frames
    )
    return replace(laid, event=event, source=fell.source, misfit=misfit, foul=foul, lifted=fell.lifted)
