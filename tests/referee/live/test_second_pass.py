"""The second pass of a hand that is over: what it writes into the record, and what it may not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from umpire_table import Eye, Table, umpired

from referee.live import second_pass as room
from referee.live.hand import Referee
from referee.live.scribe import ruled
from referee.live.second_pass import second_pass
from referee.record.account import give_account
from referee.rules.events import INFERRED, Play
from referee.rules.places import FOUNDATION, Place
from referee.umpire.again.passes import Explained
from referee.umpire.story import Believed, Past
from referee.umpire.umpire import Umpire

SECONDS = 12.0
Change = Callable[[list[Believed]], list[Believed]]


def told(call: tuple[str, float] | None = None) -> Referee:
    """A hand that was followed to its end, and told."""
    umpire = umpired(Table(0, SECONDS), Eye(0, wrong=0.0, missed=0.0))
    assert umpire.dealt is not None
    referee = Referee(None, umpire, 1800, 1600, 30.0, rulings=False)  # type: ignore[arg-type]
    referee.begin(umpire.dealt, 0.5)
    referee.ended_at = SECONDS
    referee.calls = [] if call is None else [call]
    referee.end(why="" if call else "stopped")
    return referee


def again(monkeypatch: pytest.MonkeyPatch, referee: Referee, change: Change) -> list[dict[str, Any]]:
    """What the record gains when the hand is explained by other events."""
    other = referee.umpire.anew(24)
    past: Past | None = None
    for event in change(referee.umpire.story.events()):
        past = Past(event, past, 1 + (past.length if past else 0))
    other.beam.stories[0].past = past
    monkeypatch.setattr(room, "explained_again", lambda umpire, until: Explained(other, 9.0))
    return second_pass(referee)


def last_play(events: list[Believed]) -> Believed:
    return next(e for e in reversed(events) if isinstance(e.event, Play))


def test_what_a_second_pass_changes_is_marked_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    referee = told()
    lines = again(monkeypatch, referee, lambda events: [e for e in events if e is not last_play(events)])
    assert {(line["event"], line["pass"], line["by"]) for line in lines} == {("correct", 2, "umpire")}
    assert referee.book is not None
    account = give_account([*referee.book.lines, *ruled(referee.book.lines)])
    assert account.second_pass == "second pass: 1 play withdrawn"


def test_a_hand_that_stands_gains_nothing() -> None:
    referee = told()
    assert second_pass(referee) == []


def test_nobody_is_accused_by_what_was_only_seen_looking_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def worse(events: list[Believed]) -> list[Believed]:
        guilty = last_play(events)
        play = guilty.event
        assert isinstance(play, Play)
        event = replace(play, target="foundation 9")
        odd = replace(guilty, event=event, target=Place(FOUNDATION, 9), misfit=True)
        return [odd if e is guilty else e for e in events]

    referee = told()
    monkeypatch.setattr(Umpire, "_confidence", lambda self, event, everywhere: 1.0)
    again(monkeypatch, referee, worse)
    assert referee.book is not None
    verdicts = {line["verdict"] for line in ruled(referee.book.lines) if line["event"] == "ruling"}
    assert verdicts == {"undecided"}


def test_who_was_accused_already_may_be_of_something_else() -> None:
    """The same card laid there in the same moment broke another rule as it was told first."""
    play = last_play(told().umpire.story.events())
    assert play.target is not None
    elsewhere = Place(FOUNDATION, 1 + play.target.number)
    before = replace(play, misfit=True, foul="foreign")
    other = "south" if play.seat == "north" else "north"
    now = replace(play, event=replace(play.event, seat=other), source=elsewhere, misfit=True, foul="centre")
    assert room._accusing_nobody([(now, 1.0)], [(before, 0.85)]) == [(now, 1.0)]
    # what was seen better holds, of the same player
    seen = replace(before, event=replace(play.event, seat=other))
    assert room._accusing_nobody([(now, 0.7)], [(seen, 0.99)]) == [(seen, 0.99)]
    assert room._accusing_nobody([(now, 0.7)], [(before, 0.99)]) == [(now, 0.7)]
    for untold in (
        replace(before, misfit=False),
        replace(before, target=elsewhere),
        before.moved_to(play.at - 3.0),
    ):
        assert room._accusing_nobody([(now, 1.0)], [(untold, 0.85)]) == [(now, INFERRED)]


def test_a_call_that_was_right_stays_right(monkeypatch: pytest.MonkeyPatch) -> None:
    referee = told(("north", 11.5))
    monkeypatch.setattr(Referee, "ends_hand", lambda self, seat, at: True)
    assert again(monkeypatch, referee, lambda events: events[:-1]) == []
