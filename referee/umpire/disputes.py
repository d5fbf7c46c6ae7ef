"""Where to look once more, though nothing changes there, before a play is held against anybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from referee.rules.places import FOUNDATION, Place
from referee.umpire.beam import Beam
from referee.umpire.fouls import short
from referee.umpire.sights import View
from referee.umpire.story import SHORT, Believed, Story

#: A card that does not fit where it lies is looked at this often.
ODD_LOOKS = 3
#: Of the last so many events those of the last so many s may need a look elsewhere to be told from what is allowed.
DISPUTED, DISPUTED_S = 12, 4.0
#: A story that is less likely than this is not worth a look.
LIKELY = 0.002


def is_odd(beam: Beam, view: View, seen: Sequence[View]) -> bool:
    """Whether a card that does not fit has just landed there and needs more witnesses. `seen`: all views of the place."""
    for story in _likely(beam):
        last = next((e for e in islice(story.past or (), DISPUTED) if e.target == view.place), None)
        if last is not None and last.misfit and _witnesses(last, seen) < ODD_LOOKS:
            return True
    return False


def _witnesses(odd: Believed, seen: Sequence[View]) -> int:
    """How many of the views of its place bear out what breaks a rule."""
    since = [view for view in seen if view.at >= odd.at]
    return sum(short.lies(view, odd) for view in since) if odd.foul == SHORT else len(since)


def disputed(beam: Beam, seen: Mapping[Place, Sequence[View]]) -> list[Place]:
    """The places where a few looks would tell what breaks a rule from what is allowed. `seen`: all views by place."""
    odd = {
        (e.frame, e.target): e
        for story in _likely(beam)
        for e in islice(story.past or (), DISPUTED)
        if e.misfit and e.at > beam.now - DISPUTED_S
    }
    found = []
    for event in odd.values():
        for place in _alternatives(beam, event):
            if sum(view.at > event.at for view in seen.get(place, ())[-ODD_LOOKS:]) < ODD_LOOKS:
                found.append(place)
    return found


def _likely(beam: Beam) -> list[Story]:
    """The stories that are worth a look to tell them from others."""
    return [story for story, share in zip(beam.stories, beam.shares(), strict=True) if share >= LIKELY]


def _alternatives(beam: Beam, event: Believed) -> list[Place]:
    """Where the card of an odd play came from, or may have come from."""
    best = beam.best
    tops = {
        place
        for story in beam.stories
        for place in story.piles
        if place.kind != FOUNDATION and _looks(story, place) != _looks(best, place)
    }
    return [*tops, *([event.source] if event.source is not None else [])]


def _looks(story: Story, place: Place) -> tuple[str, bool] | None:
    """What is seen on top of a pile, if a story is right."""
    top = story.top(place)
    return None if top is None else (top.face, top.up)
