"""Scores: what a hand brings each seat, and what a match comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class HandScore:
    """One seat's hand: cards in the centre, left, the caller's bonus, counted cards in dispute, points."""

    centre: int = 0
    left: int = 0
    bonus: int = 0
    disputed: int = 0
    points: int = 0

    def to_json(self) -> dict[str, int]:
        """The entry of a `score` line."""
        return {
            "centre": self.centre,
            "left": self.left,
            "bonus": self.bonus,
            "disputed": self.disputed,
            "points": self.points,
        }

    def __str__(self) -> str:
        return f"{self.points} ({self.centre} in the centre, {self.left} left)"


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a hand and the match totals with it. `winner`: a seat, partners, or None."""

    hand: Mapping[str, HandScore]
    match: Mapping[str, float]
    winner: str | tuple[str, ...] | None
    final: bool
    at: float = 0.0
    #: What cannot be known of a hand of which the beginning was not seen: `centre`, how many cards lay in the centre by
    #: then, and `left`, the seats that have at least as many Nerts cards left as are counted. None: all is known.
    unknown: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """The `score` line of a record."""
        return {
            "event": "score",
            "at": self.at,
            "hand": {seat: score.to_json() for seat, score in self.hand.items()},
            "match": dict(self.match),
            "winner": list(self.winner) if isinstance(self.winner, tuple) else self.winner,
            "final": self.final,
            **({} if self.unknown is None else {"unknown": dict(self.unknown)}),
        }

    def __str__(self) -> str:
        lines = [f"{seat}: {score}, match {self.match[seat]:g}" for seat, score in self.hand.items()]
        end = "final" if self.final else "the hand goes on"
        return "\n".join(
            [*lines, end] if self.unknown is None else [*lines, unknown_words(self.unknown), end]
        )


def unknown_words(unknown: Mapping[str, Any]) -> str:
    """What is not in a score since the hand had begun before its record did."""
    centre, left = unknown["centre"], unknown["left"]
    cards = f"{centre} card{'' if centre == 1 else 's'} in the centre"
    words = f"the hand had begun before the recording: whose {cards} were by then is not known"
    return f"{words}, nor how many Nerts cards {' and '.join(left)} have left" if left else words


def match_winner(
    totals: Mapping[str, float], sides: Sequence[tuple[str, ...]], target: float
) -> str | tuple[str, ...] | None:
    """Who has won a match (N18): the side with the one highest total, once any side has the target.

    `sides` lists the seats that play together; an equal highest total means one more hand: None.
    """
    best = max(totals[side[0]] for side in sides)
    leaders = [side for side in sides if totals[side[0]] == best]
    if best < target or len(leaders) > 1:
        return None
    return leaders[0] if len(leaders[0]) > 1 else leaders[0][0]
