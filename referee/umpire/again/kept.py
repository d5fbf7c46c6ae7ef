"""The looks of a hand, kept small: places, moments and cards with the chances of their faces. No picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from referee.rules.places import Place
from referee.umpire.one_hand import CARRY_S
from referee.umpire.sights import Interval, Point, Sight, View
from vision.layout import FACES

#: So many looks at places are kept; those in which nothing new was seen go first. One takes about a kilobyte.
MOST = 12_000

Reached = Callable[[Place, float], float | None]


class Card(NamedTuple):
    """A card of a look; its face is in the look's `faces`."""

    at: Point
    face_up: bool
    visible: float
    angle: float
    confidence: float


class Answer(NamedTuple):
    """What the picture told of another place when a view was explained; see `View`."""

    reached: float | None = None
    alike: bool = False
    seen: float = inf
    touched: tuple[Interval, ...] = ()
    looks_so: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Look:
    """One look at one place: a view, small."""

    #: Without its sights, and without what it can be asked.
    bare: View
    cards: tuple[Card, ...]
    #: (cards, 52) log probabilities.
    faces: NDArray[np.float32]
    answers: Mapping[Place, Answer] = field(default_factory=dict)
    #: Whether the look before at this place showed the same, so that this one says little.
    stale: bool = False

    @classmethod
    def of(cls, view: View, answers: Mapping[Place, Answer] | None = None, *, stale: bool = False) -> Look:
        """What is kept of a view."""
        sights = view.sights
        cards = tuple(Card(s.at, s.face_up, s.visible, s.angle, s.confidence) for s in sights)
        faces = np.array([s.log_face for s in sights], np.float32).reshape(-1, len(FACES))
        bare = replace(view, sights=[], memo={}, floor=-inf)
        bare.settle()
        return cls(bare, cards, faces, answers or {}, stale)

    @property
    def place(self) -> Place:
        """What was looked at."""
        return self.bare.place

    @property
    def at(self) -> float:
        """When (s)."""
        return self.bare.at

    def view(self, faces: NDArray[np.float32] | None = None) -> View:
        """The view again; `faces`: what its cards are read as instead."""
        given = (self.faces if faces is None else faces).astype(np.float64)
        sights = [
            Sight(card.at, card.face_up, read, card.visible, card.angle, card.confidence)
            for card, read in zip(self.cards, given, strict=True)
        ]
        view = replace(self.bare, sights=sights, memo={})
        view.reached, view.alike, view.seen = self._reached, self._alike, self._seen
        view.touched, view.looks_so = self._touched, self._looks_so
        return view

    def _answer(self, place: Place) -> Answer:
        return self.answers.get(place, Answer())

    def _reached(self, place: Place, _since: float) -> float | None:
        return self._answer(place).reached

    def _alike(self, place: Place) -> bool:
        return self._answer(place).alike

    def _seen(self, place: Place) -> float:
        return self._answer(place).seen

    def _touched(self, place: Place) -> tuple[Interval, ...]:
        return self._answer(place).touched

    def _looks_so(self, place: Place) -> tuple[float, ...]:
        return self._answer(place).looks_so


class Kept:
    """The looks of a hand in the order in which they were explained, so many at most."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self.looks: list[Look] = []
        #: Whether every look that showed anything new is still there.
        self.whole = True
        self._last: dict[Place, View] = {}

    def __iter__(self) -> Iterator[Look]:
        return iter(self.looks)

    def __len__(self) -> int:
        return len(self.looks)

    def add(self, watched: Watched, places: Iterable[Place]) -> None:
        """A view was explained. `places`: those from which a card may have come."""
        view = watched.view
        before = self._last.get(view.place)
        self._last[view.place] = view
        stale = before is not None and not watched.asked and not view.came and view.like(before)
        self.looks.append(Look.of(view, watched.answers(places), stale=stale))
        if len(self.looks) > self.most:
            self._thin()

    def laid_by(self, view: View, seat: str) -> None:
        """It is known since whose arm laid what a view showed."""
        for look in reversed(self.looks):
            if look.at < view.at:
                return
            if look.place == view.place and look.at == view.at:
                look.bare.laid_by = seat

    def join(self, looks: Iterable[Look]) -> None:
        """Others were taken of the same hand."""
        self.looks = sorted([*self.looks, *looks], key=lambda look: look.at)
        if len(self.looks) > self.most:
            self._thin()

    def _thin(self) -> None:
        """Let go of every second look that says little, or of the oldest if there are too few of these."""
        kept, odd = list[Look](), False
        for look in self.looks:
            odd = odd != look.stale
            if not look.stale or odd:
                kept.append(look)
        if len(kept) > 0.9 * self.most:
            self.whole = False
            kept = kept[-self.most // 2 :]
        self.looks = kept


@dataclass(slots=True)
class Watched:
    """A view while it is explained: what is asked of the picture then."""

    view: View
    asked: bool = False
    _reached: Reached = field(init=False)
    _alike: Callable[[Place], bool] = field(init=False)
    _touched: Callable[[Place], tuple[Interval, ...]] = field(init=False)
    _asked_alike: dict[Place, bool] = field(default_factory=dict)
    _asked_touched: dict[Place, tuple[Interval, ...]] = field(default_factory=dict)
    _looks_so: Callable[[Place], tuple[float, ...]] = field(init=False)
    _asked_looks: dict[Place, tuple[float, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._reached, self.view.reached = self.view.reached, self._ask
        self._alike, self.view.alike = self.view.alike, self._ask_alike
        self._touched, self.view.touched = self.view.touched, self._ask_touched
        self._looks_so, self.view.looks_so = self.view.looks_so, self._ask_looks

    def _ask(self, place: Place, since: float) -> float | None:
        self.asked = True
        return self._reached(place, since)

    def _ask_alike(self, place: Place) -> bool:
        if place not in self._asked_alike:
            self._asked_alike[place] = self._alike(place)
        return self._asked_alike[place]

    def _ask_touched(self, place: Place) -> tuple[Interval, ...]:
        if place not in self._asked_touched:
            self._asked_touched[place] = self._touched(place)
        return self._asked_touched[place]

    def _ask_looks(self, place: Place) -> tuple[float, ...]:
        if place not in self._asked_looks:
            self._asked_looks[place] = self._looks_so(place)
        return self._asked_looks[place]

    def answers(self, places: Iterable[Place]) -> dict[Place, Answer]:
        """What the picture tells of these places; what it costs to ask is asked for where it was asked."""
        since, told = self.view.rested - CARRY_S, dict[Place, Answer]()
        for place in {*places, self.view.place}:
            reached = self._reached(place, since) if self.asked else None
            alike, touched = self._asked_alike.get(place, False), self._asked_touched.get(place, ())
            looks_so = self._asked_looks.get(place, ())
            told[place] = Answer(reached, alike, self.view.seen(place), touched, looks_so)
        return told
