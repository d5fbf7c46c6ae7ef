"""The views of every place that may still matter, and first of all the open card that was seen there before any look."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, inf, log

import numpy as np

from referee.rules.places import STOCK, WASTE, WORK, Place
from referee.umpire.sights import FACE_INDEX, READING_FLOOR, Sight, View
from referee.umpire.story import Lying, Pile
from vision.layout import FACES

#: Views older than this (s) are forgotten, but for so many of a place.
FORGOTTEN_S, KEPT_VIEWS = 60.0, 3
#: Of each face that lay on top of a waste the first so many looks are kept: a round takes longer than views are.
KEPT_TOPS = 4


class Remembered:
    """Take a view with `add`; `looks` are those of a place, newest last."""

    def __init__(self, first: Mapping[Place, View] | None = None, empty_at: float | None = None) -> None:
        self.looks: dict[Place, list[View]] = {}
        #: By place: what was seen there before the first look; and when (s) all others were seen to be empty.
        self.first, self.empty_at = dict(first or {}), empty_at
        #: Views older than this (s) are forgotten.
        self.forgotten_s = FORGOTTEN_S
        #: By waste and face: when (s) it was read there on top, and with which probability.
        self._tops: dict[tuple[Place, str], list[tuple[float, float]]] = {}

    def anew(self) -> Remembered:
        """What was known before the first look, for who goes through all looks again and forgets none."""
        other = Remembered(self.first, self.empty_at)
        other.forgotten_s = inf
        begun = -inf if self.empty_at is None else self.empty_at
        known = {key: [top for top in tops if top[0] <= begun] for key, tops in self._tops.items()}
        other._tops = {key: tops for key, tops in known.items() if tops}
        return other

    def lay(self, piles: Mapping[Place, Pile], since: float) -> None:
        """At `since` (s), before the first look, all lay so: what is known of stocks and wastes was read on top."""
        self.empty_at = since
        for place, pile in piles.items():
            for card in pile if place.kind in (STOCK, WASTE) else ():
                if card.known:
                    self._tops[Place(WASTE, 0, place.seat), card.face] = [(since, 1.0)] * KEPT_TOPS

    def add(self, view: View) -> None:
        """This is the newest one of its place."""
        seen = self.looks.setdefault(view.place, [])
        seen.append(view)
        if view.place.kind == WASTE and view.top is not None and view.top.face_up:
            self._note_top(view.place, view.at, view.top)
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

    def tops(self, waste: Place | None, face: str | None, before: float) -> list[float]:
        """With which probability a face was read on top of a waste before a moment (s), look by look."""
        if waste is None or face is None:
            return []
        return [read for at, read in self._tops.get((waste, face), ()) if at < before]

    def _note_top(self, waste: Place, at: float, top: Sight) -> None:
        tops = self._tops.setdefault((waste, FACES[int(top.log_face.argmax())]), [])
        if len(tops) < KEPT_TOPS:
            tops.append((at, exp(float(top.log_face.max()))))

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
