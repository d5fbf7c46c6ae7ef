"""The plays of a tie as stories tell them: found again, with another landing, and told anew beside one another."""

from __future__ import annotations

from dataclasses import replace

from referee.rules.events import Play
from referee.rules.places import Place
from referee.umpire.sights import Interval
from referee.umpire.story import Believed, Lift, Past, Story

#: A tied card is taken back within so long (s), and the card that lost left its place so long before it landed.
BACK_S, CARRIED_S = 8.0, 3.0


def rivals(held: Lift, other: Believed, place: Place, landed: Interval | None) -> Believed:
    """The play of a card in hand to where the same card of another seat was laid."""
    seat = held.place.seat
    play = Play(
        at=other.at,
        seat=seat,
        frames=other.event.frames,
        cards=other.cards,
        source=held.place.written_by(seat),
        target=place.written_by(seat),
        landed=landed,
    )
    return Believed(play, held.place, place, lifted=held.at, bare=other.bare)


def somewhen(held: Lift, other: Believed) -> Interval:
    """Within when both landed, if neither was told from the other: the foundation did not look as before by then."""
    since = max(min(held.at, other.at) - CARRIED_S, other.bare)
    return since, max(landed_of(other) or (other.at, other.at))


def play_of(story: Story, place: Place, seat: str, face: str, now: float) -> Believed | None:
    """The play that laid this card there of late."""
    for event in story.past or ():
        if event.at < now - BACK_S:
            return None
        if event.target == place and event.seat == seat and event.cards == (face,):
            return event if isinstance(event.event, Play) else None
    return None


def landed_of(event: Believed) -> Interval | None:
    """When its cards came to rest, as far as that was seen."""
    return event.event.landed if isinstance(event.event, Play) else None


def landed_at(event: Believed, landed: Interval) -> Play:
    """What it tells, with another landing."""
    assert isinstance(event.event, Play)
    return replace(event.event, landed=landed)


def retold(story: Story, old: Believed, new: tuple[Believed, ...], weight: float) -> Story:
    """The story with other events instead of one."""
    later: list[Believed] = []
    node = story.past
    while node is not None and node.last is not old:
        later.append(node.last)
        node = node.before
    before: Past | None = node.before if node is not None else None
    told = Story(story.piles, story.lifted, before, story.weight + weight)
    return told.told(*new, *later[::-1])
