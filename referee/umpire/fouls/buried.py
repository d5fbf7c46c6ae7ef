"""A card taken from beneath the top of a waste (N12): the record must say which card lay there on top."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from referee.rules.cards import UNKNOWN
from referee.rules.events import Draw, Play, Recycle
from referee.rules.places import WASTE, Place
from referee.umpire.story import Story
from referee.umpire.tied.plays import retold

#: Of the past so many events are asked for the draw that brought what lies on top.
LATELY = 24


def top_is_told(story: Story, seat: str) -> Story:
    """The story whose last draw of a seat tells the card that showed on the waste when those above it had been played.

    A draw is told with its top card alone: for who reads the record, what was taken from beneath the one that showed
    later may be that one.
    """
    waste = Place(WASTE, 0, seat)
    top = story.top(waste)
    gone = [card.face for held in story.lifted if held.place == waste for card in held.cards]
    for event in islice(story.past or (), LATELY):
        draw = event.event
        if isinstance(draw, Draw) and draw.seat == seat and event.foul is None:
            at = len(draw.cards) - 1 - len(gone)
            # a card that left before this draw may have landed after it
            if top is None or draw.cards[-1] not in gone or at < 0 or draw.cards[at] != UNKNOWN:
                return story
            shown = replace(draw, cards=(*draw.cards[:at], top.face, *draw.cards[at + 1 :]))
            return retold(story, event, (replace(event, event=shown),), 0.0)
        if event.source == waste and isinstance(draw, Play) and event.foul is None:
            gone += event.cards
        elif waste in (event.source, event.target) or (isinstance(draw, Recycle) and draw.seat == seat):
            return story
    return story
