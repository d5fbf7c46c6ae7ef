"""What is staged in a hand while it is played: wrong deals, two hands at once, ties, mishaps, false calls, late plays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import TYPE_CHECKING

from datasets.play.deeds import Deed
from datasets.play.mishaps import Mishap
from datasets.play.moves import (
    RANKS,
    Move,
    best_moves,
    builds_down,
    builds_up,
    slides,
    to_foundations,
    to_work,
)
from datasets.play.plants import Plant, Tie

if TYPE_CHECKING:
    from datasets.play.clock import Clock

#: Seconds between two landings from which 30 frames a second tell the order (`tie_gap_frames` of the rules).
CLEAR_GAP = 2 / 30


def misdeal(clock: Clock, plants: Sequence[Plant]) -> list[Plant]:
    """Carries out a wrong deal, if one is among the plants; returns the others."""
    wrong = [plant for plant in plants if plant.kind == "wrong-deal"]
    if wrong:
        seat = str(clock.rng.choice(sorted(clock.areas)))
        area, piles = clock.areas[seat], clock.hand.deal[seat]
        place = f"work {clock.rng.integers(1, 5)}"
        # a second card on a work pile is what a camera can see, unless it may have been played there
        lies = area.pile(place)[-1]
        card = next(card for card in reversed(area.stock) if not builds_down(card, lies))
        area.stock.remove(card)
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
    if plant is None or len(stock) < number or number < 2:
        return tuple(reversed(stock[-number:])), None
    # nobody can tell but by the card that should lie on top, and only if it did in a round before
    if seat not in clock.turned_over or stock[-number] not in _lay_on_top(clock.hand.deeds, seat, now):
        return tuple(reversed(stock[-number:])), None
    clock.plants.remove(plant)
    return tuple(stock[-number:]), plant.kind


def _lay_on_top(deeds: Sequence[Deed], seat: str, now: float) -> set[str]:
    """The cards that a seat's waste has shown so far (s)."""
    waste, shown = list[str](), set[str]()
    done = (deed for deed in deeds if deed.seat == seat and deed.landed <= now)
    for deed in sorted(done, key=lambda one: one.landed):
        if deed.kind == "recycle":
            waste = []
        elif deed.target == "waste":
            waste += deed.cards
        elif deed.source == "waste":
            waste = [card for card in waste if card not in deed.cards]
        shown.update(waste[-1:])
    return shown


def draws_two(clock: Clock, seat: str, now: float) -> str | None:
    """What is planted in this draw if it is one of two cards: it is where that is due and both can be played at once.

    Then the waste's top from before shows again one card too early, which is what a camera can see of it.
    """
    plant, area = clock.due("draw-two", now), clock.areas[seat]
    if plant is None or not area.waste or len(area.stock) < clock.packet + 1 or clock.packet < 3:
        return None
    lower, upper = area.stock[-1], area.stock[-2]
    for move in _off_waste(clock, seat, upper, now):
        onto = builds_up if move.target.startswith("foundation") else builds_down
        others = (other.target for other in _off_waste(clock, seat, lower, now))
        if onto(lower, upper) or any(target != move.target for target in others):
            clock.plants.remove(plant)
            clock.to_show[seat] = (upper, lower)
            return plant.kind
    return None


def showing(clock: Clock, seat: str, now: float) -> Move | None:
    """The next play by which an infraction of this seat shows, if it can be made now."""
    first, *others = clock.to_show.get(seat, ("",))
    waste = clock.areas[seat].waste
    move = next(_off_waste(clock, seat, first, now), None) if waste and waste[-1] == first else None
    if move is not None and others:
        clock.to_show[seat] = (*others,)
    elif move is not None:
        del clock.to_show[seat]
    return move


def _off_waste(clock: Clock, seat: str, card: str, now: float) -> Iterator[Move]:
    """Where a card could go if it lay on top of a seat's waste."""
    top = [("waste", card)]
    moves = [*to_foundations(top, clock.centre)]
    moves += to_work(clock.areas[seat], top, clock.longest, empty=False)
    return (move for move in moves if not clock.is_kept(seat, move, now))


def tied(clock: Clock, seat: str, now: float) -> tuple[Deed, Deed] | None:
    """A tie that is due: the seat's play and that of another with its hand free and the same card."""
    tie = next((tie for tie in clock.ties if now >= tie.after), None)
    if tie is None:
        return None
    free = [s for s in clock.areas if s != seat and not clock.is_busy(s) and s not in clock.owing]
    for move in to_foundations(list(clock.areas[seat].tops()), clock.centre):
        for other in free if move.cards[0][0] != RANKS[0] else ():
            for place, card in clock.areas[other].tops():
                if (card,) == move.cards and not clock.is_kept(seat, move, now):
                    clock.ties.remove(tie)
                    return _racing(clock, tie, seat, move, other, replace(move, source=place), now)
    return None


def _racing(
    clock: Clock, tie: Tie, seat: str, move: Move, other: str, theirs: Move, now: float
) -> tuple[Deed, Deed]:
    """Two plays that land `tie.gap` apart; nobody else touches the foundation until it is settled."""
    one, two = clock.carried(seat, move, now), clock.carried(other, theirs, now)
    first = max(one.landed, two.landed - tie.gap)
    clock.kept[move.target] = first + tie.gap + 4.0
    # when moments and layering contradict each other nobody can say who lost (N13), and nobody breaks a rule
    contradicts = tie.under and tie.gap >= CLEAR_GAP
    planted = None if tie.back or contradicts else "tie-left"
    one = shifted(one, first - one.landed)
    two = replace(shifted(two, first + tie.gap - two.landed), under=tie.under)
    # whose card lies on top takes it back
    loser = replace(one if tie.under else two, loses=tie.back, planted=planted)
    if tie.back:
        clock.owing.add(loser.seat)
    elif contradicts:
        clock.hand.noted += [("tie", loser), ("tie", two)]
    return (loser, two) if tie.under else (one, loser)


def stumbles(clock: Clock, seat: str, now: float) -> bool:
    """Begin a mishap that is due, if this seat can have it."""
    for mishap in (m for m in clock.mishaps if now >= m.after and m.kind != "mid-air"):
        if mishap.kind == "slide":
            deed = sliding(clock, seat, now)
        else:
            deed = (
                _dropping(clock, seat, now) if mishap.kind == "drop" else _touching(clock, mishap, seat, now)
            )
        if deed is not None:
            clock.mishaps.remove(mishap)
            clock.begin(deed)
            return True
    return False


def _touching(clock: Clock, mishap: Mishap, seat: str, now: float) -> Deed | None:
    """A hand that rests on the longest own work pile for seconds, or pushes it aside."""
    number, pile = max(enumerate(clock.areas[seat].work, 1), key=lambda entry: len(entry[1]))
    if len(pile) < 2:
        return None
    place = f"work {number}"
    if mishap.kind == "bump":
        clock.owing.add(seat)
        return clock.timed("bump", seat, (), place, place, now, 0.35)
    resting = clock.timed("rest", seat, (), place, place, now, 0.5)
    return replace(resting, landed=round(resting.lifted + float(clock.rng.uniform(2.5, 4.0)), 3))


def _dropping(clock: Clock, seat: str, now: float) -> Deed | None:
    """A card on its way to where it could be played, dropped half way."""
    move = clock.choose(seat, now)
    if move is None or len(move.cards) > 1 or move.cards[0][0] == RANKS[0]:
        return None
    clock.owing.add(seat)
    clock.kept[clock.place_of(seat, move.target)] = now + 6.0
    clock.dropped[seat] = move
    return clock.timed("drop", seat, move.cards, move.source, "dropped", now, 0.35)


def calls_falsely(clock: Clock, seat: str, now: float) -> bool:
    """A call with cards left in the Nerts pile: the hand goes on."""
    plant = clock.due("false-call", now)
    if plant is None:
        return False
    clock.plants.remove(plant)
    said = round(now + 0.25, 3)
    clock.hand.deeds.append(Deed("call", seat, (), "", "", round(now, 3), said, said, plant.kind))
    clock.at(said + 1.0, partial(clock.look, seat))
    return True


def in_mid_air(clock: Clock, caller: str, now: float) -> Deed | None:
    """Another seat's play that is to be in mid-air when the call is made, if that is staged."""
    mishap = next((m for m in clock.mishaps if m.kind == "mid-air" and now >= m.after), None)
    for seat in clock.areas if mishap is not None else ():
        if seat == caller or clock.is_busy(seat) or seat in clock.owing:
            continue
        for move in to_foundations(list(clock.areas[seat].tops()), clock.centre):
            if not clock.is_kept(seat, move, now) and mishap is not None:
                clock.mishaps.remove(mishap)
                deed = clock.carried(seat, move, now)
                clock.begin(deed)
                clock.hand.noted.append((mishap.kind, deed))
                return deed
    return None


def play_late(clock: Clock, plant: Plant, caller: str, now: float) -> None:
    """Another seat, if it can, plays to the centre although the hand is over."""
    for seat in clock.areas:
        if seat == caller or clock.is_busy(seat):
            continue
        for move in to_foundations(list(clock.areas[seat].tops()), clock.centre):
            clock.plants.remove(plant)
            clock.begin(clock.carried(seat, replace(move, planted=plant.kind), now))
            return


def shifted(deed: Deed, by: float) -> Deed:
    """The same deed later, seconds."""
    reached, lifted, landed = (round(moment + by, 3) for moment in (deed.reached, deed.lifted, deed.landed))
    return replace(deed, reached=reached, lifted=lifted, landed=landed)
