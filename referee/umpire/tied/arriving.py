"""Which cards came to a foundation where two seats may have laid the same one, and from whose side each came."""

from __future__ import annotations

import numpy as np

from referee.rules.places import FOUNDATION, Place
from referee.umpire.seats.area import Area
from referee.umpire.sights import Came, Point, View, outline
from referee.umpire.still import Stillness
from referee.umpire.tied.contested import Contested
from vision.layout import Floats

#: Cards came no longer than this (s) before the one that was seen to land. One tie is looked into so often, until both
#: cards of it were seen to come; what was seen is of use for so long (s).
BEFORE_S, TRIES, KNOWN_S = 0.9, 4, 10.0
#: The card on top lies within so many px of where it was seen.
ON_TOP_PX = 1.5


class Arriving:
    """`see` every view of a foundation: it tells which cards came where a tie is likely."""

    def __init__(self, area: Area) -> None:
        self.area = area
        self.contested = Contested()
        #: By place, and its card: how often it was looked into, and what was seen when (s).
        self._tries: dict[tuple[Place, str], int] = {}
        self._known: dict[tuple[Place, str], tuple[float, tuple[Came, ...]]] = {}

    def see(self, view: View, still: Stillness) -> None:
        """Look into the frames if two seats may have laid the card on top."""
        top = view.top
        if view.place.kind != FOUNDATION or top is None or not top.face_up:
            return
        key = view.place, top.likely(1e-9, 1)[0]
        at, view.came = self._known.get(key, (view.at, ()))
        landed = self._landed(view, key[1])
        if view.came and view.at - at > KNOWN_S:
            view.came = ()
        elif not view.came and landed is not None and self._tries.get(key, 0) < TRIES:
            self._tries[key] = self._tries.get(key, 0) + 1
            view.came = self._came(outline(top.at, top.angle), top.at, landed - BEFORE_S, still)
            if len({max(one.towards, key=one.towards.__getitem__) for one in view.came}) > 1:
                self._known[key] = view.at, view.came

    def _landed(self, view: View, face: str) -> float | None:
        """When (s) one of two cards landed, where there may be two."""
        if view.landed is not None and face in self.contested.faces:
            return view.rested
        return self.contested.places.get(view.place)

    def _came(self, card: Floats, at: Point, since: float, still: Stillness) -> tuple[Came, ...]:
        """The two cards that came to lie there, if the last one lies on top. Of three an arm came again, which may have
        pushed its card under another.
        """
        found = still.arrivals(self.area.seen(card), since)
        if len(found) != 2 or found[-1].away_px > ON_TOP_PX:
            return ()
        (here,) = self.area.seen(np.array([at]))
        ways = [self.area.at(np.array([here, here + one.side])) for one in found]
        return tuple(
            Came(one.landed, self._towards(at, way[1] - way[0])) for one, way in zip(found, ways, strict=True)
        )

    def _towards(self, at: Point, way: Floats) -> dict[str, float]:
        """By seat: how nearly this way (mm) from a point leads to where its cards lie (cosine)."""
        return {
            area.seat: max(_cosine(np.subtract(area.table(*spot), at), way) for spot in area.spots.values())
            for area in self.area.seats
        }


def _cosine(one: Floats, other: Floats) -> float:
    return float(one @ other / max(float(np.hypot(*one) * np.hypot(*other)), 1e-9))
