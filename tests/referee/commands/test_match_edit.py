"""Hands of a match mended: `--edit N`, with what stood there before kept, and undo and redo through all of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matches import complaint, points, record, said, told
from pretend import PretendEye, picture

from referee.commands.program import run
from referee.matches.book_json import book_to_json, parse_book
from referee.matches.match import MatchError
from referee.matches.scorebook import Scorebook, Where
from vision.capture.frames import save_image

FIVE = [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]]


@pytest.fixture
def book(tmp_path: Path) -> str:
    """A match of five hands."""
    path = str(tmp_path / "evening.json")
    assert run(["match", path, "--seats", "anna,ben"]) == 0
    for anna, ben in FIVE:
        assert run(["match", path, f"anna={anna}", f"ben={ben}"]) == 0
    return path


def test_the_first_of_five_hands_is_mended(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    line = said(capsys, "match", book, "--edit", "1", "anna=-20", "ben=30")
    assert line == "hand 1 is now anna -20, ben 30 (it was anna 1, ben 2)"
    report = told(capsys, "match", book)
    assert report["totals"] == {"anna": 4, "ben": 58}
    assert report["winner"] == "ben"
    assert points(book) == [[-20, 30], *FIVE[1:]]


def test_a_hand_is_mended_after_the_end(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["match", book, "anna=60", "ben=0"]) == 0
    capsys.readouterr()
    assert told(capsys, "match", book)["winner"] == "anna"
    assert told(capsys, "match", book, "--edit", "6", "anna=6", "ben=0")["winner"] is None
    assert run(["match", book, "anna=1", "ben=1"]) == 0


def test_undo_goes_back_through_hands_and_edits_in_their_order(
    book: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["match", book, "--set", "target=2000"]) == 0
    states = [points(book)]
    for step in (
        ["--edit", "1", "anna=100", "ben=0"],
        ["--edit", "1", "anna=10", "ben=0"],
        ["anna=11", "ben=12"],
        ["--edit", "6", "anna=13", "ben=14"],
        ["--edit", "3", "anna=0", "ben=0"],
    ):
        assert run(["match", book, *step]) == 0
        states.append(points(book))
    full = Path(book).read_bytes()
    for state in reversed(states[:-1]):
        assert run(["match", book, "--undo"]) == 0
        assert points(book) == state
    for state in states[1:]:
        assert run(["match", book, "--redo"]) == 0
        assert points(book) == state
    assert Path(book).read_bytes() == full
    capsys.readouterr()
    assert "no hand was taken back" in complaint(capsys, "match", book, "--redo")


def test_what_stood_there_stays_in_the_file(book: str) -> None:
    assert run(["match", book, "--edit", "2", "anna=30/0", "ben=4/1"]) == 0
    assert run(["match", book, "--edit", "2", "anna=0", "ben=0"]) == 0
    was = [edit["was"] for edit in json.loads(Path(book).read_text())["edits"]]
    assert [list(one["points"].values()) for one in was] == [[3, 4], [30, 2]]
    assert was[1]["hand"]["anna"]["centre"] == 30


def test_a_record_mends_a_typed_hand(book: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hand, names = str(record(tmp_path / "hand.jsonl")), ["--as", "north=anna", "--as", "south=ben"]
    assert run(["match", book, "--edit", "2", hand, *names]) == 0
    assert points(book)[1] == [-26, -25]
    capsys.readouterr()
    assert f"{hand} is kept already as hand 2" in said(capsys, "match", book, "--edit", "2", hand, *names)
    assert "is hand 2 already" in complaint(capsys, "match", book, "--edit", "3", hand, *names)
    assert len(json.loads(Path(book).read_text())["edits"]) == 1


def test_photos_mend_a_typed_hand(
    book: str, tmp_path: Path, pretended: PretendEye, capsys: pytest.CaptureFixture[str]
) -> None:
    save_image(tmp_path / "spread.png", picture("red", "red", "red", "blue"))
    decks = ["--deck", "red=anna", "--deck", "blue=ben", "--left", "ben=2"]
    hand = ["score", str(tmp_path / "spread.png"), "--match", book, *decks, "--edit"]
    capsys.readouterr()
    assert run([*hand, "4"]) == 0
    assert "hand 4 is now anna 3, ben -3 (it was anna 7, ben 8)\n" in capsys.readouterr().out
    assert points(book)[3] == [3, -3]
    looks = pretended.looks
    assert run([*hand, "9"]) == 2
    assert pretended.looks == looks
    assert "there is no hand 9: they are 1 to 5" in capsys.readouterr().err
    assert run([*hand, "5"]) == 2
    assert "is hand 4 already: add --edit 4" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--edit", "6", "anna=1", "ben=2"], "there is no hand 6: they are 1 to 5"),
        (["--edit", "0", "anna=1", "ben=2"], "--edit 0: give a number from 1"),
        (["--edit", "-1", "anna=1", "ben=2"], "--edit -1: give a number from 1"),
        (["--edit", "1_0", "anna=1", "ben=2"], "--edit 1_0: give a number from 1"),
        (["--edit", "1"], "--edit 1 needs the hand as it should be"),
        (["--edit", "1", "--undo"], "--edit 1 needs the hand as it should be"),
        (["--edit", "1", "anna=1"], "no points for ben"),
        (["--edit", "1", "anna=1", "cleo=2"], "unknown seat 'cleo'"),
        (["--edit", "1", "a.jsonl", "b.jsonl"], "--edit 1 is one hand: give one record for it"),
        (["--again"], "--again is for a record that is in the match"),
        (["--again", "anna=1", "ben=1"], "--again is for a record that is in the match"),
        (["--edit", "1", "--seats", "a,b", "a=1", "b=2"], "keeps a match already"),
    ],
)
def test_what_cannot_be_mended_changes_nothing(
    arguments: list[str], says: str, book: str, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = Path(book).read_bytes()
    capsys.readouterr()
    assert says in complaint(capsys, "match", book, *arguments)
    assert Path(book).read_bytes() == kept


def test_score_asks_for_the_match_that_is_to_be_mended(
    pretended: PretendEye, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for option in (["--edit", "1"], ["--again"]):
        said = complaint(capsys, "score", str(photo), *option)
        assert f"{' '.join(option)} is for a match: add --match FILE" in said


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(st.sampled_from(["add", "edit", "undo", "redo"]), st.integers(1, 5)), max_size=25))
def test_any_evening_is_the_same_when_it_is_read_again(evening: list[tuple[str, int]]) -> None:
    """Read again after each step from what its file would hold, beside one that is never written."""
    book = kept = Scorebook.start("nerts", [["a"], ["b"]], {"target": 1_000_000})
    for turn, (what, hand) in enumerate(evening):
        outcomes = []
        for one in (book, kept):
            try:
                if what in ("add", "edit"):
                    where = Where(hand if what == "edit" else None)
                    one.add_points({"a": turn, "b": -turn}, where=where)
                else:
                    one.match.undo() if what == "undo" else one.match.redo()
                outcomes.append("done")
            except MatchError as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1]
        assert (book.match.hands, book.match.undone) == (kept.match.hands, kept.match.undone)
        kept = parse_book(json.loads(json.dumps(book_to_json(kept))))
