"""Corrections applied: from the lines of a record to the events that are replayed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from referee.rules.events import (
    WEIGHTLESS,
    Aside,
    BadEventError,
    Begun,
    Call,
    Correct,
    Deal,
    Doubt,
    Event,
    Json,
    Motion,
    Other,
    parse_event,
)
from referee.rules.header import Header, HeaderError, parse_header


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
    #: Which of the events that its correction put in.
    part: int = 0

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
    #: By index: the corrections that stand, as they were corrected themselves, those of corrections too.
    corrections: dict[int, Correct] = field(default_factory=dict)

    @property
    def events(self) -> list[Standing]:
        """What is replayed, in order."""
        return [standing for standing in self.lines if standing.is_replayed]


@dataclass(slots=True)
class _Corrections:
    """The corrections of a record, resolved among themselves: each may be corrected or dropped by another.

    Such chains may be as long as the record, and go around: no function calls itself for each link.
    """

    lines: Sequence[Json]
    given: dict[int, Correct]
    final: dict[int, Correct | None] = field(default_factory=dict)
    #: By the index of a correction: those that are of it, in line order.
    _about: dict[int, list[int]] = field(default_factory=dict)

    def standing(self) -> dict[int, Correct]:
        """The corrections that stand, by index."""
        for index, correct in self.given.items():
            if correct.of in self.given and correct.of != index:
                self._about.setdefault(correct.of, []).append(index)
        for index in self.given:
            self._resolve(index)
        return {i: c for i in self.given if (c := self.final[i]) is not None}

    def _resolve(self, index: int) -> None:
        """Find the correction at an index as it stands in the end, those that are of it first."""
        if index in self.final:
            return
        # those under way: where corrections go around in a circle, the first one is not changed by the last
        under_way = {index: iter(self._about.get(index, ()))}
        while under_way:
            at, others = next(reversed(under_way.items()))
            other = next((o for o in others if o not in self.final and o not in under_way), None)
            if other is not None:
                under_way[other] = iter(self._about.get(other, ()))
            else:
                del under_way[at]
                self.final[at] = self._resolved(at, under_way)

    def _resolved(self, index: int, under_way: Collection[int]) -> Correct | None:
        """The correction at an index, changed by those that are of it; None if one drops it."""
        line, blamed = self.lines[index], index
        for other in self._about.get(index, ()):
            standing = None if other in under_way else self.final[other]
            if standing is not None and standing.drop:
                return None
            if standing is not None:
                line, blamed = {**line, **(standing.replace or {})}, other
        return _as_correct(line, blamed, len(self.lines))


def references(event: Event) -> list[tuple[str, int]]:
    """The indices of a record that an event names, each with the field that does."""
    if isinstance(event, Correct | Doubt):
        return [("of", event.of)]
    if isinstance(event, Call) and event.of is not None:
        return [("of", event.of)]
    if isinstance(event, Motion) and event.over is not None:
        return [("over", event.over)]
    return []


def check_references(event: Event, number: int, count: int) -> None:
    """LineError about the line of this number for an event that names an index beyond a record of `count` lines."""
    for key, of in references(event):
        if of >= count:
            raise LineError(number, f"{event.kind}: field {key!r} names event {of}, which is none")


def _as_correct(line: Json, blamed: int, count: int) -> Correct:
    event = _parse(line, blamed, count)
    if not isinstance(event, Correct):
        raise LineError(blamed + 1, "correct: a correction cannot become another kind of event")
    return event


def _parse(line: Json, index: int, count: int) -> Event:
    """An event that a correction or a doubt at an index tells of, in a record of `count` lines."""
    try:
        event = parse_event(line)
    except BadEventError as error:
        raise LineError(index + 1, str(error)) from None
    check_references(event, index + 1, count)
    return event


def apply_corrections(lines: Sequence[Json], events: Sequence[Event]) -> Replay:
    """Apply the corrections of a record. `events` are the parsed lines; `events[0]` stands for the header.

    LineError names the line of the correction or doubt that cannot be.
    """
    given = {index: event for index, event in enumerate(events) if isinstance(event, Correct)}
    standing = _Corrections(lines, given).standing()
    about: dict[int, list[int]] = {}
    for index, correct in standing.items():
        about.setdefault(correct.of, []).append(index)
    # those of corrections have had their say: the others stand as they were changed by them
    changed = {of: corrections for of, corrections in about.items() if of not in given}
    header = _header(lines[0], changed.get(0, ()), standing)
    left: list[Standing] = []
    doubts: dict[int, list[tuple[Event, int]]] = {}
    for index in range(len(lines)):
        corrections = changed.get(index, [])
        left += _inserted(corrections, standing, len(lines))
        if index == 0 or isinstance(events[index], Correct):
            continue
        now = _corrected(lines, events[index], index, corrections, standing)
        if isinstance(now.event, Doubt) and now.change != "dropped":
            if _is_settled(now.event.of, index, about, standing):
                continue
            _note_doubt(doubts, now.event, index, lines)
        if _is_told(now.event):
            left.append(now)
    return Replay(header, left, doubts, standing)


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
    lines: Sequence[Json],
    event: Event,
    index: int,
    corrections: Sequence[int],
    standing: dict[int, Correct],
) -> Standing:
    """The event of a line as corrected, and the line to blame for it; as it was written if it was dropped."""
    blamed, replaced = index, lines[index]
    for number in corrections:
        correct = standing[number]
        if correct.drop:
            return Standing(event, index, number, "dropped", correct.by)
        if correct.replace:
            replaced, blamed = {**replaced, **correct.replace}, number
    if blamed == index:
        return Standing(event, index, index)
    replaced = {name: value for name, value in replaced.items() if value is not None}
    return Standing(_parse(replaced, blamed, len(lines)), index, blamed, "corrected", standing[blamed].by)


def _inserted(corrections: Sequence[int], standing: dict[int, Correct], count: int) -> list[Standing]:
    found: list[Standing] = []
    for index in corrections:
        for part, line in enumerate(standing[index].insert):
            event = _parse(line, index, count)
            if isinstance(event, Correct | Doubt):
                raise LineError(index + 1, f"correct: an event of kind {event.kind!r} cannot be inserted")
            if _is_told(event):
                found.append(Standing(event, index, index, "inserted", standing[index].by, part))
    return found


def _is_settled(of: int, asked: int, about: dict[int, list[int]], standing: dict[int, Correct]) -> bool:
    """Whether a correction has said, after it was asked, what an event in doubt was."""
    later = [standing[number] for number in about.get(of, ()) if number > asked]
    return any(correct.replace or correct.drop for correct in later)


def _note_doubt(
    doubts: dict[int, list[tuple[Event, int]]],
    doubt: Doubt,
    index: int,
    lines: Sequence[Json],
) -> None:
    """Note what an event may have been."""
    if doubt.of == 0 or isinstance(parse_event(lines[doubt.of]), Begun | Deal | Aside | Correct | Doubt):
        return
    for candidate in doubt.candidates:
        other: dict[str, Any] = {**lines[doubt.of], **candidate}
        doubts.setdefault(doubt.of, []).append((_parse(other, index, len(lines)), index))
