"""A hand that is played before a camera: told while it is played, from looks at what changed alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from filmed_table import HEIGHT, WIDTH, FilmedTable, Told, followed, referee_of, still_table
from umpire_table import FACES, Table, goes_on_work

from referee.live.hand import Referee
from referee.live.terms import Terms
from referee.record.check import check_lines
from referee.umpire.seats.dealt_row import DealNotFoundError, HandBegunError, NotFollowedError
from scripts.measure.replays import score_replay
from vision.capture.video import Frame

Line = dict[str, Any]
SECONDS = 7.5


@pytest.fixture(scope="module")
def hand() -> Told:
    return followed(FilmedTable(Table(8, SECONDS), SECONDS))


def test_what_was_played_is_told(hand: Told) -> None:
    before = [line for line in hand.film.table.record if line["at"] < SECONDS - 0.5]
    figures = score_replay([line for line in hand.record if line.get("at", 0) < SECONDS - 0.5], before)
    assert figures.plays.true >= 4
    assert figures.plays.share == 1.0, figures
    assert figures.draws.wrong == figures.draws.invented == 0 and figures.draws.missed <= 1, figures
    assert figures.false_illegal == 0


def test_header_and_deals_come_first_and_no_event_before_it_settled(hand: Told) -> None:
    assert [line.get("event", "header") for line in hand.record[:3]] == ["header", "deal", "deal"]
    assert {seat["seat"] for seat in hand.record[0]["seats"]} == {"north", "south"}
    events = [(told, line) for told, line in hand.lines if line.get("event") in ("play", "turn", "draw")]
    assert len(events) >= 8
    for told, line in events:
        assert told is None or 2.0 <= told - line["at"] <= 4.6, line
    soon = [told - line["at"] for told, line in events if told is not None and "confidence" not in line]
    assert soon and np.median(soon) < 3.0


def test_what_is_believed_is_told_twice_a_second_at_most(hand: Told) -> None:
    moments = sorted({told for told, _ in hand.lines if told is not None})
    assert len(moments) >= 4
    assert np.diff(moments).min() >= 0.5 - 1e-6


def test_it_looks_at_what_changed_alone(hand: Told) -> None:
    """A whole picture three times, for the deal; then windows, and far fewer than there are frames."""
    whole = [at for at, window in hand.film.looks if window is None]
    assert len(whole) == 3 and whole[-1] <= 0.6
    windows = [window for _, window in hand.film.looks if window is not None]
    assert hand.referee.looks == 3 + len(windows)
    sizes = [(x1 - x0) * (y1 - y0) / 1e6 for x0, y0, x1, y1 in windows]
    assert all(0 <= x0 < x1 <= WIDTH and 0 <= y0 < y1 <= HEIGHT for x0, y0, x1, y1 in windows)
    assert hand.referee.megapixels == pytest.approx(3 * WIDTH * HEIGHT / 1e6 + sum(sizes))
    assert np.median(sizes) < 0.1 * WIDTH * HEIGHT / 1e6
    changes = len(hand.film.table.changes) + len(hand.film.table.covers)
    assert len(windows) < 1.5 * changes


def test_a_resting_table_is_left_alone() -> None:
    film = FilmedTable(still_table(), 3.0)
    told = followed(film)
    assert told.referee.state == "playing"
    assert [line.get("event") for line in told.record] == [None, "deal", "deal"]
    assert len([window for _, window in film.looks if window is not None]) == 0


@pytest.mark.parametrize(
    ("laid_at", "looks"),
    [
        (1.0, [0.0, 0.25, 0.5, 3.0]),
        (4.0, [0.0, 0.25, 0.5, 3.0, 8.0]),
        (9.0, [0.0, 0.25, 0.5, 3.0, 8.0, 13.0]),
    ],
)
def test_a_deal_that_comes_late_is_looked_for_at_a_few_moments(laid_at: float, looks: list[float]) -> None:
    table = still_table()
    table.changes = [replace(change, at=laid_at) for change in table.changes]
    film = FilmedTable(table, looks[-1] + 0.5, fps=4.0)
    referee = referee_of(film)
    states = [(referee.push(frame), frame.time_s, referee.state)[1:] for frame in film.frames()]
    assert {state for at, state in states if at < looks[-1]} == {"dealing"}
    assert {state for at, state in states if at >= looks[-1]} == {"playing"}
    assert [at for at, _ in film.looks] == looks


def test_without_a_deal_the_end_says_what_is_missing() -> None:
    bare = still_table()
    bare.changes = []
    referee = referee_of(FilmedTable(bare, 0.5, fps=4.0))
    with pytest.raises(DealNotFoundError, match="too short"):
        referee.end()
    for frame in FilmedTable(bare, 1.0, fps=4.0).frames():
        referee.push(frame)
    with pytest.raises(DealNotFoundError, match="no card can be seen"):
        referee.end()


@pytest.mark.parametrize("built", [0, 1, 2])
def test_where_cards_lie_built_on_others_the_hand_has_begun(built: int) -> None:
    """One row lacks its Nerts pile, so that there is no whole deal; so many of its columns have grown."""
    table = still_table()
    table.changes = [change for change in table.changes if change.place != ("south", "nerts")]
    grown(table, "south", built)
    referee = pushed(FilmedTable(table, 1.5, fps=4.0))
    assert referee.state == ("dealing" if built == 1 else "playing")
    if built != 1:
        # with nothing played yet, one card of a deal was not seen
        event = "begun" if built else "deal"
        assert referee.book is not None and referee.book.lines[1]["event"] == event
        return
    with pytest.raises(DealNotFoundError, match="south has 4 open cards"):
        referee.end()


@pytest.mark.parametrize(("built", "event"), [(1, "deal"), (2, "begun")])
def test_cards_built_on_others_are_no_deal_though_five_lie_open_in_each_row(built: int, event: str) -> None:
    """Taken for a deal, its foundations would be unknown, and what is played to them illegal."""
    table = still_table()
    grown(table, "south", built)
    referee = pushed(FilmedTable(table, 1.5, fps=4.0))
    assert referee.book is not None and referee.book.lines[1]["event"] == event


def test_a_hand_of_which_one_row_is_seen_cannot_be_followed() -> None:
    table = still_table()
    grown(table, "south", 3)
    table.changes = [change for change in table.changes if change.place[0] == "south"]
    referee = pushed(FilmedTable(table, 4.0, fps=4.0))
    assert referee.state == "dealing"
    with pytest.raises(HandBegunError, match="who sits where cannot be seen"):
        referee.end()


def grown(table: Table, seat: str, columns: int) -> None:
    """A card lies built on so many of a seat's work piles."""
    for change in table.changes:
        if change.place in {(seat, f"work {number}") for number in range(1, columns + 1)}:
            name, x, y = change.cards[0]
            change.cards = [
                (name, x, y),
                (next(face for face in FACES if goes_on_work(name, face)), x, y + 18.0),
            ]


def pushed(film: FilmedTable) -> Referee:
    referee = referee_of(film)
    for frame in film.frames():
        referee.push(frame)
    return referee


@pytest.mark.parametrize(
    "terms", [Terms(decks={"west": "blue"}), Terms(call="west"), Terms(call=("west", 3.0))]
)
def test_who_was_named_must_sit_there(terms: Terms) -> None:
    with pytest.raises(NotFollowedError, match="'west' does not sit at this table: north and south do"):
        followed(FilmedTable(still_table(), 1.0, fps=4.0), terms)


def test_decks_are_called_as_they_were_named() -> None:
    told = followed(FilmedTable(still_table(), 1.0, fps=4.0), Terms(decks={"south": "roses"}))
    assert {seat["seat"]: seat["deck"] for seat in told.record[0]["seats"]} == {
        "north": "blue",
        "south": "roses",
    }


def calls(told: Told) -> list[tuple[float | None, Line]]:
    return [(at, line) for at, line in told.lines if line.get("event") == "call"]


def test_a_false_call_is_told_when_all_before_it_is_known_and_the_hand_goes_on() -> None:
    """Nothing behind the call is told before the call itself is, and that takes 4 s."""
    film = FilmedTable(Table(8, SECONDS), SECONDS + 1)
    told = followed(film, Terms(call=("south", 3.5)))
    ((at, call),) = calls(told)
    assert at is not None and 7.5 <= at <= 8.1
    assert call["at"] == pytest.approx(3.5, abs=0.05)
    before = [
        line["at"] for moment, line in told.lines if moment is not None and moment < at and "at" in line
    ]
    assert max(before) <= 3.5
    assert told.referee.state == "playing"
    assert told.kind("end") == []
    assert [(line["of"], line["verdict"]) for line in told.kind("ruling")] == [
        ([told.record.index(call)], "illegal")
    ]
    later = [line for moment, line in told.lines if moment == at and line.get("event") == "play"]
    assert later and all(line["at"] >= call["at"] for line in later)


def test_unreadable_frames_are_a_gap_and_what_happened_meanwhile_is_asked_about() -> None:
    film = FilmedTable(Table(8, SECONDS), SECONDS)

    def torn() -> Iterator[Frame]:
        last = 0.0
        for frame in film.frames():
            if 3.5 <= frame.time_s < 4.9:
                continue
            yield replace(frame, unreadable=(last, frame.time_s)) if frame.time_s - last > 1.0 else frame
            last = frame.time_s

    told = followed(film, frames=torn())
    (gap,) = told.kind("gap")
    assert (gap["why"], round(gap["from"], 1), round(gap["to"], 1)) == ("unreadable", 3.5, 4.9)
    # those that were seen to land are told to the frame
    hidden = [line for line in told.record if "landed" in line and line["landed"][1] - line["landed"][0] > 1]
    assert hidden and all(line["confidence"] <= 0.85 for line in hidden)
    assert all(line["landed"][0] == gap["from"] and line["landed"][1] >= gap["to"] for line in hidden)
    asked = [line for line in told.kind("doubt") if "what was played meanwhile" in line.get("asks", "")]
    assert asked
    seen_before = [line for line in told.kind("play") if line["at"] < 3.4]
    assert seen_before and not any(line in hidden for line in seen_before)


def test_the_record_is_one(hand: Told) -> None:
    checked = check_lines([json.dumps(line).encode() + b"\n" for line in hand.record])
    assert checked.status == 0, checked.errors


def test_the_same_film_is_told_the_same_way(hand: Told) -> None:
    again = followed(FilmedTable(Table(8, SECONDS), SECONDS))
    assert again.record == hand.record


def test_while_it_may_not_be_play_what_was_believed_before_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cards that are gathered up make one believe all sorts of things of what was played."""
    film = FilmedTable(Table(8, SECONDS), SECONDS)
    referee = referee_of(film)
    lines = [line for frame in film.frames() for line in referee.push(frame)]
    told = [line for line in lines if line.get("event") == "play"]
    assert len(told) >= 3
    with monkeypatch.context() as gathering:
        referee.hold_at = film.seconds - 0.5
        gathering.setattr(referee.umpire, "events", list)
        for later in (0.6, 1.2, 4.0):
            referee.ended_at = film.seconds + later
            assert not [line for line in referee.tell() if line.get("event") == "correct"]
    referee.hold_at = np.inf
    referee.ended_at += 1.0
    assert not [line for line in referee.tell() if line.get("drop")], "it was play after all"
