"""Things staged in a hand that are more than one odd play: a wrong deal, two hands at once, a slide, a changed order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING

from datasets.deeds import Deed
from datasets.moves import Move, best_moves, slides
from datasets.plants import Plant

if TYPE_CHECKING:
    from datasets.clock import Clock


def misdeal(clock: Clock, plants: Sequence[Plant]) -> list[Plant]:
    """Carries out a wrong deal, if one is among the plants; returns the others."""
    wrong = [plant for plant in plants if plant.kind == "wrong-deal"]
    if wrong:
        seat = str(clock.rng.choice(sorted(clock.areas)))
        area, piles = clock.areas[seat], clock.hand.deal[seat]
        place = f"work {clock.rng.integers(1, 5)}"
        # a second card on a work pile is what a camera can see
        card = area.stock.pop()
        piles["stock"] = list(area.stock)
        area.pile(place).append(card)
        piles[place] = list(area.pile(place))
        clock.hand.misdealt = seat
    return [plant for plant in plants if plant not in wrong]


def both_hands(clock: Clock, seat: str, now: float) -> bool:
    """Begin two plays of one seat at once, one with either hand, if that is due and there are two to be made."""
    plant = clock.due("two-hands", now)
    if plant is None:
        return False
    moves = [m for m in _single(clock, seat) if not clock.is_kept(seat, m, now)]
    for one, two in permutations(moves, 2):
        places = [one.source, one.target, two.source, two.target]
        if len(set(places)) < 4:
            continue
        first = clock.carried(seat, one, now)
        second = replace(clock.carried(seat, two, now), hand="other", planted=plant.kind)
        # wholly lifted while the first is in mid-air
        second = shifted(second, first.lifted + 0.4 * (first.landed - first.lifted) - second.lifted)
        clock.plants.remove(plant)
        clock.begin(first)
        clock.begin(second)
        return True
    return False


def _single(clock: Clock, seat: str) -> Iterator[Move]:
    """Plays of one card that leave nothing to be turned."""
    moves = best_moves(clock.areas[seat], clock.centre, longest=clock.longest)
    return (move for move in moves if len(move.cards) == 1 and move.source != "nerts")


def sliding(clock: Clock, seat: str, now: float) -> Deed | None:
    """A card rightly slid under a work pile while another one is empty (N7)."""
    for move in slides(clock.areas[seat], with_space=True):
        if not clock.is_kept(seat, move, now):
            deed = clock.carried(seat, move, now)
            clock.hand.noted.append(("slide", deed))
            return deed
    return None


def drawn_in_order(clock: Clock, seat: str, number: int, now: float) -> tuple[tuple[str, ...], str | None]:
    """The cards of a draw as they come to lie, and what is planted in it: the stock's top card lies lowest (N11)."""
    stock = clock.areas[seat].stock
    plant = clock.due("draw-order", now)
    # nobody can tell before the cards have been seen once
    if plant is None or seat not in clock.turned_over or len(stock) < number or number < 2:
        return tuple(reversed(stock[-number:])), None
    clock.plants.remove(plant)
    return tuple(stock[-number:]), plant.kind


def shifted(deed: Deed, by: float) -> Deed:
    """The same deed later, seconds."""
    reached, lifted, landed = (round(moment + by, 3) for moment in (deed.reached, deed.lifted, deed.landed))
    return replace(deed, reached=reached, lifted=lifted, landed=landed)
