"""A record that is corrected: which event is meant, and what the correction has to say of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.record.account import UMPIRE, event_text
from referee.record.corrections import LineError, Replay, Standing, apply_corrections
from referee.record.lines import dump, read_lines
from referee.record.said import Answer, Change, Insert, RefusedError
from referee.rules.events import (
    COMMON,
    KINDS,
    Aside,
    BadEventError,
    Correct,
    Doubt,
    Event,
    parse_event,
)

Json = dict[str, Any]
#: What can be said otherwise of the header: whatever else it holds is the record's own.
_OF_HEADER = frozenset({"game", "settings", "seats", "dealer", "match"})
#: What is measured, not told: it goes when what it measures is said otherwise.
_MEASURED = ("lifted", "landed")
#: Characters of a person's name.
_LONGEST_NAME = 60


def person(by: str) -> str:
    """A person's name as it is written beside a correction; RefusedError for what is none."""
    name = " ".join(by.split())
    if not name or not name.isprintable() or len(name) > _LONGEST_NAME:
        raise RefusedError(f"a correction needs a name of 1 to {_LONGEST_NAME} letters: say who you are")
    if name.casefold() == UMPIRE:
        raise RefusedError(f"{UMPIRE!r} is what the camera's own corrections are called: take another name")
    return name


@dataclass(frozen=True, slots=True)
class Record:
    """The lines of a record as they came, and what holds of them; methods give the fields of a `correct` line."""

    lines: Sequence[Json]
    events: Sequence[Event]
    now: Replay
    #: The latest moment that it tells of, s.
    latest: float

    @classmethod
    def of(cls, lines: Sequence[Json]) -> Record:
        """RefusedError for lines that cannot be read."""
        read = read_lines(dump(line) + b"\n" for line in lines)
        try:
            if read.error is not None:
                raise read.error
            now = apply_corrections(read.objects, read.events)
        except LineError as error:
            raise RefusedError(f"the record cannot be read ({error}): mend that first") from None
        latest = max((event.at for event in read.events[1:]), default=0.0)
        return cls(read.objects, read.events, now, latest)

    # -- what can be said ----------------------------------------------------------------------------------

    def changed(self, said: Change) -> Json:
        """An event was otherwise, or is sure."""
        if said.of == 0:
            return self._header_changed(said.fields)
        standing = self.happened(said.of, said.part)
        new = self._difference(standing, self._known_fields(standing.event, said.fields))
        if "at" in new:
            self._check_order(standing, new["at"])
        doubted = any(isinstance(each.event, Doubt) and each.event.of == said.of for each in self.now.lines)
        if not new and not doubted and standing.event.confidence == 1.0:
            raise RefusedError(f"that is what event {said.of} says already: say what was otherwise")
        return self._with(standing, new | {"confidence": 1.0})

    def inserted(self, said: Insert) -> Json:
        """Events were missed."""
        if not said.events:
            raise RefusedError("nothing is put in: say what was missed")
        if said.before is None:
            return self._put_in_by_moment(said.events)
        if said.before == 0:
            raise RefusedError("the header is no event: say before which event it was")
        standing = self._told(said.before, said.part)
        return self._put_before(standing, self._readable(said.events, standing.event.at))

    def dropped(self, of: int, part: int) -> Json:
        """There was no such event."""
        if of == 0:
            raise RefusedError("the header cannot be taken out: change what it says")
        standing = self._told(of, part)
        if standing.change == "inserted":
            others = [line for place, line in enumerate(self._insert(of)) if place != part]
            if others:
                return {"of": of, "with": {"insert": others}}
        return {"of": of, "drop": True}

    def answered(self, said: Answer) -> Json:
        """It was one of a doubt's candidates, or as it is told."""
        doubt = self._told(said.doubt, 0).event
        if not isinstance(doubt, Doubt):
            raise RefusedError(f"event {said.doubt} asks nothing: change it, if it was otherwise")
        if doubt.of == 0 or isinstance(self.events[doubt.of], Aside | Doubt):
            return {"of": said.doubt, "drop": True}
        if isinstance(self.events[doubt.of], Correct):
            return self._answered_of_inserted(said, doubt.of)
        standing = self.happened(doubt.of, 0)
        if said.candidate is None:
            return self._with(standing, {"confidence": 1.0})
        if said.candidate >= len(doubt.candidates):
            raise RefusedError(
                f"the doubt has {len(doubt.candidates)} candidates, and {said.candidate} is none of them: say what it was"
            )
        other = {**self.lines[doubt.of], **doubt.candidates[said.candidate], "confidence": 1.0}
        stands = self._line(standing)
        gone = {name: None for name in stands if name not in other and name != "confidence"}
        new = {name: value for name, value in other.items() if stands.get(name) != value}
        return self._with(standing, {**gone, **new, "confidence": 1.0})

    def undone(self, of: int | None) -> Json:
        """A correction was wrong."""
        if of is None:
            of = next((index for index in reversed(self.now.corrections) if self._is_undoable(index)), None)
            if of is None:
                raise RefusedError("there is nothing to undo: no person has corrected this record")
        elif of >= len(self.lines) or not isinstance(self.events[of], Correct):
            raise RefusedError(f"event {of} is no correction: name one that is")
        elif of not in self.now.corrections:
            raise RefusedError(f"correction {of} was undone already: make it again if it was right")
        return {"of": of, "drop": True}

    # -- which event is meant ------------------------------------------------------------------------------

    def _told(self, of: int, part: int) -> Standing:
        """The event of an index as it stands."""
        for standing in self.now.lines:
            if (standing.index, standing.part) == (of, part):
                if standing.change == "dropped":
                    raise RefusedError(f"event {of} was taken out already: undo that first, if it was")
                return standing
        others = part and any(standing.index == of for standing in self.now.lines)
        raise RefusedError(f"event {of} has no part {part}: name it alone" if others else self._why_none(of))

    def happened(self, of: int, part: int) -> Standing:
        """The same, of what happened at the table."""
        standing = self._told(of, part)
        if isinstance(standing.event, Doubt):
            raise RefusedError(f"event {of} is a question: answer it")
        if not standing.is_replayed:
            raise RefusedError(
                f"event {of} is nothing that happened at the table: take it out if it is wrong"
            )
        return standing

    def _why_none(self, of: int) -> str:
        if of >= len(self.lines):
            return f"there is no event {of}: the record has {len(self.lines) - 1}"
        event = self.events[of]
        if isinstance(event, Doubt):
            return f"the question of event {of} was answered already: undo that first, if it was wrong"
        if isinstance(event, Correct):
            done = "puts in no such event" if of in self.now.corrections else "was undone"
            return f"event {of} is a correction that {done}: undo or correct what it is about"
        if of == 0:
            return "the header is no event: name an event"
        name = self.lines[of].get("event")
        return f"event {of} is a {name}, made anew whenever events are corrected: correct what it rests on"

    def _is_undoable(self, index: int) -> bool:
        """Whether it is a person's, and says more than that another one of theirs was wrong."""
        correction = self.now.corrections[index]
        undoes = correction.drop and isinstance(self.events[correction.of], Correct)
        theirs = undoes and getattr(self.events[correction.of], "by", None) != UMPIRE
        return correction.by != UMPIRE and not theirs

    # -- what a correction says ----------------------------------------------------------------------------

    def _line(self, standing: Standing) -> Json:
        return standing.event.to_json()

    def _insert(self, of: int) -> list[Json]:
        """The events that a correction puts in, as it stands."""
        return [dict(line) for line in self.now.corrections[of].insert]

    def _with(self, standing: Standing, new: Json) -> Json:
        """A correction that says so of an event, whether it has a line of its own or was put in."""
        if standing.change != "inserted":
            return {"of": standing.index, "with": new}
        lines = self._insert(standing.index)
        changed = {**lines[standing.part], **new}
        lines[standing.part] = {name: value for name, value in changed.items() if value is not None}
        return {"of": standing.index, "with": {"insert": lines}}

    def _known_fields(self, event: Event, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """The fields, if an event of its kind, or of the kind that they make it, has them."""
        kind = fields.get("event", event.kind)
        if not isinstance(kind, str) or kind not in KINDS or issubclass(KINDS[kind], Correct | Doubt | Aside):
            raise RefusedError(
                f"{str(kind)[:40]!r} is nothing that happens at a table: say play, draw or another event"
            )
        known = {"event", *COMMON, *KINDS[kind].FIELDS} - {"confidence", "frames"}
        unknown = next((name for name in fields if name not in known), None)
        if unknown is not None:
            raise RefusedError(
                f"a {kind} has no {unknown[:40]!r}: it has {', '.join(sorted(known - {'event'}))}"
            )
        if kind == event.kind:
            return fields
        gone = {name: None for name in self._names(event) if name not in known}
        return {**gone, **fields}

    @staticmethod
    def _names(event: Event) -> set[str]:
        """The fields of an event's own kind that it has."""
        return set(event.to_json()) & set(type(event).FIELDS)

    def _difference(self, standing: Standing, fields: Mapping[str, Any]) -> Json:
        """What is otherwise, and what was measured of what is otherwise now."""
        stands = self._line(standing)
        new = {name: value for name, value in fields.items() if stands.get(name) != value}
        at = new.get("at")
        if isinstance(at, int | float):
            for name in _MEASURED:
                first, last = stands.get(name) or (at, at)
                outside = not first <= at <= last if name == "landed" else first > at
                if outside and name not in fields:
                    new[name] = None
        return new

    def _header_changed(self, fields: Mapping[str, Any]) -> Json:
        unknown = next((name for name in fields if name not in _OF_HEADER), None)
        if unknown is not None:
            raise RefusedError(
                f"a header's {unknown[:40]!r} cannot be changed: {', '.join(sorted(_OF_HEADER))} can"
            )
        now = self.now.header.to_json()
        new = {name: value for name, value in fields.items() if now.get(name) != value}
        if not new:
            raise RefusedError("that is what the header says already: say what was otherwise")
        return {"of": 0, "with": new}

    def _check_order(self, standing: Standing, at: Any) -> None:
        """RefusedError for a moment at which the event would come before or after a neighbour."""
        if isinstance(at, bool) or not isinstance(at, int | float):
            return
        events = self.now.events
        place = events.index(standing)
        before, after = events[:place][-1:], events[place + 1 :][:1]
        passed = next(
            (each for each in before if at < each.event.at and standing.event.at >= each.event.at), None
        )
        passed = next(
            (each for each in after if at > each.event.at and standing.event.at <= each.event.at), passed
        )
        if passed is not None:
            raise RefusedError(
                f"at {at:g} s it would change places with event {passed.index} ({_named(passed)}): take it out here, "
                "and put it in where it belongs"
            )

    # -- putting in ----------------------------------------------------------------------------------------

    def _readable(self, events: Sequence[Mapping[str, Any]], at: float) -> list[Json]:
        """The events as they are written; one without a moment has that of its place."""
        lines = []
        for event in events:
            line: Json = {"event": event.get("event"), "at": at, **event}
            try:
                read = parse_event(line)
            except BadEventError as error:
                raise RefusedError(f"that cannot be: {error}") from None
            if not read.kind or isinstance(read, Correct | Doubt | Aside):
                raise RefusedError(
                    f"{str(line['event'])[:40]!r} is nothing that happens at a table: say play, draw or another event"
                )
            lines.append(line)
        return lines

    def _put_in_by_moment(self, events: Sequence[Mapping[str, Any]]) -> Json:
        at = events[0].get("at")
        if isinstance(at, bool) or not isinstance(at, int | float):
            raise RefusedError(
                "nobody can tell where it belongs: say at which moment it was, or before which event"
            )
        lines = self._readable(events, at)
        behind = next((each for each in self.now.events if each.event.at > at), None)
        return self._put_at_end(lines) if behind is None else self._put_before(behind, lines)

    def _put_before(self, standing: Standing, lines: list[Json]) -> Json:
        if standing.change != "inserted":
            return {"of": standing.index, "insert": lines}
        put_in = self._insert(standing.index)
        put_in[standing.part : standing.part] = lines
        return {"of": standing.index, "with": {"insert": put_in}}

    def _put_at_end(self, lines: list[Json]) -> Json:
        """Behind the last event; if no line of another kind stands behind it, it is put in anew together with them."""
        events = self.now.events
        if not events:
            return {"of": 0, "insert": lines}
        last = events[-1]
        put_in = last.change == "inserted"
        begin = self.now.corrections[last.index].of if put_in else last.index + 1
        for index in range(begin, len(self.lines)):
            if not isinstance(self.events[index], Correct):
                return {"of": index, "insert": lines}
        if put_in:
            return {"of": last.index, "with": {"insert": [*self._insert(last.index), *lines]}}
        return {"of": last.index, "drop": True, "insert": [self._line(last), *lines]}

    def _answered_of_inserted(self, said: Answer, of: int) -> Json:
        """A doubt about events that were put in: they are sure, or what is missing is put in by itself."""
        if said.candidate is not None or of not in self.now.corrections:
            raise RefusedError(f"event {of} was put in: correct it, or say that it was as it is told")
        sure = [{**line, "confidence": 1.0} for line in self._insert(of)]
        return {"of": of, "with": {"insert": sure}} if sure else {"of": said.doubt, "drop": True}


def _named(standing: Standing) -> str:
    return f"{standing.event.seat or ''} {event_text(standing.event)}".strip()
