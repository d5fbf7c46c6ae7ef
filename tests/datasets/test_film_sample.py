"""The recording that ships: long enough, small enough, true, with one planted infraction and a call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import av
import pytest

from referee.record.check import check_lines

SAMPLE = Path(__file__).parents[2] / "referee" / "sample"


def truth() -> list[dict[str, Any]]:
    result = check_lines((SAMPLE / "hand.truth.jsonl").read_bytes().splitlines(keepends=True))
    assert (result.status, result.errors) == (0, [])
    return [json.loads(line) for line in result.output]


def test_the_video_is_what_was_asked_for() -> None:
    with av.open(str(SAMPLE / "hand.mp4")) as container:
        stream = container.streams.video[0]
        assert (stream.width, stream.height, float(stream.average_rate or 0)) == (1920, 1080, 30.0)
        seconds = float(stream.duration or 0) * float(stream.time_base or 0)
    assert seconds >= 45
    assert (SAMPLE / "hand.mp4").stat().st_size <= 10_000_000


def test_one_illegal_build_and_a_right_call() -> None:
    lines = truth()
    rulings = [(line["rule"], line["verdict"]) for line in lines if line.get("event") == "ruling"]
    assert rulings == [("N5", "illegal"), ("N15", "legal")]
    assert lines[-1]["final"] is True


def test_the_illegal_card_lies_uncovered_for_seconds() -> None:
    lines = truth()
    of: int = next(line["of"][0] for line in lines if line.get("verdict") == "illegal")
    play = lines[of]
    after = [
        line
        for line in lines[of + 1 :]
        if line.get("event") == "play"
        and line["seat"] == play["seat"]
        and play["to"] in (line["from"], line["to"])
    ]
    assert all(line["lifted"][0] > play["landed"][1] + 5 for line in after)


def test_the_facts_tell_the_call_and_not_the_plays() -> None:
    facts = json.loads((SAMPLE / "hand.json").read_text())
    call = next(line for line in truth() if line.get("event") == "call")
    assert facts["call"] == {"at": call["at"], "seat": call["seat"]}
    assert [seat["side"] for seat in facts["seats"]] == ["west", "east"]
    assert set(facts) == {"game", "fps", "width", "height", "seats", "call"}


@pytest.mark.parametrize("name", ["hand.mp4", "hand.json", "hand.truth.jsonl", "README.md"])
def test_every_file_is_there(name: str) -> None:
    assert (SAMPLE / name).stat().st_size > 100
