"""Which landings are to be expected: the building rules, as the umpire's prior belief.

This judges nothing. What is legal is asked of the rules when the record is ruled on.
"""

from __future__ import annotations

from referee.umpire.sights import UNKNOWN, Place

RANKS = "A23456789TJQK"
RED = "HD"


def fits(place: Place, top: str | None, card: str) -> bool:
    """Whether `card` would be expected on `top` (None: nothing) at `place`."""
    if place.is_foundation:
        if top is None:
            return card[0] == "A"
        return top == UNKNOWN or (card[1] == top[1] and RANKS.index(card[0]) == RANKS.index(top[0]) + 1)
    if not place.is_work:
        return False
    if top is None or top == UNKNOWN:
        return True
    return RANKS.index(card[0]) == RANKS.index(top[0]) - 1 and (card[1] in RED) != (top[1] in RED)
