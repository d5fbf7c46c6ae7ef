"""`replay` of a recording of several hands: a record each, and one match that counts them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pretend import HEADER, PLAYS, RECORD, PretendEye
from said import complaint, lines_of

from referee import service
from referee.commands.program import run

Line = dict[str, Any]
CALL: Line = {"event": "call", "at": 5.0, "seat": "north", "word": "Nerts"}
#: What each hand of the recording is told to be.
BARE: Line = {name: value for name, value in HEADER.items() if name != "match"}


@pytest.fixture
def several(monkeypatch: pytest.MonkeyPatch, pretended: PretendEye) -> list[dict[str, float]]:
    """Recordings hold three hands: one that is called, one that is stopped, and one that is called. What the match was
    said to stand at when each began."""
    stood: list[dict[str, float]] = []

    def three(*_: Any, totals: Any = None, **__: Any) -> Iterator[Line]:
        for number, end in enumerate([CALL, {"event": "end", "at": 5.0, "why": "stopped"}, CALL]):
            stood.append(dict(totals(["north", "south"])) if totals else {})
            yield BARE | ({"match": stood[-1]} if stood[-1] else {})
            yield from PLAYS[: number + 1]
            yield {**end, "at": 5.0 + number}
            yield {**RECORD[-1], "final": True}

    monkeypatch.setattr(service, "tools", replace(service.tools, replay=three))
    return stood


def test_each_hand_has_a_file_and_all_are_printed_one_after_the_other(
    several: list[Any], hand_video: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "hand.jsonl"
    (tmp_path / "hand.2.jsonl").write_text('{"record": 1}\n{"event": "gap"}\n')
    assert run(["replay", str(hand_video), "--json", "--out", str(target)]) == 0
    printed = capsys.readouterr().out
    files = [target, tmp_path / "hand.2.jsonl", tmp_path / "hand.3.jsonl"]
    assert "".join(file.read_text() for file in files) == printed
    assert all("record" in lines_of(file.read_text())[0] for file in files)
    assert [len(lines_of(file.read_text())) for file in files] == [4, 5, 6]
    assert sorted(tmp_path.glob("*.jsonl")) == sorted(files)


def test_people_are_told_which_hand_is_which(
    several: list[Any], hand_video: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["replay", str(hand_video)]) == 0
    said = capsys.readouterr().out
    assert [said.count(f"hand {number}\n") for number in (1, 2, 3, 4)] == [1, 1, 1, 0]
    assert said.count("score") == 3


def test_the_match_counts_what_was_called(
    several: list[dict[str, float]], hand_video: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target, match = tmp_path / "hand.jsonl", tmp_path / "match.json"
    assert run(["replay", str(hand_video), "--out", str(target), "--match", str(match)]) == 0
    assert "hand.2.jsonl is not counted: its cards were gathered up" in complaint(capsys)
    counted = match.read_text()
    assert [name in counted for name in ("hand.jsonl", "hand.2.jsonl", "hand.3.jsonl")] == [True, False, True]
    assert several[0] == {} and several[1] == several[2] != {}


def test_a_match_needs_records(
    several: list[Any], hand_video: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    match = tmp_path / "match.json"
    assert run(["replay", str(hand_video), "--match", str(match)]) == 2
    assert "--match needs --out RECORD" in complaint(capsys)
    match.write_text("no match")
    target = tmp_path / "hand.jsonl"
    assert run(["replay", str(hand_video), "--out", str(target), "--match", str(match)]) == 2
    assert "is no match file" in complaint(capsys)
    assert match.read_text() == "no match" and not target.exists()
