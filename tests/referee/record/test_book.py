"""The record that is written while a hand is played: lines are only added, and say in the end what is believed."""

from __future__ import annotations

import json
import random
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets.film.record import record_of
from datasets.play.plants import Plant
from datasets.play.players import Player, find_hand
from referee.record.account import account_of
from referee.record.book import HIDDEN, WITNESSED, Book
from referee.record.check import CheckResult, check_lines

Line = dict[str, Any]
PLAYERS = (Player("west", 0.5, 0.2, 0.97), Player("east", 0.6, 0.25, 0.9))
DECKS = {"west": "blue", "east": "red"}


def truth(seed: int, *plants: Plant) -> tuple[Line, list[Line]]:
    """A simulated hand: its header and its events, those that break a rule well witnessed."""
    hand = find_hand(PLAYERS, seed, latest=200, plants=list(plants))
    header, *events = map(json.loads, record_of(hand, DECKS, 30).splitlines())
    header["source"]["kind"] = "video"
    for line in events:
        for moment in ("lifted", "landed", "over"):
            line.pop(moment, None)
    return header, events


HEADER, EVENTS = truth(7)
_, WITH_A_PLANT = truth(7, Plant("wrong-rank", after=8))


#: Where the planted play is.
WRONG = next(i for i, (line, clean) in enumerate(zip(WITH_A_PLANT, EVENTS, strict=False)) if line != clean)


#: So many events are believed one way and another; it is behind the planted play.
STRETCH = WRONG + 20


def checked(book: Book) -> CheckResult:
    result = check_lines([json.dumps(line).encode() + b"\n" for line in book.lines])
    assert result.status == 0, result.errors
    return result


def said(line: Line) -> tuple[str, ...]:
    return tuple(str(line.get(name)) for name in ("event", "seat", "cards", "from", "to", "place", "card"))


def standing(book: Book) -> list[tuple[str, ...]]:
    record = checked(book).record
    assert record is not None
    return [said(one.event.to_json()) for one in record.events]


def in_force(book: Book) -> list[tuple[Any, ...]]:
    """The rulings that were written and not withdrawn."""
    withdrawn = {line["of"] for line in book.lines if line.get("event") == "correct" and line.get("drop")}
    return sorted(
        (line["rule"], line["verdict"], *line["of"])
        for index, line in enumerate(book.lines)
        if line.get("event") == "ruling" and index not in withdrawn
    )


def check_book(book: Book, believed: list[Line]) -> None:
    """What the record says, with its corrections applied, is what is believed; so are the rulings written in it."""
    assert standing(book) == [said(line) for line in believed]
    assert in_force(book) == sorted((r.rule, r.verdict, *r.of) for r in book.hand.rulings)
    fresh = {(r.rule, r.verdict, r.of) for r in checked(book).rulings}
    assert {(r.rule, r.verdict, r.of) for r in book.hand.closed().rulings} == fresh
    assert not any(mark in line for line in book.lines for mark in (WITNESSED, HIDDEN, "believed"))


def test_what_is_told_in_order_needs_no_correction() -> None:
    book = Book(HEADER)
    new = [line for count in range(1, len(EVENTS) + 1) for line in book.tell(EVENTS[:count])]
    assert [HEADER, *new] == book.lines
    assert not any(line.get("event") == "correct" for line in new)
    check_book(book, EVENTS)


def test_what_is_told_again_adds_nothing() -> None:
    book = Book(HEADER)
    book.tell(EVENTS[:40])
    assert book.tell(EVENTS[:40]) == []
    nearly = [{**line, "at": line["at"] + 0.1, "confidence": 0.97} for line in EVENTS[:40]]
    assert book.tell(nearly) == []


def changed(rng: random.Random, believed: list[Line]) -> list[Line]:
    """Another belief of the same stretch: events missing, doubled in another guise, read otherwise, moved."""
    lines = [dict(line) for line in believed]
    for _ in range(rng.randint(1, 4)):
        if len(lines) < 6:
            break
        at = rng.randrange(2, len(lines))
        deed = rng.choice(("drop", "face", "moment", "unsure", "swap"))
        if deed == "drop":
            del lines[at]
        elif deed == "face" and lines[at].get("cards"):
            lines[at] = {**lines[at], "cards": ["??" for _ in lines[at]["cards"]]}
        elif deed == "moment":
            lines[at] = {**lines[at], "at": lines[at]["at"] + rng.uniform(-1, 1)}
        elif deed == "unsure":
            lines[at] = {**lines[at], "confidence": rng.choice((0.5, 0.85, 0.95))}
        elif at + 1 < len(lines):
            lines[at], lines[at + 1] = lines[at + 1], lines[at]
    return lines


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_beliefs_that_change_become_corrections(seed: int) -> None:
    rng = random.Random(seed)
    events = rng.choice((EVENTS, WITH_A_PLANT))[:STRETCH]
    book, told = Book(HEADER), [HEADER]
    count = 2
    while count < len(events):
        count = min(len(events), count + rng.randint(1, 12))
        believed = changed(rng, events[:count]) if rng.random() < 0.7 else events[:count]
        before = [dict(line) for line in book.lines]
        told += book.tell(believed)
        assert book.lines == told
        assert book.lines[: len(before)] == before
        check_book(book, believed)
    book.tell(events)
    check_book(book, events)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_what_stands_never_runs_backwards(seed: int) -> None:
    """Events are believed a little earlier or later each time, in order, and some are not yet known or not any more."""
    rng = random.Random(seed)
    book = Book(HEADER, rulings=False)
    for count in (20, 28, 36, 36):
        moments = [line["at"] + rng.uniform(0.0, 0.5) for line in EVENTS[:count]]
        told = zip(EVENTS, accumulate(moments, max), strict=False)
        book.tell([{**line, "at": at} for line, at in told if line["event"] == "deal" or rng.random() < 0.8])
        record = checked(book).record
        assert record is not None
        stands = [one.event.at for one in record.events]
        assert stands == sorted(stands)


def test_an_event_that_comes_to_light_late_is_put_in_before_what_followed() -> None:
    book = Book(HEADER, rulings=False)
    book.tell([*EVENTS[:8], *EVENTS[9:12]])
    (late, *more) = book.tell(EVENTS[:12])
    assert more == []
    assert (late["event"], late["by"], late["of"]) == ("correct", "umpire", 9)
    assert late["insert"] == [EVENTS[8]]
    assert standing(book) == [said(line) for line in EVENTS[:12]]


def test_an_event_that_did_not_happen_is_dropped() -> None:
    book = Book(HEADER, rulings=False)
    book.tell(EVENTS[:12])
    (dropped,) = book.tell([*EVENTS[:8], *EVENTS[9:12]])
    assert (dropped["of"], dropped["drop"], dropped["by"]) == (9, True, "umpire")


def test_an_accusation_is_written_when_it_is_made_and_withdrawn_when_it_no_longer_holds() -> None:
    believed = [dict(line) for line in WITH_A_PLANT[: WRONG + 1]]
    believed[WRONG][WITNESSED] = True
    book = Book(HEADER)
    new = book.tell(believed)
    (ruling,) = [line for line in new if line.get("event") == "ruling"]
    assert (ruling["verdict"], ruling["of"]) == ("illegal", [WRONG + 1])
    new = book.tell(believed[:WRONG])
    assert {(line["of"], line["drop"]) for line in new} == {
        (WRONG + 1, True),
        (book.lines.index(ruling), True),
    }
    assert in_force(book) == []


def test_no_accusation_without_witnesses_is_ever_written() -> None:
    book = Book(HEADER)
    new = [line for count in range(1, len(WITH_A_PLANT) + 1) for line in book.tell(WITH_A_PLANT[:count])]
    assert "illegal" not in {line.get("verdict") for line in new}
    assert "undecided" in {line.get("verdict") for line in new}


def test_an_event_that_cannot_be_is_left_out() -> None:
    book = Book(HEADER)
    impossible = {
        "event": "play",
        "at": 1.0,
        "seat": "north",
        "cards": ["AS"],
        "from": "waste",
        "to": "work 1",
    }
    book.tell([*EVENTS[:5], impossible, *EVENTS[5:9]])
    check_book(book, EVENTS[:9])


@pytest.mark.parametrize("moved", [False, True])
def test_a_gap_is_asked_about_once_at_the_first_event_that_it_hides(moved: bool) -> None:
    gap = "The picture was frozen from 1.0 to 2.0 s"
    believed = [{**line, HIDDEN: gap} if i in (6, 8) else line for i, line in enumerate(EVENTS[:12])]
    book = Book(HEADER)
    book.tell(believed)
    if moved:
        book.tell([*believed[:6], *believed[7:]])
    withdrawn = {line["of"] for line in book.lines if line.get("drop")}
    asked = [line for i, line in enumerate(book.lines) if line.get("event") == "doubt" and i not in withdrawn]
    (doubt,) = asked
    assert doubt["of"] == (9 if moved else 7)
    assert doubt["asks"] == f"{gap}: what was played meanwhile?"


def test_a_question_stays_open_when_the_event_that_it_is_about_is_corrected() -> None:
    gap = "The picture was frozen from 1.0 to 2.0 s"
    book = Book(HEADER)
    book.tell([{**line, HIDDEN: gap} if i == 6 else line for i, line in enumerate(EVENTS[:9])])
    moved = {**EVENTS[6], HIDDEN: gap, "at": EVENTS[6]["at"] + 0.6}
    book.tell([*EVENTS[:6], moved, *EVENTS[7:9]])
    told = account_of(checked(book)).entries
    (asked,) = [entry.text for entry in told if entry.kind == "doubt"]
    assert asked.endswith("what was played meanwhile?")


@pytest.mark.parametrize("threshold", [0.9, 0.5])
def test_what_is_no_longer_believed_surely_accuses_nobody(threshold: float) -> None:
    """However little a belief changes, and however low the players set the bar."""
    header = {**HEADER, "settings": {"call_threshold": threshold}}
    believed = [dict(line) for line in WITH_A_PLANT[: WRONG + 1]]
    believed[WRONG] |= {WITNESSED: True, "confidence": threshold + 0.03}
    book = Book(header)
    assert "illegal" in {line.get("verdict") for line in book.tell(believed)}
    believed[WRONG]["confidence"] = threshold - 0.03
    book.tell(believed)
    assert "illegal" not in {verdict for _, verdict, *_ in in_force(book)}
    assert "illegal" not in {ruling.verdict for ruling in checked(book).rulings}


def test_a_low_bar_lets_no_accusation_without_witnesses_stand() -> None:
    book = Book({**HEADER, "settings": {"call_threshold": 0.5}})
    book.tell(WITH_A_PLANT)
    assert "illegal" not in {ruling.verdict for ruling in checked(book).rulings}


def test_an_event_that_was_one_of_another_kind_is_put_in_anew() -> None:
    """Only its cards, its places, its moment and how sure it is can be corrected: not what it was, nor whose."""
    at = next(i for i, line in enumerate(EVENTS[:12]) if line["event"] == "play")
    other = {**EVENTS[at], "cards": ["??"]}
    drawn = {"event": "draw", "at": other["at"], "seat": other["seat"], "cards": ["??"]}
    for first, then in ((drawn, EVENTS[at]), (EVENTS[at], other)):
        book = Book(HEADER, rulings=False)
        book.tell([*EVENTS[:at], first])
        new = book.tell([*EVENTS[:at], then])
        said_otherwise = [line["with"] for line in new if "with" in line]
        assert bool(said_otherwise) == (first["event"] == then["event"])
        assert not any("event" in what or "seat" in what for what in said_otherwise)
        assert standing(book)[at:] in ([said(then)], [])


@pytest.mark.parametrize(
    ("was", "now", "corrected"),
    [
        ({"at": 0.0}, {"at": 0.2}, False),
        ({"at": 0.0}, {"at": 0.3}, True),
        ({"at": 0.3}, {"at": 0.0}, True),
        ({"confidence": 0.8}, {"confidence": 0.72}, False),
        ({"confidence": 0.8}, {"confidence": 0.65}, True),
        ({"confidence": 0.92}, {"confidence": 0.88}, True),  # beneath the bar for rulings
        ({"confidence": 0.88}, {"confidence": 0.92}, True),
        ({"confidence": 0.97}, {}, False),
    ],
)
def test_only_what_matters_is_corrected(
    was: dict[str, float], now: dict[str, float], corrected: bool
) -> None:
    last = EVENTS[8]

    def believed(change: dict[str, float]) -> list[Line]:
        moved = {**change, "at": last["at"] + change.get("at", 0.0)}
        return [*EVENTS[:8], {**last, **moved}]

    book = Book(HEADER, rulings=False)
    book.tell(believed(was))
    new = book.tell(believed(now))
    assert bool(new) is corrected
    for line in new:
        assert (line["event"], line["of"], line["by"]) == ("correct", 9, "umpire")
        assert set(line["with"]) == set(was)


def test_no_line_is_told_before_one_that_is_written() -> None:
    """What comes to light late, at the end, gets the moment of what was told before it."""
    book = Book(HEADER, rulings=False)
    book.tell(EVENTS[:12])
    early = {**EVENTS[12], "at": EVENTS[11]["at"] - 5.0}
    (line,) = book.tell([*EVENTS[:12], early])
    assert line["at"] == EVENTS[11]["at"]
    moments = [line["at"] for line in book.lines if "at" in line]
    assert moments == sorted(moments)


def test_what_was_taken_back_for_a_later_event_is_told_of_its_own_moment_again() -> None:
    book = Book(HEADER, rulings=False)
    book.tell(EVENTS[:12])
    book.tell([*EVENTS[:11], {**EVENTS[12], "at": EVENTS[11]["at"] + 4.0}])
    book.tell(EVENTS[:12])
    check = checked(book).record
    assert check is not None and check.events[-1].event.at == EVENTS[11]["at"]
    assert standing(book) == [said(line) for line in EVENTS[:12]]


def test_a_line_beside_the_hand_is_written_as_it_is() -> None:
    book = Book(HEADER)
    gap = {"event": "gap", "at": 1.0, "from": 1.0, "to": 2.0, "why": "frozen"}
    assert book.note(gap) == gap
    assert book.lines == [HEADER, gap]
    book.tell(EVENTS[:3])
    assert [line["event"] for line in book.lines[1:]] == ["gap", *(line["event"] for line in EVENTS[:3])]


def test_little_is_kept_to_undo_and_what_is_older_is_corrected_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("referee.record.book.UNDONE", 5)
    book = Book(HEADER)
    for count in range(1, len(EVENTS) + 1):
        book.tell(EVENTS[:count])
    assert book.hand.undoable == 5
    believed = [line for i, line in enumerate(EVENTS) if i != 12]
    book.tell(believed)
    check_book(book, believed)
    assert book.hand.undoable == 5
