"""A record that begins in the middle of a hand: what is ruled on, and what is not since nobody saw the deal."""

from __future__ import annotations

import json
from typing import Any

import pytest

from referee.matches.match import MatchError
from referee.matches.scorebook import Judged
from referee.record.account import give_account
from referee.record.check import check_lines

Line = dict[str, Any]
HEADER: Line = {
    "record": 1,
    "game": "nerts",
    "seats": [{"seat": "north", "deck": "blue"}, {"seat": "south", "deck": "red"}],
    "source": {"kind": "video"},
}
CENTRE: Line = {
    "event": "begun",
    "at": 0.5,
    "piles": {"foundation 1": ["??", "2H"], "foundation 2": ["??", "??", "3S"]},
}
NORTH: Line = {
    "event": "begun",
    "at": 0.5,
    "seat": "north",
    "piles": {
        "nerts": ["3H"],
        "work 1": ["9S", "8D"],
        "work 2": ["KC"],
        "work 3": [],
        "work 4": ["6H"],
        "waste": ["5C"],
    },
    "more": ["nerts", "stock", "waste"],
}
SOUTH: Line = {**NORTH, "seat": "south", "piles": {**NORTH["piles"], "nerts": ["JD"], "work 3": ["AS"]}}
BEGUN = [HEADER, CENTRE, NORTH, SOUTH]


def play(card: str, source: str, target: str, seat: str = "north", at: float = 2.0) -> Line:
    return {"event": "play", "at": at, "seat": seat, "cards": card.split(), "from": source, "to": target}


def checked(*lines: Line) -> tuple[list[str], Line]:
    """What was ruled, and the score."""
    result = check_lines([json.dumps(line).encode() + b"\n" for line in (*BEGUN, *lines)])
    assert result.errors == []
    told = [json.loads(line) for line in result.output]
    rulings = [f"{one['rule']} {one['verdict']}" for one in told if one.get("event") == "ruling"]
    return rulings, told[-1]


def test_plays_onto_what_was_seen_are_ruled_on() -> None:
    legal = [play("3H", "nerts", "foundation 1"), play("AS", "work 3", "foundation 3", "south")]
    assert checked(*legal)[0] == []
    assert checked(play("5C", "waste", "foundation 1"))[0] == ["N9 illegal"]
    assert checked(play("6H", "work 4", "work 1"))[0] == ["N5 illegal"]
    assert checked(play("9S", "work 1", "work 3"))[0] == ["N5 illegal"]


@pytest.mark.parametrize(
    "lines",
    [
        # a foundation that a hand hid
        [play("5C", "waste", "foundation 9")],
        # nobody knows what lies under these
        [play("5C", "waste", "work 4"), play("2C", "waste", "work 3")],
        [
            play("3H", "nerts", "foundation 1"),
            {"event": "turn", "at": 2.5, "seat": "north", "place": "nerts", "card": "QD"},
            play("QD", "nerts", "work 2", at=3.0),
        ],
        [{"event": "draw", "at": 2.0, "seat": "north", "cards": ["2C"]}],
        [
            {"event": "recycle", "at": 2.0, "seat": "north"},
            {"event": "draw", "at": 3.0, "seat": "north", "cards": ["2C", "4D", "8H"]},
            {"event": "draw", "at": 4.0, "seat": "north", "cards": ["9C", "5C", "JH"]},
            # of cards that came twice, as far as anybody counted
            {"event": "recycle", "at": 5.0, "seat": "north"},
            {"event": "recycle", "at": 6.0, "seat": "north"},
        ],
        # of a waste nothing is left that was seen
        [play("5C", "waste", "work 4"), {"event": "recycle", "at": 2.5, "seat": "north"}],
        # the waste was turned over unseen
        [
            {"event": "draw", "at": 2.0, "seat": "north", "cards": ["2C", "4D", "8H"]},
            {"event": "draw", "at": 3.0, "seat": "north", "cards": ["??", "??", "5C"]},
        ],
        # more unknown cards than a deck has
        [{"event": "draw", "at": 2.0 + n, "seat": "north", "cards": ["??"] * 3} for n in range(20)],
        [{"event": "set-aside", "at": 2.0, "seat": "north", "place": "foundation 9"}],
    ],
)
def test_what_rests_on_the_deal_is_not_ruled_on(lines: list[Line]) -> None:
    assert checked(*lines)[0] == []


def test_a_call_with_the_pile_empty_ends_the_hand_and_is_not_ruled_on() -> None:
    call = {"event": "call", "at": 3.0, "seat": "north", "word": "Nerts"}
    rulings, score = checked(play("3H", "nerts", "foundation 1"), call)
    assert (rulings, score["final"]) == ([], True)
    assert score["unknown"] == {"centre": 5, "left": ["south"]}
    assert score["hand"]["north"]["centre"] == 1 and score["winner"] is None


def test_a_call_over_a_card_that_is_seen_is_false() -> None:
    call = {"event": "call", "at": 3.0, "seat": "north", "word": "Nerts"}
    rulings, score = checked(call)
    assert (rulings, score["final"]) == (["N15 illegal"], False)


def test_no_match_is_won_or_counted_by_a_score_that_is_not_known() -> None:
    call = {"event": "call", "at": 3.0, "seat": "north", "word": "Nerts"}
    header = {**HEADER, "match": {"north": 200, "south": 3}}
    record = [header, *BEGUN[1:], play("3H", "nerts", "foundation 1"), call]
    data = b"".join(json.dumps(line).encode() + b"\n" for line in record)
    score = check_lines(data.splitlines(keepends=True)).score
    assert score is not None and score.winner is None
    with pytest.raises(MatchError, match="had begun before the recording"):
        Judged.of(data, "hand.jsonl")


def test_the_account_says_how_it_lay() -> None:
    account = give_account(BEGUN)
    assert account.entries[0].text == "the hand had begun: foundation 1 2♥, foundation 2 3♠"
    assert "nerts … 3♥, work 1 9♠ 8♦" in account.entries[1].text


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([NORTH, NORTH], "line 3: begun: north is there twice"),
        ([{**NORTH, "piles": {"foundation 1": ["AS"]}}], "is no place north's own"),
        ([{**CENTRE, "piles": {"south work 1": ["AS"]}}], "is no place of the centre"),
        ([{**NORTH, "piles": {"work 1": ["AS"], "nerts": ["AS"]}}], "begun: card AS is there twice"),
        ([{**NORTH, "more": "nerts"}], "begun: field 'more' is no list"),
        ([play("AS", "work 3", "foundation 1", at=0.1), NORTH], "played before it"),
        ([play("AS", "work 3", "foundation 1", at=0.1), CENTRE], "played to foundation 1 before it"),
    ],
)
def test_what_cannot_have_lain_so(lines: list[Line], says: str) -> None:
    result = check_lines([json.dumps(line).encode() + b"\n" for line in (HEADER, *lines)])
    assert result.status == 2 and says in result.errors[0]


def test_other_games_are_told_from_the_deal_on() -> None:
    header = {**HEADER, "game": "pishe-pasha", "seats": [{"seat": "north"}, {"seat": "south"}]}
    result = check_lines(
        [json.dumps(line).encode() + b"\n" for line in (header, {**NORTH, "piles": {}, "more": []})]
    )
    assert result.status == 2 and "Nerts family" in result.errors[0]
