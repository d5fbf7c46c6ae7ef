"""The views of every place that may still matter, and first of all the open card that was seen there before any look."""

from __future__ import annotations

from collections.abc import Mapping
from math import log

import numpy as np

from referee.rules.places import WORK, Place
from referee.umpire.sights import FACE_INDEX, READING_FLOOR, Sight, View
from referee.umpire.story import Lying, Pile
from vision.layout import FACES

#: Views older than this (s) are forgotten, but for so many of a place.
FORGOTTEN_S, KEPT_VIEWS = 60.0, 3


class Remembered:
    """Take a view with `add`; `looks` are those of a place, newest last."""

    def __init__(self, first: Mapping[Place, View] | None = None, empty_at: float | None = None) -> None:
        self.looks: dict[Place, list[View]] = {}
        #: By place: what was seen there before the first look; and when (s) all others were seen to be empty.
        self.first, self.empty_at = dict(first or {}), empty_at
        #: Views older than this (s) are forgotten.
        self.forgotten_s = FORGOTTEN_S

    def add(self, view: View) -> None:
        """This is the newest one of its place."""
        seen = self.looks.setdefault(view.place, [])
        seen.append(view)
        while len(seen) > KEPT_VIEWS and seen[0].at < view.at - self.forgotten_s:
            del seen[0]

    def of(self, place: Place | None) -> list[View]:
        """All views of a place, in time, first of all what was seen there before any look; none of no place."""
        if place is None:
            return []
        seen, first = self.looks.get(place, []), self.first.get(place)
        if first is None and self.empty_at is not None:
            first = View(place, self.empty_at, 0, self.empty_at)
        return seen if first is None or (seen and seen[0].at <= first.at) else [first, *seen]

    def last(self, place: Place) -> View | None:
        """The newest view of a place; None where no look was taken yet."""
        seen = self.looks.get(place)
        return seen[-1] if seen else None


def shown(place: Place, pile: Pile, at: float) -> View | None:
    """What whoever looks at a moment (s) sees of a pile that lies as is known: of a work pile all open cards, else the
    top one. None where nobody knows where it lies.
    """
    up = [card for card in pile if card.up] if place.kind == WORK else [*pile[-1:]]
    if any(card.at is None or (card.up and not card.known) for card in up):
        return None
    return View(place, at, 0, at, [_sight(card) for card in up])


def _sight(card: Lying) -> Sight:
    """A card that was read beyond doubt; of a back nothing is read."""
    assert card.at is not None
    read = np.full(len(FACES), log(READING_FLOOR if card.up else 1 / len(FACES)))
    if card.up:
        read[FACE_INDEX[card.face]] = 0.0
    return Sight(card.at, card.up, read)
