"""Cards that came to a place: how each was laid, and what that costs to believe."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from referee.rules.cards import UNKNOWN
from referee.rules.events import INFERRED, Play, TakeBack
from referee.rules.places import FOUNDATION, NERTS, WASTE, WORK, Place
from referee.umpire import moves, one_hand
from referee.umpire.fouls import own
from referee.umpire.fouls.aside import is_carried_off
from referee.umpire.odds import Odds
from referee.umpire.sights import Sight, View
from referee.umpire.sources import Source, sources
from referee.umpire.story import CENTRE, ONTO, SEVERAL, SLID, Believed, Lift, Past, Pile, Story
from referee.umpire.tied.returned import put_back
from vision.layout import FACES

#: A card in hand for longer than this (s) was laid down before other cards moved.
IN_HAND_S = one_hand.IN_HAND_S


def land(
    story: Story, face: str, sight: Sight | None, view: View, odds: Odds, more: float = 0.0
) -> Iterator[Story]:
    """Every way in which one card `face` can have been laid on `view.place`. `more`: what is charged for it besides; ways
    that are not worth telling with that are left out.
    """
    target = view.place
    for source in sources(story, face, target, view, odds, more):
        pile = source.story.pile(target)
        card = source.card._replace(face=face, up=True, at=sight.at if sight else None, there=True)
        placed = source.story.with_pile(target, (*pile, card))
        if source.place == target:
            # that a card was taken which nobody has ever seen is said by nothing but that another one showed
            blind = odds.unseen if all(face != held.cards[-1].face for held in story.lifted) else 0.0
            yield from put_back(placed.weighed(blind), story, face, view, odds)
            continue
        closed = target.kind == FOUNDATION and is_carried_off(pile)
        under = pile[-1].face if pile and not closed else None
        replaced = target.kind == NERTS and source.story.is_stack(source.place)
        # what is taken back lay there before
        back = source.place.kind == FOUNDATION and source.foul is None
        fits = odds.fits(target, under, face) or replaced or back
        foul = ONTO if target.kind in (NERTS, WASTE) and not replaced else source.foul
        if fits and foul is None and not replaced and not back:
            foul = own.foul(source, face, target, odds)
        alone = back and is_alone(source, face)
        cost = odds.own_rule if foul in own.FOULS else 0.0 if fits else odds.landing(target, under, face)
        if placed.weight + cost + more < view.floor:
            continue
        seat = source.place.seat or target.seat or source.card.deck
        at, landed = view.came_from(source.place)
        seen = view if at == view.rested else replace(view, rested=at)
        event = moves.moved(seat, (face,), source.place, seen, foul, landed if sight else None)
        believed = Believed(
            event,
            source.place,
            target,
            min(source.caution, INFERRED) if closed else source.caution,
            not fits or foul is not None or alone,
            under,
            source.lifted,
            CENTRE if alone else foul,
            bare=view.untouched,
            came=view.lone,
        )
        hurried = odds.hurried if one_hand.is_hurried(source.story, seat, face, view, odds) else 0.0
        if one_hand.is_moved_twice(source.story, source.place, face, view):
            hurried = odds.still_there
        by_other = sight is not None and view.laid_by not in ("", seat) and believed.is_guessed
        yield placed.weighed(cost + hurried + odds.guessed_arm * by_other).told(believed)


def is_alone(source: Source, face: str) -> bool:
    """Whether a card that is taken back leaves none of its face on its foundation: no tie gives a reason to take it."""
    left = source.story.top(source.place)
    return left is None or left.face != face


def slide(story: Story, face: str, sight: Sight, view: View, odds: Odds) -> Iterator[Story]:
    """Every way in which a card can have been slid under the work pile `view.place`: by the rules only with another one
    empty, and where the pile would be built on it.
    """
    target = view.place
    for source in sources(story, face, target, view, odds, odds.slid):
        pile = source.story.pile(target)
        if source.place.seat != target.seat or source.place == target or not pile:
            continue
        works = [p for p in source.story.piles if p.kind == WORK and p.seat == target.seat]
        right = any(not source.story.pile(p) for p in works) and odds.fits(target, face, pile[0].face)
        card = source.card._replace(face=face, up=True, at=sight.at)
        moved = moves.moved(target.seat, (face,), source.place, view)
        if isinstance(moved, TakeBack):
            continue
        event = replace(moved, under=True)
        believed = Believed(
            event,
            source.place,
            target,
            source.caution,
            not right,
            pile[0].face,
            source.lifted,
            None if right else SLID,
        )
        placed = source.story.with_pile(target, (card, *pile), odds.slid + (0.0 if right else odds.illegal))
        yield placed.told(believed)


def laid_at_once(story: Story, view: View, odds: Odds) -> Story:
    """The story whose last two cards one hand laid on `view.place`, from one pile, while that was touched for no longer
    than one way takes: they were laid together.
    """
    past = story.past
    if past is None or past.before is None or not one_hand.is_one_way(view):
        return story
    upper, lower = past.last, past.before.last
    same = (upper.seat, upper.source, upper.target) == (lower.seat, lower.source, lower.target)
    if not same or upper.source is None or upper.source.kind != WASTE or not isinstance(upper.event, Play):
        return story
    both = replace(upper.event, cards=(*lower.cards, *upper.cards))
    told = Believed(both, upper.source, upper.target, 1.0, misfit=True, under=lower.under, foul=SEVERAL)
    merged = story.weighed(odds.several)
    merged.past = Past(told, past.before.before, past.length - 1)
    return merged


def land_both(story: Story, face: str, sight: Sight, view: View, odds: Odds) -> Iterator[Story]:
    """Two cards that were taken off a waste in one touch, laid on a foundation, `face` on top: either may be.

    One hand has no time to lay the one and come again for the other.
    """
    pile = story.pile(view.place)
    under = pile[-1].face if pile else None
    for held in story.lifted:
        if len(held.cards) != 2 or held.place.kind != WASTE:
            continue
        for lower, upper in (held.cards, held.cards[::-1]):
            names = [
                low for low in FACES if odds.fits(view.place, low, face) and odds.fits(view.place, under, low)
            ]
            if upper.face not in (face, UNKNOWN) or lower.face not in (*names, UNKNOWN) or not names:
                continue
            guessed = sum(not card.known and not story.knows(face, card.deck) for card in held.cards)
            laid = lower._replace(face=names[0], at=None), upper._replace(face=face, at=sight.at)
            # that the lower one came, too, is said by nothing but the gap that it fills
            unseen = 0.0 if lower.known else odds.underneath
            cost = odds.several + guessed * odds.any_face + unseen
            both = story.with_pile(view.place, (*pile, *laid), cost)
            both.lifted = tuple(lift for lift in story.lifted if lift is not held)
            event = moves.moved(held.place.seat, (names[0], face), held.place, view, landed=view.landed)
            told = Believed(
                event, held.place, view.place, 1.0, True, under, held.at, SEVERAL, bare=view.untouched
            )
            yield both.told(told)


def taken_back(held: Lift, view: View) -> Believed:
    """A card that was taken out of the centre, laid back on `view.place`."""
    seat = moves.whose(held)
    event = moves.moved(seat, (held.cards[-1].face,), held.place, view, landed=view.landed)
    return Believed(event, held.place, view.place, lifted=held.at)


def land_block(story: Story, run: Pile, source: Place, view: View, odds: Odds) -> Story:
    """Several cards, already taken from `source`, laid on `view.place` together."""
    pile = story.pile(view.place)
    placed = story.with_pile(view.place, pile + run)
    if source == view.place:
        return placed
    under = pile[-1].face if pile else None
    fits = odds.fits(view.place, under, run[0].face)
    faces = tuple(card.face for card in run)
    event = moves.moved(source.seat, faces, source, view, landed=view.landed)
    believed = Believed(event, source, view.place, misfit=not fits, under=under)
    return placed.weighed(0.0 if fits else odds.illegal).told(believed)
