"""A Nerts card that is played face down, without having been turned up on its pile (N8).

Whoever turns a card and plays it comes to the pile twice, or stays there for longer than a card takes on its way. It
counts as unturned where the pile lay with its back up, as the card before had left it, until shortly before it landed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from referee.rules.events import Play
from referee.rules.places import Place
from referee.umpire.sights import View
from referee.umpire.story import Believed, Story

#: The pile came to rest no later than this (s) after the card before had landed: nobody had come back to turn one.
LEFT_S = 0.25
#: A card that is turned and then played lands no sooner than this (s) after its pile was touched.
TURNED_S = 0.9
#: Nor so soon where the pile was touched once since, and for no longer than this (s): in 800 Nerts cards of simulated
#: hands the next one landed 0.97 s or more after it had been turned, which takes 0.3 s and more itself.
TAKEN_TURNED_S, ONCE_S = 1.2, 0.65
#: Of the past so many events are asked for the card before.
LOOKED_BACK = 60


def is_unturned(story: Story, place: Place, view: View) -> bool:
    """Whether the card that a view shows, if it came from the top of this Nerts pile, was not turned up there before."""
    last = next((e for e in islice(story.past or (), LOOKED_BACK) if _is_from(e, place)), None)
    if last is None:
        return False
    touches = view.touched(place)
    before = [ended for begun, ended in touches if begun <= last.at]
    since = [(begun, ended) for begun, ended in touches if begun > last.at]
    if not before or not since or before[-1] > last.at + LEFT_S:
        return False
    begun, ended = since[0]
    is_once = len(since) == 1 and ended - begun <= ONCE_S and ended <= view.rested
    return 0.0 < view.rested - begun <= (TAKEN_TURNED_S if is_once else TURNED_S)


def is_seen(event: Believed, views: Sequence[View]) -> bool:
    """Whether the pile was seen with its back up when it was looked at last before that play. `views`: all of it."""
    before = next((view for view in reversed(views) if view.at < event.at), None)
    return before is not None and before.top is not None and not before.top.face_up


def _is_from(event: Believed, place: Place) -> bool:
    return event.source == place and isinstance(event.event, Play)
