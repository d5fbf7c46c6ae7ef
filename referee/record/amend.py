"""What a person says is right, made into one correction of the record, which is derived anew before that is written.

A person says one thing at a time: a `Change` of an event, an `Insert` of what was missed, a `Drop` of what was not, an
`Answer` to a doubt, an `Undo`. What cannot be is refused in words. No files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from referee.record.account import Account, account_of
from referee.record.check import CheckResult, check_lines
from referee.record.edits import Record, person
from referee.record.lines import dump
from referee.record.said import Answer, Change, Drop, Insert, RefusedError, Said, Undo

Json = dict[str, Any]


class ContradictedError(RefusedError):
    """What a person says goes against what was seen elsewhere: it is written if they insist."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """A record with one more line: the correction, its index, and what holds now."""

    line: Json
    index: int
    result: CheckResult = field(repr=False)

    @property
    def account(self) -> Account:
        """The record in words, rulings and score made anew."""
        return account_of(self.result)


def correct(
    lines: Sequence[Json], said: Said, by: str, *, at: float | None = None, insist: bool = False
) -> Corrected:
    """The one `correct` line that makes a record (header first) say what a person says, for whoever writes it.

    `by`: the person's name; `at`: when they said so (s), else the record's last moment. RefusedError says in words why
    it cannot be; ContradictedError that it cannot be true together with another event, unless they `insist`.
    """
    record = Record.of(lines)
    name, told = person(by), _told(said, record)
    if "insert" in told.get("with", {}):
        told["with"]["by"] = name
    moment = record.latest if at is None else at
    line = {"event": "correct", "at": moment, **told, "by": name}
    result = _derived([*lines, line])
    if result.errors:
        before = _derived(lines)
        raise RefusedError(
            f"the record cannot be read ({before.errors[0]}): mend that first"
            if before.errors
            else f"that cannot be: {without_line(result.errors[0])}"
        )
    if not insist and not isinstance(said, Drop | Undo):
        _refuse_contradictions(lines, result)
    return Corrected(line, len(lines), result)


def _told(said: Said, record: Record) -> Json:
    """What the correction says, and of which event."""
    if isinstance(said, Change):
        return record.changed(said)
    if isinstance(said, Insert):
        return record.inserted(said)
    if isinstance(said, Drop):
        return record.dropped(said.of, said.part)
    if isinstance(said, Answer):
        return record.answered(said)
    assert isinstance(said, Undo)
    return record.undone(said.of)


def _derived(lines: Sequence[Json]) -> CheckResult:
    return check_lines(dump(line) + b"\n" for line in lines)


def _refuse_contradictions(lines: Sequence[Json], result: CheckResult) -> None:
    """ContradictedError where two events say of one card what cannot both be, and did not before."""
    now = _contradictions(result)
    fresh = now and sorted(now - _contradictions(_derived(lines)), key=lambda each: max(each[0]))
    if fresh:
        of, why = fresh[-1]
        raise ContradictedError(
            f"that goes against event {min(of)}: {why.rstrip('.')}: correct the other one first, or say that it was so"
        )


def _contradictions(result: CheckResult) -> set[tuple[tuple[int, ...], str]]:
    return {(ruling.of, ruling.why) for ruling in result.rulings if ruling.ruling == "contradiction"}


def without_line(error: str) -> str:
    """An error of the record without the number of its line, which a person has never seen."""
    return error.partition(": ")[2] or error
