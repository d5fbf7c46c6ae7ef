"""From where a card that came to a place may have come, and what that costs to believe."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from referee.rules.cards import UNKNOWN
from referee.rules.events import INFERRED, Draw, Play, Turn
from referee.rules.places import FOUNDATION, NERTS, STOCK, WASTE, WORK, Place
from referee.umpire import moves, one_hand
from referee.umpire.fouls.buried import top_is_told
from referee.umpire.fouls.unturned import is_unturned
from referee.umpire.odds import Odds
from referee.umpire.sights import View
from referee.umpire.story import (
    BURIED,
    CENTRE,
    FOREIGN,
    OFF_STOCK,
    UNTURNED,
    Believed,
    Foul,
    Lift,
    Lying,
    Story,
)
from referee.umpire.tied.plays import retold
from referee.umpire.tied.returned import back_too_soon, from_centre

#: A card is carried for so long (s).
CARRY_S = one_hand.WAY_S
#: It was carried from another seat's side if that fits so much better (cosine).
OTHER_SIDE = 0.6
#: The most that one is sure of what was guessed from among several.
GUESSED = 0.6
#: Of the past so many events are asked for what was turned since, or drawn.
LATELY = 24


class Source(NamedTuple):
    """Where a card may have come from: the story without it, and what that costs."""

    story: Story
    place: Place
    card: Lying
    caution: float = 1.0
    lifted: float | None = None
    foul: Foul | None = None
    #: It lay on top there, or came up from there, after the place was seen last.
    lay: bool = False


def sources(
    story: Story, face: str, target: Place, view: View, odds: Odds, more: float = 0.0
) -> Iterator[Source]:
    """Every way in which a card `face` can have come to `target`: from where it lies, or unseen. `more`: what is charged
    besides.
    """
    floor = view.floor - more
    if story.weight < floor:
        return
    for source in _sources(story, face, target, view, odds, floor):
        if other := _by_another(view, source.place.seat, odds):
            source = source._replace(story=source.story.weighed(other))
        if source.story.weight < floor:
            continue
        if source.lifted is not None or source.place == target:
            yield source
            continue
        yield source._replace(story=source.story.weighed(_how_taken(story, source, view, odds)))


def _by_another(view: View, seat: str, odds: Odds) -> float:
    """What it costs to say that the top card is this seat's: it was carried from another's side, by another's arm."""
    sides, arms = view.brought, view.arms
    if not seat:
        return 0.0
    elsewhere = bool(sides) and max(sides.values()) - sides.get(seat, -1.0) > OTHER_SIDE
    other = max(arms.values()) - arms.get(seat, 0.0) if arms else 0.0
    return odds.other_side * elsewhere + odds.other_arm * other


def _how_taken(story: Story, source: Source, view: View, odds: Odds) -> float:
    """What it costs to say that a card came from a place, by what moved there and how it looks since."""
    place, seat = source.place, source.place.seat
    if place.kind == STOCK:
        # who takes a card of the stock leaves the waste beside it alone
        waste = Place(WASTE, 0, seat)
        near = story.pile(waste) and one_hand.since_last(story, waste, view, odds) == 0.0
        near = near and not (view.alike(waste) and one_hand.looks_otherwise(story, place, view))
        # at the other end of the row a Nerts card may have been taken, turned up or not
        nerts = Place(NERTS, 0, seat)
        near = near or (story.pile(nerts) and one_hand.since_last(story, nerts, view, odds) == 0.0)
        return one_hand.since_last(story, place, view, odds) + (odds.beside if near else 0.0)
    if source.foul == BURIED and place.kind == WASTE:
        besides = one_hand.looks_otherwise(story, Place(STOCK, 0, seat), view)
        return one_hand.since_last(story, place, view, odds) + (odds.beside if besides else 0.0)
    top = story.top(place)
    # behind a card that was turned and played the next one shows its back, too
    alike = (top is None or top.up) and view.alike(place)
    if not source.lay and view.seen(place) > view.rested - one_hand.CARRY_S:
        # from beneath others, or before these were seen, it may have been missing already at the last look
        alike = False
    return one_hand.reached(place, view, odds, lay=source.lay) + (odds.unchanged if alike else 0.0)


def _sources(
    story: Story, face: str, target: Place, view: View, odds: Odds, floor: float
) -> Iterator[Source]:
    for seat in story.seats:
        strange = odds.foreign if target.seat not in ("", seat) else 0.0
        if story.weight + strange < floor:
            continue
        held = next((h for h in story.lifted if moves.whose(h) == seat and h.cards[-1].face == face), None)
        if held is not None:
            extra = strange + one_hand.busy(story, held, view, odds) + back_too_soon(held, view, odds)
            out = held.place.kind == FOUNDATION and not _came_from(story, face, seat, target)
            wrong = CENTRE if out else FOREIGN if strange else None
            yield from _from_hand(story, held, odds, extra, wrong)
            if not strange:
                yield from _by_way_of(story, held, target, view, odds)
            continue
        if story.weight + strange + odds.play < floor:
            continue
        place = story.where(face, seat)
        if place is None:
            if not strange:
                yield from _from_unseen(story, face, seat, target, view, odds, floor)
        elif place.kind == FOUNDATION:
            depth, cost = from_centre(story.pile(place), face, seat, strange, odds)
            if target.seat and depth:
                foul = None if _came_from(story, face, seat, target) else CENTRE
                yield _taken(story, place, depth, odds.play + cost, foul=foul)
        elif place.kind == STOCK:
            if not strange and story.pile(place)[-1].face == face:
                yield _taken(story, place, 1, odds.play + odds.off_stock, foul=OFF_STOCK)
        elif place != target:
            yield from _from_pile(story, face, place, odds, strange)


def _from_hand(
    story: Story, held: Lift, odds: Odds, extra: float, foul: Foul | None = None
) -> Iterator[Source]:
    if len(held.cards) == 1:
        free = story.weighed(extra)
        free.lifted = tuple(lift for lift in story.lifted if lift is not held)
        yield Source(free, held.place, held.cards[0], 1.0, held.at, foul)


def _by_way_of(story: Story, held: Lift, target: Place, view: View, odds: Odds) -> Iterator[Source]:
    """A card in hand for long was laid on an own work pile meanwhile, and taken again while nobody saw that pile."""
    for place in one_hand.resting_places(story, held, view, odds):
        if place == target or view.seen(place) > held.at + CARRY_S:
            continue
        cost = odds.laid_unseen + odds.play + one_hand.reached(place, view, odds)
        laid = one_hand.laid_between(story, held, place, view).weighed(cost)
        yield Source(laid, place, held.cards[0]._replace(at=None), 1.0, view.rested - CARRY_S)


def _came_from(story: Story, face: str, seat: str, place: Place) -> bool:
    """Whether a seat's card was last played from this place."""
    plays = (
        e for e in story.past or () if e.cards == (face,) and e.seat == seat and isinstance(e.event, Play)
    )
    last = next(plays, None)
    return last is not None and last.source == place


def _taken(
    story: Story, place: Place, depth: int, weight: float, caution: float = 1.0, foul: Foul | None = None
) -> Source:
    pile = story.pile(place)
    card = pile[-depth]
    left = pile[:-depth] + (pile[len(pile) - depth + 1 :] if depth > 1 else ())
    free = story.with_pile(place, left, weight)
    return Source(free, place, card._replace(at=None), caution, foul=foul, lay=depth == 1)


def _from_pile(story: Story, face: str, place: Place, odds: Odds, extra: float) -> Iterator[Source]:
    pile = story.pile(place)
    depth = next(d for d in range(1, 1 + len(pile)) if pile[-d].face == face)
    if depth == 1 and not pile[-1].up:
        turned = story.with_pile(place, (*pile[:-1], pile[-1]._replace(up=True)))
        yield _taken(turned, place, 1, odds.play + odds.unseen + extra, GUESSED)
    elif depth == 1:
        yield _taken(story, place, 1, odds.play + extra, foul=FOREIGN if extra else None)
    elif place.kind == WORK or depth <= 4:
        hasty = place.kind == WASTE and not pile[-1].first
        caution, foul = (INFERRED, None) if hasty else (1.0, BURIED)
        told = story if hasty or place.kind != WASTE else top_is_told(story, place.seat)
        yield _taken(told, place, depth, odds.play + odds.buried + extra, caution, foul)


def _from_unseen(
    story: Story, face: str, seat: str, target: Place, view: View, odds: Odds, floor: float
) -> Iterator[Source]:
    """A card that nobody has seen yet: unknown in hand or on top, or one that came up and went on at once."""
    unseen = story.weight + odds.any_face
    for held in story.lifted if unseen >= floor else ():
        if held.place.seat == seat and len(held.cards) == 1 and not held.cards[0].known:
            free = story.weighed(odds.any_face + one_hand.busy(story, held, view, odds))
            free.lifted = tuple(lift for lift in story.lifted if lift is not held)
            card = held.cards[0]._replace(face=face)
            if held.place.kind == NERTS and not card.up and is_unturned(story, held.place, view):
                yield Source(free.weighed(odds.unturned), held.place, card, foul=UNTURNED)
                free = free.weighed(odds.no_time)
            yield Source(free, held.place, card, INFERRED)
    unseen += odds.play
    for place, pile in story.piles.items() if unseen >= floor else ():
        if place.seat != seat or place.kind == STOCK or place == target or not pile or pile[-1].known:
            continue
        if pile[-1].up or story.is_stack(place):
            shown = story.with_pile(place, (*pile[:-1], pile[-1]._replace(face=face)))
        elif is_unturned(story, place, view):
            bare = story.with_pile(place, (*pile[:-1], pile[-1]._replace(face=face)), odds.unturned)
            yield _taken(bare, place, 1, odds.play + odds.any_face, foul=UNTURNED)
            shown = moves.turn(story, place, face, None, view, odds.no_time)
        else:
            shown = moves.turn(story, place, face, None, view, 0.0)
        replaced = story.is_stack(place) and target.kind == NERTS
        strange = odds.buried if story.is_stack(place) and not replaced else 0.0
        yield _taken(shown, place, 1, odds.play + odds.any_face + strange, 1.0 if replaced else INFERRED)
    if unseen >= floor:
        yield from _from_under(story, face, seat, view, odds)
    if target.kind != WASTE and story.weight + odds.draw + odds.unseen + odds.play >= floor:
        yield from _from_unseen_draw(story, face, seat, view, odds)
    if target.kind != NERTS and unseen + odds.unseen / 2 >= floor:
        yield from _from_unseen_nerts(story, face, seat, view, odds)
        yield from _from_unseen_slot(story, face, seat, view, odds)


def _from_under(story: Story, face: str, seat: str, view: View, odds: Odds) -> Iterator[Source]:
    """An unseen card that lay on the waste's top before that was seen there; or one from right beneath it, or off the
    stock, which is not allowed.
    """
    stock, waste = story.pile(Place(STOCK, 0, seat)), story.pile(Place(WASTE, 0, seat))
    # a Nerts card that lay face down may have been turned and played before anybody looked
    caution = INFERRED if _lay_face_down(story, Place(NERTS, 0, seat), view.rested) else 1.0
    if stock and not stock[-1].known:
        named = (*stock[:-1], stock[-1]._replace(face=face))
        shown = top_is_told(story, seat).with_pile(Place(STOCK, 0, seat), named, odds.any_face)
        yield _taken(shown, Place(STOCK, 0, seat), 1, odds.play + odds.off_stock, caution, foul=OFF_STOCK)
    if len(waste) > 1 and waste[-1].known and not waste[-2].known:
        named = (*waste[:-2], waste[-2]._replace(face=face), waste[-1])
        shown = story.with_pile(Place(WASTE, 0, seat), named, odds.any_face)
        if waste[-1].first:
            told = top_is_told(shown, seat)
            yield _taken(told, Place(WASTE, 0, seat), 2, odds.play + odds.buried, caution, foul=BURIED)
        else:
            yield _taken(
                _drawn_above(shown, seat, face), Place(WASTE, 0, seat), 2, odds.play + odds.unseen, INFERRED
            )


def _drawn_above(story: Story, seat: str, face: str) -> Story:
    """The story in which the last packet that a seat drew showed a card before the one beneath it was seen on top."""
    below = story.pile(Place(WASTE, 0, seat))[-1].face
    lately = (e for e in islice(story.past or (), LATELY) if e.seat == seat and isinstance(e.event, Draw))
    last = next(lately, None)
    draw = last.event if last is not None and last.foul is None else None
    if last is None or not isinstance(draw, Draw) or len(draw.cards) < 2 or draw.cards[-1] != below:
        return story
    shown = replace(draw, cards=(*draw.cards[:-2], below, face))
    return retold(story, last, (replace(last, event=shown),), 0.0)


def _lay_face_down(story: Story, nerts: Place, at: float) -> bool:
    """Whether a Nerts pile showed its back at a moment (s), as far as a story knows."""
    top = story.top(nerts)
    lately = (e for e in islice(story.past or (), LATELY) if e.target == nerts and isinstance(e.event, Turn))
    return top is not None and (not top.up or any(e.at > at for e in lately))


def _from_unseen_draw(story: Story, face: str, seat: str, view: View, odds: Odds) -> Iterator[Source]:
    """A packet drawn between two looks whose top card went on at once."""
    drawn = moves.draw(story, seat, view, odds, odds.unseen)
    if drawn is None:
        return
    waste = Place(WASTE, 0, seat)
    top = drawn.pile(waste)[-1]
    if top.face not in (face, UNKNOWN):
        return
    weight = odds.play + (0.0 if top.known else moves.surprise(story, face, seat, odds))
    known = drawn.with_pile(waste, (*drawn.pile(waste)[:-1], top._replace(face=face)))
    yield _taken(known, waste, 1, weight, INFERRED)


def _from_unseen_nerts(story: Story, face: str, seat: str, view: View, odds: Odds) -> Iterator[Source]:
    """The known top of a Nerts pile went in hand and the next was turned and played before anybody looked."""
    nerts = Place(NERTS, 0, seat)
    pile = story.pile(nerts)
    if len(pile) < 2 or not pile[-1].known or pile[-1].face == face:
        return
    held = moves.lift(story, nerts, 1, view, odds, odds.unseen)
    weight = odds.play + moves.surprise(story, face, seat, odds)
    if pile[-2].up:
        shown = held.with_pile(nerts, (*pile[:-2], pile[-2]._replace(face=face)))
    else:
        shown = moves.turn(held, nerts, face, None, view, 0.0)
    yield _taken(shown, nerts, 1, weight, INFERRED)


def _from_unseen_slot(story: Story, face: str, seat: str, view: View, odds: Odds) -> Iterator[Source]:
    """An open nert that was replaced from the stack and played on before anybody looked (T2)."""
    stack = Place(NERTS, 0, seat)
    pile = story.pile(stack)
    if not pile or not story.is_stack(stack):
        return
    for slot, cards in story.piles.items():
        if slot.kind != NERTS or slot.seat != seat or not slot.number or cards:
            continue
        card = pile[-1]._replace(face=face, up=True)
        step = replace(view, place=slot, rested=max(0.0, view.rested - 2 * CARRY_S))
        filled = Believed(moves.moved(seat, (face,), stack, step), stack, slot, INFERRED)
        told = story.with_pile(stack, pile[:-1]).told(filled)
        yield Source(told.weighed(odds.play + odds.any_face + odds.unseen / 2), slot, card, INFERRED)
        return
