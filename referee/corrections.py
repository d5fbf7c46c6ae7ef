"""Corrections applied: from the lines of a record to the events that are replayed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from referee.events import (
    WEIGHTLESS,
    Aside,
    BadEventError,
    Correct,
    Deal,
    Doubt,
    Event,
    Json,
    Other,
    parse_event,
)
from referee.header import Header, HeaderError, parse_header


class LineError(ValueError):
    """A line of a record that cannot be. `number` counts from 1, the header is line 1."""

    def __init__(self, number: int, message: str) -> None:
        super().__init__(f"line {number}: {message}")
        self.number = number


Change = Literal["", "corrected", "inserted", "dropped"]


@dataclass(frozen=True, slots=True)
class Standing:
    """An event as it stands when every correction is applied."""

    event: Event
    #: The index it is cited by, and the line (an index) to blame if it cannot be.
    index: int
    blamed: int
    #: What a correction has done to it, and who made that (None = not said).
    change: Change = ""
    by: str | None = None

    @property
    def is_replayed(self) -> bool:
        """Whether it happened at the table, as far as is known now."""
        return self.change != "dropped" and not isinstance(self.event, Doubt | Aside)


@dataclass(frozen=True, slots=True)
class Replay:
    """What is left of a record when every correction is applied."""

    header: Header
    #: In line order: what is replayed, doubts that are open, kinds that are not known, and what was dropped.
    lines: Sequence[Standing]
    #: By index of the event in doubt: what else it may have been, and the index of the doubt's line.
    doubts: dict[int, list[tuple[Event, int]]]

    @property
    def events(self) -> list[Standing]:
        """What is replayed, in order."""
        return [standing for standing in self.lines if standing.is_replayed]


@dataclass(slots=True)
class _Corrections:
    """The corrections of a record, resolved among themselves: each may be corrected or dropped by another."""

    lines: Sequence[Json]
    given: dict[int, Correct]
    final: dict[int, Correct | None] = field(default_factory=dict)
    _open: set[int] = field(default_factory=set)

    def resolve(self, index: int) -> Correct | None:
        """The correction at an index as it stands in the end; None if it was dropped."""
        if index in self.final:
            return self.final[index]
        if index in self._open:
            return None
        self._open.add(index)
        line: Json | None = dict(self.lines[index])
        blamed = index
        for other, correct in self.given.items():
            if correct.of == index and other != index:
                standing = self.resolve(other)
                if standing is None or line is None:
                    continue
                line, blamed = (None if standing.drop else {**line, **(standing.replace or {})}), other
        self._open.discard(index)
        self.final[index] = None if line is None else _as_correct(line, blamed)
        return self.final[index]

    def standing(self) -> dict[int, Correct]:
        """The corrections that stand, by index, of lines that are no corrections themselves."""
        found = {index: self.resolve(index) for index in self.given}
        return {i: c for i, c in found.items() if c is not None and c.of not in self.given}


def _as_correct(line: Json, blamed: int) -> Correct:
    event = _parse(line, blamed)
    if not isinstance(event, Correct):
        raise LineError(blamed + 1, "correct: a correction cannot become another kind of event")
    return event


def _parse(line: Json, index: int) -> Event:
    try:
        return parse_event(line)
    except BadEventError as error:
        raise LineError(index + 1, str(error)) from None


def apply_corrections(lines: Sequence[Json], events: Sequence[Event]) -> Replay:
    """Apply the corrections of a record. `events` are the parsed lines; `events[0]` stands for the header.

    LineError names the line of the correction or doubt that cannot be.
    """
    given = {index: event for index, event in enumerate(events) if isinstance(event, Correct)}
    standing = _Corrections(lines, given).standing()
    changed: dict[int, list[int]] = {}
    for index, correct in standing.items():
        changed.setdefault(correct.of, []).append(index)
    header = _header(lines[0], changed.get(0, ()), standing)
    left: list[Standing] = []
    doubts: dict[int, list[tuple[Event, int]]] = {}
    for index in range(len(lines)):
        corrections = changed.get(index, [])
        left += _inserted(corrections, standing)
        if index == 0 or isinstance(events[index], Correct):
            continue
        now = _corrected(lines[index], events[index], index, corrections, standing)
        if isinstance(now.event, Doubt) and now.change != "dropped":
            if _is_settled(now.event.of, changed, standing):
                continue
            _note_doubt(doubts, now.event, index, lines)
        if _is_told(now.event):
            left.append(now)
    return Replay(header, left, doubts)


def _is_told(event: Event) -> bool:
    """Whether an event says anything: rulings and scores that were written before do not, nor do corrections."""
    return not isinstance(event, Correct) and not (isinstance(event, Other) and event.name in WEIGHTLESS)


def _header(line: Json, corrections: Sequence[int], standing: dict[int, Correct]) -> Header:
    blamed = 0
    for index in corrections:
        if standing[index].drop:
            raise LineError(index + 1, "correct: the header cannot be dropped")
        if standing[index].replace:
            line, blamed = {**line, **(standing[index].replace or {})}, index
    try:
        return parse_header(line)
    except HeaderError as error:
        raise LineError(blamed + 1, str(error)) from None


def _corrected(
    line: Json, event: Event, index: int, corrections: Sequence[int], standing: dict[int, Correct]
) -> Standing:
    """The event of a line as corrected, and the line to blame for it; as it was written if it was dropped."""
    blamed, replaced = index, line
    for number in corrections:
        correct = standing[number]
        if correct.drop:
            return Standing(event, index, number, "dropped", correct.by)
        if correct.replace:
            replaced, blamed = {**replaced, **correct.replace}, number
    if blamed == index:
        return Standing(event, index, index)
    return Standing(_parse(replaced, blamed), index, blamed, "corrected", standing[blamed].by)


def _inserted(corrections: Sequence[int], standing: dict[int, Correct]) -> list[Standing]:
    found: list[Standing] = []
    for index in corrections:
        for line in standing[index].insert:
            event = _parse(line, index)
            if isinstance(event, Correct | Doubt):
                raise LineError(index + 1, f"correct: an event of kind {event.kind!r} cannot be inserted")
            if _is_told(event):
                found.append(Standing(event, index, index, "inserted", standing[index].by))
    return found


def _is_settled(of: int, changed: dict[int, list[int]], standing: dict[int, Correct]) -> bool:
    """Whether a correction has said what an event in doubt was."""
    return any(standing[number].replace or standing[number].drop for number in changed.get(of, ()))


def _note_doubt(
    doubts: dict[int, list[tuple[Event, int]]],
    doubt: Doubt,
    index: int,
    lines: Sequence[Json],
) -> None:
    """Note what an event may have been."""
    if doubt.of == 0 or isinstance(parse_event(lines[doubt.of]), Deal | Aside | Correct | Doubt):
        return
    for candidate in doubt.candidates:
        other: dict[str, Any] = {**lines[doubt.of], **candidate}
        doubts.setdefault(doubt.of, []).append((_parse(other, index), index))
