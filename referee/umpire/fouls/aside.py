"""Foundations that are turned over and set aside: with their king, or too early (N10).

A foundation that is set aside shows its back, or nothing where it was carried off. A card laid on it that the eye misses
or takes for a back leaves the same: nobody is accused while a card is in hand that may lie there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from referee.rules.cards import RANKS
from referee.rules.events import INFERRED, SetAside
from referee.rules.places import FOUNDATION
from referee.umpire import one_hand
from referee.umpire.odds import Odds
from referee.umpire.sights import Point, View
from referee.umpire.story import ASIDE, Believed, Pile, Story

#: A foundation is seen so often without an open card before anybody is accused; so many cards up to its king may have
#: been laid on it and not seen.
LOOKS, UNSEEN_CARDS = 3, 3
#: A card that may lie on it was taken no longer than this (s) before; no pile came to lie aside sooner than so long (s)
#: before, nor was seen to later than so long (s) after.
TAKEN_S, SOONER_S, LATER_S = 4.0, 1.2, 4.0
#: A card must be read so surely (log) to have lain open.
SURE = -0.1


def set_aside(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    """A foundation that shows no open card any more is set aside, turned over or carried off."""
    pile, there = story.pile(view.place), view.top is not None
    if not pile or not pile[-1].up or not one_hand.is_changed(view):
        return
    complete = pile[-1].face[0] == "K"
    if len(pile) < 2 and not complete:
        return
    left = (*pile[:-1], pile[-1]._replace(up=False, at=None))
    if not there:
        left = tuple(card._replace(up=False, at=None, there=False) for card in pile)
    event = SetAside(at=view.rested, seat=pile[-1].deck, frames=view.frames, place=view.place.own_name)
    foul = None if complete else ASIDE
    told = Believed(event, None, view.place, misfit=not complete, under=pile[-1].face, foul=foul)
    yield story.with_pile(view.place, left, odds.set_aside if complete else odds.early_aside).told(told)


def is_carried_off(pile: Pile) -> bool:
    """Whether a foundation was set aside and lies elsewhere: what is laid in its place begins another one."""
    return bool(pile) and not pile[-1].there


def passed_over(story: Story, view: View, odds: Odds) -> float:
    """What it costs that the last card of a foundation that shows nothing was laid there and missed in all looks, where
    backs came to lie on the free table at that time that are no foundation's in this story.
    """
    top = story.top(view.place)
    if not view.backs or top is None or not top.missed or top.at is not None:
        return 0.0
    laid = next((event.at for event in story.past or () if event.target == view.place), None)
    return (
        odds.backs_elsewhere if laid is not None and _came_aside(view.backs, laid, _gone(story) + 1) else 0.0
    )


def trust(
    event: Believed, views: Sequence[View], story: Story, aside: Sequence[tuple[float, Point]]
) -> float:
    """How far a foundation that was set aside early is to be believed, 0 to 1. `views`: all of it, in time; `aside`: when
    (s) backs came to lie on the free table, and where.
    """
    before = [view for view in views if view.at < event.at]
    lay = list(takewhile(lambda view: _shows(view, event.under), before[::-1]))
    after = list(takewhile(lambda view: view.top is None or not view.top.face_up, views[len(before) :]))
    perhaps_complete = RANKS.index((event.under or "K")[0]) >= len(RANKS) - 1 - UNSEEN_CARDS
    if perhaps_complete or not lay or len(after) < LOOKS:
        return INFERRED
    moments = [at for at, _ in aside]
    if any(view.top is None for view in after) and not _came_aside(moments, event.at, _gone(story)):
        return INFERRED
    if any(view.top is not None and not view.top.face_up for view in before):
        # its open card was taken for a back already
        return INFERRED
    held = (lift for lift in story.lifted if len(lift.cards) == 1)
    return INFERRED if any(abs(lift.at - event.at) <= TAKEN_S for lift in held) else 1.0


def _came_aside(backs: Sequence[float], at: float, gone: int) -> bool:
    """Whether backs came to lie on the free table at about a moment (s), with no fewer piles there than `gone`."""
    return len(backs) >= gone and any(at - SOONER_S < since < at + LATER_S for since in backs)


def _gone(story: Story) -> int:
    """How many foundations were carried off."""
    return sum(place.kind == FOUNDATION and is_carried_off(pile) for place, pile in story.piles.items())


def _shows(view: View, face: str | None) -> bool:
    return view.top is not None and view.top.face_up and face is not None and view.top.reads(face) >= SURE
