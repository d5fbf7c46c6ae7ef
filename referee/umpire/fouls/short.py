"""A packet of two where three are drawn (N11): told when its cards have left the waste again.

How many cards were drawn does not show but in slivers. When both of two have been played the card on which they were
laid shows again, one card too early: a third one would have to have left unseen. The waste must have been touched once
for each of them, and the card underneath must have lain open for a while before the draw: a packet that is squared up
shows its lower cards, too, and is no second one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, takewhile

import numpy as np

from referee.rules.cards import UNKNOWN
from referee.rules.events import Draw, Play, Recycle
from referee.rules.places import STOCK, WASTE, Place
from referee.umpire.odds import Odds
from referee.umpire.sights import FACE_INDEX, View
from referee.umpire.story import SHORT, Believed, Story
from referee.umpire.tied.plays import retold
from vision.layout import FACES

#: Log probability from which a card is read for sure; a whole card that is misread is read less surely than the second
#: (probability).
SURE, SURE_WHOLE = -0.1, 0.985
#: So many looks must show the card underneath again; it lay open for so long (s) before the draw.
LOOKS, LAY_S = 2, 0.6
#: A hand that takes one card off a waste touches it for no longer than this (s).
ONE_WAY_S = 0.8


def turned_out(story: Story, view: View, odds: Odds) -> Iterator[Story]:
    """A waste shows the card on which the last packet was laid when one card fewer has left it than is drawn: the packet
    was of so many. `story`: by which one card of it that nobody has seen still lies there.
    """
    place, sight = view.place, view.top
    pile = story.pile(place)
    if sight is None or odds.draw_cards < 3 or len(pile) < 2 or pile[-1].known or not pile[-2].known:
        return
    if sight.reads(pile[-2].face) < SURE or story.weight + odds.short < view.floor:
        return
    drawn = _last_draw(story, place)
    if drawn is None:
        return
    stock = Place(STOCK, 0, place.seat)
    assert isinstance(drawn.event, Draw)
    frames = drawn.frame, max(drawn.frame, view.frame)
    packet = replace(drawn.event, cards=drawn.event.cards[1:], frames=frames)
    told = Believed(packet, stock, place, misfit=True, under=pile[-2].face, foul=SHORT)
    still_there = pile[-1]._replace(up=False, at=None)
    short = retold(story, drawn, (told,), odds.short)
    short.piles = {
        **short.piles,
        place: (*pile[:-2], pile[-2]._replace(at=sight.at)),
        stock: (*story.pile(stock), still_there),
    }
    yield short


def _last_draw(story: Story, waste: Place) -> Believed | None:
    """The last draw of a whole packet onto a waste, if all its cards but one have left since."""
    left = sum(lift.place == waste for lift in story.lifted)
    for event in story.past or ():
        if event.seat != waste.seat:
            continue
        if isinstance(event.event, Recycle) or (event.target == waste and not isinstance(event.event, Draw)):
            return None
        if isinstance(event.event, Draw):
            whole = event.foul is None and len(event.cards) >= 3
            return event if whole and left == len(event.cards) - 1 else None
        if isinstance(event.event, Play) and event.source == waste:
            left += len(event.cards)
    return None


def trust(event: Believed, wastes: Sequence[View]) -> bool:
    """Whether a packet of two is beyond doubt. `wastes`: all views of the waste, in time."""
    under, earlier = event.under or UNKNOWN, [view for view in wastes if view.at < event.at]
    lay = list(takewhile(lambda view: _top(view) == under, reversed(earlier)))
    if not lay or event.at - lay[-1].rested < LAY_S or not any(_surely(view, under) for view in lay):
        return False
    since = [view for view in wastes if view.at >= event.at]
    shown = [(face, list(views)) for face, views in groupby(since, _top)][: len(event.cards) + 1]
    if len(shown) <= len(event.cards) or [shown[0][0], shown[-1][0]] != [event.cards[-1], under]:
        return False
    seen = [face for face, _ in shown]
    once = all(views[0].rested - views[0].untouched <= ONE_WAY_S for _, views in shown[1:])
    again = sum(_surely(view, under) for view in shown[-1][1])
    return None not in seen and len({*seen}) == len(seen) and once and again >= LOOKS


def _top(view: View) -> str | None:
    """What is read on top; None for no face."""
    top = view.top
    return None if top is None or not top.face_up else FACES[int(np.argmax(top.log_face))]


def _surely(view: View, face: str) -> bool:
    top = view.top
    return top is not None and float(np.exp(top.log_face[FACE_INDEX[face]])) >= SURE_WHOLE


def lies(view: View, event: Believed) -> bool:
    """Whether a view bears out that the card underneath shows again."""
    return view.place == Place(WASTE, 0, event.seat) and _top(view) == event.under
