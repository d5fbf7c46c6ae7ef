"""Records written by hand from the words of the rule book, each with the rulings it must have."""

from __future__ import annotations

import json
from typing import Any

import pytest
import shorthand

from referee.record.check import check_lines

CASES = list(shorthand.cases())


def name(case: dict[str, Any]) -> str:
    return f"{case['rule']}-{case['kind']}-{case['about'][:60]}"


@pytest.mark.parametrize("case", CASES, ids=name)
def test_record(case: dict[str, Any]) -> None:
    record = shorthand.lines(case)
    result = check_lines(record)
    if "refused" in case:
        assert result.status == 2
        assert case["refused"] in result.errors[0]
        return
    assert result.errors == []
    assert result.output[: len(record)] == [line.rstrip(b"\n") for line in record]
    printed = [json.loads(line) for line in result.output[len(record) :]]
    rulings, score = printed[:-1], printed[-1]
    said = [f"{r['rule']} {r['verdict']} {','.join(map(str, r['of']))}" for r in rulings]
    greatest = [max(r["of"]) for r in rulings]
    assert greatest == sorted(greatest)
    assert sorted(said) == sorted(case["rulings"]), "\n".join(r["why"] for r in rulings)
    assert score["event"] == "score"
    for seat, wanted in case.get("score", {}).items():
        got = score["hand"][seat]
        keys = ("centre", "left", "bonus", "disputed", "points")
        assert [got[key] for key in keys] == wanted, seat
    for key in ("final", "winner", "match"):
        if key in case:
            assert score[key] == (case[key] if case[key] != "nobody" else None)
    for rule_seat, seat in case.get("seat_of", {}).items():
        assert [r["seat"] for r in rulings if r["rule"] == rule_seat] == [seat]


def test_every_rule_of_the_family_has_records_of_each_kind() -> None:
    rules = [f"N{n}" for n in range(1, 19)] + [f"U{n}" for n in range(1, 8)]
    rules += [f"P{n}" for n in range(1, 6)] + [f"T{n}" for n in range(1, 5)] + ["F1"]
    kinds = {(case["rule"], case["kind"]) for case in CASES}
    missing = [(r, k) for r in rules for k in ("legal", "illegal", "borderline") if (r, k) not in kinds]
    assert not missing
