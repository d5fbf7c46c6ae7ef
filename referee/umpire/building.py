"""Which landings are to be expected: the rules' own word on what may lie on what, as the umpire's prior belief.

This judges nothing. What is legal is asked of the rules when an event is told.
"""

from __future__ import annotations

from functools import cache

from referee.games.nerts.builds import builds
from referee.rules.places import Place


def fits(place: Place, top: str | None, card: str) -> bool:
    """Whether `card` would be expected on `top` (None: nothing) at `place`."""
    return _fits(place.kind, top, card)


_fits = cache(builds)
