"""A record that was begun and is gone on with: the book as it was when its last line was written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from referee.record.book import ASKS, BELIEVED, HIDDEN, WITNESSED, Book, Line, Told, ruling_key
from referee.record.corrections import Standing, apply_corrections
from referee.rules.events import Event, parse_event


def reopened(lines: Sequence[Line], *, rulings: bool = True) -> Book:
    """The book of a record's lines, header first. What stands in it, corrected by whomever, is believed for good.

    Raises what reading the record raises: `LineError`, `BadEventError`.
    """
    book = Book(dict(lines[0]), rulings)
    replay = apply_corrections(lines, [Event(), *map(parse_event, lines[1:])])
    gone = _dropped(lines)
    ruled = _ruled(lines, gone)
    asked = {
        line["asks"].removesuffix(ASKS): (index, line["of"])
        for index, line in enumerate(lines)
        if line.get("event") == "doubt" and index not in gone and str(line.get("asks")).endswith(ASKS)
    }
    accused = {of for key in ruled if key[4] == "illegal" for of in key[2]}
    hidden = {of: gap for gap, (_, of) in asked.items()}
    told = [_told(standing, accused, hidden) for standing in replay.events if standing.index]
    corrected = {
        line["of"]: index
        for index, line in enumerate(lines)
        if line.get("event") == "correct" and "with" in line
    }
    book.take_up(lines, told, ruled, asked, corrected)
    return book


def _told(standing: Standing, accused: set[int], hidden: Mapping[int, str]) -> Told:
    line = dict(standing.event.to_json())
    if standing.index in accused:
        line[WITNESSED] = True
    if standing.index in hidden:
        line[HIDDEN] = hidden[standing.index]
    return Told({**line, BELIEVED: dict(line)}, standing.index)


def _dropped(lines: Sequence[Line]) -> set[int]:
    """The lines that were taken back; dropping a correction gives back what it took."""
    dropped: set[int] = set()
    for index in reversed(range(len(lines))):
        line = lines[index]
        if line.get("event") == "correct" and line.get("drop") and index not in dropped:
            dropped.add(line["of"])
    return dropped


def _ruled(lines: Sequence[Line], gone: set[int]) -> dict[tuple[Any, ...], int]:
    """The rulings that hold, as `Book` knows them: by what they say, and how many said it before."""
    alike: Counter[tuple[Any, ...]] = Counter()
    ruled: dict[tuple[Any, ...], int] = {}
    for index, line in enumerate(lines):
        if line.get("event") == "ruling" and index not in gone:
            key = ruling_key(line)
            ruled[*key, alike[key]] = index
            alike[key] += 1
    return ruled
