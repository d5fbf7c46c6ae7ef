"""A record under other rules: what would be ruled and scored otherwise. The record stays as it is. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.record.amend import without_line
from referee.record.check import CheckResult, check_lines
from referee.record.lines import dump
from referee.record.said import RefusedError
from referee.rules.rulings import Ruling
from referee.rules.settings import Settings, SettingsError

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Otherwise:
    """The differences between what holds and what would hold under `settings`; empty where there are none."""

    settings: Settings
    #: Rulings that hold now alone, and those that there would be instead.
    now: tuple[Ruling, ...]
    there: tuple[Ruling, ...]
    #: By seat, where it differs: the score's fields now and there; and what else of the score differs.
    scores: Mapping[str, tuple[Json, Json]]
    score: Mapping[str, tuple[Any, Any]]

    def __bool__(self) -> bool:
        return bool(self.now or self.there or self.scores or self.score)

    def to_json(self) -> Json:
        """For the page."""
        return {
            "game": self.settings.preset.name,
            "settings": dict(self.settings.changed),
            "rulings": {
                "now": [ruling.to_json() for ruling in self.now],
                "there": [ruling.to_json() for ruling in self.there],
            },
            "hand": {seat: {"now": now, "there": there} for seat, (now, there) in self.scores.items()},
            "score": {name: {"now": now, "there": there} for name, (now, there) in self.score.items()},
        }


def under(
    lines: Sequence[Json], game: str | None = None, settings: Mapping[str, Any] | None = None
) -> Otherwise:
    """What another game or house rules would change in a record (header first), as corrected by now.

    `settings` are those that differ from the game's own; `game` is the record's own if not told. RefusedError for rules
    that cannot be, and for a hand that cannot be one of that game.
    """
    now = _derived(lines)
    if now.errors:
        raise RefusedError(f"the record cannot be read ({now.errors[0]}): mend that first")
    assert now.record is not None and now.score is not None
    try:
        rules = Settings.of(now.record.header.game if game is None else game, settings)
    except SettingsError as error:
        raise RefusedError(f"there are no such rules: {error}") from None
    changed = {"game": rules.preset.name, "settings": dict(rules.changed)}
    there = _derived([*lines, {"event": "correct", "at": 0.0, "of": 0, "with": changed}])
    if there.errors:
        why = without_line(there.errors[0])
        raise RefusedError(f"this hand cannot be one of {rules.preset.title}: {why}")
    assert there.score is not None
    here, other = now.score.to_json(), there.score.to_json()
    scores = {seat: (had, other["hand"][seat]) for seat, had in here["hand"].items()}
    score = {name: (here[name], other[name]) for name in ("match", "winner", "final")}
    return Otherwise(
        rules,
        _missing(now.rulings, there.rulings),
        _missing(there.rulings, now.rulings),
        {seat: pair for seat, pair in scores.items() if pair[0] != pair[1]},
        {name: pair for name, pair in score.items() if pair[0] != pair[1]},
    )


def _derived(lines: Sequence[Json]) -> CheckResult:
    return check_lines(dump(line) + b"\n" for line in lines)


def _missing(rulings: Sequence[Ruling], others: Sequence[Ruling]) -> tuple[Ruling, ...]:
    """Those that are not among the others; a variant's own number of the same rule is no difference."""
    there = {_key(ruling) for ruling in others}
    return tuple(ruling for ruling in rulings if _key(ruling) not in there)


def _key(ruling: Ruling) -> tuple[object, ...]:
    return ruling.ruling, ruling.of, ruling.seat, ruling.verdict
