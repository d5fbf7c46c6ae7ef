"""Cards of somebody who sits down in the middle of a hand: laid out where nobody has a place, they begin no foundations.

Who begins a foundation with another card than an ace breaks a rule, once. Who lays a second such card beside the first
within seconds deals for themselves: nobody is held to account for what lies there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from referee.rules.places import FOUNDATION, Place
from referee.umpire.sights import Point, View, readable
from referee.umpire.story import Believed

#: Cards of a row are laid no later than this (s) one after the other, so far apart (mm), and on one line but for so much.
ONE_AFTER_THE_OTHER_S, BESIDE_MM, ON_A_LINE_MM = 8.0, (60.0, 140.0), 22.0


@dataclass(slots=True)
class Strangers:
    """Tell it every view, and whether cards were believed to lie there `already`; then ask."""

    #: The places that are no foundations, and since when (s) somebody lays cards out.
    places: set[Place] = field(default_factory=set)
    since: float = inf
    #: By place: when (s) and where (mm) a foundation was begun by another card than an ace.
    _begun: dict[Place, tuple[float, Point]] = field(default_factory=dict)
    _known: set[Place] = field(default_factory=set)

    def see(self, view: View, *, already: bool) -> None:
        """A place was seen."""
        place, top = view.place, view.top
        if place.kind != FOUNDATION or place in self._known or top is None:
            return
        self._known.add(place)
        if already or not top.face_up or not readable(top.log_face) or top.likely(1e-9, 1)[0][0] == "A":
            return
        for other, (at, spot) in self._begun.items():
            if view.rested - at < ONE_AFTER_THE_OTHER_S and _beside(spot, top.at):
                self.places |= {place, other}
                self.since = min(self.since, at, view.rested)
        self._begun[place] = view.rested, top.at

    def have(self, event: Believed) -> bool:
        """Whether an event is no play of anybody who is followed: it touches their places."""
        return bool(self.places) and not self.places.isdisjoint((event.source, event.target))

    def confuse(self, event: Believed) -> bool:
        """Whether what looks wrong may be their doing."""
        return event.misfit and event.at >= self.since


def _beside(one: Point, other: Point) -> bool:
    apart = sorted((abs(one[0] - other[0]), abs(one[1] - other[1])))
    return apart[0] < ON_A_LINE_MM and BESIDE_MM[0] < apart[1] < BESIDE_MM[1]
