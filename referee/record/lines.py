"""The record of a hand: JSON Lines in, events out, and back. No files: lines come and go as bytes."""

from __future__ import annotations

import json
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from referee.record import corrections
from referee.record.corrections import LineError
from referee.record.strictjson import BadValueError, JsonError, load_json
from referee.rules.events import LOOKING_BACK, BadEventError, Event, Json, parse_event
from referee.rules.header import Header, HeaderError, parse_header


@dataclass(slots=True)
class Lines:
    """The lines of a record that could be read."""

    #: As they came, without the line end.
    raw: list[bytes] = field(default_factory=list)
    objects: list[Json] = field(default_factory=list)
    #: One for each line; the header has an empty event.
    events: list[Event] = field(default_factory=list)
    #: What ended the reading: a bad line, or the number of a line cut off by a crash.
    error: LineError | None = None
    cut_off: int | None = None

    def cut(self, count: int) -> Lines:
        """The first `count` lines."""
        return Lines(self.raw[:count], self.objects[:count], self.events[:count])


def dump(line: Mapping[str, Any]) -> bytes:
    """A line of a record, without the line end."""
    try:
        return json.dumps(line, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(line).encode()


def write_record(header: Header, events: Iterable[Event]) -> bytes:
    """A whole record."""
    lines = [header.to_json(), *(event.to_json() for event in events)]
    return b"".join(dump(line) + b"\n" for line in lines)


def read_lines(lines: Iterable[bytes | str]) -> Lines:
    """Read a record line by line (each with its line end) until its end or its first bad line."""
    read = Lines()
    latest = float("-inf")
    for number, line in enumerate(lines, 1):
        raw = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
        whole = raw.endswith(b"\n")
        raw = raw.removesuffix(b"\n")
        if number == 1:
            raw = raw.removeprefix(BOM_UTF8)
            if not raw and not whole:
                break
        try:
            value = load_json(raw)
        except BadValueError as error:
            read.error = LineError(number, str(error))
            break
        except JsonError:
            _unreadable(read, number, raw, whole)
            break
        try:
            event = _event(value, number)
            if number > 1 and "at" not in value:
                event = replace(event, at=max(latest, 0.0))
            if number > 1 and type(event).kind and event.kind not in LOOKING_BACK:
                latest = _in_time(event, latest)
        except (BadEventError, HeaderError) as error:
            read.error = LineError(number, str(error))
            break
        read.raw.append(raw)
        read.objects.append(value)
        read.events.append(event)
    if not read.raw and read.error is None:
        read.error = LineError(1, "the record is empty: its first line must be its header")
    good = check_references(read)
    # an event may name one that lies behind the bad line
    good.error = read.error or good.error
    return good


def _unreadable(read: Lines, number: int, raw: bytes, whole: bool) -> None:
    if not raw.strip() and whole:
        read.error = LineError(number, "the line is blank (delete it)")
    elif number == 1 and raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE, b"{\0", b"\0{")):
        read.error = LineError(1, "the line is UTF-16: save the record as UTF-8")
    elif whole:
        read.error = LineError(number, "the line is not JSON in UTF-8 (one object a line)")
    elif number == 1:
        read.error = LineError(1, "the header is cut off or no JSON: this is no record of a hand")
    else:
        read.cut_off = number


def _event(value: Any, number: int) -> Event:
    if not isinstance(value, dict):
        raise BadEventError("the line is no JSON object")
    if number == 1:
        parse_header(value)
        return Event()
    return parse_event(value)


def _in_time(event: Event, latest: float) -> float:
    if event.at < latest:
        raise BadEventError(f"{event.kind}: field 'at' runs backwards, from {latest:g} to {event.at:g} s")
    return event.at


def check_references(read: Lines) -> Lines:
    """Every index that an event names must be in the record; the lines before a bad one are kept."""
    for number, event in enumerate(read.events, 1):
        try:
            corrections.check_references(event, number, len(read.events))
        except LineError as error:
            good = read.cut(number - 1)
            good.error = error
            return good
    return read
