"""A match: hands added up until somebody has the target (N18). With or without a camera."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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
    #: Of each hand, what the match itself does not look at: where it comes from, its cards.
    about: list[Mapping[str, Any]] = field(default_factory=list)
    #: Hands that were taken back, with what is known about them; the last one first to come again.
    undone: list[tuple[dict[str, float], Mapping[str, Any]]] = field(default_factory=list)

    @classmethod
    def of(cls, header: Header) -> Match:
        """The match that a hand's header belongs to: its seats, partners by deck, target and totals so far."""
        if "target" not in header.settings:
            raise MatchError(f"{header.game} is not played to a target")
        decks: dict[str, list[str]] = {}
        for seat in header.seats:
            decks.setdefault(seat.deck or seat.name, []).append(seat.name)
        sides = tuple(tuple(seats) for seats in decks.values())
        before: dict[str, float] = {}
        for side in sides:
            had = next((header.match[seat] for seat in side if seat in header.match), 0)
            before |= dict.fromkeys(side, had)
        return cls(sides, header.settings.number("target"), before)

    @property
    def seats(self) -> list[str]:
        """All seats, side by side."""
        return [seat for side in self.sides for seat in side]

    def add(self, points: Mapping[str, float], about: Mapping[str, Any] | None = None) -> None:
        """Add a hand. One seat of each side is enough; MatchError for a seat that is unknown or missing."""
        for seat in points:
            if seat not in self.seats:
                raise MatchError(f"unknown seat {seat!r} (playing: {', '.join(self.seats)})")
        hand: dict[str, float] = {}
        for side in self.sides:
            given = {points[seat] for seat in side if seat in points}
            if len(given) != 1:
                names = " and ".join(side)
                lack = "no points for {}" if not given else "{} are partners and have different points"
                raise MatchError(lack.format(names))
            hand |= dict.fromkeys(side, given.pop())
        self.hands.append(hand)
        self.about.append(about or {})
        self.undone.clear()

    def add_score(self, score: Score) -> None:
        """Add a hand that was refereed; MatchError while it has not ended."""
        if not score.final:
            raise MatchError("the hand has not ended")
        self.add({seat: one.points for seat, one in score.hand.items()})

    def undo(self) -> dict[str, float]:
        """Take the last hand off and return it; MatchError when there is none."""
        if not self.hands:
            raise MatchError("no hand to take back")
        self.undone.append((self.hands.pop(), self.about.pop()))
        return self.undone[-1][0]

    def redo(self) -> dict[str, float]:
        """Put back the hand that was taken off last; MatchError when there is none."""
        if not self.undone:
            raise MatchError("no hand was taken back")
        hand, about = self.undone.pop()
        self.hands.append(hand)
        self.about.append(about)
        return hand

    @property
    def totals(self) -> dict[str, float]:
        """Total by seat."""
        return {seat: self.before.get(seat, 0) + sum(h[seat] for h in self.hands) for seat in self.seats}

    @property
    def winner(self) -> str | tuple[str, ...] | None:
        """The seat or partners that won; None while the match goes on (an equal highest total goes on)."""
        return match_winner(self.totals, self.sides, self.target) if self.hands else None

    @property
    def standing(self) -> str:
        """Who has won, or what is still to be played for, in words."""
        winner = self.winner
        if winner:
            return f"{winner if isinstance(winner, str) else '+'.join(winner)} won"
        best = max(self.totals.values())
        if not self.hands or best < self.target:
            return f"to {self.target:g}"
        level = " and ".join("+".join(side) for side in self.sides if self.totals[side[0]] == best)
        return f"{level} are level at {best:g}: one more hand"

    def __str__(self) -> str:
        names = ["+".join(side) for side in self.sides]
        width = max(8, *map(len, names)) + 2
        lines = ["hand" + "".join(f"{name:>{width}}" for name in names)]
        if any(self.before.values()):
            lines.append(self._row(" had", self.before, width))
        lines += [self._row(f"{number:>4}", hand, width) for number, hand in enumerate(self.hands, 1)]
        return "\n".join([*lines, self._row(" sum", self.totals, width), self.standing])

    def _row(self, name: str, points: Mapping[str, float], width: int) -> str:
        return name + "".join(f"{points.get(side[0], 0):>{width}g}" for side in self.sides)
