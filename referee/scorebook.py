"""The scorebook of a match: house rules, who plays together, every hand and how it was counted. No files.

>>> book = Scorebook.start("nerts", [("anna",), ("ben",)], {"target": 100})
>>> book.add_counts({"anna": Count(31, 0), "ben": Count(12, 8)})
>>> book.match.totals
{'anna': 31, 'ben': -4}
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

from referee.check import check_lines
from referee.header import Header
from referee.match import Match, MatchError
from referee.settings import Settings, SettingsError

T = TypeVar("T")
#: What a hand's points are made with: a hand of other values is not added to a match.
SCORING = ("nerts_cards", "penalty", "caller_bonus", "king_points")


@dataclass(frozen=True, slots=True)
class Count:
    """What was counted for a seat: own cards in the centre, cards left, and kings among those in the centre."""

    centre: int
    left: int = 0
    kings: int = 0


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
    ) -> Scorebook:
        """A match that has not begun; SettingsError or MatchError for what cannot be."""
        settings = Settings.of(game, changed)
        if "target" not in settings:
            raise MatchError(f"{game} is not played to a target: a match is of the Nerts family")
        seats = [seat for side in sides for seat in side]
        for seat in seats:
            if seats.count(seat) > 1:
                raise MatchError(f"seat {seat!r} is named twice")
        if len(sides) < 2:
            raise MatchError("a match needs two players or more")
        if game == "team-nuts" and any(len(side) != 2 for side in sides):
            raise MatchError("team-nuts is played by two and two partners, like north+east,south+west")
        for seat in before or {}:
            if seat not in seats:
                raise MatchError(f"unknown seat {seat!r} (playing: {', '.join(seats)})")
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

    def add_points(self, points: Mapping[str, float], about: Mapping[str, Any] | None = None) -> None:
        """A hand by its points; a side may be named by one of its seats or by all ("north+east")."""
        winner = self.match.winner
        if winner:
            raise MatchError(
                f"{self.match.standing} the match already: begin another one, or raise the target"
            )
        self.match.add(self._by_seat(points), about)

    def add_counts(self, counts: Mapping[str, Count], caller: str | None = None, by: str = "typed") -> None:
        """A hand by what lies in the centre and is left. `caller`: who called, "nobody" if no one did.

        Who called must be said only where the rules pay for it.
        """
        bonus = self.settings.count("caller_bonus")
        counts = self._by_seat(counts)
        if caller not in (None, "nobody", *self.match.seats):
            raise MatchError(f"unknown seat {caller!r} (playing: {', '.join(self.match.seats)})")
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
        self.add_points(points, {"from": by, "hand": hand})

    def add_record(self, record: bytes, name: str, names: Mapping[str, str] | None = None) -> None:
        """A hand by its record, adjudicated anew. `names`: what its seats are called in the match."""
        digest = sha256(record).hexdigest()[:16]
        for number, about in enumerate(self.match.about, 1):
            if about.get("digest") == digest:
                raise MatchError(f"{name} is in this match already, as hand {number}")
        result = check_lines(record.splitlines(keepends=True))
        if result.score is None or result.hand is None:
            raise MatchError(f"{name}: {result.errors[0]}")
        self._check_scoring(result.hand.header.settings, name)
        if not result.score.final:
            raise MatchError(f"{name}: the hand has not ended (it holds no call and no end)")
        names = names or {}
        for seat in names:
            if seat not in result.score.hand:
                raise MatchError(f"{name}: nobody sits at {seat!r} (seats: {', '.join(result.score.hand)})")
        hand = {names.get(seat, seat): score.to_json() for seat, score in result.score.hand.items()}
        points = {seat: entry["points"] for seat, entry in hand.items()}
        about = {"from": "record", "record": name, "digest": digest, "hand": hand}
        try:
            self.add_points(points, about)
        except MatchError as error:
            raise MatchError(f"{name}: {error}") from None

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

    # -- as JSON -------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """The book as a match file holds it."""
        match = self.match
        hands = zip(match.hands, match.about, strict=True)
        return {
            "match": 1,
            "game": self.settings.preset.name,
            "settings": dict(self.settings.changed),
            "sides": [list(side) for side in match.sides],
            "before": dict(match.before),
            "hands": [{"points": points, **about} for points, about in hands],
            "undone": [{"points": points, **about} for points, about in match.undone],
        }

    def report(self) -> dict[str, Any]:
        """The book with what follows from it: totals, winner and standing."""
        winner = self.match.winner
        return self.to_json() | {
            "target": self.match.target,
            "totals": self.match.totals,
            "winner": list(winner) if isinstance(winner, tuple) else winner,
            "standing": self.match.standing,
        }


def parse_book(value: Any) -> Scorebook:
    """The scorebook of a match file, or of plain totals by seat; MatchError says what is wrong with it."""
    if not isinstance(value, dict) or not value:
        raise MatchError("it holds no match")
    if "match" not in value and all(_is_number(total) for total in value.values()):
        return Scorebook.start("nerts", [[seat] for seat in value], before=value)
    if value.get("match") != 1:
        raise MatchError("field 'match' must be 1")
    game, changed, sides = value.get("game"), value.get("settings", {}), value.get("sides")
    if not isinstance(game, str) or not isinstance(changed, dict):
        raise MatchError("field 'game' or 'settings' is missing or no such thing")
    if not isinstance(sides, list) or not all(map(_is_side, sides)):
        raise MatchError("field 'sides' must list who plays together, like [['north'], ['south']]")
    try:
        book = Scorebook.start(game, sides, changed, _numbers(value.get("before", {}), "before"))
    except SettingsError as error:
        raise MatchError(str(error)) from None
    for points, about in _hands(value, "hands"):
        book.match.add(points, about)
    book.match.undone = _hands(value, "undone")
    for points, _ in book.match.undone:
        if set(points) != set(book.match.seats):
            raise MatchError("field 'undone' holds points of other seats than play")
    return book


def _hands(value: Mapping[str, Any], key: str) -> list[tuple[dict[str, float], Mapping[str, Any]]]:
    hands = value.get(key, [])
    if not isinstance(hands, list) or not all(isinstance(hand, dict) for hand in hands):
        raise MatchError(f"field {key!r} is no list of hands")
    return [
        (_numbers(hand.get("points"), key), {name: more for name, more in hand.items() if name != "points"})
        for hand in hands
    ]


def _numbers(value: Any, key: str) -> dict[str, float]:
    if not isinstance(value, dict) or not all(_is_number(number) for number in value.values()):
        raise MatchError(f"field {key!r} holds no points by seat")
    return dict(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -1e9 < value < 1e9


def _is_side(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(seat, str) and seat for seat in value) and bool(value)
