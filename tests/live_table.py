"""A table that is played at, pretended: tests tell what its session tells, and see what people said to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

import numpy as np

from referee.service import Said, correct
from referee.service.table import TableTerms
from referee.web.live import LiveTable
from vision.capture.frames import Image

Json = dict[str, Any]

HEADER: Json = {
    "record": 1,
    "game": "nerts",
    "settings": {},
    "seats": [{"seat": "north", "deck": "blue"}, {"seat": "south", "deck": "red"}],
    "source": {"kind": "camera", "fps": 30},
}


def play(at: float, seat: str, card: str, source: str = "work 1", target: str = "foundation 1") -> Json:
    return {"event": "play", "at": at, "seat": seat, "cards": [card], "from": source, "to": target}


#: A hand as it is told: an illegal play, a play that was another one, a flag that is withdrawn.
HAND: list[Json] = [
    HEADER,
    play(1.2, "north", "AH"),
    {"event": "draw", "at": 2.0, "seat": "south", "cards": ["2C", "3C", "TD"]},
    play(4.5, "south", "9D", "work 2"),
    {
        "event": "ruling",
        "at": 4.5,
        "seat": "south",
        "ruling": "wrong-foundation-card",
        "rule": "N9",
        "of": [3],
        "verdict": "illegal",
        "confidence": 1.0,
        "evidence": {},
        "why": "9D does not go with AH: a foundation builds up by one in its suit.",
    },
    play(6.0, "north", "2H"),
    {"event": "correct", "at": 6.5, "of": 5, "with": {"cards": ["2D"]}, "by": "umpire"},
]


def place(name: str, seat: str, x: float, y: float, *cards: str) -> Json:
    """A place of a fifth of the picture's sides, as a session tells it."""
    far, low = round(x + 0.2, 3), round(y + 0.2, 3)
    area = [[x, y], [far, y], [far, low], [x, low]]
    return {"place": name, "seat": seat, "area": area, "cards": list(cards)}


@dataclass(frozen=True)
class Told:
    number: int
    hand: int
    index: int | None
    line: Json
    provisional: bool = False


@dataclass(frozen=True)
class Answer:
    taken: bool
    say: str


@dataclass
class PretendSession:
    """Tells observers what a test tells it, under a lock of its own as the real one does."""

    seats: list[str] = field(default_factory=lambda: ["north", "south"])
    standing: Json = field(default_factory=lambda: {"nerts": {"north": 13, "south": 12}, "points": {}})
    hands: dict[int, list[Json]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    answers: list[tuple[int, bool]] = field(default_factory=list)
    agreed: list[TableTerms] = field(default_factory=list)
    amiss: list[str] = field(default_factory=list)
    places: list[Json] = field(default_factory=lambda: [place("foundation 1", "", 0.4, 0.4, "AH")])
    over: bool = False
    state: str = "no camera"
    image: tuple[int, Image] | None = None
    _observers: list[Callable[[Any], None]] = field(default_factory=list)
    _lock: RLock = field(default_factory=RLock)

    @property
    def hand(self) -> int:
        return max(self.hands, default=0)

    @property
    def lines(self) -> list[Json]:
        with self._lock:
            return [] if self.over else list(self.hands.get(self.hand, []))

    def observe(self, observer: Callable[[Any], None]) -> Callable[[], None]:
        self._observers.append(observer)
        return lambda: self._observers.remove(observer)

    def _pass_on(self, index: int | None, line: Json, provisional: bool = False) -> None:
        for observer in list(self._observers):
            observer(Told(0, self.hand, index, line, provisional))

    def tell(self, *lines: Json) -> None:
        """Lines of the record of this hand; a header begins the next one."""
        with self._lock:
            for line in lines:
                if "record" in line:
                    self.hands[self.hand + 1] = []
                self.hands[self.hand].append(line)
                self._pass_on(len(self.hands[self.hand]) - 1, line)

    def say(self, state: str, say: str = "", **more: Any) -> None:
        with self._lock:
            self.state = state
            self._pass_on(None, {"event": "session", "at": 0.0, "state": state, "say": say, **more})

    def believe(self, line: Json) -> None:
        with self._lock:
            self._pass_on(None, line, True)

    def call(self, seat: str, at_s: float | None = None) -> Answer:
        with self._lock:
            if self.over:
                return Answer(False, "no hand is being played: the call is not counted")
            if self.calls:
                return Answer(False, f"{self.calls[0]} called first")
            self.calls.append(seat)
            return Answer(True, f"{seat} called")

    def correct(self, said: Said, by: str, *, insist: bool = False) -> None:
        with self._lock:
            self.tell(correct(self.lines, said, by, insist=insist).line)

    def agree(self, terms: TableTerms) -> str:
        self.agreed.append(terms)
        return "It holds from the next deal on."

    def answer(self, number: int, yes: bool) -> Answer:
        self.answers.append((number, yes))
        return Answer(True, "play goes on")


def live_table(session: PretendSession, name: str = "evening") -> LiveTable:
    """The table of a pretended session."""
    return LiveTable(
        session,
        name,
        lambda: session.image,
        counts=lambda: {"taken": 300, "recorded": 300, "looked at": 60, "late": 0},
        places=lambda: session.places,
        earlier=lambda hand: session.hands.get(hand, []),
        names=lambda: session.agreed[-1].names if session.agreed else {"north": "Anna"},
        agree=session.agree,
        kept="session-20260405-190000",
        amiss=lambda: session.amiss,
    )


def plain(colour: int, size: tuple[int, int] = (1280, 720)) -> Image:
    """A picture of one grey."""
    return np.full((size[1], size[0], 3), colour, np.uint8)
