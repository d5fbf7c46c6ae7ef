"""A match: hands added up until somebody has the target (N18). With or without a camera."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from referee.header import Header
from referee.score import Score, match_winner


class MatchError(ValueError):
    """Points for a seat that does not play, or not for all that do."""


@dataclass(slots=True)
class Match:
    """The hands of a match. `sides` lists the seats that play together; partners share their points.

    >>> match = Match((("north",), ("south",)), target=50)
    >>> match.add({"north": 31, "south": -4})
    >>> match.add({"north": 22, "south": 12})
    >>> match.totals, match.winner
    ({'north': 53, 'south': 8}, 'north')
    """

    sides: Sequence[tuple[str, ...]]
    target: float
    #: Totals that the match began with, by seat.
    before: Mapping[str, float] = field(default_factory=dict)
    hands: list[dict[str, float]] = field(default_factory=list)
    _undone: list[dict[str, float]] = field(default_factory=list)

    @classmethod
    def of(cls, header: Header) -> Match:
        """The match that a hand's header belongs to: its seats, partners by deck, target and totals so far."""
        if "target" not in header.settings:
            raise MatchError(f"{header.game} is not played to a target")
        decks: dict[str, list[str]] = {}
        for seat in header.seats:
            decks.setdefault(seat.deck or seat.name, []).append(seat.name)
        sides = tuple(tuple(seats) for seats in decks.values())
        return cls(sides, header.settings.number("target"), dict(header.match))

    @property
    def seats(self) -> list[str]:
        """All seats, side by side."""
        return [seat for side in self.sides for seat in side]

    def add(self, points: Mapping[str, float]) -> None:
        """Add a hand. One seat of each side is enough; MatchError for a seat that is unknown or missing."""
        for seat in points:
            if seat not in self.seats:
                raise MatchError(f"unknown seat {seat!r} (playing: {', '.join(self.seats)})")
        hand: dict[str, float] = {}
        for side in self.sides:
            given = {points[seat] for seat in side if seat in points}
            if len(given) != 1:
                lack = "have no points" if not given else "are partners and have different points"
                raise MatchError(f"{' and '.join(side)} {lack}")
            hand |= dict.fromkeys(side, given.pop())
        self.hands.append(hand)
        self._undone.clear()

    def add_score(self, score: Score) -> None:
        """Add a hand that was refereed; MatchError while it has not ended."""
        if not score.final:
            raise MatchError("the hand has not ended")
        self.add({seat: one.points for seat, one in score.hand.items()})

    def undo(self) -> dict[str, float]:
        """Take the last hand off and return it; MatchError when there is none."""
        if not self.hands:
            raise MatchError("no hand to take back")
        self._undone.append(self.hands.pop())
        return self._undone[-1]

    def redo(self) -> dict[str, float]:
        """Put back the hand that was taken off last; MatchError when there is none."""
        if not self._undone:
            raise MatchError("no hand was taken back")
        self.hands.append(self._undone.pop())
        return self.hands[-1]

    @property
    def totals(self) -> dict[str, float]:
        """Total by seat."""
        return {seat: self.before.get(seat, 0) + sum(h[seat] for h in self.hands) for seat in self.seats}

    @property
    def winner(self) -> str | tuple[str, ...] | None:
        """The seat or partners that won; None while the match goes on (an equal highest total goes on)."""
        return match_winner(self.totals, self.sides, self.target) if self.hands else None

    def __str__(self) -> str:
        width = max(8, *(len("+".join(side)) for side in self.sides)) + 2
        lines = ["hand" + "".join(f"{'+'.join(side):>{width}}" for side in self.sides)]
        for number, hand in enumerate(self.hands, 1):
            lines.append(f"{number:>4}" + "".join(f"{hand[side[0]]:>{width}g}" for side in self.sides))
        lines.append(" sum" + "".join(f"{self.totals[side[0]]:>{width}g}" for side in self.sides))
        winner = self.winner
        names = winner if isinstance(winner, str) else "+".join(winner or ())
        lines.append(f"{names} won" if winner else f"to {self.target:g}")
        return "\n".join(lines)
