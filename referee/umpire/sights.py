"""What the umpire takes from one picture of one place, free of pixels: sights in mm with their evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import hypot, inf, log
from typing import Any, NamedTuple

import numpy as np

from referee.rules.cards import UNKNOWN
from referee.rules.places import Place
from vision.layout import CARD_HEIGHT_MM, CARD_WIDTH_MM, FACES, Floats, SeenCard

Point = tuple[float, float]
#: A part of the picture: x0, y0, x1, y1 px.
Window = tuple[int, int, int, int]
#: Earliest and latest moment (s).
Interval = tuple[float, float]

FACE_INDEX = {face: i for i, face in enumerate(FACES)}

#: However sure the reader is, one look may be wrong: no face gets less than this probability.
READING_FLOOR = 3e-4
#: The same for a card of which less than this share is seen: strips are read wrong now and then, and then for sure.
STRIP, STRIP_FLOOR = 0.5, 4e-3
#: A card of which no face has at least this probability cannot be read.
LEAST_READ = 0.3
#: Backs with figures are taken for courts, but not surely; faces that are seen well hardly ever are read with less.
DOUBTED = 0.85
#: A card that is seen no further (mm) from where one was seen before may be the same.
SAME_PLACE_MM = 4.0


@dataclass(slots=True)
class Sight:
    """One card seen at a place; `log_face` are log probabilities in the order of `FACES`, floored."""

    at: Point
    face_up: bool
    log_face: Floats
    visible: float = 1.0
    angle: float = 0.0
    confidence: float = 1.0
    _reads: dict[str, float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._reads = dict(zip(FACES, self.log_face.tolist(), strict=True))
        self._reads[UNKNOWN] = max(self._reads.values())

    def reads(self, face: str) -> float:
        """Log probability of this sight if the card is `face` (`??`: any), up to a constant."""
        return self._reads[face]

    def like(self, other: Sight) -> bool:
        """Whether both show the same: the same side and face in the same place."""
        away = hypot(self.at[0] - other.at[0], self.at[1] - other.at[1])
        if self.face_up != other.face_up or away > SAME_PLACE_MM:
            return False
        return not self.face_up or int(self.log_face.argmax()) == int(other.log_face.argmax())

    def likely(self, least: float = 0.01, most: int = 3) -> list[str]:
        """The faces that this may be, best first."""
        best = np.argsort(self.log_face)[::-1][:most]
        return [FACES[i] for i in best if self.log_face[i] >= log(least)]

    def __str__(self) -> str:
        name = (self.likely(1e-9, 1)[0] if self.face_up else "back") + ("" if self.visible > 0.9 else "-")
        return f"{name}@{self.at[0]:.0f},{self.at[1]:.0f}"


def log_faces(card: SeenCard) -> Floats:
    """(52,) floored log probabilities of a card's face; an unread card says nothing."""
    floor = READING_FLOOR if card.visible_fraction >= STRIP else STRIP_FLOOR
    given = card.face_probabilities
    if given is None:
        given = np.zeros(len(FACES))
        if card.face in FACE_INDEX:
            given[FACE_INDEX[card.face]] = card.face_confidence
    unread = max(0.0, 1.0 - float(given.sum()))
    return np.asarray(np.log(np.maximum(given + unread / len(FACES), floor)), dtype=np.float64)


def readable(log_face: Floats) -> bool:
    """Whether there is any face that this is likelier to be than others."""
    return bool(log_face.max() >= log(LEAST_READ))


def surely_read(log_face: Floats) -> bool:
    """Whether a face is read as surely as no back is."""
    return bool(log_face.max() >= log(DOUBTED))


def outline(at: Point, angle: float) -> Floats:
    """(4, 2) mm: a card's corners, clockwise from its top left."""
    turn = np.radians(angle)
    along, across = np.array([-np.sin(turn), np.cos(turn)]), np.array([np.cos(turn), np.sin(turn)])
    w, h = CARD_WIDTH_MM / 2, CARD_HEIGHT_MM / 2
    return np.array([np.array(at) + x * across + y * along for x, y in ((-w, -h), (w, -h), (w, h), (-w, h))])


def _unknown(_place: Place, _since: float) -> float | None:
    return None


def _not_known(_place: Place) -> bool:
    return False


def _always(_place: Place) -> float:
    return inf


def _unseen(_place: Place) -> tuple[float, ...]:
    return ()


def _untold(_place: Place) -> tuple[Interval, ...]:
    return ()


class Came(NamedTuple):
    """A card that glided in and came to rest where another seat's did: when, and by seat how nearly (cosine) it came from
    where that seat's cards lie.
    """

    landed: Interval
    towards: Mapping[str, float]
    #: It was seen to come to rest as what lies on top in the end.
    on_top: bool = False


@dataclass(slots=True)
class View:
    """One place seen with no hand over it; `rested` is when the last thing moved there (s)."""

    place: Place
    at: float
    frame: int
    rested: float
    #: From the lowest card to the highest.
    sights: list[Sight] = field(default_factory=list)
    #: Of a waste: whether the stock beside it moved since shortly before the last look; None when that is not known.
    stirred: bool | None = None
    #: Up to when (s) it looked as in the look before: until then nothing can have come or gone.
    untouched: float = -inf
    #: Up to when (s) it looked so all the time, so that no hand can have been there at all.
    steady: float = -inf
    #: Whether a hand came to it again after its top card had come to rest, and before this look.
    revisited: bool = False
    #: Of a place: what share of it has moved since then (s), None when that is not known; asked before the next look.
    reached: Callable[[Place, float], float | None] = field(default=_unknown, repr=False, compare=False)
    #: Of another place: whether it surely looks just as in its own last look, once this one has come to rest.
    alike: Callable[[Place], bool] = field(default=_not_known, repr=False, compare=False)
    #: When a place was seen last before this look (s); inf where that is not known.
    seen: Callable[[Place], float] = field(default=_always, repr=False, compare=False)
    #: Of a place: since when (s) it has looked as it does now, and did at its own last look, where it changed.
    looks_so: Callable[[Place], tuple[float, ...]] = field(default=_unseen, repr=False, compare=False)
    #: Of a place: when (s) it was touched of late, from when it first looked otherwise to when it looked as it does.
    touched: Callable[[Place], tuple[Interval, ...]] = field(default=_untold, repr=False, compare=False)
    #: When its top card came to rest, where that was seen.
    landed: Interval | None = None
    #: Of places where the same card was seen to lie after that: until when (s), and when it came to rest if it came from
    #: there, where that was seen.
    later: Mapping[Place, tuple[float, Interval | None]] = field(default_factory=dict)
    #: The same of one that lay there before the place was seen last: another lay on it then.
    uncovered: Interval | None = None
    #: Of a foundation where two seats may have laid one card: those that were seen to come, the one on top last.
    came: tuple[Came, ...] = ()
    #: The one that was, where the other one was not.
    lone: Came | None = None
    #: Of a card that several seats had ready: by seat, how nearly (cosine) it was carried from where its cards lie.
    brought: Mapping[str, float] = field(default_factory=dict)
    #: Of the same: by seat, how surely (0..1) its arm reached there as the card came to rest.
    arms: Mapping[str, float] = field(default_factory=dict)
    #: The seat whose arm alone was there when its top card came to rest; "" where that is not known.
    laid_by: str = ""
    #: Of a foundation that shows nothing: when (s) each pile of backs that lies at no place was seen first.
    backs: tuple[float, ...] = ()
    #: The open card that lay on top when the place was seen last and does no more: which, and when it left.
    left: tuple[str, Interval] | None = None
    #: Of a waste where no card shows: whether it looks as it did before the cards came that lay there last.
    bare: bool = False
    #: What its sights were held against already (`referee/umpire/columns.py`): stories share most of their piles.
    memo: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    #: What it cost (log) the likeliest story to explain it.
    paid: float = field(default=0.0, repr=False, compare=False)
    #: Stories that are less likely than this (log) need not be told: enough likelier ones explain it already.
    floor: float = field(default=-inf, repr=False, compare=False)

    def settle(self) -> None:
        """It was explained: what it asked of the picture and of the story of then is of no use any more."""
        self.reached, self.alike, self.seen = _unknown, _not_known, _always
        self.touched, self.looks_so = _untold, _unseen
        self.memo.clear()

    def came_from(self, source: Place) -> tuple[float, Interval | None]:
        """When (s) its top card came to rest if it came from this place, and the interval where that was seen."""
        if source not in self.later:
            return self.rested, self.landed
        lay, landed = self.later[source]
        return (lay + self.at if landed is None else sum(landed)) / 2, landed

    @property
    def frames(self) -> tuple[int, int]:
        """The first and the last frame that show it."""
        return self.frame, self.frame

    @property
    def top(self) -> Sight | None:
        """The highest card seen."""
        return self.sights[-1] if self.sights else None

    @property
    def ends(self) -> list[Sight]:
        """The highest card seen, and the lowest where that is another one."""
        return self.sights[-1:] + self.sights[: len(self.sights) > 1]

    def like(self, other: View) -> bool:
        """Whether both show the same cards in the same places."""
        return len(self.sights) == len(other.sights) and all(
            a.like(b) for a, b in zip(self.sights, other.sights, strict=True)
        )

    def __str__(self) -> str:
        return f"{self.at:7.2f} {self.place}: {' '.join(map(str, self.sights)) or 'nothing'}"
