"""When a planted infraction counts as found."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.measure.planted import flag_of
from scripts.measure.replays import score_replay

Line = dict[str, Any]

TRUE: Line = {
    "event": "play",
    "at": 5.0,
    "seat": "west",
    "cards": ["7H"],
    "from": "waste",
    "to": "work 1",
}


def ruling(**other: Any) -> Line:
    line = {"event": "ruling", "at": 5.1, "rule": "N5", "of": [1], "seat": "west", "verdict": "illegal"}
    return line | other


def how(ruled: Line | None, **event: Any) -> str:
    told = [{"record": 1}, {**TRUE, "at": 5.1, **event}, *([] if ruled is None else [ruled])]
    return flag_of("wrong-rank", "N5", TRUE, told, told, []).how


@pytest.mark.parametrize(
    ("ruled", "event", "said"),
    [
        (ruling(), {}, "found"),
        (ruling(), {"at": 6.2}, "missed"),
        (ruling(), {"cards": ["8H"]}, "missed"),
        (ruling(rule="N9"), {}, "another rule"),
        (ruling(seat="east"), {"seat": "east"}, "another seat"),
        (ruling(verdict="undecided"), {}, "undecided"),
        (None, {}, "missed"),
    ],
)
def test_a_ruling_finds_an_infraction_by_rule_seat_card_and_moment(
    ruled: Line | None, event: Line, said: str
) -> None:
    assert how(ruled, **event) == said


def test_it_is_told_when_the_first_ruling_was_written() -> None:
    told = [{"record": 1}, TRUE, ruling()]
    lines = [{"record": 1}, TRUE, ruling(rule="N9"), ruling(), ruling()]
    flag = flag_of("wrong-rank", "N5", TRUE, told, lines, [1.0, 7.0, 7.5, 8.5, 11.0])
    assert (flag.how, flag.after_s) == ("found", 3.5)


def test_a_draw_is_found_by_its_seat_and_moment() -> None:
    true: Line = {"event": "draw", "at": 5.0, "seat": "west", "cards": ["2H", "3C"]}
    told = [{"record": 1}, {**true, "cards": ["??", "??", "3C"]}, ruling(rule="N11")]
    assert flag_of("draw-two", "N11", true, told, told, []).how == "found"
    told[1]["seat"] = "east"
    assert flag_of("draw-two", "N11", true, told, told, []).how == "missed"


def test_what_is_no_play_is_falsely_accused_only_where_nothing_is_wrong() -> None:
    score = {"event": "score", "hand": {}}
    recycle = {"event": "recycle", "at": 5.0, "seat": "west"}
    guilty = [{"record": 1}, recycle, ruling(rule="N11"), score]
    clean = [{"record": 1}, recycle, score]
    assert score_replay(guilty, guilty).false_illegal == 0 and score_replay(guilty, guilty).illegal_found == 1
    assert score_replay(guilty, clean).false_illegal == 1
