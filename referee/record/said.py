"""The things that a person can say of a record, each as a value and as the JSON that a page sends.

| JSON | says |
| --- | --- |
| `{"of": 5, "with": {"cards": ["7H"]}}` | event 5 was otherwise; with nothing in it: it was so |
| `{"of": 5, "drop": true}` | there was no such event |
| `{"insert": [{…}], "of": 5}` | these were missed, before event 5; without `of`: by their moment |
| `{"doubt": 7, "candidate": 0}` | the answer to a doubt; `null`: it was as it is told |
| `{"undo": true}`, `{"undo": 9}` | the last correction by a person was wrong, or that one |

Events that a correction has put in have its index; `part` says which of them is meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.errors import BadInputError
from referee.rules.events import BadEventError, read_index, read_object, read_objects

Json = dict[str, Any]


class RefusedError(BadInputError):
    """What a person says of a record cannot be: the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Change:
    """The event was otherwise: `fields` are what was, as in its line; none: it was just as it is told."""

    of: int
    fields: Mapping[str, Any] = field(default_factory=dict)
    part: int = 0

    def to_json(self) -> Json:
        """As a page sends it."""
        return {"of": self.of, **_part(self.part), "with": dict(self.fields)}


@dataclass(frozen=True, slots=True)
class Insert:
    """Events that were missed, in order: before an event, else where their moment belongs."""

    events: tuple[Mapping[str, Any], ...]
    before: int | None = None
    part: int = 0

    def to_json(self) -> Json:
        """As a page sends it."""
        where = {} if self.before is None else {"of": self.before, **_part(self.part)}
        return {**where, "insert": [dict(event) for event in self.events]}


@dataclass(frozen=True, slots=True)
class Drop:
    """There was no such event."""

    of: int
    part: int = 0

    def to_json(self) -> Json:
        """As a page sends it."""
        return {"of": self.of, **_part(self.part), "drop": True}


@dataclass(frozen=True, slots=True)
class Answer:
    """Which of a doubt's candidates it was, counted from 0; None: as it is told."""

    doubt: int
    candidate: int | None = None

    def to_json(self) -> Json:
        """As a page sends it."""
        return {"doubt": self.doubt, "candidate": self.candidate}


@dataclass(frozen=True, slots=True)
class Undo:
    """A correction was wrong: that at an index of the record, else the last one by a person that stands."""

    of: int | None = None

    def to_json(self) -> Json:
        """As a page sends it."""
        return {"undo": True if self.of is None else self.of}


Said = Change | Insert | Drop | Answer | Undo


def said_of(value: Any) -> Said:
    """What a page has sent; RefusedError for what says nothing."""
    try:
        return _said(read_object(value))
    except (BadEventError, KeyError):
        raise RefusedError(
            "that is no correction: say with, insert or drop of an event, or a doubt's candidate, or undo"
        ) from None


def _said(value: Json) -> Said:
    if "undo" in value:
        _only(value, "undo")
        return Undo(None if value["undo"] is True else read_index(value["undo"]))
    if "doubt" in value:
        _only(value, "doubt", "candidate")
        candidate = value["candidate"]
        return Answer(read_index(value["doubt"]), None if candidate is None else read_index(candidate))
    of, part = value.get("of"), read_index(value.get("part", 0))
    if "insert" in value:
        _only(value, "of", "part", "insert")
        return Insert(read_objects(value["insert"]), None if of is None else read_index(of), part)
    if "drop" in value:
        _only(value, "of", "part", "drop")
        if value["drop"] is not True:
            raise BadEventError("is not true")
        return Drop(read_index(of), part)
    _only(value, "of", "part", "with")
    return Change(read_index(of), read_object(value["with"]), part)


def _only(value: Json, *names: str) -> None:
    if set(value) - set(names):
        raise BadEventError("has more fields")


def _part(part: int) -> Json:
    return {"part": part} if part else {}
