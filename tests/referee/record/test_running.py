"""The account that runs along says at every line what the account of the whole record says."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from live_table import HAND, HEADER, play

from referee.record.account import account_of
from referee.record.check import check_lines
from referee.record.lines import dump
from referee.record.running import RunningAccount
from referee.service import SAMPLE

Json = dict[str, Any]


def shown(entries: list[Json]) -> dict[int, Any]:
    """What people read, by index. A written ruling cites events that were put in together by one index."""
    told: dict[int, Any] = {}
    for entry in entries:
        texts, remarks = told.setdefault(entry["index"], ([], set()))
        texts.append((entry["at"], entry["seat"], entry["text"]))
        remarks |= {(remark["rule"], remark["why"]) for remark in entry["remarks"]}
    return told


def gathered(lines: list[Json]) -> tuple[list[Json], list[Json]]:
    """What somebody has who took in every change, and what the account holds in the end."""
    account = RunningAccount()
    kept: dict[str, Json] = {}
    for line in lines:
        for change in account.push(line):
            if change.get("gone"):
                del kept[change["key"]]
            else:
                kept[change["key"]] = change
    return list(kept.values()), account.to_json()


def whole(lines: list[Json]) -> list[Json]:
    return account_of(check_lines([dump(line) + b"\n" for line in lines])).to_json()["entries"]


def corrected(seed: int) -> list[Json]:
    """A hand with corrections of every kind at random places, those of corrections among them, and its rulings."""
    chance = random.Random(seed)
    lines = [HEADER, *(play(1.0 + i, "north", f"{rank}H") for i, rank in enumerate("A23456"))]
    for _ in range(8):
        of = chance.randrange(1, len(lines))
        what: Json = chance.choice(
            [
                {"drop": True},
                {"with": {"cards": [chance.choice(["AS", "9D"])]}} if of < 7 else {"drop": True},
                {"insert": [play(1.5, "south", "AC", "work 2", "foundation 2")] * chance.choice([1, 2])},
            ]
        )
        if "insert" in what and lines[of]["event"] == "correct":
            continue
        lines.append(
            {"event": "correct", "at": 7.0, "of": of, **what, "by": chance.choice(["Anna", "umpire"])}
        )
    checked = check_lines([dump(line) + b"\n" for line in lines])
    return [*lines, *(dict(ruling.to_json()) for ruling in checked.rulings)]


@pytest.mark.parametrize("seed", range(40))
def test_corrected_hands_are_told_alike(seed: int) -> None:
    lines = corrected(seed)
    taken, held = gathered(lines)
    assert taken == held or sorted(map(str, taken)) == sorted(map(str, held))
    assert shown(taken) == shown(whole(lines))


def test_the_sample_is_told_alike() -> None:
    truth = SAMPLE.with_suffix(".truth.jsonl").read_bytes().splitlines(keepends=True)
    result = check_lines(truth)
    lines = [json.loads(line) for line in truth]
    lines += [dict(ruling.to_json()) for ruling in result.rulings]
    taken, _ = gathered(lines)
    assert len(taken) > 50
    assert shown(taken) == shown(whole(lines))


def test_only_what_changed_is_told() -> None:
    account = RunningAccount()
    changes = [account.push(line) for line in HAND]
    assert [len(each) for each in changes] == [0, 1, 1, 1, 1, 1, 1]
    assert changes[4][0]["illegal"] and changes[4][0]["key"] == "3.0"
    withdrawn = account.push({"event": "correct", "at": 7.0, "of": 4, "drop": True, "by": "umpire"})
    assert [(each["key"], each["illegal"]) for each in withdrawn] == [("3.0", False)]
    dropped = account.push({"event": "correct", "at": 7.0, "of": 1, "drop": True, "by": "umpire"})
    assert dropped == [{"key": "1.0", "gone": True}]


@pytest.mark.parametrize(
    "odd",
    [
        {"event": "play"},
        {"event": "correct", "at": 1.0, "of": 99, "drop": True},
        {"event": "correct", "at": 1.0, "of": 1, "with": {"cards": []}},
        {"event": "ruling", "at": 1.0, "of": [77], "rule": "N9", "verdict": "illegal", "why": "x"},
    ],
)
def test_a_line_that_cannot_be_changes_nothing(odd: Json) -> None:
    account = RunningAccount()
    for line in HAND[:4]:
        account.push(line)
    before = account.to_json()
    assert account.push(odd) == []
    assert account.to_json() == before
