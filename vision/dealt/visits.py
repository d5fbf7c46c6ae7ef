"""How often an arm comes to each place where cards lie, and whether the place looks different when it has gone again.

This does not ask what lies there, so it also tells of a card that the next one covered before it was seen as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from vision.dealt.canvas import LEAST_STEP, Canvas, Mask, Pixels
from vision.dealt.fit import changed_in
from vision.dealt.landings import Landing
from vision.layout import Floats

#: A place is free of arms up to this share of it, and one has come to it from that share on.
FREE, CALLED = 0.02, 0.3
#: A card lies on a place where it covers this share of it.
SAME_PLACE = 0.5
#: mm² of a place that look different at least: even a card of one deck that lies nearly on the last one shows some.
LEAST_MM2 = 60.0
#: What is narrower than so many px of the copy is grain.
SPECK = 3
#: A landing explains a change of which its card covers this share.
EXPLAINS = 0.5
#: So much of a change looks again as before it when what came to lie is taken back, within so long (s).
MOSTLY, AT_ONCE_S = 0.9, 3.0
#: mm around a place that are kept with it: so far off the first card others of a pile may lie.
ROOM_MM = 40.0


@dataclass(slots=True)
class Change:
    """A place that looks different after an arm's visit."""

    #: When the arm came, when it had gone, and when it came again or the film ended (s).
    since: float
    at: float
    until: float
    #: (4, 2) px of the picture: the card that lay there first.
    corners: Floats
    #: Of the copy: first column and row, what changed (height, width), and (height, width, 3) how it looked.
    x: int
    y: int
    changed: Mask = field(repr=False)
    before: Pixels = field(repr=False)
    after: Pixels = field(repr=False)


@dataclass(slots=True)
class _Place:
    corners: Floats
    mask: Mask
    rows: slice
    columns: slice
    free_since: float
    #: When the last visit began (s).
    called: float = 0.0
    #: How it looked before the last visit.
    before: Pixels | None = None
    covered: bool = False


class Visits:
    """Push after every frame of the canvas."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._places: list[_Place] = []
        self._known = 0
        #: (height, width, 3): what was seen last where no arm is.
        self._clear: Pixels | None = None
        self.changes: list[Change] = []

    def push(self, landings: Sequence[Landing], arms: Mask, clear: Pixels, px_per_mm: float | None) -> None:
        """`landings`: all so far; `arms` (height, width) and what was seen last without them, of the copy; px of the
        picture a mm."""
        if px_per_mm is None:
            return
        self._clear = clear
        for place in self._places:
            share = float(arms[place.rows, place.columns][place.mask].mean())
            if share >= CALLED:
                self._called(place, px_per_mm)
            elif share <= FREE:
                self._free(place)
        for landing in landings[self._known :]:
            self._add(landing, px_per_mm)
        self._known = len(landings)

    def end(self, px_per_mm: float | None) -> list[Change]:
        """All changes, when the film is at its end."""
        for place in self._places:
            if px_per_mm is not None and not place.covered:
                self._compare(place, px_per_mm)
                place.before = None
        return self.changes

    def _called(self, place: _Place, px_per_mm: float) -> None:
        if not place.covered:
            self._compare(place, px_per_mm)
            place.covered, place.before, place.called = True, self._at(place), self._canvas.now

    def _free(self, place: _Place) -> None:
        if place.covered:
            place.covered, place.free_since = False, self._canvas.now

    def _at(self, place: _Place) -> Pixels:
        assert self._clear is not None
        return self._clear[place.rows, place.columns].copy()

    def _compare(self, place: _Place, px_per_mm: float) -> None:
        """What the last visit changed."""
        if place.before is None:
            return
        before, after = place.before, self._at(place)
        changed = changed_between(before, after)
        if changed.sum() < LEAST_MM2 * (px_per_mm * self._canvas.scale) ** 2:
            return
        found = Change(
            place.called,
            place.free_since,
            self._canvas.now,
            place.corners,
            place.columns.start,
            place.rows.start,
            changed,
            before,
            after,
        )
        self.changes.append(found)

    def _add(self, landing: Landing, px_per_mm: float) -> None:
        """The place of a card, if none is known there."""
        own = self._canvas.area_of(landing.corners)
        for place in self._places:
            if (own[place.rows, place.columns] & place.mask).sum() > SAME_PLACE * own.sum():
                return
        rows, columns = np.nonzero(own)
        if not len(rows):
            return
        room = round(ROOM_MM * px_per_mm * self._canvas.scale)
        box = (
            slice(max(0, int(rows.min()) - room), int(rows.max()) + room + 1),
            slice(max(0, int(columns.min()) - room), int(columns.max()) + room + 1),
        )
        self._places.append(_Place(landing.corners, own[box], *box, self._canvas.now))


def changed_between(before: Pixels, after: Pixels) -> Mask:
    """(height, width): what changed in one piece between two pictures (height, width, 3) of a place, in any light."""
    # cameras follow the light
    light = np.median((after + 6.0) / (before + 6.0), axis=(0, 1))
    changed = changed_in(np.asarray((before * light).clip(0, 255), dtype=np.uint8), after)
    clear = cv2.morphologyEx(changed.astype(np.uint8), cv2.MORPH_OPEN, np.ones((SPECK, SPECK), np.uint8))
    return np.asarray(clear > 0)


def unseen(
    changes: Sequence[Change], landings: Sequence[Landing], canvas: Canvas, held: Sequence[Landing] = ()
) -> list[Change]:
    """Changes that nothing which landed or was taken back explains, before the place changed again.

    `held`: what only was held there: a stack looks different with every card that is dealt from it.
    """
    stack = np.zeros(canvas.labels.shape, dtype=bool)
    for one in held:
        stack |= canvas.area_of(one.corners, 3.0)
    events = [(one.at, one) for one in landings] + [
        (one.gone, one) for one in landings if one.gone is not None
    ]
    areas = {id(one): canvas.area_of(one.corners, 3.0) for one in landings}
    found: list[Change] = []
    for change in changes:
        height, width = change.changed.shape
        box = slice(change.y, change.y + height), slice(change.x, change.x + width)
        later = [one.at for one in changes if one.corners is change.corners and one.at > change.at]
        until = min(later, default=np.inf)
        mine = [one for at, one in events if change.since <= at < until]
        rest = change.changed & ~stack[box]
        for one in mine:
            rest &= ~areas[id(one)][box]
        if rest.sum() > (1 - EXPLAINS) * change.changed.sum():
            found.append(change)
    undone = [(one, other) for one in found for other in found if _undone(one, other)]
    gone = {id(change) for pair in undone for change in pair}
    return [change for change in found if id(change) not in gone]


def _undone(change: Change, later: Change) -> bool:
    """Does a place look again as before a change, after a later one: was what came to lie there taken back at once?"""
    if not change.at <= later.since < change.at + AT_ONCE_S:
        return False
    left, top = max(change.x, later.x), max(change.y, later.y)
    right, bottom = (
        min(change.x + change.changed.shape[1], later.x + later.changed.shape[1]),
        min(change.y + change.changed.shape[0], later.y + later.changed.shape[0]),
    )
    if right <= left or bottom <= top:
        return False
    mine, theirs = (
        (slice(top - one.y, bottom - one.y), slice(left - one.x, right - one.x)) for one in (change, later)
    )
    where = change.changed[mine]
    if where.sum() < MOSTLY * change.changed.sum():
        return False
    off = np.abs(later.after[theirs].astype(np.int16) - change.before[mine]).max(axis=2)
    return float((off[where] > LEAST_STEP).mean()) < 1 - MOSTLY
