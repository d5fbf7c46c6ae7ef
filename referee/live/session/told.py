"""What a session tells: the lines of its records as they grow, and in which state it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

Line = dict[str, Any]

State = Literal[
    "no camera",
    "dark",
    "covered",
    "moved",
    "empty table",
    "dealing",
    "ready",
    "playing",
    "lost",
    "called",
    "score",
    "next deal",
    "over",
]

#: What each state is to people, with the way on.
SAYS: dict[State, str] = {
    "no camera": "the camera gives no picture: plug it in again, it goes on by itself",
    "dark": "it is too dark to see anything: switch on a light",
    "covered": "something covers the camera: take it away",
    "moved": "the camera was moved: put it back, or leave it still and it finds the table again",
    "empty table": "the table is empty: deal the cards",
    "dealing": "waiting for the deal: lay every player's cards and take the hands away for a moment",
    "ready": "the deal is read: play",
    "playing": "play goes on",
    "lost": "what lies there is not known any more: correct it, or play on and it will be seen",
    "called": "the hand is called: leave the cards where they lie for a moment",
    "score": "the hand is over",
    "next deal": "the hand is over: gather up the cards and deal the next one",
    "over": "the evening is over",
}


@dataclass(frozen=True, slots=True)
class Told:
    """One thing told, `number` counts them from 1.

    A line of the record of hand `hand` has its `index` there. Without one it is a `session` line, or what is
    `provisional`: believed, and told as a line of the record once it has settled, if it then still is.
    """

    number: int
    hand: int
    index: int | None
    line: Line
    provisional: bool = False


#: Is told everything, in order, by whichever thread has it; must be quick and call nothing of the session.
Observer = Callable[[Told], None]


class Match(Protocol):
    """Where hands are counted. `names`: what seats are called there, where it is not by their names."""

    def totals(self, names: Mapping[str, str]) -> Mapping[str, float]:
        """What each seat has so far; empty before the first hand. Raises BadInputError."""

    def keep(self, record: Path, names: Mapping[str, str]) -> str:
        """Count the hand of this record, which has ended; "" or why it is not counted."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a call, or of an answer to a question."""

    taken: bool
    say: str
