"""Places and moments of doubt of a recorded hand, looked at once more: frame by frame, where one look was taken."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Protocol

import numpy as np

from referee.live.gate import JOIN_SHARE, Wanted, joined
from referee.live.looking import Eyes, for_play
from referee.live.stillness import Pictures
from referee.live.unseen import touched
from referee.rules.places import Place
from referee.umpire.again.kept import Look
from referee.umpire.again.passes import NARROW
from referee.umpire.sights import Window
from referee.umpire.story import Believed
from referee.umpire.umpire import Umpire
from vision.capture.change import ChangeMap
from vision.capture.video import Frame
from vision.layout import Floats

#: What is told with less than this is in doubt, and a look that the likeliest story pays more for than this (log).
DOUBTFUL, DEAR = 0.85, -7.0
#: It is looked at up to so long (s) behind the look that showed it first; what was not seen for longer than the second
#: is left as it is.
AFTER_S, LONGEST_S = 0.6, 6.0
#: What moved is noted from so long (s) before on: who draws has been at the stock by then.
LEAD_S = 2.0
#: Looks of one doubt are so far apart (s). A hand's looks go back over so many seconds at most, most doubtful first.
EVERY_S, MOST_S = 0.1, 30.0
#: A place of which more than this share moved within so many s is not looked at.
MOVING, WITHIN_S = 0.3, 0.06
#: px around places that are looked at.
MARGIN_PX = 24

FramesFrom = Callable[[float], Iterable[Frame]]


class Notes(Protocol):
    """What a frame tells of movement without a look."""

    @property
    def pictures(self) -> Pictures:
        """Of all frames that were pushed."""

    def push(self, frame: Frame) -> None:
        """Take the next frame."""


@dataclass(frozen=True, slots=True)
class Footing:
    """How a recording can be gone through again: its frames from a second on, what looks at them and notes what moves."""

    frames_from: FramesFrom
    eyes: Eyes
    notes: Callable[[], Notes]
    size: tuple[int, int]


@dataclass(slots=True)
class Doubt:
    """Places that were in doubt, from when to when (s), and how sure (0..1) what was told is."""

    since: float
    until: float
    sure: float
    #: Up to when (s) each is known to have looked as in a look before.
    places: dict[Place, float] = field(default_factory=dict)


def doubts_of(umpire: Umpire, events: Sequence[tuple[Believed, float]]) -> list[Doubt]:
    """The doubts of a hand in order, none of which overlap."""
    looks: dict[Place, list[Look]] = {}
    for look in umpire.kept:
        looks.setdefault(look.place, []).append(look)
    found = []
    for event, sure in events:
        if sure < DOUBTFUL:
            found += [_around(looks.get(place, []), event.at, sure) for place in touched(event)]
    for of_place in looks.values():
        found += [_around(of_place, look.at, 0.5) for look in of_place if look.bare.paid < DEAR]
    return _apart(_affordable([one for one in found if one is not None]))


def _around(looks: Sequence[Look], at: float, sure: float) -> Doubt | None:
    """From what is known before a moment (s) of a place until shortly after it was seen next."""
    number = bisect_left([look.at for look in looks], at)
    if number == len(looks):
        return None
    after = looks[number]
    since = max(after.bare.untouched, looks[number - 1].at if number else -inf)
    if not 0 <= after.at - since <= LONGEST_S:
        return None
    return Doubt(since, after.at + AFTER_S, sure, {after.place: since})


def _affordable(doubts: list[Doubt]) -> list[Doubt]:
    chosen, spent = list[Doubt](), 0.0
    for doubt in sorted(doubts, key=lambda one: one.sure):
        spent += doubt.until - doubt.since
        if spent > MOST_S:
            break
        chosen.append(doubt)
    return chosen


def _apart(doubts: list[Doubt]) -> list[Doubt]:
    """Those that overlap made one, in order."""
    apart: list[Doubt] = []
    for doubt in sorted(doubts, key=lambda one: one.since):
        last = apart[-1] if apart else None
        if last is None or doubt.since > last.until or doubt.until - last.since > LONGEST_S + AFTER_S:
            apart.append(doubt)
            continue
        last.until = max(last.until, doubt.until)
        for place, since in doubt.places.items():
            last.places[place] = min(since, last.places.get(place, inf))
    return apart


def look_back(umpire: Umpire, doubts: Iterable[Doubt], footing: Footing) -> int:
    """Look at the doubts of a hand once more; what is seen joins the looks that were kept. How many looks were taken."""
    scout, eyes = umpire.anew(NARROW), for_play(footing.eyes)
    waiting, taken = deque(umpire.kept), 0
    known = {(look.place, look.at) for look in umpire.kept}
    for doubt in doubts:
        notes, due = footing.notes(), doubt.since
        for frame in footing.frames_from(max(0.0, doubt.since - LEAD_S)):
            now = frame.time_s
            if now > doubt.until:
                break
            notes.push(frame)
            _caught_up(scout, waiting, now)
            if now < due or any((place, now) in known for place in doubt.places):
                continue
            for window in _windows(scout, doubt, notes.pictures.change, footing.size):
                due = now + EVERY_S
                layout = eyes.look(frame, window, scout.dealt_area.to_table)
                scout.see(now, frame.index, layout, window=window, still=notes.pictures, places=doubt.places)
                taken += 1
    umpire.kept.join(scout.kept)
    return taken


def _caught_up(scout: Umpire, waiting: deque[Look], now: float) -> None:
    """It explains what was seen up to now (s)."""
    while waiting and waiting[0].at <= now:
        scout.see_again(waiting.popleft())


def _windows(scout: Umpire, doubt: Doubt, change: ChangeMap, size: tuple[int, int]) -> list[Window]:
    """Around the places that do not move now; those that lie far apart are looked at by themselves."""
    regions = scout.regions()
    still = [
        Wanted(_around_region(regions[place], size), (place,))
        for place in doubt.places
        if place in regions and change.moving(regions[place], WITHIN_S) <= MOVING
    ]
    return [wanted.window for wanted in joined(still, JOIN_SHARE * size[0] * size[1])]


def _around_region(corners: Floats, size: tuple[int, int]) -> Window:
    low = np.floor(corners.min(axis=0) - MARGIN_PX).astype(int).clip(0, [size[0] - 1, size[1] - 1])
    high = np.ceil(corners.max(axis=0) + MARGIN_PX).astype(int).clip(1, size)
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])
