"""Every hand-written record of the turn-taking games has just the rulings and score written beside it."""

from __future__ import annotations

import json

import pytest

from referee.record.check import check_lines

from .script import DEALS, Case, cases

CASES = [case for game in DEALS for case in cases(game)]
#: The letter of each game's rules, and how many there are.
RULES = {
    "double-solitaire": ("D", 8),
    "pishe-pasha": ("S", 6),
    "canfield": ("C", 6),
    "california-jacks": ("J", 5),
}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_record(case: Case) -> None:
    lines = case.lines()
    result = check_lines(lines)
    if case.refused:
        assert result.status == 2
        assert result.errors[0].startswith(f"line {len(lines)}: ") and case.refused in result.errors[0]
        return
    assert (result.status, result.errors) == (0, [])
    assert result.output[: len(lines)] == [line.rstrip(b"\n") for line in lines]
    printed = [json.loads(line) for line in result.output[len(lines) :]]
    found = sorted((line["rule"], line["verdict"], line["of"]) for line in printed[:-1])
    assert found == sorted(case.rulings()), [(r["rule"], r["of"], r["why"]) for r in printed[:-1]]
    score = printed[-1]
    for seat, points in case.score.items():
        said = score["winner"] if seat == "winner" else score["hand"][seat]["points"]
        assert said == (None if points == "nobody" else points if seat == "winner" else int(points)), seat
    if case.final is not None:
        assert score["final"] is case.final


@pytest.mark.parametrize("game", RULES)
@pytest.mark.parametrize("kind", ["legal", "illegal", "borderline"])
def test_every_rule_has_records_of_each_kind(game: str, kind: str) -> None:
    letter, count = RULES[game]
    there = {case.rule for case in CASES if case.game == game and case.kind == kind}
    assert there >= {f"{letter}{number}" for number in range(1, count + 1)}
