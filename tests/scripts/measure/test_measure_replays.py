"""The measure itself: what counts as right, wrong, missed and invented."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.measure.replays import Tally, score_replay

Line = dict[str, Any]


def play(at: float, seat: str, card: str, source: str, target: str) -> Line:
    return {"event": "play", "at": at, "seat": seat, "cards": [card], "from": source, "to": target}


TRUTH = [
    play(1.0, "north", "7H", "nerts", "work 2"),
    play(2.0, "south", "AS", "waste", "foundation 1"),
    play(3.0, "north", "2S", "work 1", "foundation 1"),
    {"event": "draw", "at": 3.5, "seat": "north", "cards": ["2H", "3C", "9D"]},
]


def draw(at: float, seat: str) -> Line:
    return {"event": "draw", "at": at, "seat": seat, "cards": ["??", "??", "AS"]}


def test_the_truth_is_all_right() -> None:
    figures = score_replay(TRUTH, TRUTH)
    assert figures.plays == Tally(true=3, right=3)
    assert figures.draws == Tally(true=1, right=1)
    assert figures.plays.share == 1.0


def test_foundations_may_be_numbered_otherwise() -> None:
    told = [dict(line) for line in TRUTH]
    for line in told[1:3]:
        line["to"] = "foundation 9"
    assert score_replay(told, TRUTH).plays.right == 3


def test_two_foundations_told_as_one_are_not_right() -> None:
    truth = [*TRUTH[:3], play(5.0, "south", "AH", "nerts", "foundation 2")]
    told = [*TRUTH[:3], play(5.0, "south", "AH", "nerts", "foundation 1")]
    assert score_replay(told, truth).plays == Tally(true=4, right=3, wrong=1)


@pytest.mark.parametrize(
    ("changed", "tally"),
    [
        ({"seat": "south"}, Tally(3, right=2, wrong=1)),
        ({"cards": ["7D"]}, Tally(3, right=2, wrong=1)),
        ({"from": "waste"}, Tally(3, right=2, wrong=1)),
        ({"to": "work 3"}, Tally(3, right=2, wrong=1)),
        ({"at": 1.9}, Tally(3, right=3)),
        ({"at": 0.2}, Tally(3, right=3)),
        ({"at": 2.2}, Tally(3, right=2, missed=1, invented=1)),
    ],
)
def test_each_part_of_a_play_counts(changed: Line, tally: Tally) -> None:
    told = sorted([{**TRUTH[0], **changed}, *TRUTH[1:]], key=lambda line: float(line["at"]))
    assert score_replay(told, TRUTH).plays == tally


def test_missed_and_invented_plays_count_against_the_share() -> None:
    told = [*TRUTH[:2], play(9.0, "south", "KD", "nerts", "work 1")]
    plays = score_replay(told, TRUTH).plays
    assert plays == Tally(true=3, right=2, missed=1, invented=1)
    assert plays.share == pytest.approx(1 / 3)


def test_what_landed_before_is_asked_of_nobody_told_or_not() -> None:
    truth = [*TRUTH, play(4.0, "south", "KD", "nerts", "work 1")]
    for told in (truth, truth[1:], truth[2:]):
        figures = score_replay(told, truth, since=2.5)
        assert figures.plays == Tally(true=2, right=2) and figures.draws == Tally(true=1, right=1)
    late = score_replay(truth[1:3], truth, since=1.5)
    assert late.plays == Tally(true=3, right=2, missed=1) and late.draws == Tally(true=1, missed=1)
    assert late.faults == [(truth[4], None)]


@pytest.mark.parametrize(("late", "right"), [(0.25, 2), (0.9, 2), (1.1, 1)])
def test_what_is_told_within_a_second_is_right_whatever_comes_between(late: float, right: int) -> None:
    truth = [play(1.0, "north", "7H", "nerts", "work 2"), play(1.1, "south", "AS", "waste", "foundation 1")]
    told = [truth[1], {**truth[0], "at": 1.0 + late}]
    assert score_replay(told, truth).plays.right == right


def test_two_plays_at_the_same_moment_are_right_in_either_order() -> None:
    truth = [play(1.0, "north", "7H", "nerts", "work 2"), play(1.0, "south", "AS", "waste", "foundation 1")]
    assert score_replay(truth[::-1], truth).plays == Tally(true=2, right=2)


def test_draws_of_two_that_fall_together_may_be_told_in_either_order() -> None:
    truth = [draw(1.0, "north"), draw(1.1, "south"), draw(2.0, "south")]
    told = [draw(1.0, "south"), draw(1.2, "north"), draw(2.6, "south")]
    assert score_replay(told, truth).draws == Tally(true=3, right=3)
    assert score_replay(told[:2], truth).draws == Tally(true=3, right=2, missed=1)


def test_illegal_verdicts_are_compared_by_their_event() -> None:
    ruling = {"event": "ruling", "verdict": "illegal", "of": [0], "seat": "north", "rule": "N5"}
    other = {**ruling, "of": [1]}
    figures = score_replay([*TRUTH, ruling, other], [*TRUTH, ruling])
    assert (figures.illegal_true, figures.illegal_found, figures.false_illegal) == (1, 1, 1)


def test_points_are_compared() -> None:
    score = {"event": "score", "hand": {"north": {"points": 3}, "south": {"points": -4}}}
    wrong = {"event": "score", "hand": {"north": {"points": 3}, "south": {"points": -6}}}
    assert score_replay([*TRUTH, score], [*TRUTH, score]).score_equal is True
    assert score_replay([*TRUTH, wrong], [*TRUTH, score]).score_equal is False
    assert score_replay(TRUTH, TRUTH).score_equal is None
