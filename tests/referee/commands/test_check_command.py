"""`check`: the record, its rulings and its score, whole, cut off or malformed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from said import RECORD_LINES, complaint

from referee.commands.program import run


def test_check_prints_the_record_then_rulings_then_the_score(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "hand.jsonl"
    path.write_bytes(b"".join(RECORD_LINES))
    assert run(["check", "--json", str(path)]) == 0
    said = capsysbinary.readouterr().out
    assert said.startswith(b"".join(RECORD_LINES))
    rulings = [json.loads(line) for line in said[len(b"".join(RECORD_LINES)) :].splitlines()]
    assert [line["event"] for line in rulings] == ["ruling", "score"]
    assert rulings[0]["of"] == [3]
    assert rulings[0]["verdict"] == "illegal"


def test_check_tells_people_what_was_illegal_and_the_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "hand.jsonl"
    path.write_bytes(b"".join(RECORD_LINES))
    assert run(["check", str(path)]) == 0
    said = capsys.readouterr().out
    assert "0:02.5" in said
    assert "illegal" in said
    assert "9♠" in said
    assert "A♥" not in said
    assert "centre" in said


def test_a_record_malformed_in_the_middle(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    path = tmp_path / "hand.jsonl"
    path.write_bytes(b"".join([*RECORD_LINES, b'{"event": "play"\n', *RECORD_LINES[2:]]))
    assert run(["check", "--json", str(path)]) == 2
    said = capsysbinary.readouterr()
    assert said.out.startswith(b"".join(RECORD_LINES))
    assert [json.loads(line)["event"] for line in said.out.splitlines()[4:]] == ["ruling"]
    assert said.err.count(b"\n") == 1
    assert b"line 5" in said.err
    assert b"hand.jsonl" in said.err


def test_a_record_cut_off_in_its_last_line_is_no_error(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "hand.jsonl"
    path.write_bytes(b"".join([*RECORD_LINES, b'{"event": "pl']))
    assert run(["check", "--json", str(path)]) == 0
    said = capsysbinary.readouterr()
    assert b"cut off" in said.err
    assert b"line 5" in said.err
    assert json.loads(said.out.splitlines()[-1])["event"] == "score"


def test_nothing_is_called_legal_that_could_not_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "hand.jsonl"
    path.write_bytes(b"\x00\xff garbage\n")
    assert run(["check", str(path)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "line 1: the line is not JSON" in said.err


def test_an_empty_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hand.jsonl").touch()
    assert run(["check", str(tmp_path / "hand.jsonl")]) == 2
    assert "is empty: a record begins with its header line" in complaint(capsys)
