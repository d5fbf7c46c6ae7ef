"""What a second pass changed, in words."""

from __future__ import annotations

from typing import Any

import pytest
from pretend import HEADER, PLAYS

from referee.record.account import give_account

Line = dict[str, Any]


def correct(of: int, **what: Any) -> Line:
    return {"event": "correct", "at": 4.5, "of": of, "by": "umpire", **what}


def words(*corrections: Line) -> str:
    return give_account([HEADER, *PLAYS, *corrections]).second_pass


AGAIN = {"pass": 2}
TURN = {"event": "turn", "at": 2.0, "seat": "north", "place": "nerts", "card": "KS"}
DRAW = {"event": "draw", "at": 3.0, "seat": "north", "cards": ["2H", "3H", "4H"]}


@pytest.mark.parametrize(
    ("corrections", "said"),
    [
        ([], ""),
        ([correct(1, **{"with": {"cards": ["AS"]}})], ""),
        ([correct(1, **{"with": {"cards": ["AS"]}}, **AGAIN)], "second pass: 1 play told otherwise"),
        ([correct(3, drop=True, **AGAIN)], "second pass: 1 play withdrawn"),
        ([correct(3, insert=[DRAW, DRAW], **AGAIN)], "second pass: 2 draws added"),
        (
            [correct(3, drop=True, **AGAIN), correct(2, insert=[TURN], **AGAIN)],
            "second pass: 1 card turned added, 1 play withdrawn",
        ),
        # of what was put in anew only what is new counts
        (
            [
                correct(3, insert=[DRAW]),
                correct(4, drop=True, **AGAIN),
                correct(3, insert=[DRAW, TURN], **AGAIN),
            ],
            "second pass: 1 card turned added",
        ),
        ([correct(1, **{"with": {"at": 1.0}}, **AGAIN)], "second pass: moments and confidences alone"),
    ],
)
def test_only_what_the_second_pass_changed_is_counted(corrections: list[Line], said: str) -> None:
    assert words(*corrections) == said
