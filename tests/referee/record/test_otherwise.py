"""A record under other rules: the differences, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import shorthand

from referee.record.otherwise import under
from referee.record.said import RefusedError

Json = dict[str, Any]
FOLDER = Path(__file__).parent.parent / "rules" / "hands"
STUCK = [json.loads(line) for line in (FOLDER / "nerts-stuck.jsonl").read_text().splitlines()]
CALLED = [json.loads(line) for line in (FOLDER / "nerts-called.jsonl").read_text().splitlines()]


def test_the_same_rules_make_no_difference() -> None:
    for rules in ({}, {"game": "nerts"}, {"settings": {}}, {"settings": {"penalty": 2}}):
        assert not under(STUCK, **rules)
    assert under(STUCK).to_json() == {
        "game": "nerts",
        "settings": {},
        "rulings": {"now": [], "there": []},
        "hand": {},
        "score": {},
    }


def test_another_penalty_counts_otherwise() -> None:
    """North has 4 cards left, south 9 (N17)."""
    told = under(STUCK, settings={"penalty": 1}).to_json()
    points = {seat: (each["now"]["points"], each["there"]["points"]) for seat, each in told["hand"].items()}
    assert points == {"north": (8, 12), "south": (-3, 6)}
    assert told["score"] == {"match": {"now": {"north": 8, "south": -3}, "there": {"north": 12, "south": 6}}}


def test_only_the_seat_that_differs_is_told() -> None:
    told = under(CALLED, settings={"caller_bonus": 10})
    (seat,) = told.scores
    assert told.scores[seat][1]["bonus"] - told.scores[seat][0]["bonus"] == 10


def test_what_one_rule_forbids_another_allows() -> None:
    lines = [
        json.loads(line)
        for line in shorthand.lines(
            {"events": ["play north AS : work 1 > foundation 1", "draw north ?? : "], "settings": {"draw": 3}}
        )
    ]
    told = under(lines, settings={"draw": 1})
    assert [(r.rule, r.verdict) for r in told.now] != [(r.rule, r.verdict) for r in told.there]
    back = under(
        [*lines, {"event": "correct", "at": 0, "of": 0, "with": {"settings": {"draw": 1}}}],
        settings={"draw": 3},
    )
    assert (back.now, back.there) == (told.there, told.now)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"game": "whist"}, "there are no such rules: unknown game 'whist'"),
        ({"settings": {"penalty": "much"}}, "there are no such rules: setting 'penalty'"),
        ({"settings": {"speed": 1}}, "there are no such rules: unknown setting 'speed'"),
        ({"game": "canfield"}, "this hand cannot be one of Canfield: header: "),
        ({"game": "pishe-pasha"}, "this hand cannot be one of "),
    ],
)
def test_what_cannot_be_is_refused(rules: Json, words: str) -> None:
    with pytest.raises(RefusedError) as refused:
        under(STUCK, **rules)
    assert words in str(refused.value)
    assert "line" not in str(refused.value).split()


def test_a_record_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(RefusedError, match=r"cannot be read \(line 4: play: .* is missing\): mend that"):
        under([*STUCK[:3], {"event": "play", "seat": "north"}])
