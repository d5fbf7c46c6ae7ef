"""What one hand can do: it takes a card from where it was, carries it for so long, and does nothing else meanwhile."""

from __future__ import annotations

from itertools import islice
from math import inf

from referee.rules.events import Play, Turn
from referee.rules.places import Place
from referee.umpire.odds import Odds
from referee.umpire.sights import View
from referee.umpire.story import Lift, Story

#: Whatever the same hand did so long (s) after it took a card, and before it laid that, it did not do with the card.
MEANWHILE_S = 0.3, 0.2
#: A card was taken at most so long (s) before it came to rest.
CARRY_S = 1.2
#: A hand has left where it laid a card after so long (s), and takes at least so long with the next one.
LEAVES_S, QUICK_S = 0.25, 0.5
#: Whoever lays a card and then the next needs at least so long (s), but for how late each may be seen.
HURRY_S = 0.45
#: Whoever comes, lays a card, fetches another one and lays that, too, is about for longer than this (s).
ONE_WAY_S = 0.8


def is_one_way(view: View) -> bool:
    """Whether a place was touched for no longer than a hand needs that comes to it once."""
    return view.rested - view.untouched <= ONE_WAY_S


def reached(place: Place, view: View, odds: Odds) -> float:
    """What it costs to say that a card came from a place, by what moved there."""
    key = "reached", place, view.rested
    if key not in view.memo:
        view.memo[key] = odds.reached(view.reached(place, view.rested - CARRY_S))
    cost: float = view.memo[key]
    return cost


def since_last(story: Story, place: Place, view: View, odds: Odds) -> float:
    """The same by what moved there since the same hand had done what it did before, and left: then more is said by it."""
    last = next((e.at for e in islice(story.past or (), 12) if e.seat == place.seat), -inf)
    since = max(view.rested - CARRY_S, min(last + LEAVES_S, view.rested - QUICK_S))
    return 2.0 * odds.reached(view.reached(place, since))


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
