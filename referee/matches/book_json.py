"""A scorebook as JSON: what a match file holds. No files.

`hands` are the hands as they stand, so that a reader needs nothing else. `edits` are what stood in their places
before, each with how many hands there were when it was replaced; `undone` what was taken back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.matches.match import Match, MatchError, Step
from referee.matches.scorebook import Scorebook
from referee.rules.settings import SettingsError

Json = dict[str, Any]
#: The version that is written, and read.
VERSION = 1


def book_to_json(book: Scorebook) -> Json:
    """The book as a match file holds it."""
    match = book.match
    edits = _edits(match)
    return {
        "match": VERSION,
        "game": book.settings.preset.name,
        "settings": dict(book.settings.changed),
        "sides": [list(side) for side in match.sides],
        "before": dict(match.before),
        "hands": [_hand(entry) for entry in match.entries],
        **({"edits": edits} if edits else {}),
        "undone": [_hand(step) | _place(step) for step in match.undone],
    }


def report(book: Scorebook) -> Json:
    """The book with what follows from it: totals, winner and standing."""
    winner = book.match.winner
    return book_to_json(book) | {
        "target": book.match.target,
        "totals": book.match.totals,
        "winner": list(winner) if isinstance(winner, tuple) else winner,
        "standing": book.match.standing,
    }


def parse_book(value: Any) -> Scorebook:
    """The scorebook of a match file, or of plain totals by seat; MatchError says what is wrong with it."""
    if not isinstance(value, dict) or not value:
        raise MatchError("it holds no match")
    if "match" not in value and all(_is_number(total) for total in value.values()):
        return Scorebook.start("nerts", [[seat] for seat in value], before=value)
    _check_version(value.get("match"))
    game, changed, sides = value.get("game"), value.get("settings", {}), value.get("sides")
    if not isinstance(game, str) or not isinstance(changed, dict):
        raise MatchError("field 'game' or 'settings' is missing or no such thing")
    if not isinstance(sides, list) or not all(map(_is_side, sides)):
        raise MatchError("field 'sides' must list who plays together, like [['north'], ['south']]")
    before = _numbers(value.get("before", {}), "before")
    try:
        # what was asked about names, or was not yet, is settled once hands are written down
        book = Scorebook.start(game, sides, changed, before, alike=True)
    except SettingsError as error:
        raise MatchError(str(error)) from None
    _fill(book.match, value)
    return book


def _check_version(version: Any) -> None:
    whole = isinstance(version, int) and not isinstance(version, bool)
    if whole and version > VERSION:
        raise MatchError(f"it is of a later version than {VERSION}: use a newer nerts-referee")
    if not whole or version != VERSION:
        raise MatchError(f"field 'match' must be {VERSION}")


def _fill(match: Match, value: Mapping[str, Any]) -> None:
    """Put the steps into a match that led to the hands of a match file, and those that were taken back."""
    match.steps = _steps(match, value)
    undone = [_step(match, entry, "undone") for entry in _list(value, "undone")]
    count = len(match.hands)
    for step in reversed(undone):
        if step.edits is not None and step.edits > count:
            raise MatchError("field 'undone' edits a hand that is not there")
        count += step.edits is None
    match.undone = undone


def _edits(match: Match) -> list[Json]:
    """What stood in the places of hands before they were edited, in the order of the edits."""
    entries: list[Step] = []
    edits: list[Json] = []
    for step in match.steps:
        if step.edits is None:
            entries.append(step)
        else:
            was = entries[step.edits - 1]
            edits.append({"edited": step.edits, "of": len(entries), "was": _hand(was)})
            entries[step.edits - 1] = step
    return edits


def _steps(match: Match, value: Mapping[str, Any]) -> list[Step]:
    """The steps that led to the hands of a match file, found from the last one back to the first."""
    entries = [_step(match, hand, "hands") for hand in _list(value, "hands")]
    steps: list[Step] = []
    for edit in reversed(_list(value, "edits")):
        number, count, was = _count(edit.get("edited")), _count(edit.get("of")), edit.get("was")
        if not 1 <= number <= count <= len(entries):
            raise MatchError("field 'edits' tells of a hand that was not there")
        if not isinstance(was, dict):
            raise MatchError("field 'edits' does not say what stood there before")
        while len(entries) > count:
            steps.append(entries.pop())
        now = entries[number - 1]
        steps.append(Step(now.points, now.about, number))
        entries[number - 1] = _step(match, was, "edits")
    return [*entries, *reversed(steps)]


def _hand(step: Step) -> Json:
    return {"points": step.points, **step.about}


def _place(step: Step) -> Json:
    return {} if step.edits is None else {"edits": step.edits}


def _step(match: Match, value: Mapping[str, Any], key: str) -> Step:
    """A hand as a match file holds it."""
    points, edits = _numbers(value.get("points"), key), value.get("edits")
    if edits is not None and (key != "undone" or _count(edits) < 1):
        raise MatchError(f"field {key!r} holds an edit of no hand")
    if key != "hands" and set(points) != set(match.seats):
        raise MatchError(f"field {key!r} holds points of other seats than play")
    about = {name: more for name, more in value.items() if name not in ("points", "edits")}
    return Step(match.of_all(points), about, edits)


def _list(value: Mapping[str, Any], key: str) -> list[Json]:
    hands = value.get(key, [])
    if not isinstance(hands, list) or not all(isinstance(hand, dict) for hand in hands):
        raise MatchError(f"field {key!r} is no list of hands")
    return hands


def _numbers(value: Any, key: str) -> dict[str, float]:
    if not isinstance(value, dict) or not all(_is_number(number) for number in value.values()):
        raise MatchError(f"field {key!r} holds no points by seat")
    return dict(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -1e9 < value < 1e9


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _is_side(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(seat, str) and seat for seat in value) and bool(value)
