"""Whether an odd landing was seen well enough to be held against a player.

A story may hold a misfit because a card was misread or something in between was missed. A misfit is trusted only
as far as its witnesses go: the card that came was read on top, the card underneath was read on top before, and
they lie as two cards lie of which one was put on the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

import numpy as np

from referee.rules.cards import RANKS, UNKNOWN
from referee.rules.events import INFERRED
from referee.rules.places import FOUNDATION
from referee.umpire.sights import FACE_INDEX, Sight, View
from referee.umpire.story import Believed

#: Distance of a card from the one it was laid on in a column (mm); further: another may lie between them.
LEAST_STEP_MM, MOST_STEP_MM = 7.0, 27.0
#: A foundation may have grown unseen by fewer cards than this.
UNSEEN_CARDS = 3
#: Looks at a card that together make it certain enough.
ENOUGH_LOOKS = 2


def trust(event: Believed, under: str | None, views: Sequence[View]) -> float:
    """How far a misfit is to be believed, 0 to 1. `views`: all of its place, in time; `under`: what it lies on."""
    if event.target is None or len(event.cards) != 1 or event.caution < 1.0:
        return min(INFERRED, event.caution)
    before = [view for view in views if view.at < event.at]
    after = [view for view in views if view.at >= event.at]
    came = _read_on_top(after, event.cards[0])
    if len(came) < ENOUGH_LOOKS:
        return INFERRED
    sure = _belief(came, event.cards[0])
    # a card on one of the same face: nothing can be seen to have come
    if under in (UNKNOWN, event.cards[0]):
        return INFERRED
    if event.target.kind == FOUNDATION:
        return sure if _no_gap(event.cards[0], under) and _below(before, under) else INFERRED
    lain = _read_on_top(before[::-1], under) if under else []
    if under is None or not lain:
        return INFERRED
    step = float(np.hypot(*np.subtract(came[0].at, lain[0].at)))
    apart = LEAST_STEP_MM <= step <= MOST_STEP_MM
    return min(sure, _belief(lain, under)) if apart else INFERRED


def _read_on_top(views: Sequence[View], face: str) -> list[Sight]:
    """The sights of `face` on top in the first of these views, until another card lies there."""
    column = FACE_INDEX[face]

    def shows(view: View) -> bool:
        return view.top is not None and view.top.face_up and int(np.argmax(view.top.log_face)) == column

    return [view.top for view in takewhile(shows, views) if view.top is not None]


def _belief(sights: Sequence[Sight], face: str) -> float:
    """The mean of what was read: looks at one card at rest are no independent witnesses."""
    return float(np.mean([np.exp(sight.log_face[FACE_INDEX[face]]) for sight in sights]))


def _below(before: Sequence[View], under: str | None) -> bool:
    """Whether what lies underneath was itself read on top just before; nothing underneath needs no witness."""
    return under is None or bool(_read_on_top(before[::-1], under))


def _no_gap(face: str, under: str | None) -> bool:
    """Whether no few unseen cards could explain how `face` came to lie on `under`."""
    rank = RANKS.index(face[0])
    if under is None:
        return rank > UNSEEN_CARDS
    return face[1] != under[1] or not 0 < rank - RANKS.index(under[0]) <= UNSEEN_CARDS
