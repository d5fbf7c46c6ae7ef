"""Whether a play that the ruleset of one game alone forbids was seen as it must be before anybody is accused.

That the card lies there now is what any such play shows, and tells nothing: it must have been seen whole, to have left
its place, and to have come where the rule forbids it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

import numpy as np

from referee.rules.cards import RANKS
from referee.rules.places import FOUNDATION
from referee.umpire.sights import STRIP, Sight, View
from referee.umpire.story import SECOND, Believed
from referee.umpire.trust.remembered import Remembered
from referee.umpire.trust.witness import ENOUGH_LOOKS, SURE_WHOLE, has_left
from vision.layout import FACES

#: Who lays a second ace within so long (s) of the first raced for it: who was first is another matter.
RACED_S = 1.0
#: So many cards that nobody saw may have come to a foundation since it was looked at, and have completed it.
UNSEEN_CARDS = 3


def is_seen(event: Believed, seen: Remembered) -> bool:
    """Whether the views of the table bear out that a play broke such a rule."""
    views = seen.of(event.target)
    before = [view for view in views if view.at < event.at]
    after = list(takewhile(lambda view: _shows(view, event.cards[0]), views[len(before) :]))
    if (
        len(after) < ENOUGH_LOOKS
        or (before and before[-1].sights)
        or not has_left(event, seen.of(event.source))
    ):
        return False
    if event.foul == SECOND:
        others = [place for place in seen.looks if place.kind == FOUNDATION and place != event.target]
        return any(_lies_open(event, seen.looks[place]) for place in others)
    return bool(before) and all(len(view.sights) == 1 for view in after)


def _lies_open(event: Believed, views: Sequence[View]) -> bool:
    """Whether a foundation of the ace's suit lay there when that came, for a while already, and far from complete.

    `views`: all of it, in time.
    """
    suit, far = event.cards[0][1], len(RANKS) - 1 - UNSEEN_CARDS
    before = [view for view in views if view.at < event.at]
    begun = next((view.rested for view in before if view.sights), event.at)
    # nothing changed there since it was looked at last, or the look after shows what lay there, too
    around = [*before[-ENOUGH_LOOKS:], *views[len(before) :][:1]]
    tops = [_read(view.top) for view in around]
    if not before or begun > event.at - RACED_S or len(around) < ENOUGH_LOOKS:
        return False
    return all(face is not None and face[1] == suit and RANKS.index(face[0]) < far for face in tops)


def _shows(view: View, face: str) -> bool:
    return _read(view.top) == face


def _read(top: Sight | None) -> str | None:
    """The face of an open card that is seen whole and read beyond doubt; None for no such card."""
    if top is None or not top.face_up or top.visible < STRIP:
        return None
    best = int(np.argmax(top.log_face))
    return FACES[best] if np.exp(top.log_face[best]) >= SURE_WHOLE else None
