"""What one hand can do: it takes a card from where it was, carries it for so long, and does nothing else meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from math import inf

from referee.rules.events import INFERRED, Play, Turn
from referee.rules.places import FOUNDATION, NERTS, WASTE, WORK, Place
from referee.umpire import moves
from referee.umpire.odds import Odds
from referee.umpire.sights import View
from referee.umpire.story import Believed, Lift, Story

#: Whatever the same hand did so long (s) after it took a card, and before it laid that, it did not do with the card.
MEANWHILE_S = 0.3, 0.2
#: A card was taken at most so long (s) before it came to rest.
CARRY_S = 1.2
#: A hand has left where it laid a card after so long (s), and takes at least so long with the next one.
LEAVES_S, QUICK_S = 0.25, 0.5
#: Mostly a card is carried for so long (s); one in hand for longer than this was laid down before other cards moved.
WAY_S, IN_HAND_S = 0.5, 0.9
#: A card may have been laid and not made out up to so long (s) after it was taken; what lies under it shows no more than
#: this share.
MISSED_S, COVERED_SHARE = 2.5, 0.6
#: A card laid so long (s) before anything moved at its place was not laid there; nor was one taken from a place where
#: nothing moved until this long (s) before it landed.
EARLY_S, TAKEN_S = 0.3, 0.1
#: Whoever lays a card and then the next needs at least so long (s), but for how late each may be seen.
HURRY_S = 0.45
#: Nobody lays a card and the same one elsewhere within so long (s).
TWICE_S = 0.3
#: Whoever comes, lays a card, fetches another one and lays that, too, is about for longer than this (s).
ONE_WAY_S = 0.8


def is_one_way(view: View) -> bool:
    """Whether a place was touched for no longer than a hand needs that comes to it once."""
    return view.rested - view.untouched <= ONE_WAY_S


def reached(place: Place, view: View, odds: Odds, *, lay: bool = False) -> float:
    """What it costs to say that a card came from a place, by what moved there; `lay`: it lay there, or what it came up
    from did, when that was seen last, so that it was touched since.
    """
    return _moved(place, view, view.rested - CARRY_S, odds, view.seen(place) if lay else -inf)


def since_last(story: Story, place: Place, view: View, odds: Odds) -> float:
    """The same by what moved there since the same hand had done what it did before, and left: then more is said by it."""
    return 2.0 * _moved(place, view, _free_since(story, place, view), odds)


def _free_since(story: Story, place: Place, view: View) -> float:
    """When (s) the hand of a place's player was free for what a view shows."""
    last = next((e.at for e in islice(story.past or (), 12) if e.seat == place.seat), -inf)
    return max(view.rested - CARRY_S, min(last + LEAVES_S, view.rested - QUICK_S))


def looks_otherwise(story: Story, place: Place, view: View) -> bool:
    """Whether a place looks otherwise since the hand that is to have laid what a view shows was free for that."""
    free = _free_since(story, place, view)
    return any(free <= since <= view.rested for since in view.looks_so(place))


def _moved(place: Place, view: View, since: float, odds: Odds, seen: float = -inf) -> float:
    """What it costs to say that a place was touched between `since` (s) and the landing that a view shows, and after it
    was `seen` (s) where that says more.
    """
    key = "reached", place, since, view.rested, seen
    if key not in view.memo:
        cost = odds.reached(view.reached(place, since))
        # what moved may have moved before the last look, or after the landing
        touches = view.touched(place) if cost == 0.0 else ()
        after = seen if seen < view.rested else -inf
        there = any(begun <= view.rested and ended >= since and ended > after for begun, ended in touches)
        view.memo[key] = cost if there or not touches else odds.unreached
    found: float = view.memo[key]
    return found


def busy(story: Story, held: Lift, view: View, odds: Odds) -> float:
    """What it costs to say that a card was in hand for as long, if the same hand did something else meanwhile."""
    since, until = held.at + MEANWHILE_S[0], view.rested - MEANWHILE_S[1]
    own = (e for e in islice(story.past or (), 12) if e.seat == held.place.seat and e.at < until)
    # the next card of a pile is turned when the one before has been laid
    meanwhile = (
        e.at > since or (isinstance(e.event, Turn) and e.target == held.place and e.at >= held.at)
        for e in own
    )
    return odds.hurried if any(meanwhile) else 0.0


def is_hurried(story: Story, seat: str, face: str, view: View, odds: Odds) -> bool:
    """Whether this seat took or laid another card elsewhere at about the moment when `face` was laid, which one hand
    cannot do; what goes right onto that card came between the same two looks.
    """
    at = view.rested
    others = (held for held in story.lifted if not odds.fits(view.place, face, held.cards[0].face))
    if any(held.place.seat == seat and abs(held.at - at) < HURRY_S for held in others):
        return True
    lately = (e for e in islice(story.past or (), 8) if e.target != view.place)
    return any(e.seat == seat and isinstance(e.event, Play) and abs(e.at - at) < HURRY_S for e in lately)


def is_moved_twice(story: Story, source: Place, face: str, view: View) -> bool:
    """Whether a card came to this place with others in the moment in which it is to have left it again alone."""
    lately = (e for e in islice(story.past or (), 4) if face in e.cards[1:] and e.target == source)
    return any(abs(e.at - view.rested) < TWICE_S for e in lately)


# -- laid down meanwhile --------------------------------------------------------------------------------------


def resting_places(story: Story, held: Lift, view: View, odds: Odds) -> Iterator[Place]:
    """The own work piles on which a card that has been in hand for long may have been laid, the empty ones among them."""
    if len(held.cards) > 1 or not held.cards[0].known or held.at > view.rested - IN_HAND_S:
        return
    face = held.cards[0].face
    for place, pile in story.piles.items():
        if place.kind != WORK or place.seat != held.place.seat or place == held.place:
            continue
        if not pile or (pile[-1].known and pile[-1].up and odds.fits(place, pile[-1].face, face)):
            yield place


def laid_between(story: Story, held: Lift, place: Place, view: View) -> Story:
    """The story in which a card in hand was laid on a work pile soon after it was taken, but for the card there."""
    top = story.top(place)
    step = replace(view, place=place, rested=held.at + WAY_S)
    event = moves.moved(held.place.seat, (held.cards[0].face,), held.place, step)
    under = top.face if top else None
    told = story.told(Believed(event, held.place, place, INFERRED, under=under, lifted=held.at))
    told.lifted = tuple(lift for lift in story.lifted if lift is not held)
    return told


def laid_unseen(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    """A card that has been in hand for long was laid on one of the own work piles meanwhile, where it fits: whose hand it
    is cannot have moved other cards before.
    """
    for held in story.lifted:
        if held.place.seat != view.place.seat:
            continue
        for place in resting_places(story, held, view, odds):
            if story.pile(place):
                card = held.cards[0]._replace(up=True, at=None)
                laid = laid_between(story, held, place, view)
                yield laid.with_pile(place, (*story.pile(place), card), odds.laid_unseen)


def passed_by(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    """A card that has been in hand for long lay on this work pile, on which something stirred since it was seen last, and
    was taken from it again before it was seen now.
    """
    for held in story.lifted:
        lay = view.untouched < view.rested - IN_HAND_S
        if not lay or held.place.seat != view.place.seat or held.at < view.seen(view.place) - IN_HAND_S:
            continue
        if view.place in resting_places(story, held, view, odds):
            laid = laid_between(story, held, view.place, view)
            again = Lift(view.place, (held.cards[0]._replace(at=None),), view.rested)
            laid.lifted = (*laid.lifted, again)
            yield laid.weighed(odds.laid_unseen + odds.play)


def missed(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    """A card in hand was laid on this place, which looks otherwise than before, and is not made out there."""
    top = view.top
    # on a foundation a face may be taken for a back
    shows = top is not None and (top.face_up or view.place.kind != FOUNDATION)
    if not is_changed(view) or (top is not None and shows and top.visible > COVERED_SHARE):
        return
    for held in story.lifted:
        card, place = held.cards[0], view.place
        if not may_lie(story, held, view, odds) or not 0.0 < view.rested - held.at < MISSED_S:
            continue
        under = story.top(place)
        event = moves.moved(held.place.seat, (card.face,), held.place, view)
        told = Believed(event, held.place, place, INFERRED, under=under and under.face, lifted=held.at)
        laid = card._replace(up=True, at=None, missed=True)
        # it was not in the air for as long as was thought
        waited = odds.waiting(view.rested - held.at) - odds.waiting(view.at - held.at)
        lies = story.with_pile(place, (*story.pile(place), laid), odds.missed_top + waited).told(told)
        lies.lifted = tuple(lift for lift in story.lifted if lift is not held)
        yield lies


def is_changed(view: View) -> bool:
    """Whether a place looks otherwise than when it was seen last."""
    return view.untouched < view.rested


def may_lie(story: Story, held: Lift, view: View, odds: Odds) -> bool:
    """Whether a card in hand may have been laid on the place of a view by the rules of building."""
    card, place = held.cards[0], view.place
    own = place.kind == FOUNDATION or (place.kind == WORK and place.seat == held.place.seat)
    if not own or len(held.cards) > 1 or not card.known or place == held.place or not held.place.seat:
        return False
    top = story.top(place)
    return odds.fits(place, top.face if top else None, card.face)


def out_of_time(story: Story, view: View, odds: Odds) -> float:
    """What it costs that cards should have come to a place, or left it, before anything at all moved there."""
    since, cost = view.seen(view.place), 0.0
    # an open card that shows again has lain there all the while; one back looks like the next
    shown = view.untouched if view.place.kind == WASTE else -inf
    if max(view.steady, shown) <= since:
        return 0.0
    for event in islice(story.past or (), 12):
        if event.at <= since or not isinstance(event.event, Play):
            continue
        # of a Nerts pile the next card may come and go unseen, and its backs look alike
        left = event.source == view.place and len(event.cards) == 1 and view.place.kind != NERTS
        left = left and (event.lifted is None or event.lifted > since)
        # of a card that nobody saw there nothing told when it left: it may have been missing at the last look
        left = left and not (event.is_guessed and event.at - CARRY_S < since)
        came = event.target == view.place and event.at < view.steady - EARLY_S
        if left and event.at - TAKEN_S < shown:
            cost += odds.still_there
        elif (left and event.at - TAKEN_S < view.steady) or came:
            cost += odds.unreached
    return cost
