"""Foundations on which two seats may have laid the same card."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from referee.rules.events import Play
from referee.rules.places import FOUNDATION, Place
from referee.umpire.beam import Beam
from referee.umpire.story import Lift, Story

#: A story that is less likely than this says nothing; than this one is not worth a look where nothing changes.
LIKELY, TELLS = 0.002, 0.02
#: Of plays so long ago (s) at most, among the last so many events, a look tells whose card was laid.
LATELY_S, LATELY = 4.0, 12


@dataclass(frozen=True, slots=True)
class Contested:
    """Where two seats may lay, or have laid, the same card."""

    #: By foundation on which a card lies that another seat seems to hold: when (s) it came.
    places: Mapping[Place, float] = field(default_factory=dict)
    #: Cards that lie open before several seats, or are in their hands.
    faces: frozenset[str] = frozenset()
    #: Where the card that another seat seems to hold was taken, and when (s): it may lie there still, and was missed.
    taken: Mapping[Place, float] = field(default_factory=dict)
    #: Where a card may lie still that was played, or another seat's like it was, and when (s).
    left: Mapping[Place, float] = field(default_factory=dict)


def contested(beam: Beam) -> Contested:
    """What two seats may lay or have laid, as the likelier stories go."""
    places, faces, taken = dict[Place, float](), set[str](), dict[Place, float]()
    holds = dict[str, str]()
    shares = list(zip(beam.stories, beam.shares(), strict=True))
    for story, share in shares:
        if share < LIKELY:
            break
        faces |= _ready(story)
        # whose of two alike has landed already, stories tell otherwise
        hands = ((lift.cards[-1].face, lift.place.seat) for lift in story.lifted if lift.cards[-1].known)
        faces |= {face for face, seat in hands if seat and holds.setdefault(face, seat) != seat}
        for place, held in _doubled(story):
            taken.setdefault(held.place, held.at)
            last = next((event for event in story.past or () if event.target == place), None)
            if last is not None:
                places.setdefault(place, last.at)
    told = [story for story, share in shares if share >= TELLS]
    return Contested(places, frozenset(faces), taken, dict(_perhaps_left(told, beam.now - LATELY_S)))


def _perhaps_left(stories: Sequence[Story], since: float) -> Iterator[tuple[Place, float]]:
    """Where a card lies open, as some stories go, that others say its seat has laid elsewhere (s) of late: some say that
    another seat's same card was.
    """
    plays = dict[tuple[object, ...], dict[Place, float]]()
    for story in stories:
        for event in islice(story.past or (), LATELY):
            if event.at > since and isinstance(event.event, Play) and event.source and event.source.seat:
                laid = plays.setdefault((event.cards, event.target, event.frame), {})
                laid.setdefault(event.source, event.at)
    for (cards, *_), laid in plays.items():
        for place, at in laid.items() if len({place.seat for place in laid}) > 1 else ():
            tops = (story.top(place) for story in stories)
            if any(top is not None and top.up and (top.face,) == cards for top in tops):
                yield place, at


def _doubled(story: Story) -> Iterator[tuple[Place, Lift]]:
    """Foundations on which a card lies that another seat holds, and that card in hand."""
    held = [lift for lift in story.lifted if len(lift.cards) == 1 and lift.cards[0].known and lift.place.seat]
    if not held:
        return
    for place, pile in story.piles.items():
        top = pile[-1] if pile and place.kind == FOUNDATION else None
        for lift in held:
            if top is not None and lift.cards[0].face == top.face and lift.place.seat != top.deck:
                yield place, lift


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
