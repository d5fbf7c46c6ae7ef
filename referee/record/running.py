"""A record told for people while it grows: each line goes in, what it changes in the account comes out. Pure.

Rulings are those that stand written and were not withdrawn: the umpire keeps them fresh, nothing is checked anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from referee.record.account import Entry, Remark, told_entry
from referee.record.corrections import Replay, apply_corrections
from referee.rules.events import BadEventError, Correct, Doubt, Event, parse_event

Json = dict[str, Any]
#: Verdicts that are told beside all the plays that they are about.
_OF_ALL = ("first", "too-close", "both-stay")


@dataclass(slots=True)
class RunningAccount:
    """`push` the lines of one record, header first."""

    lines: list[Json] = field(default_factory=list)
    #: What is told now, by index and part.
    entries: dict[tuple[int, int], Entry] = field(default_factory=dict)
    _events: list[Event | None] = field(default_factory=list)

    def push(self, line: Json) -> list[Json]:
        """Take one line: the entries that are new or told otherwise, and those that are `gone`, each with its key.

        A line that cannot be read, or a correction that cannot be, changes nothing.
        """
        self.lines.append(line)
        self._events.append(_parsed(line))
        index = len(self.lines) - 1
        if index == 0:
            return []
        event = self._events[index]
        if event is not None and not isinstance(event, Correct | Doubt) and line.get("event") != "ruling":
            return self._changed(self._alone(index, event))
        return self._changed(self._anew())

    def _alone(self, index: int, event: Event) -> dict[tuple[int, int], Entry]:
        """The entries with one more, which nothing else is about yet."""
        entry = told_entry(index, event)
        return self.entries if entry is None else {**self.entries, (index, 0): entry}

    def _anew(self) -> dict[tuple[int, int], Entry]:
        """The entries of all lines, every correction applied."""
        lines, events = self._readable()
        try:
            replay = apply_corrections(lines, events)
        except ValueError:
            return self.entries
        withdrawn = {correct.of for correct in replay.corrections.values() if correct.drop}
        remarks = _remarks(lines, withdrawn, replay)
        told: dict[tuple[int, int], Entry] = {}
        for standing in replay.lines:
            key = standing.index, standing.part
            entry = told_entry(standing.index, standing, replay, remarks.get(key, ()))
            if entry is not None:
                told[key] = entry
        return told

    def _readable(self) -> tuple[list[Json], list[Event]]:
        """The lines, with what cannot be read in the place of which nothing is told."""
        nothing = {"event": "unreadable", "at": 0.0}
        lines = [
            nothing if event is None else line for line, event in zip(self.lines, self._events, strict=True)
        ]
        return [self.lines[0], *lines[1:]], [event or parse_event(nothing) for event in self._events]

    def _changed(self, now: Mapping[tuple[int, int], Entry]) -> list[Json]:
        was = self.entries
        self.entries = dict(now)
        changed = [to_json(key, entry) for key, entry in now.items() if was.get(key) != entry]
        return changed + [{"key": _text(key), "gone": True} for key in was if key not in now]

    def to_json(self) -> list[Json]:
        """All entries as they stand."""
        return [to_json(key, entry) for key, entry in self.entries.items()]


def to_json(key: tuple[int, int], entry: Entry) -> Json:
    """An entry with its key, for the page."""
    return {"key": _text(key), **entry.to_json()}


def _text(key: tuple[int, int]) -> str:
    return f"{key[0]}.{key[1]}"


def _parsed(line: Json) -> Event | None:
    try:
        return parse_event(line)
    except BadEventError:
        return None


def _remarks(
    lines: Sequence[Json], withdrawn: set[int], replay: Replay
) -> dict[tuple[int, int], tuple[Remark, ...]]:
    """The rulings that hold, by the entry beside which each is told."""
    seats = {(standing.index, standing.part): standing.event.seat or "" for standing in replay.lines}
    found: dict[tuple[int, int], tuple[Remark, ...]] = {}
    for index, line in enumerate(lines):
        if line.get("event") != "ruling" or index in withdrawn:
            continue
        rule, verdict, why = (str(line.get(name, "")) for name in ("rule", "verdict", "why"))
        remark = Remark(rule, verdict, why, line.get("confidence", 1.0))
        for key in _beside(line, seats):
            found[key] = (*found.get(key, ()), remark)
    return found


def _beside(ruling: Json, seats: Mapping[tuple[int, int], str]) -> list[tuple[int, int]]:
    """A tie is told beside all its plays, any other ruling beside the last event of whom it is about.

    `seats`: whose each event is, in the order in which they happened.
    """
    keys = [key for key in seats if key[0] in ruling.get("of", ())]
    if ruling.get("verdict") in _OF_ALL:
        return keys
    own = [key for key in keys if seats[key] == ruling.get("seat")]
    return (own or keys)[-1:]


def told_line(line: Json) -> Json | None:
    """A line by itself in words, for the page; None for what is not told."""
    event = _parsed(line)
    entry = None if event is None else told_entry(0, event)
    return None if entry is None else entry.to_json()
