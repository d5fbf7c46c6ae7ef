"""Which cards came to a foundation where two seats may have laid the same one, and from whose side each came."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

from referee.rules.places import FOUNDATION, Place
from referee.umpire.seats.area import Area
from referee.umpire.sights import Came, Interval, Point, View, outline
from referee.umpire.still import Stillness
from referee.umpire.tied.contested import Contested
from vision.layout import Floats

#: Cards came no longer than this (s) before the one that was seen to land, nor after it. One tie is looked into so often,
#: until both cards of it were seen to come; what was seen is of use for so long (s).
BEFORE_S, AFTER_S, TRIES, KNOWN_S = 0.9, 0.6, 4, 10.0
#: What came from nobody's side (cosine) is a hand that passes, or leaves.
TOWARDS = 0.7
#: The card on top came to rest with the last one that came if that was seen within so long (s) of it, and the other one
#: came so much sooner (s).
SAME_S, SOONER_S = 0.05, 0.06
#: What was carried there came to rest within so long (s) of when the card was seen to land.
THEN_S = 0.1
#: Ends from one seat's side so close to one another (s) are one card's.
ONE_CARD_S = 0.06
#: A landing that is told more widely than this (s) says nothing of whose arm was there.
TIMED_S = 0.15

#: By seat, how surely (0..1) its arm reached to a point (mm) at a moment (s); nothing where that is not remembered.
ArmsAt = Callable[[Point, float], Mapping[str, float]]


class Arriving:
    """`see` every view of a foundation: it tells which cards came where a tie is likely."""

    def __init__(self, area: Area) -> None:
        self.area = area
        self.contested = Contested()
        #: Asked for whose arms lay where; None where nobody knows.
        self.arms: ArmsAt | None = None
        #: By place, and its card: how often it was looked into, what was seen when (s), and when the card on top landed.
        self._tries: dict[tuple[Place, str], int] = {}
        self._known: dict[tuple[Place, str], tuple[float, tuple[Came, ...]]] = {}
        self._landed: dict[tuple[Place, str], Interval] = {}
        #: By place, up to when (s) it looked as before the card came.
        self._bare: dict[tuple[Place, str], float] = {}

    def see(self, view: View, still: Stillness) -> None:
        """Look into the frames if two seats may have laid the card on top."""
        top = view.top
        if view.place.kind != FOUNDATION or top is None or not top.face_up:
            return
        key = view.place, top.likely(1e-9, 1)[0]
        if view.landed is not None:
            self._landed[key] = view.landed
            self._bare[key] = view.untouched
            first, last = view.landed
            if self.arms is not None and key[1] in self.contested.faces and last - first < TIMED_S:
                view.arms = self.arms(top.at, (first + last) / 2)
        at, known = self._known.get(key, (view.at, ()))
        landed = self._when(view, key[1])
        if view.at - at > KNOWN_S:
            known = ()
        elif len(known) < 2 and landed is not None and self._tries.get(key, 0) < TRIES:
            # once all frames have been seen they tell no more
            all_seen = view.at >= landed + AFTER_S
            self._tries[key] = TRIES if all_seen else self._tries.get(key, 0) + 1
            told = self._told(outline(top.at, top.angle), top.at, landed, still)
            told = [one for one in told if one.landed[1] > self._bare.get(key, -np.inf)]
            known = _both(told, self._landed.get(key)) or (tuple(told) if len(told) == 1 else known)
            if known:
                self._known[key] = view.at, known
            view.brought = _carried(told, view.landed)
        view.came, view.lone = (known, None) if len(known) == 2 else ((), known[0] if known else None)

    def _when(self, view: View, face: str) -> float | None:
        """When (s) one of two cards landed, where there may be two."""
        if view.landed is not None and face in self.contested.faces:
            return view.rested
        return self.contested.places.get(view.place)

    def _told(self, card: Floats, at: Point, landed: float, still: Stillness) -> list[Came]:
        """The cards that came to lie there, each from a seat's side."""
        (here,) = self.area.seen(np.array([at]))
        found = still.arrivals(
            self.area.seen(card), landed - BEFORE_S, landed + AFTER_S, list(self._sides(here))
        )
        ways = [self.area.at(np.array([here, here + one.side])) for one in found]
        told = [
            Came(one.landed, self._towards(at, way[1] - way[0])) for one, way in zip(found, ways, strict=True)
        ]
        return list(_once(one for one in told if max(one.towards.values()) > TOWARDS))

    def _sides(self, here: Floats) -> Iterator[Floats]:
        """(2,) px each: from a point of the picture to the middle of where a seat's cards lie."""
        for area in self.area.seats:
            spots = np.array([area.table(*spot) for spot in area.spots.values()])
            side = self.area.seen(spots).mean(axis=0) - here
            if np.hypot(*side) > 0:
                yield side

    def _towards(self, at: Point, way: Floats) -> dict[str, float]:
        """By seat: how nearly this way (mm) from a point leads to where its cards lie (cosine)."""
        return {
            area.seat: max(_cosine(np.subtract(area.table(*spot), at), way) for spot in area.spots.values())
            for area in self.area.seats
        }


def _once(told: Iterable[Came]) -> Iterator[Came]:
    """Each card once, in order."""
    last: dict[str, Came] = {}
    for one in told:
        side = _side(one)
        if side not in last or one.landed[1] - last[side].landed[1] > ONE_CARD_S:
            yield one
        last[side] = one


def _side(one: Came) -> str:
    return max(one.towards, key=one.towards.__getitem__)


def _both(told: list[Came], top: Interval | None) -> tuple[Came, ...]:
    """The two cards that came from two seats' sides; of more a hand came again. `top`: when (s) the one on top was seen
    to land.
    """
    if len(told) != 2 or len(set(map(_side, told))) < 2:
        return ()
    first, last = told
    sooner = _middle(last.landed) - _middle(first.landed) > SOONER_S
    if top is None or not sooner or abs(_middle(top) - _middle(last.landed)) >= SAME_S:
        return first, last
    # the same moment was told twice
    return first, last._replace(landed=min(last.landed, top, key=_width), on_top=True)


def _carried(told: list[Came], landed: Interval | None) -> Mapping[str, float]:
    """From which seats' sides the one came that was seen to land; nothing where no reach ends then, or several do."""
    if landed is None:
        return {}
    when = sum(landed) / 2
    then = [one for one in told if abs(sum(one.landed) / 2 - when) < THEN_S]
    return then[0].towards if len(then) == 1 else {}


def _middle(interval: Interval) -> float:
    return sum(interval) / 2


def _width(interval: Interval) -> float:
    return interval[1] - interval[0]


def _cosine(one: Floats, other: Floats) -> float:
    return float(one @ other / max(float(np.hypot(*one) * np.hypot(*other)), 1e-9))
