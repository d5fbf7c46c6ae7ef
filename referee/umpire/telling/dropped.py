"""A card that fell on its way, was picked up and laid where it was to go, is one play: nobody laid it where it fell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from referee.rules.events import INFERRED, Draw, Play, TakeBack
from referee.rules.places import Place
from referee.umpire.fouls import own
from referee.umpire.odds import Odds
from referee.umpire.story import Believed

#: A card that fell is picked up within so long (s).
FELL_S = 4.0

#: An event as a story has it, the same at the moment at which it is told, and how sure it is.
Told = tuple[Believed, Believed, float]


def picked_up(events: Sequence[Told], emptied: Callable[[Place], bool]) -> list[Told]:
    """The same events, what was dropped on its way laid once; in the order of their moments.

    `emptied`: whether nothing lay at a place when it was seen last.
    """
    found: list[Told] = []
    for one in events:
        gone = next((e for _, e, _ in reversed(found) if _reappears(e, one[1], emptied)), None)
        if gone is not None:
            one = one[0], _by_who_dropped(gone, one[1]), min(one[2], INFERRED)
        fell = next((i for i in reversed(range(len(found))) if _is_picked_up(found[i][1], one[1])), None)
        if fell is not None and not any(
            _touches(between[1], found[fell][1]) for between in found[fell + 1 :]
        ):
            _, dropped, how_sure = found.pop(fell)
            # where it came from is known no better than when it fell
            sure = min(one[2], how_sure) if dropped.foul else one[2]
            sure = sure if dropped.seat == one[1].seat else min(sure, INFERRED)
            found = [other for other in found if not _explains(other[1], dropped)]
            one = one[0], _laid(dropped, one[1]), sure
        found.append(one)
    return found


def _is_picked_up(fell: Believed, laid: Believed) -> bool:
    """Whether a card that lay where none belongs went on within seconds, to another place than it came from."""
    if not isinstance(fell.event, Play) or not isinstance(laid.event, Play | TakeBack):
        return False
    same = fell.cards == laid.cards and len(fell.cards) == 1 and fell.misfit
    on_its_way = fell.target == laid.source and laid.target != _source(fell, laid)
    return same and on_its_way and laid.at - fell.at <= FELL_S


def _reappears(fell: Believed, laid: Believed, emptied: Callable[[Place], bool]) -> bool:
    """Whether a card like one that fell, of which nothing is left, is laid within seconds: it is the same one."""
    if not isinstance(fell.event, Play) or not isinstance(laid.event, Play):
        return False
    same = fell.cards == laid.cards and len(fell.cards) == 1 and fell.misfit and fell.under is None
    elsewhere = laid.target not in (fell.source, fell.target) and laid.source != fell.target
    soon = 0.0 < laid.at - fell.at <= FELL_S
    return same and elsewhere and soon and fell.target is not None and emptied(fell.target)


def _by_who_dropped(fell: Believed, laid: Believed) -> Believed:
    """As laid from where it fell, by whoever it is: in the centre by who dropped it."""
    assert isinstance(laid.event, Play) and laid.target is not None
    seat = laid.target.seat or fell.seat
    event = replace(laid.event, seat=seat, target=laid.target.written_by(seat))
    return replace(laid, event=event, source=fell.target)


def _source(fell: Believed, laid: Believed) -> Place | None:
    """Where the card came from: whose it is shows when it is laid, and where it fell it may have been anybody's."""
    if fell.source is None or fell.seat == laid.seat:
        return fell.source
    return fell.source._replace(seat=laid.seat) if fell.source.seat == fell.seat else fell.source


def _touches(between: Believed, fell: Believed) -> bool:
    """Whether something else happened where it fell: then it lay there."""
    return fell.target in (between.source, between.target)


def _explains(other: Believed, fell: Believed) -> bool:
    """Whether a draw that nobody saw was only believed for the card to have come from somewhere."""
    return isinstance(other.event, Draw) and other.at == fell.at and other.seat == fell.seat


def _laid(fell: Believed, laid: Believed) -> Believed:
    """The play from where the card came from to where it lies."""
    source = _source(fell, laid)
    assert isinstance(fell.event, Play) and source is not None and laid.target is not None
    assert isinstance(laid.event, Play | TakeBack)
    card, foul = laid.cards[0], fell.foul if fell.seat == laid.seat and fell.foul not in own.FOULS else None
    misfit = foul is not None or not Odds.fits(laid.target, laid.under, card)
    event = replace(
        fell.event,
        at=laid.at,
        seat=laid.seat,
        source=source.written_by(laid.seat),
        target=laid.event.target,
        landed=laid.event.landed,
        frames=laid.event.frames,
    )
    return replace(laid, event=event, source=source, misfit=misfit, foul=foul, lifted=fell.lifted)
