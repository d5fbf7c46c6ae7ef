"""Hands added up (N18)."""

from __future__ import annotations

import pytest

from referee import Header, open_hand, parse_header
from referee.matches.match import Change, Match, MatchError

from .tables import header

TWO = (("north",), ("south",))


def test_the_highest_total_wins_once_somebody_has_the_target() -> None:
    match = Match(TWO, 50)
    match.add({"north": 49, "south": -3})
    assert match.winner is None
    match.add({"north": -2, "south": 53})
    assert match.totals == {"north": 47, "south": 50}
    assert match.winner == "south"


def test_both_beyond_the_target_the_higher_one_wins() -> None:
    match = Match(TWO, 50)
    match.add({"north": 60, "south": 61})
    assert match.winner == "south"


def test_an_equal_highest_total_plays_on() -> None:
    match = Match(TWO, 50)
    match.add({"north": 55, "south": 55})
    assert match.winner is None
    match.add({"north": 1, "south": 0})
    assert match.winner == "north"


def test_an_equal_highest_total_is_said() -> None:
    match = Match((("north", "east"), ("south", "west"), ("ben",)), 50)
    match.add({"north": 55, "south": 55, "ben": 3})
    assert match.standing == "north+east and south+west are level at 55: one more hand"


def test_partners_share_what_they_had_before() -> None:
    line = header("team-nuts").to_json() | {"match": {"north": 30}}
    assert Match.of(parse_header(line)).totals == {"north": 30, "east": 30, "south": 0, "west": 0}


def test_undo_and_redo() -> None:
    match = Match(TWO, 50)
    match.add({"north": 10, "south": 20})
    match.add({"north": 45, "south": 1})
    assert match.undo() == Change(2, was={"north": 45, "south": 1}, now=None)
    assert (match.totals, match.winner) == ({"north": 10, "south": 20}, None)
    assert match.redo() == Change(2, was=None, now={"north": 45, "south": 1})
    assert match.winner == "north"
    match.undo()
    match.add({"north": 0, "south": 40})
    assert match.winner == "south"
    with pytest.raises(MatchError):
        match.redo()


def test_partners_share_points_and_totals() -> None:
    match = Match.of(header("team-nuts"))
    match.add({"north": -4, "south": 251})
    assert match.totals == {"north": -4, "east": -4, "south": 251, "west": 251}
    assert match.winner == ("south", "west")
    with pytest.raises(MatchError, match="partners"):
        match.add({"north": 1, "east": 2, "south": 0})


@pytest.mark.parametrize(
    ("points", "named"),
    [
        ({"north": 1}, "south"),
        ({"north": 1, "south": 2, "east": 3}, "east"),
    ],
)
def test_points_that_cannot_be(points: dict[str, float], named: str) -> None:
    match = Match(TWO, 50)
    with pytest.raises(MatchError, match=named):
        match.add(points)
    assert match.hands == []
    with pytest.raises(MatchError):
        match.undo()


def test_a_hand_that_goes_on_is_not_added() -> None:
    head = Header.of("nerts", {"north": "blue", "south": "red"})
    match = Match.of(head)
    with pytest.raises(MatchError, match="not ended"):
        match.add_score(open_hand(head).score())


def test_the_match_prints_as_a_table() -> None:
    match = Match(TWO, 50, before={"north": 5})
    match.add({"north": 46, "south": -3})
    assert str(match).splitlines() == [
        "hand     north     south",
        " had         5         0",
        "   1        46        -3",
        " sum        51        -3",
        "north won",
    ]
