"""`gap` and `state` lines: said beside the hand, they carry no weight and may carry any time."""

from __future__ import annotations

import json
from typing import Any

import pytest
import shorthand

from referee.record.account import account_of
from referee.record.check import check_lines

STORY = shorthand.lines(
    {"events": ["play north AS : work 1 > foundation 1", "play north 2D : work 4 > foundation 1"]}
)
GAP = {"event": "gap", "at": 0.0, "from": 0.5, "to": 2.0, "why": "unreadable"}
LOST = {"event": "state", "at": 9.0, "state": "lost", "seat": "north", "place": "work 2"}


def raw(line: dict[str, Any]) -> bytes:
    return json.dumps(line).encode() + b"\n"


@pytest.mark.parametrize("at", [1, 3, 5])
@pytest.mark.parametrize("aside", [GAP, LOST, {**GAP, "at": -5}, {**LOST, "state": "found"}])
def test_what_is_said_beside_the_hand_changes_no_ruling_and_no_score(at: int, aside: dict[str, Any]) -> None:
    plain, told = check_lines(STORY), check_lines([*STORY[:at], raw(aside), *STORY[at:]])
    assert told.status == 0, told.errors
    assert [(r.rule, r.verdict, r.why) for r in told.rulings] == [
        (r.rule, r.verdict, r.why) for r in plain.rulings
    ]
    assert told.score == plain.score
    assert raw(aside)[:-1] in told.output


def test_it_is_told_to_people() -> None:
    account = account_of(check_lines([*STORY, raw(GAP), raw(LOST)]))
    assert [entry.text for entry in account.entries[-2:]] == [
        "the recording cannot be read from 0:00.5 to 0:02.0",
        "lost the thread at work 2",
    ]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"why": "magic"}, "gap: field 'why' cannot be 'magic' (write frozen, unreadable, dark,"),
        ({"to": 0.2}, "gap: field 'to' lies before field 'from'"),
        ({"from": None}, "gap: field 'from' is missing"),
        (
            {"event": "state", "state": "asleep"},
            "state: field 'state' cannot be 'asleep' (write lost or found)",
        ),
    ],
)
def test_an_aside_that_makes_no_sense_is_malformed(changed: dict[str, Any], says: str) -> None:
    result = check_lines([*STORY, raw({**GAP, **changed})])
    assert result.status == 2
    assert says in result.errors[0]


def test_a_gap_can_be_dropped_and_a_doubt_of_one_is_nothing() -> None:
    number = len(STORY)
    doubt = {"event": "doubt", "at": 3, "of": number, "candidates": [{"why": "dark"}], "asks": "what was it?"}
    drop = {"event": "correct", "at": 3, "of": number, "drop": True}
    result = check_lines([*STORY, raw(GAP), raw(doubt), raw(drop)])
    assert result.status == 0, result.errors
    assert result.score == check_lines(STORY).score
