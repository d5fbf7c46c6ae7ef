"""A record that was cut off by a crash is gone on with as if nothing had happened: no line is lost, none comes twice."""

from __future__ import annotations

import json
from typing import Any

import pytest
from test_book import EVENTS, HEADER, WITH_A_PLANT, WRONG, check_book

from referee.record.book import HIDDEN, WITNESSED, Book
from referee.record.check import check_lines
from referee.record.reopened import reopened

Line = dict[str, Any]
#: How many more events are told at a time.
STEP = 7


def told(events: list[Line], *, crashes: int = 0) -> Book:
    """A hand told bit by bit; after every `crashes` bits the program that writes it ends and starts again."""
    book, before = Book(HEADER), 0
    for count, upto in enumerate(range(2, len(events) + STEP, STEP)):
        if crashes and count % crashes == 0:
            book, before = reopened(written(book)), before
        book.tell([*book.believed, *events[len(book.believed) : upto]])
    return book


def written(book: Book) -> list[Line]:
    """The lines as they come back out of a file."""
    return [json.loads(json.dumps(line)) for line in book.lines]


@pytest.mark.parametrize("crashes", [1, 3])
@pytest.mark.parametrize("plant", [False, True])
def test_a_record_told_with_crashes_is_the_one_told_without(crashes: int, plant: bool) -> None:
    events = [dict(line) for line in (WITH_A_PLANT if plant else EVENTS)]
    if plant:
        events[WRONG][WITNESSED] = True
    straight = told(events)
    assert any(line.get("event") == "ruling" for line in straight.lines) == plant or not plant
    assert told(events, crashes=crashes).lines == straight.lines


def test_a_ruling_that_stands_is_neither_withdrawn_nor_written_again() -> None:
    events = [dict(line) for line in WITH_A_PLANT]
    events[WRONG][WITNESSED] = True
    book = Book(HEADER)
    book.tell(events[: WRONG + 1])
    illegal = [line for line in book.lines if line.get("verdict") == "illegal"]
    assert illegal
    again = reopened(written(book))
    assert again.tell(again.believed) == []
    assert again.tell([*again.believed, *events[WRONG + 1 :]]) == Book.tell(book, events)


def test_what_was_corrected_stands_as_it_was_corrected_last() -> None:
    events = [dict(line) for line in EVENTS]
    wrong = [dict(line) for line in events]
    at = next(i for i, line in enumerate(events) if line["event"] == "play" and i > 10)
    wrong[at]["to"] = "work 4" if events[at]["to"] != "work 4" else "work 3"
    book = Book(HEADER)
    book.tell(wrong[: at + 1])
    # an event was missed, another one was another play
    missed = events[: at - 2] + events[at - 1 : at + 1]
    book.tell(missed)
    book.tell(events[: at + 1])
    again = reopened(written(book))
    assert [line["event"] for line in again.believed] == [line["event"] for line in events[: at + 1]]
    again.tell([*again.believed, *events[at + 1 :]])
    check_book(again, events)


def test_a_correction_by_a_person_holds_for_good() -> None:
    book = Book(HEADER)
    book.tell(EVENTS[:20])
    of = next(i for i, line in enumerate(book.lines) if line.get("event") == "play")
    book.note({"event": "correct", "at": 0.0, "of": of, "drop": True, "by": "anna"})
    again = reopened(written(book))
    assert len(again.believed) == 19
    again.tell([*again.believed, *EVENTS[20:]])
    result = check_lines([json.dumps(line).encode() + b"\n" for line in again.lines])
    assert result.record is not None
    assert len(result.record.events) == len(EVENTS) - 1


def test_a_question_that_is_open_stays_open_and_is_asked_once() -> None:
    events = [dict(line) for line in EVENTS[:30]]
    play = next(i for i, line in enumerate(events) if line["event"] == "play")
    events[play] |= {HIDDEN: "The picture was frozen from 3.0 to 4.0 s", "confidence": 0.5}
    book = Book(HEADER)
    book.tell(events)
    assert sum(line.get("event") == "doubt" for line in book.lines) == 1
    again = reopened(written(book))
    assert again.tell(again.believed) == []
    new = again.tell([*again.believed, *EVENTS[30:]])
    assert not [line for line in new if line["event"] in ("doubt", "correct")]
