"""What an event may have been instead: the truth is among the first that are offered, each ready to be said."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import shorthand

from referee.record.alternatives import MOST, alternatives
from referee.record.amend import correct
from referee.record.check import check_lines
from referee.record.said import Answer, Change, RefusedError

Json = dict[str, Any]
HANDS = sorted(Path(__file__).parent.parent.glob("*/hands/*.jsonl"))
STORY = [
    json.loads(line)
    for line in shorthand.lines(
        {
            "events": [
                "play north AS : work 1 > foundation 1",
                "play north 2D : work 4 > foundation 1",
                "play north 8S : work 3 > work 2",
                "end",
            ]
        }
    )
]
DOUBT = {
    "event": "doubt",
    "of": 4,
    "candidates": [{"to": "work 3", "confidence": 0.2}, {"to": "work 2", "confidence": 0.6}, {}],
}


def read(file: Path) -> list[Json]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_what_a_doubt_names_comes_first_the_surest_before_others() -> None:
    for index in (4, 7):
        first, second, *others = alternatives([*STORY, DOUBT], index)
        assert (first.said, second.said) == (Answer(7, 1), Answer(7, 0))
        assert str(first) == "north 2♦  work 4 → work 2"
        assert others and not any(isinstance(other.said, Answer) for other in others)
        assert str(first) not in map(str, others)


def test_none_says_what_stands_there_and_none_comes_twice() -> None:
    for index in (3, 4, 5):
        texts = [str(each) for each in alternatives(STORY, index)]
        assert 0 < len(texts) <= MOST
        assert len(set(texts)) == len(texts)
        assert not any(getattr(each.said, "fields", True) == {} for each in alternatives(STORY, index))
    assert "north 2♦  work 4 → foundation 1" not in map(str, alternatives(STORY, 4))


def test_what_the_rules_allow_is_said_to_be_so() -> None:
    for each in alternatives(STORY, 4):
        after = correct(STORY[:5], each.said, "Ann", insist=True).result
        ruled = [ruling for ruling in after.rulings if 4 in ruling.of and ruling.verdict == "illegal"]
        assert each.legal == (not ruled), each


def misread(event: Json, chance: random.Random) -> Json | None:
    """The event as a camera may take it for another: a card of like face, another target or player."""
    if event["event"] not in ("play", "draw"):
        return None
    other = dict(event)
    what = chance.choice(["cards", "to"]) if event["event"] == "play" else "cards"
    if what == "cards":
        at = chance.randrange(len(event["cards"]))
        rank, suit = event["cards"][at]
        other["cards"] = [
            *event["cards"][:at],
            rank + dict(zip("SCHD", "CSDH", strict=True))[suit],
            *event["cards"][at + 1 :],
        ]
    else:
        kind, _, number = event["to"].partition(" ")
        if kind != "work":
            return None
        other["to"] = f"work {1 + int(number) % 4}"
    return other


def test_the_truth_is_found_again() -> None:
    """Hands of all games, one event of each taken for another: mostly it is the first that is offered."""
    first, found, tried = 0, 0, 0
    for file in HANDS:
        lines, chance = read(file)[:60], random.Random(file.stem)
        for index in chance.sample(range(3, len(lines)), 4):
            other = misread(lines[index], chance)
            if other is None or other == lines[index]:
                continue
            wrong = [*lines[:index], other, *lines[index + 1 :]]
            if check_lines(json.dumps(line) + "\n" for line in wrong).errors:
                continue
            tried += 1
            offered = alternatives(wrong, index)
            assert len(offered) <= MOST
            truth = {name: value for name, value in lines[index].items() if other.get(name) != value}
            places = [n for n, each in enumerate(offered) if each.said == Change(index, truth)]
            found += bool(places)
            first += places == [0]
    assert tried >= 40
    assert found == tried
    assert first >= 0.97 * tried, (first, tried)


@pytest.mark.parametrize("file", HANDS[::4], ids=lambda file: file.stem)
def test_each_is_ready_to_be_said(file: Path) -> None:
    lines = read(file)[:30]
    for index in (4, len(lines) - 1):
        for each in alternatives(lines, index):
            sent = json.loads(json.dumps(each.to_json()))
            assert sent["text"] == each.text
            assert correct(lines, each.said, "Ann", insist=True).result.errors == []


def test_what_was_put_in_has_alternatives_too() -> None:
    put_in = {"event": "correct", "of": 5, "insert": [STORY[4], STORY[5]], "by": "umpire"}
    lines = [*STORY[:4], {"event": "touch", "seat": "north", "place": "work 1"}, STORY[6], put_in]
    texts = [str(each) for each in alternatives(lines, 6, part=1)]
    assert any(text.startswith("north 8♣  work 3") for text in texts)
    for each in alternatives(lines, 6, part=1):
        corrected = correct(lines, each.said, "Ann", insist=True)
        assert corrected.line["with"]["insert"][0] == STORY[4]


@pytest.mark.parametrize("index", [0, 99, -1])
def test_nothing_else_has_any(index: int) -> None:
    with pytest.raises(RefusedError, match=": "):
        alternatives(STORY, index)
