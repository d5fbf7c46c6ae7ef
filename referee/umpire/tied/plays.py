"""The plays of a tie as stories tell them: found again, with another landing, and told anew beside one another."""

from __future__ import annotations

from dataclasses import replace

from referee.rules.events import Play
from referee.rules.places import Place
from referee.umpire.sights import Came, Interval
from referee.umpire.story import Believed, Lift, Past, Story

#: A tied card is taken back within so long (s), and the card that lost left its place so long before it landed.
BACK_S, CARRIED_S = 8.0, 3.0
#: A card alone was seen to come from where its player's cards lie: surely (cosine), and so much rather than from where
#: the other one's lie.
LONE_TOWARDS, LONE_RATHER = 0.9, 0.4
#: Of two cards printed alike the first may have shown, and the other one come to lie on it so long (s) after.
UPON_S = 0.25


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


def both_somewhen(held: Lift, other: Believed, place: Place, came: Came | None) -> tuple[Believed, Believed]:
    """The plays of a card that was told to have landed and of one in hand, which lie together: when is not known but of
    one that alone was seen to come from its seat's side.
    """
    wide = _somewhen(held, other, came)
    known, theirs = replace(other, event=landed_at(other, wide)), rivals(held, other, place, wide)
    if came is not None and is_from(came, other.seat, theirs.seat):
        known = seen_to_land(known, came.landed)
    elif came is not None and is_from(came, theirs.seat, other.seat):
        theirs = seen_to_land(theirs, came.landed)
    return known, theirs


def is_from(came: Came, seat: str, rather_than: str) -> bool:
    """Whether a card came from where one seat's cards lie rather than from another's."""
    way, other = came.towards.get(seat, -1.0), came.towards.get(rather_than, -1.0)
    return way > LONE_TOWARDS and way - other > LONE_RATHER


def _somewhen(held: Lift, other: Believed, came: Came | None) -> Interval:
    """Within when both landed, if neither was told from the other: the foundation looked as before until then, and the
    card that shows may have been the first of two alike, or one that was seen to come was the last.
    """
    since = max(min(held.at, other.at) - CARRIED_S, other.bare)
    last = max(landed_of(other) or (other.at, other.at))
    return since, last + UPON_S if came is None else max(last, came.landed[1])


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


def seen_to_land(event: Believed, landed: Interval) -> Believed:
    """The same play, whose card was seen to come to rest in this interval."""
    return replace(event, event=replace(landed_at(event, landed), at=sum(landed) / 2))


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
