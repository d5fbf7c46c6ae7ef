"""What the page must know of a table that is played at: no more than this of whoever follows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from referee.service import Said
from referee.service.table import TableTerms
from vision.capture.frames import Image

Json = dict[str, Any]
#: The newest picture and its number, which grows; None while there is none.
Newest = Callable[[], tuple[int, Image] | None]


class Told(Protocol):
    """One thing that a session tells: a line of the record of a hand, with its index there, or what comes beside it."""

    @property
    def hand(self) -> int:
        """The hand it is about, from 1; 0 before the first."""

    @property
    def index(self) -> int | None:
        """Its index in the record; None for states, and for what is believed but not settled."""

    @property
    def line(self) -> Json:
        """The line."""

    @property
    def provisional(self) -> bool:
        """Believed, and told again with an index once it has settled; with `withdrawn` if it did not."""


class Answer(Protocol):
    """What became of a call, or of an answer to a question."""

    @property
    def taken(self) -> bool:
        """Whether it counts."""

    @property
    def say(self) -> str:
        """What to tell whoever asked."""


class Session(Protocol):
    """Whoever follows a table; any thread may ask."""

    @property
    def hand(self) -> int:
        """The number of the hand that is or was played last; 0 before the first."""

    @property
    def state(self) -> str:
        """The state that was told last."""

    @property
    def seats(self) -> Sequence[str]:
        """Who sits at the table in the hand that is played."""

    @property
    def lines(self) -> Sequence[Json]:
        """The record of the hand that is played, header first."""

    @property
    def standing(self) -> Json:
        """`nerts`: Nerts cards left by seat; `points`: the score if the hand ended now. May be empty."""

    def observe(self, observer: Callable[[Any], None]) -> Callable[[], None]:
        """Tell everything to this one (each a `Told`), in order, from now on; what is returned ends it."""

    def call(self, seat: str, at_s: float | None = None) -> Answer:
        """Somebody has called, now or at this moment of the session."""

    def answer(self, number: int, yes: bool) -> Answer:
        """Answer the question of this number."""

    def correct(self, said: Said, by: str, *, insist: bool = False) -> Any:
        """Somebody says how it was, in the hand that is played. Raises BadInputError."""


def _nothing() -> list[Json]:
    return []


def _none() -> list[str]:
    return []


def _no_counts() -> dict[str, float]:
    return {}


@dataclass(frozen=True, slots=True)
class LiveTable:
    """A session with what surrounds it."""

    session: Session
    #: The same for a session that goes on after a restart, another for any other.
    name: str
    picture: Newest
    #: What is counted: frames taken, recorded, looked at, late.
    counts: Callable[[], Mapping[str, float]] = _no_counts
    #: Where every place lies in the picture: {"place", "seat", "area": [[x, y] …] as shares of width and height}.
    places: Callable[[], Sequence[Json]] = _nothing
    #: The record of an earlier hand of the session, by its number; [] where it is not known any more.
    earlier: Callable[[int], Sequence[Json]] = lambda hand: []
    #: What players are called, by seat.
    names: Callable[[], Mapping[str, str]] = dict
    #: Takes what was agreed on anew, and says from when on it holds.
    agree: Callable[[TableTerms], str] = lambda terms: ""
    #: By what its hands are found again among the recordings, once they are over; "" where they are not kept there.
    kept: str = ""
    #: What is amiss with camera, recording and disk now, each in words with its remedy.
    amiss: Callable[[], Sequence[str]] = _none
    #: Where what is agreed on is kept for next time; else in the user's own table's file.
    terms_file: Path | None = None
