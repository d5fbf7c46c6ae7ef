"""The scorebook of a match: house rules, who plays together, every hand and how it was counted. No files.

>>> book = Scorebook.start("nerts", [("anna",), ("ben",)], {"target": 100})
>>> book.add_counts({"anna": Count(31, 0), "ben": Count(12, 8)}).hand
1
>>> book.match.totals
{'anna': 31, 'ben': -4}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from referee.matches.match import Match, MatchError, Step
from referee.matches.names import misleading, unknown_name, unreadable
from referee.matches.provenance import Likeness, Recorded, Source, Typed, ask_about
from referee.record.check import check_lines
from referee.rules.header import Header
from referee.rules.score import Score
from referee.rules.settings import Settings

T = TypeVar("T")
#: What a hand's points are made with: a hand of other values is not added to a match.
SCORING = ("nerts_cards", "penalty", "caller_bonus", "king_points")


@dataclass(frozen=True, slots=True)
class Count:
    """What was counted for a seat: own cards in the centre, cards left, and kings among those in the centre."""

    centre: int
    left: int = 0
    kings: int = 0


@dataclass(frozen=True, slots=True)
class Where:
    """Where a hand is to be written, if not where the book finds right."""

    #: In the place of the hand of this number (from 1).
    edit: int | None = None
    #: As a hand more, though it seems to be there already.
    again: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a hand that was to be written down."""

    hand: int
    #: In words, where it is no hand more: it was there already, or took the place of what stood there.
    told: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """A hand that a record tells of, adjudicated anew."""

    source: Recorded
    header: Header
    score: Score

    @classmethod
    def of(cls, record: bytes, name: str) -> Judged:
        """Of a record; MatchError names it and says why it is none of a hand that has ended."""
        result = check_lines(record.splitlines(keepends=True))
        if result.score is None or result.hand is None:
            raise MatchError(f"{name}: {result.errors[0]}")
        if not result.score.final:
            raise MatchError(f"{name}: the hand has not ended (it holds no call and no end)")
        if result.score.unknown is not None:
            raise MatchError(
                f"{name}: the hand had begun before the recording, so its score is not known: "
                "count the cards and add the points"
            )
        return cls(Recorded.of(name, record), result.hand.header, result.score)


@dataclass(slots=True)
class Scorebook:
    """A match with its rules. What cannot be written down raises MatchError and changes nothing."""

    settings: Settings
    match: Match

    @classmethod
    def start(
        cls,
        game: str,
        sides: Sequence[Sequence[str]],
        changed: Mapping[str, Any] | None = None,
        before: Mapping[str, float] | None = None,
        *,
        alike: bool = False,
    ) -> Scorebook:
        """A match that has not begun; SettingsError or MatchError for what cannot be.

        Names that are one name to people are asked about, unless they may be `alike`.
        """
        settings = Settings.of(game, changed)
        if "target" not in settings:
            raise MatchError(f"{game} is not played to a target: a match is of the Nerts family")
        seats = [seat for side in sides for seat in side]
        for seat, times in Counter(seats).items():
            if times > 1:
                raise MatchError(f"seat {seat!r} is named twice")
        doubt = next(filter(None, map(unreadable, seats)), None) or (None if alike else misleading(seats))
        if doubt:
            raise MatchError(doubt)
        if len(sides) < 2:
            raise MatchError("a match needs two players or more")
        if game == "team-nuts" and any(len(side) != 2 for side in sides):
            raise MatchError("team-nuts is played by two and two partners, like north+east,south+west")
        for seat in before or {}:
            if seat not in seats:
                raise MatchError(unknown_name(seat, seats))
        match = Match([tuple(side) for side in sides], settings.number("target"), dict(before or {}))
        return cls(settings, match)

    @classmethod
    def of(cls, header: Header, names: Mapping[str, str] | None = None) -> Scorebook:
        """The match that a hand's header belongs to; `names`: what its seats are called in the match."""
        match, names = Match.of(header), names or {}
        sides = [[names.get(seat, seat) for seat in side] for side in match.sides]
        before = {names.get(seat, seat): total for seat, total in match.before.items()}
        return cls.start(header.game, sides, header.settings.changed, before)

    def change(self, changed: Mapping[str, Any]) -> None:
        """House rules from now on; hands that are written down keep their points."""
        self.settings = Settings.of(self.settings.preset.name, {**self.settings.changed, **changed})
        self.match.target = self.settings.number("target")

    # -- adding hands --------------------------------------------------------------------------------------

    def add_points(
        self, points: Mapping[str, float], source: Source | None = None, where: Where | None = None
    ) -> Written:
        """A hand by its points; a side may be named by one of its seats or by all ("north+east")."""
        return self._write(self._by_seat(points), {}, source or Typed(), where or Where())

    def add_counts(
        self,
        counts: Mapping[str, Count],
        caller: str | None = None,
        source: Source | None = None,
        where: Where | None = None,
    ) -> Written:
        """A hand by what lies in the centre and is left. `caller`: who called, "nobody" if no one did.

        Who called must be said only where the rules pay for it.
        """
        bonus = self.settings.count("caller_bonus")
        counts = self._by_seat(counts)
        if caller not in (None, "nobody", *self.match.seats):
            raise MatchError(unknown_name(str(caller), self.match.seats))
        if caller is None and bonus:
            raise MatchError(
                f"{self.settings.preset.name} pays the caller {bonus}: say who called, or nobody"
            )
        hand = {}
        for seat, count in counts.items():
            self._check(seat, count)
            called = caller in self._side(seat)
            if called and count.left:
                raise MatchError(
                    f"{caller} called with {count.left} cards left: a false call ends no hand (N15)"
                )
            hand[seat] = self._entry(count, bonus if called else 0)
        points = {seat: entry["points"] for seat, entry in hand.items()}
        return self._write(points, {"hand": hand}, source or Typed(), where or Where())

    def add_record(
        self, judged: Judged, names: Mapping[str, str] | None = None, where: Where | None = None
    ) -> Written:
        """A hand by its record. `names`: what its seats are called in the match."""
        name, names = judged.source.name, names or {}
        self._check_scoring(judged.header.settings, name)
        for seat in names:
            if seat not in judged.score.hand:
                raise MatchError(f"{name}: nobody sits there: {unknown_name(seat, judged.score.hand)}")
        hand = {names.get(seat, seat): score.to_json() for seat, score in judged.score.hand.items()}
        points = {seat: entry["points"] for seat, entry in hand.items()}
        try:
            return self._write(points, {"hand": hand}, judged.source, where or Where())
        except MatchError as error:
            raise MatchError(f"{name}: {error}") from None

    def _write(
        self, points: Mapping[str, float], cards: Mapping[str, Any], source: Source, where: Where
    ) -> Written:
        """Write a hand down: where it is told to be, in its own place if it is there, or as a hand more."""
        step = Step(self.match.of_all(points), {**source.about, **cards}, where.edit)
        there = {} if where.again else self._like(source)
        if where.edit is not None:
            self.match.check_hand(where.edit)
            elsewhere = next((number for number in there if number != where.edit), None)
            if elsewhere is not None:
                raise MatchError(
                    f"{source.name} is hand {elsewhere} already: add --edit {elsewhere}, or --again to count it once more"
                )
            return self._put(where.edit, step, source)
        if there:
            return self._put_again(step, source, there)
        winner = self.match.winner
        if winner:
            raise MatchError(
                f"{self.match.standing} the match already: begin another one, or raise the target"
            )
        return Written(self.match.add(step.points, step.about).hand)

    def _like(self, source: Source) -> dict[int, Likeness]:
        """The hands of the book that this one may be, by their numbers."""
        entries = enumerate(self.match.entries, 1)
        likenesses = {number: source.likeness(entry.about) for number, entry in entries}
        return {number: one for number, one in likenesses.items() if one is not Likeness.OTHER}

    def _put_again(self, step: Step, source: Source, there: Mapping[int, Likeness]) -> Written:
        """A hand that is in the book already takes its own place; what is not sure is asked about."""
        sure = [number for number, likeness in there.items() if likeness is not Likeness.PARTLY]
        if not sure:
            number = next(iter(there))
            raise MatchError(ask_about(source, self.match.entries[number - 1].about, number))
        for number in sure:
            if there[number] is Likeness.EARLIER:
                told = f"{source.name} is kept already as hand {number}, with what was added to it later"
                return Written(number, f"{told} (--edit {number} takes it as it is here)")
            if self._stands(number, step, source):
                return self._put(number, step, source)
        if len(sure) > 1:
            numbers = " and ".join(map(str, sure))
            raise MatchError(
                f"{source.name} is in the match as hands {numbers}: say which it is, like --edit {sure[0]}"
            )
        return self._put(sure[0], step, source)

    def _put(self, number: int, step: Step, source: Source) -> Written:
        """Put a hand in the place of another; one that is the same is left as it is."""
        if self._stands(number, step, source):
            return Written(number, f"{source.name} is kept already as hand {number}")
        was = self.match.entries[number - 1].points
        self.match.edit(number, step.points, step.about)
        told = self.match.told
        return Written(number, f"hand {number} is now {told(step.points)} (it was {told(was)})")

    def _stands(self, number: int, step: Step, source: Source) -> bool:
        """Does this very hand stand there, counted in this very way?"""
        kept = self.match.entries[number - 1]
        same = step.points == kept.points and step.about.get("hand") == kept.about.get("hand")
        return same and source.likeness(kept.about) is Likeness.SAME

    def _by_seat(self, given: Mapping[str, T]) -> dict[str, T]:
        sides = {"+".join(side): side[0] for side in self.match.sides}
        return {sides.get(name, name): value for name, value in given.items()}

    def _side(self, seat: str) -> Collection[str]:
        return next((side for side in self.match.sides if seat in side), ())

    def _entry(self, count: Count, bonus: int) -> dict[str, int]:
        kings, penalty = self.settings.count("king_points"), self.settings.count("penalty")
        points = count.centre + kings * count.kings + bonus - penalty * count.left
        entry = {"centre": count.centre, "left": count.left, "bonus": bonus, "points": points}
        return entry | {"kings": count.kings} if count.kings else entry

    def _check(self, seat: str, count: Count) -> None:
        dealt = self.settings.count("nerts_cards")
        if count.left > dealt and not self.settings["onto_nuts"]:
            raise MatchError(
                f"{seat} has {count.left} cards left, {dealt} are dealt: centre first, then left"
            )
        if count.centre + count.left > 52:
            raise MatchError(f"{seat} has {count.centre + count.left} cards, a deck has 52")
        if count.kings > min(4, count.centre):
            raise MatchError(f"{seat} has {count.kings} kings among {count.centre} cards of one deck")

    def _check_scoring(self, played: Settings, name: str) -> None:
        if "target" not in played:
            raise MatchError(f"{name} is a hand of {played.preset.name}, which belongs to no match")
        for key in SCORING:
            if played[key] != self.settings[key]:
                raise MatchError(
                    f"{name} was played with {key} = {played[key]}, the match with {self.settings[key]}"
                )
