"""Match files: older ones, odd ones, hostile ones, and disks that are full."""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest
from matches import complaint, files, points, record, said, told

from referee.commands.program import run

#: A match file and a record of one of its hands, as the program wrote them before hands could be edited.
KEPT = Path(__file__).parent / "kept"
START = '{"match": 1, "game": "nerts", "sides": [["a"], ["b"]]'
HAND = '"hands": [{"points": {"a": 1, "b": 2}}]'


@pytest.fixture
def old(tmp_path: Path) -> str:
    return shutil.copy(KEPT / "evening.json", tmp_path)


@pytest.fixture
def book(tmp_path: Path) -> str:
    path = str(tmp_path / "evening.json")
    assert run(["match", path, "--seats", "anna,ben"]) == 0
    return path


def test_a_file_of_before_is_read_and_goes_on(old: str, capsys: pytest.CaptureFixture[str]) -> None:
    hands = [[31, -4], [-25, -24], [25, -17], [5, 7], [3, -12]]
    before = json.loads(Path(old).read_text())
    assert told(capsys, "match", old)["totals"] == {"north": 39, "south": -50}
    assert json.loads(Path(old).read_text()) == before
    assert told(capsys, "match", old, "--redo")["totals"] == {"north": 40, "south": -48}
    assert points(old) == [*hands, [1, 2]]
    assert run(["match", old, "--undo"]) == 0
    assert json.loads(Path(old).read_text()) == before
    assert run(["match", old, "--edit", "4", "north=6", "south=7"]) == 0
    assert points(old) == [*hands[:3], [6, 7], hands[4]]


@pytest.mark.parametrize("record_", ["hand1.jsonl", "hand1_corrected.jsonl"])
def test_a_record_that_is_in_a_file_of_before_is_known(
    record_: str, old: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It keeps the digest of the whole record only: what begins with that record is the same hand."""
    report = told(capsys, "match", old, str(KEPT / record_))
    second = [-25, -24] if record_ == "hand1.jsonl" else [-25, -25]
    assert points(old) == [[31, -4], second, [25, -17], [5, 7], [3, -12]]
    assert len(report["told"]) == 1


def test_a_file_with_edits_can_be_read_by_what_knows_none(
    book: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """`hands` holds the hands as they stand: a reader that passes over other fields counts right."""
    for hand in (["anna=1", "ben=2"], ["anna=3", "ben=4"]):
        assert run(["match", book, *hand]) == 0
    assert run(["match", book, "--edit", "1", "anna=10", "ben=20"]) == 0
    value = json.loads(Path(book).read_text())
    assert value["match"] == 1
    assert [hand["points"] for hand in value["hands"]] == [{"anna": 10, "ben": 20}, {"anna": 3, "ben": 4}]
    assert value["edits"][0]["was"]["points"] == {"anna": 1, "ben": 2}


def test_points_are_kept_as_they_were_typed(book: str) -> None:
    assert run(["match", book, "anna=-3", "ben=20"]) == 0
    assert '{"points": {"anna": -3, "ben": 20}, "from": "typed"}' in Path(book).read_text()


def test_a_byte_order_mark_is_passed_over(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(book).write_bytes(b"\xef\xbb\xbf" + Path(book).read_bytes())
    capsys.readouterr()
    assert told(capsys, "match", book, "anna=1", "ben=2")["totals"] == {"anna": 1, "ben": 2}
    Path(book).write_bytes(b'\xef\xbb\xbf{"anna": 40, "ben": 31}')
    assert told(capsys, "match", book)["totals"] == {"anna": 40, "ben": 31}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (START + ', "sides": [["c"], ["d"]]}', "key 'sides' is there twice"),
        (START + ', "hands": [{"points": {"a": 1, "b": 2, "a": 3}}]}', "key 'a' is there twice"),
        ('{"anna": 40, "ben": 31, "anna": 400}', "key 'anna' is there twice"),
        ('{"a": NaN, "b": 1}', "NaN is no number"),
        (START + ', "before": {"a": Infinity}}', "Infinity is no number"),
        (START + ', "before": {"a": 1e999}}', "is no finite number"),
        (START + f', "before": {{"a": {"9" * 5000}}}}}', "is not JSON"),
        (START + f', "before": {{"a": {"9" * 4000}}}}}', "'before' holds no points"),
        (START + ', "before": {"a": 1e300}}', "'before' holds no points"),
        (START.replace("1", "2", 1) + "}", "it is of a later version than 1: use a newer nerts-referee"),
        (START.replace("1", "9" * 4000, 1) + "}", "it is of a later version than 1"),
        (START.replace("1", "true", 1) + "}", "field 'match' must be 1"),
        (START.replace("1", "1.0", 1) + "}", "field 'match' must be 1"),
        (START.replace("1", '"1"', 1) + "}", "field 'match' must be 1"),
        (START.replace("1", "0", 1) + "}", "field 'match' must be 1"),
        (START.replace('"a"', '"\\ud800"') + "}", "holds characters that are no text"),
        (START.replace('"a"', '"\\u001b[2J"') + "}", "holds characters that are no text"),
        ('{"a\\n": 4, "b": 3}', "holds characters that are no text"),
        (START.replace('"a"', '"\\u200b"') + "}", "shows no letter"),
        (START + ', "settings": {"target": [[1]]}}', "setting 'target' cannot be"),
        (START + ', "settings": {"target": {"target": 1}}}', "setting 'target' cannot be"),
        (START + "," + HAND + ', "edits": 4}', "'edits' is no list"),
        (START + "," + HAND + ', "edits": [{}]}', "'edits' tells of a hand that was not there"),
        (START + "," + HAND + ', "edits": [{"edited": 1, "of": 2}]}', "a hand that was not there"),
        (START + "," + HAND + ', "edits": [{"edited": true, "of": 1}]}', "a hand that was not there"),
        (START + "," + HAND + ', "edits": [{"edited": 1, "of": 1}]}', "what stood there before"),
        (START + "," + HAND + ', "edits": [{"edited": 1, "of": 1, "was": {}}]}', "holds no points"),
        (
            START + "," + HAND + ', "edits": [{"edited": 1, "of": 1, "was": {"points": {"a": 1}}}]}',
            "'edits' holds points of other seats",
        ),
        (START + ', "undone": [{"points": {"a": 1, "b": 2}, "edits": 1}]}', "edits a hand that is not there"),
        (START + ', "undone": [{"points": {"a": 1, "b": 2}, "edits": "1"}]}', "an edit of no hand"),
    ],
)
def test_a_hostile_file_is_one_line(
    text: str, says: str, book: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(book).write_text(text)
    capsys.readouterr()
    line = complaint(capsys, "match", book, "--undo")
    assert says in line and "is no match file" in line
    assert len(line) < 400
    assert Path(book).read_text() == text
    assert files(Path(book).parent) == ["evening.json"]


@pytest.mark.parametrize("data", [b"\xff\xfe{\x00}\x00", b"{\xe9}", b"\x00" * 100, b"\x1f\x8b\x08\x00"])
def test_bytes_that_are_no_text_are_one_line(
    data: bytes, book: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(book).write_bytes(data)
    capsys.readouterr()
    assert "is no match file (it is not JSON" in complaint(capsys, "match", book)


def test_a_file_without_end_is_not_read_to_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert "is a device or a pipe: name a file with the match" in complaint(capsys, "match", "/dev/zero")


@pytest.mark.parametrize("about", ['"photos": 3', '"digest": []', '"id": {}', '"lines": "x"', '"hand": []'])
def test_what_a_hand_says_of_itself_may_be_anything(
    about: str, book: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start = START.replace('"a"', '"north"').replace('"b"', '"south"')
    Path(book).write_text(f'{start}, "hands": [{{"points": {{"north": 1, "south": 2}}, {about}}}]}}')
    assert run(["match", book, str(record(tmp_path / "hand.jsonl"))]) == 0
    assert points(book) == [[1, 2], [-26, -25]]


def test_the_name_of_a_record_may_be_no_text(
    book: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand = str(record(tmp_path / os.fsdecode(b"h\xff\x1b[2J.jsonl")))
    names = ["--as", "north=anna", "--as", "south=ben"]
    assert run(["match", book, hand, *names]) == 0
    capsys.readouterr()
    line = said(capsys, "match", book, hand, *names)
    assert line.endswith("is kept already as hand 1") and line.isprintable()


@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
@pytest.mark.parametrize("where", ["os.fsync", "pathlib.Path.replace", "pathlib.Path.open"])
def test_a_disk_that_is_full_leaves_the_old_match(
    where: str, fault: int, book: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = Path(book).read_text()
    capsys.readouterr()
    real = Path.open

    def full(*given: Any, **how: Any) -> Any:
        if where != "pathlib.Path.open" or ("b" in "".join(given[1:]) and "r" not in "".join(given[1:])):
            raise OSError(fault, os.strerror(fault))
        return real(*given, **how)

    monkeypatch.setattr(where, full)
    line = complaint(capsys, "match", book, "anna=1", "ben=2")
    monkeypatch.undo()
    assert f"evening.json cannot be written ({os.strerror(fault)}): choose another place" in line
    assert Path(book).read_text() == kept
    assert files(Path(book).parent) == ["evening.json"]


def test_who_may_read_a_match_stays_so(book: str) -> None:
    Path(book).chmod(0o640)
    assert run(["match", book, "anna=1", "ben=2"]) == 0
    assert stat.S_IMODE(Path(book).stat().st_mode) == 0o640


def test_what_another_program_left_unfinished_is_not_taken(book: str, tmp_path: Path) -> None:
    (tmp_path / ".evening.json.part").mkdir()
    assert run(["match", book, "anna=1", "ben=2"]) == 0
    assert points(book) == [[1, 2]]


@pytest.mark.parametrize("folder", ["/", "..", "."])
def test_a_folder_is_no_match(folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hand = str(record(tmp_path / "hand.jsonl"))
    for arguments in ([folder], [folder, "--seats", "anna,ben"], [folder, hand]):
        assert "is a folder: name the match in it" in complaint(capsys, "match", *arguments)


def test_a_long_name_is_as_good_as_a_short_one(tmp_path: Path) -> None:
    path = str(tmp_path / ("é" * 120 + ".json"))
    assert run(["match", path, "--seats", "anna,ben"]) == 0
    assert run(["match", path, "anna=1", "ben=2"]) == 0
    assert points(path) == [[1, 2]]


def test_a_mistyped_folder_is_not_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    complaint(capsys, "match", str(tmp_path / "evenings" / "new.json"), "anna=1", "ben=2")
    assert files(tmp_path) == []
