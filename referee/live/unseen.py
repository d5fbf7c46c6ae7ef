"""What gaps in the picture may hide: the places that looked otherwise behind a gap, until they are seen again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from referee.rules.places import FOUNDATION, WASTE, Place
from referee.umpire.story import Believed
from vision.capture.gaps import Gap

#: A hand that laid a card within a gap has left it this long (s) after its end.
STILL_THERE_S = 0.4
#: The same on a foundation that was not known before, so that nobody knows what lay there: a hand may rest over it.
NEW_PLACE_S = 3.0
#: A knocked camera that stands again so soon (s) hid nothing: frames may be nearly as far apart.
SHORT_S = 0.25


@dataclass(slots=True)
class _Behind:
    """A gap, when (index of a frame) what changed in it was first seen afterwards (None: not yet), and what places were
    known by then.
    """

    gap: Gap
    first_seen: dict[Place, int | None]
    known: frozenset[Place]


@dataclass(slots=True)
class Unseen:
    """The gaps of a recording, and which events each may hide."""

    #: A gap that has not ended.
    under_way: Gap | None = None
    _behind: list[_Behind] = field(default_factory=list)

    @property
    def gaps(self) -> list[Gap]:
        """All gaps, in the order in which they ended."""
        return [behind.gap for behind in self._behind]

    def add(self, gap: Gap, changed: Iterable[Place], known: Iterable[Place]) -> None:
        """A gap has ended; these places, of those `known`, look otherwise than before it."""
        self._behind.append(_Behind(gap, dict.fromkeys(changed), frozenset(known)))

    def seen(self, places: Iterable[Place], frame: int) -> None:
        """These places have been seen without a hand over them."""
        for place in places:
            for behind in self._behind:
                if place in behind.first_seen and behind.first_seen[place] is None:
                    behind.first_seen[place] = frame

    def hides(self, event: Believed) -> Gap | None:
        """The last gap in which the event may have happened, or what it rests on; None if it was all seen."""
        if self.under_way is not None and event.at > self.under_way.since_s:
            return self.under_way
        return next((b.gap for b in reversed(self._behind) if _hides(b, event)), None)


def landed(event: Believed, gap: Gap) -> tuple[float, float]:
    """When the cards of an event that a gap hides came to rest: (earliest, latest) s."""
    if gap.why == "few-frames":
        return max(gap.since_s, event.at - gap.blind_s), event.at
    return gap.since_s, max(gap.until_s, event.at)


def _hides(behind: _Behind, event: Believed) -> bool:
    gap = behind.gap
    short = gap.why == "moved" and gap.until_s - gap.since_s <= SHORT_S
    if short or event.at <= gap.since_s:
        return False
    new = any(place.kind == FOUNDATION and place not in behind.known for place in touched(event))
    if event.at <= gap.until_s + (NEW_PLACE_S if new else STILL_THERE_S):
        return True
    return any(_unseen_until(behind, place) >= event.frame for place in touched(event))


def _unseen_until(behind: _Behind, place: Place) -> float:
    """Up to which frame nothing is known of a place: none, if it looked the same behind the gap as before."""
    if place not in behind.first_seen:
        return -1
    first = behind.first_seen[place]
    return float("inf") if first is None else first


def touched(event: Believed) -> set[Place]:
    """The places that an event touches."""
    if event.of_stock:
        return {Place(WASTE, 0, event.seat)}
    return {place for place in (event.source, event.target) if place is not None}
