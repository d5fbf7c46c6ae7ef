"""Ties on a foundation (N13): the same card by two seats, one upon the other, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from referee.rules.places import Place
from referee.umpire.odds import Odds
from referee.umpire.sights import Came, Interval, View
from referee.umpire.story import Believed, Lift, Pile, Story
from referee.umpire.tied.plays import (
    CARRIED_S,
    both_somewhen,
    is_from,
    landed_at,
    landed_of,
    play_of,
    retold,
    rivals,
    seen_to_land,
)

#: A landing told more nearly than this (s) was seen.
SEEN_S = 0.15
#: A card came from where its player's cards lie (cosine), and two rather so than the other way round (their sums).
TOWARDS, RATHER = 0.7, 0.6
#: Or each came straight from there, and clearly not from where the other one's cards lie, be that at the same side.
STRAIGHT, ASKEW = 0.985, 0.966
#: That two cards were seen to come, one after the other, is so much likelier (log) where there are two.
TWO_CAME = 6.0
#: Log probability from which a card is read for sure.
SURE = -0.7


def uncovered(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    """The card that lay on top is gone, and the same card of another seat shows that had landed before it.

    Either may be whose: both ways are told, and the place to which the card returns decides.
    """
    top, sight = story.top(view.place), view.top
    if view.uncovered is None or top is None or sight is None or sight.reads(top.face) < SURE:
        return
    over = play_of(story, view.place, top.deck, top.face, view.at)
    if over is None:
        return
    for held in story.lifted:
        card = held.cards[0]
        rival = held.place.seat
        if len(held.cards) > 1 or card.face != top.face or rival in ("", top.deck):
            continue
        # it was not in the air for as long as was thought
        weight = odds.tie - odds.waiting(view.at - held.at)
        pile, seen = story.pile(view.place)[:-1], _came_first(view.uncovered, over)
        freed = tuple(lift for lift in story.lifted if lift is not held)
        theirs = rivals(held, over, view.place, landed_of(over))
        mine = top._replace(up=True), card._replace(up=True)
        for under, on_top, (shows, back) in ((over, theirs, mine), (theirs, over, mine[::-1])):
            told = (
                _landing_at(under, _came_within(under, view, over)),
                replace(on_top, over=under.seat if seen else ""),
            )
            lifted = Lift(view.place, (back._replace(at=None),), view.rested)
            laid = (*pile, shows._replace(at=sight.at))
            yield _holding(retold(story, over, told, weight), view.place, laid, (*freed, lifted))


def stays(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    """Nobody took back: a card that has been in the air since then lies on or under the same card of another seat.

    Where both were not seen to come neither landing is known but within both their ways.
    """
    pile = story.pile(view.place)
    for depth, card in enumerate(pile[-2:][::-1], 1):
        for held in story.lifted:
            rival = held.place.seat
            if len(held.cards) > 1 or held.cards[0].face != card.face or rival in ("", card.deck):
                continue
            other = play_of(story, view.place, card.deck, card.face, view.at)
            if other is None or not -CARRIED_S < other.at - held.at < CARRIED_S:
                continue
            laid = held.cards[0]._replace(at=None, up=True)
            order = _order(view, rival, card.deck) if depth == 1 else None
            if order is None:
                told, cost = both_somewhen(held, other, view.place, view.lone or other.came), odds.tie
            else:
                told, cost = _in_order(order, other, held, view.place), odds.tie + TWO_CAME
            under, upper = (card, laid) if order is not None and order[3] == rival else (laid, card)
            index = len(pile) - depth
            freed = tuple(lift for lift in story.lifted if lift is not held)
            weight = cost - odds.waiting(view.at - held.at)
            lies = (*pile[:index], under, upper, *pile[index + 1 :])
            yield _holding(retold(story, other, told, weight), view.place, lies, freed)


def _order(view: View, one: str, other: str) -> tuple[Came, str, Came, str] | None:
    """The card underneath and whose it is, and the one on it, if these two seats' cards were seen to come in turn, each
    from its own seat's side rather than the other's.
    """
    if len(view.came) != 2:
        return None
    under, upper = view.came
    if not (under.landed[0] < upper.landed[0] and under.landed[1] < upper.landed[1]):
        return None
    for first, second in ((one, other), (other, one)):
        ways = under.towards.get(first, -1.0), upper.towards.get(second, -1.0)
        swapped = under.towards.get(second, -1.0), upper.towards.get(first, -1.0)
        apart = min(ways) > TOWARDS and sum(ways) - sum(swapped) > RATHER
        if apart or (min(ways) > STRAIGHT and max(swapped) < ASKEW):
            return under, first, upper, second
    return None


def _in_order(
    order: tuple[Came, str, Came, str], other: Believed, held: Lift, place: Place
) -> tuple[Believed, Believed]:
    """The plays of a card that was told to have landed and of one in hand, as both were seen to land."""
    under, first, upper, second = order
    plays = {other.seat: other, held.place.seat: rivals(held, other, place, None)}
    lower = seen_to_land(plays[first], under.landed)
    later = seen_to_land(plays[second], upper.landed)
    return lower, replace(later, over=first) if upper.on_top else later


def _holding(story: Story, place: Place, pile: Pile, lifted: tuple[Lift, ...]) -> Story:
    changed = story.with_pile(place, pile)
    changed.lifted = lifted
    return changed


def _came_within(under: Believed, view: View, over: Believed) -> Interval:
    """When the card underneath came to rest: not while the foundation looked as before either of them came."""
    assert view.uncovered is not None
    rival = over.seat if under is not over else ""
    first, last = view.uncovered
    if view.lone is not None and last - first >= SEEN_S and is_from(view.lone, under.seat, rival):
        return view.lone.landed
    return min(max(first, over.bare), last), last


def _came_first(landed: Interval, over: Believed) -> bool:
    """Whether the card underneath was seen to come to rest, and no later than the other: it was not pushed under."""
    other = landed_of(over)
    return other is not None and landed[1] - landed[0] < SEEN_S and landed[0] <= other[1]


def _landing_at(event: Believed, landed: Interval) -> Believed:
    """The same play, whose card came to rest in this interval and no later than it was told: at about the same moment
    where all that is known is that it lay there.
    """
    middle = (landed[0] + landed[1]) / 2 if landed[1] - landed[0] < SEEN_S else event.at
    at = min(middle, event.at)
    return replace(event, event=replace(landed_at(event, (min(landed[0], at), landed[1])), at=at))
