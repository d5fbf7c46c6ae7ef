"""Foundations on which two seats may have laid the same card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from referee.rules.places import FOUNDATION, Place
from referee.umpire.beam import Beam
from referee.umpire.story import Story

#: A story that is less likely than this says nothing.
LIKELY = 0.002


@dataclass(frozen=True, slots=True)
class Contested:
    """Where two seats may lay, or have laid, the same card."""

    #: By foundation on which a card lies that another seat seems to hold: when (s) it came.
    places: Mapping[Place, float] = field(default_factory=dict)
    #: Cards that lie open before several seats, or are in their hands.
    faces: frozenset[str] = frozenset()


def contested(beam: Beam) -> Contested:
    """What two seats may lay or have laid, as the likelier stories go."""
    places, faces = dict[Place, float](), set[str]()
    for story, share in zip(beam.stories, beam.shares(), strict=True):
        if share < LIKELY:
            break
        faces |= _ready(story)
        for place in _doubled(story):
            last = next((event for event in story.past or () if event.target == place), None)
            if last is not None:
                places.setdefault(place, last.at)
    return Contested(places, frozenset(faces))


def _doubled(story: Story) -> list[Place]:
    held = [(lift.cards[0], lift.place.seat) for lift in story.lifted if len(lift.cards) == 1]
    tops = ((place, pile[-1]) for place, pile in story.piles.items() if pile and place.kind == FOUNDATION)
    return [
        place
        for place, top in tops
        if any(card.known and card.face == top.face and seat not in ("", top.deck) for card, seat in held)
    ]


def _ready(story: Story) -> set[str]:
    """The faces that more than one seat has open on top or in hand."""
    ends = [(pile[-1], place.seat) for place, pile in story.piles.items() if pile and place.seat]
    ends += [(lift.cards[-1], lift.place.seat) for lift in story.lifted if lift.place.seat]
    seats: dict[str, str] = {}
    found = set[str]()
    for card, seat in ends:
        if card.known and card.up and seats.setdefault(card.face, seat) != seat:
            found.add(card.face)
    return found
