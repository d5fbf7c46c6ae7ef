"""A waste that was carried off as a whole while the stock was far from empty (N11), by the bare table that it left.

Where an arm lies over the stock whenever it lies over the waste, or the stock is held in a hand, nothing tells when the
stock was touched. That the table is bare shows that no packet was drawn and missed there. The next packet then comes to
the same spot in one way, so that the waste was not moved or held for a while, and shows a card that had not been on top
of it before: a stock that had run out would show the round again.
"""

from __future__ import annotations

from itertools import takewhile

import numpy as np

from referee.umpire.sights import Sight, View
from referee.umpire.story import Believed
from referee.umpire.trust.remembered import Remembered
from vision.layout import FACES

#: So many looks show the bare table.
BARE_LOOKS = 2
#: A hand that carries the waste off is there for no longer than this (s): nobody plays three cards in that time. And
#: whoever puts it back and draws is there for longer.
ONCE_S = 0.9
#: The next packet lies no further (mm) from where the waste lay, read as surely as whole cards are.
NEAR_MM, SURE = 15.0, 0.985


def is_cleared(event: Believed, seen: Remembered) -> bool:
    """Whether a waste was seen to be carried off by its player though much was left in the stock."""
    wastes = seen.of(event.target)
    last = next((view for view in reversed(wastes) if view.at < event.at), None)
    after = [view for view in wastes if view.at >= event.at]
    gone = list(takewhile(lambda view: not view.sights, after))
    came = after[len(gone)] if len(gone) < len(after) else None
    if not event.plenty or last is None or came is None or sum(view.bare for view in gone) < BARE_LOOKS:
        return False
    lay, lies = _read(last.top), _read(came.top)
    if last.top is None or came.top is None or lay is None or lies is None or gone[0].left is None:
        return False
    if gone[0].left[0] != lay or not _is_once(gone[0]) or not _is_once(came):
        return False
    if np.hypot(*np.subtract(last.top.at, came.top.at)) > NEAR_MM:
        return False
    return not seen.tops(event.target, lies, event.at)


def _is_once(view: View) -> bool:
    return view.rested - view.untouched <= ONCE_S


def _read(top: Sight | None) -> str | None:
    """The face of an open card that is read beyond doubt; None for no such card."""
    if top is None or not top.face_up:
        return None
    best = int(np.argmax(top.log_face))
    return FACES[best] if np.exp(top.log_face[best]) >= SURE else None
