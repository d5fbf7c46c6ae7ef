"""Cards too many in a deal (N2): a second open card on a work pile that should have one, seen as a strip behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp

import numpy as np

from referee.games.nerts.builds import builds
from referee.rules.places import WORK, Place
from referee.umpire.seats.area import Area, project
from referee.umpire.seats.dealt_row import Found
from referee.umpire.sights import Point, log_faces
from vision.layout import FACES, Floats, Layout, SeenCard

#: So much of a card shows that lies under another one of its column.
STRIP = 0.1, 0.6
#: It lies so far (mm) beyond the one on top of it, seen from the player, and no further than this beside it.
STEP_MM, ASIDE_MM = (8.0, 32.0), 12.0
#: Looks show it within so many mm, and at least so many of them do, each with this probability of its face; or of two
#: faces together, as of suits that look alike.
SAME_MM, LOOKS, SURE, EITHER = 4.0, 2, 0.6, 0.9
#: The top card was hardly built on it, if there is no more than this probability that it may have been.
BUILT = 0.05


def misdealt(
    layouts: Sequence[Layout], table: Area, tops: Mapping[str, Mapping[Place, Found]]
) -> dict[Place, Found]:
    """Work pile → the card that surely lies under its top one, though nothing was played yet.

    All looks that show the pile must show the card. One on which the top card may have been built is none: whoever was
    quick may have played it before the first look.
    """
    found: dict[Place, Found] = {}
    for own in tops.values():
        for place, top in own.items():
            if place.kind != WORK or not top.sight().likely(SURE, 1):
                continue
            under = _under(layouts, table, place, top)
            if under is not None and _may_be_built(under, top.sight().likely(SURE, 1)[0]) < BUILT:
                found[place] = under
    return found


def _under(layouts: Sequence[Layout], table: Area, place: Place, top: Found) -> Found | None:
    strips = [
        [strip for card in layout.cards if (strip := _strip(card, table, place, top))] for layout in layouts
    ]
    seen = [here[0] for here in strips if len(here) == 1]
    if len(seen) < max(LOOKS, len(layouts)):
        return None
    first = seen[0]
    alike = all(
        _faces(one) == _faces(first) and np.hypot(*np.subtract(one.at, first.at)) < SAME_MM for one in seen
    )
    return first if alike else None


def _strip(card: SeenCard, table: Area, place: Place, top: Found) -> Found | None:
    """A card of a look, if it is one that lies under the top of this pile and is surely read."""
    if card.side != "face" or not STRIP[0] <= card.visible_fraction <= STRIP[1]:
        return None
    at = _middle(card, table.to_table)
    area = next(area for area in table.seats if area.seat == place.seat)
    (across, near), (top_across, top_near) = area.local(at), area.local(top.at)
    step = top_near - near
    if abs(across - top_across) > ASIDE_MM or not STEP_MM[0] <= step <= STEP_MM[1]:
        return None
    found = Found(at, top.angle, True, log_faces(card))
    return found if _faces(found) else None


def _middle(card: SeenCard, to_table: Floats) -> Point:
    x, y = project(to_table, card.corners).mean(axis=0)
    return float(x), float(y)


def _may_be_built(under: Found, top: str) -> float:
    """The probability that the card underneath is one on which the top one is built."""
    return sum(
        float(np.exp(under.log_face[number])) for number, face in enumerate(FACES) if builds(WORK, face, top)
    )


def _faces(card: Found) -> set[str]:
    """The face that it surely is, or the two of which it surely is one; none where more may be."""
    sight = card.sight()
    either = sight.likely(1 - EITHER, 2)
    sure = sight.likely(SURE, 1) or (either if sum(map(exp, map(sight.reads, either))) >= EITHER else [])
    return set(sure)
