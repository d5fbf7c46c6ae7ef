"""A match: hands added up until somebody has the target (N18). With or without a camera."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from referee.matches.names import unknown_name
from referee.rules.header import Header
from referee.rules.score import Score, match_winner


class MatchError(ValueError):
    """Points for a seat that does not play, or not for all that do."""


@dataclass(frozen=True, slots=True)
class Step:
    """Something written down: the points of a hand more, or others for a hand that is there."""

    points: dict[str, float]
    #: What the match itself does not look at: where the hand comes from, its cards.
    about: Mapping[str, Any] = field(default_factory=dict)
    #: The number (from 1) of the hand whose place these take; None for a hand more.
    edits: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What a step did to a hand: the points that stood there and those that stand there now; None for none."""

    hand: int
    was: Mapping[str, float] | None
    now: Mapping[str, float] | None


@dataclass(slots=True)
class Match:
    """The hands of a match. `sides` lists the seats that play together; partners share their points.

    >>> match = Match((("north",), ("south",)), target=50)
    >>> match.add({"north": 31, "south": -4})
    Change(hand=1, was=None, now={'north': 31, 'south': -4})
    >>> match.edit(1, {"north": 31, "south": 4}).was
    {'north': 31, 'south': -4}
    >>> match.undo().now
    {'north': 31, 'south': -4}
    >>> match.add({"north": 22, "south": 12}).hand
    2
    >>> match.totals, match.winner
    ({'north': 53, 'south': 8}, 'north')
    """

    sides: Sequence[tuple[str, ...]]
    target: float
    #: Totals that the match began with, by seat.
    before: Mapping[str, float] = field(default_factory=dict)
    #: All that was written down, in its order; the hands follow from it.
    steps: list[Step] = field(default_factory=list)
    #: Steps that were taken back; the last one is first to come again.
    undone: list[Step] = field(default_factory=list)

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

    @property
    def entries(self) -> list[Step]:
        """The hands as they stand: of each the step that was written down last."""
        entries: list[Step] = []
        for step in self.steps:
            if step.edits is None:
                entries.append(step)
            else:
                entries[step.edits - 1] = step
        return entries

    @property
    def hands(self) -> list[dict[str, float]]:
        """The points of each hand, by seat."""
        return [entry.points for entry in self.entries]

    def add(self, points: Mapping[str, float], about: Mapping[str, Any] | None = None) -> Change:
        """Add a hand. One seat of each side is enough; MatchError for a seat that is unknown or missing."""
        return self._take(Step(self.of_all(points), about or {}))

    def edit(self, hand: int, points: Mapping[str, float], about: Mapping[str, Any] | None = None) -> Change:
        """Put other points in the place of a hand's (counted from 1); MatchError for a hand that is not there."""
        self.check_hand(hand)
        return self._take(Step(self.of_all(points), about or {}, edits=hand))

    def add_score(self, score: Score) -> Change:
        """Add a hand that was refereed; MatchError while it has not ended."""
        if not score.final:
            raise MatchError("the hand has not ended")
        return self.add({seat: one.points for seat, one in score.hand.items()})

    def undo(self) -> Change:
        """Take the last step back, a hand or an edit; MatchError when there is none."""
        if not self.steps:
            raise MatchError("no hand to take back")
        before, number = self.entries, self.steps[-1].edits or len(self.hands)
        self.undone.append(self.steps.pop())
        now = self.hands[number - 1] if number <= len(self.hands) else None
        return Change(number, before[number - 1].points, now)

    def redo(self) -> Change:
        """Put back the step that was taken back last; MatchError when there is none."""
        if not self.undone:
            raise MatchError("no hand was taken back")
        return self._push(self.undone.pop())

    def check_hand(self, hand: int) -> None:
        """MatchError unless there is a hand of this number."""
        count = len(self.hands)
        if not 1 <= hand <= count:
            has = f"they are 1 to {count}" if count > 1 else "it is 1" if count else "there is none yet"
            raise MatchError(f"there is no hand {hand}: {has}")

    def _take(self, step: Step) -> Change:
        self.undone.clear()
        return self._push(step)

    def _push(self, step: Step) -> Change:
        hands = self.hands
        self.steps.append(step)
        if step.edits is None:
            return Change(len(hands) + 1, None, step.points)
        return Change(step.edits, hands[step.edits - 1], step.points)

    def of_all(self, points: Mapping[str, float]) -> dict[str, float]:
        """The points of every seat, from those of one seat a side."""
        for seat in points:
            if seat not in self.seats:
                raise MatchError(unknown_name(seat, self.seats))
        hand: dict[str, float] = {}
        for side in self.sides:
            given = {points[seat] for seat in side if seat in points}
            if len(given) != 1:
                names = " and ".join(side)
                lack = "no points for {}" if not given else "{} are partners and have different points"
                raise MatchError(lack.format(names))
            hand |= dict.fromkeys(side, given.pop())
        return hand

    @property
    def totals(self) -> dict[str, float]:
        """Total by seat."""
        hands = self.hands
        return {seat: self.before.get(seat, 0) + sum(h[seat] for h in hands) for seat in self.seats}

    @property
    def winner(self) -> str | tuple[str, ...] | None:
        """The seat or partners that won; None while the match goes on (an equal highest total goes on)."""
        return match_winner(self.totals, self.sides, self.target) if self.steps else None

    @property
    def standing(self) -> str:
        """Who has won, or what is still to be played for, in words."""
        winner = self.winner
        if winner:
            return f"{winner if isinstance(winner, str) else '+'.join(winner)} won"
        best = max(self.totals.values())
        if not self.steps or best < self.target:
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

    def told(self, points: Mapping[str, float]) -> str:
        """The points of a hand in words."""
        return ", ".join(f"{'+'.join(side)} {points[side[0]]:g}" for side in self.sides)

    def _row(self, name: str, points: Mapping[str, float], width: int) -> str:
        return name + "".join(f"{points.get(side[0], 0):>{width}g}" for side in self.sides)
