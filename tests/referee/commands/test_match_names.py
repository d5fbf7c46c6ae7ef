"""Names that are one name to people are asked about: a match has no `ann` beside its `Ann`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from matches import complaint, files, points, record, told
from pretend import PretendEye

from referee.commands.program import run

#: Names that people would take for "José Ann", and how an error shows them.
TWINS = [
    ("josé ann", "'josé ann'"),
    ("JOSÉ ANN", "'JOSÉ ANN'"),
    ("José  Ann", "'Jos\\xe9 \\x20Ann'"),
    ("JoséAnn", "'JoséAnn'"),
    ("Jose\u0301 Ann", "'Jose\\u0301 Ann'"),
    ("José\u00a0Ann", "'Jos\\xe9\\xa0Ann'"),
    ("José Ann\u200b", "'Jos\\xe9 Ann\\u200b'"),
    ("\u202aJosé Ann", "'\\u202aJos\\xe9 Ann'"),
    ("Ｊosé Ann", "'Ｊosé Ann'"),
    ("José Ann\u3164", "'Jos\\xe9 Ann\\u3164'"),
    ("José Ann\ufe0f", "'Jos\\xe9 Ann\\ufe0f'"),
    ("José\u00ad Ann", "'Jos\\xe9\\xad Ann'"),
]


@pytest.fixture
def book(tmp_path: Path) -> str:
    path = str(tmp_path / "evening.json")
    assert run(["match", path, "--seats", "José Ann,ben"]) == 0
    return path


@pytest.mark.parametrize(("twin", "shown"), TWINS)
def test_when_a_match_begins(
    twin: str, shown: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seats = f"José Ann,{twin}"
    line = complaint(capsys, "match", str(tmp_path / "new.json"), "--seats", seats)
    assert shown in line and "are one name to people" in line
    partners = ["--game", "team-nuts", "--seats", f"José Ann+b,c+{twin}"]
    assert "are one name to people" in complaint(capsys, "match", str(tmp_path / "new.json"), *partners)
    assert files(tmp_path) == []


@pytest.mark.parametrize(("twin", "shown"), TWINS)
def test_when_a_hand_is_typed(twin: str, shown: str, book: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    line = complaint(capsys, "match", book, f"{twin}=3", "ben=4")
    assert f"unknown seat {shown}: write 'Jos" in line and "if that player is meant" in line
    assert points(book) == []


def test_when_the_caller_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = str(tmp_path / "evening.json")
    assert run(["match", book, "--game", "nna-singles", "--seats", "Ann,ben"]) == 0
    capsys.readouterr()
    line = complaint(capsys, "match", book, "Ann=20/0", "ben=20/0", "--call", "ann")
    assert "unknown seat 'ann': write 'Ann' if that player is meant" in line


def test_when_the_seats_of_a_record_are_told(
    book: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand = str(record(tmp_path / "hand.jsonl"))
    capsys.readouterr()
    line = complaint(capsys, "match", book, hand, "--as", "north=josé ann", "--as", "south=ben")
    assert "unknown seat 'josé ann': write 'José Ann' if that player is meant" in line
    line = complaint(capsys, "match", book, hand, "--as", "North=José Ann", "--as", "south=ben")
    assert "unknown seat 'North': write 'north' if that player is meant" in line
    new = str(tmp_path / "new.json")
    line = complaint(capsys, "match", new, hand, "--as", "north=ann", "--as", "south=Ann")
    assert "seats 'ann' and 'Ann' are one name to people" in line


def test_when_a_record_names_its_seats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book, hand = str(tmp_path / "evening.json"), record(tmp_path / "hand.jsonl")
    twins = tmp_path / "twins.jsonl"
    twins.write_text(hand.read_text().replace('"south"', '"North"'))
    line = complaint(capsys, "match", book, str(twins))
    assert "seats 'north' and 'North' are one name to people" in line
    assert run(["match", book, "--seats", "North,south"]) == 0
    capsys.readouterr()
    line = complaint(capsys, "match", book, str(hand))
    assert "unknown seat 'north': write 'North' if that player is meant" in line
    assert run(["match", book, str(hand), "--as", "north=North"]) == 0


def test_when_a_file_of_plain_totals_goes_on(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(book).write_text('{"ann": 40, "ben": 3, "Ann": 31}')
    capsys.readouterr()
    assert "seats 'ann' and 'Ann' are one name to people" in complaint(capsys, "match", book)


def test_when_photos_are_scored(
    pretended: PretendEye, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    score = ["score", str(photo), "--deck", "red=Ann"]
    assert "are one name to people" in complaint(capsys, *score, "--deck", "blue=ann")
    assert "are one name to people" in complaint(capsys, *score, "--deck", "blue=ben", "--left", "ann=3")
    book = str(tmp_path / "evening.json")
    assert run(["match", book, "--seats", "ann,ben"]) == 0
    capsys.readouterr()
    assert run([*score, "--deck", "blue=ben", "--match", book]) == 2
    assert "unknown seat 'Ann': write 'ann' if that player is meant" in capsys.readouterr().err
    assert points(book) == []


def test_a_match_that_had_both_names_can_still_be_read(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    kept = {"match": 1, "game": "nerts", "sides": [["ann"], ["Ann"]]}
    Path(book).write_text(json.dumps(kept))
    capsys.readouterr()
    assert told(capsys, "match", book, "ann=1", "Ann=2")["totals"] == {"ann": 1, "Ann": 2}


@pytest.mark.parametrize(
    "name", ["\u200b", "\u00ad\u2060", "\u3164\ufe0f", "\udcff", "an\x1b[2Jn", "an\nn", "a\u2028b"]
)
def test_a_name_that_nobody_can_read(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = complaint(capsys, "match", str(tmp_path / "new.json"), "--seats", f"anna,{name}")
    assert ": write another name" in line
    assert files(tmp_path) == []


@pytest.mark.parametrize("name", ["Zoë", "李", "أحمد", "می\u200cخواهم", "👩\u200d🚀", "O'Brien", "Ann 2"])
def test_names_of_all_scripts_play(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = str(tmp_path / "evening.json")
    assert run(["match", book, "--seats", f"{name},ben"]) == 0
    assert run(["match", book, f"{name}=3", "ben=4"]) == 0
    assert points(book) == [[3, 4]]
