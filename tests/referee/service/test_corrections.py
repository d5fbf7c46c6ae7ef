"""A record in a file is corrected by one line behind it, whoever else does so at the same time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest

from referee import service
from referee.record.check import check_lines
from referee.service import Change, Drop, RefusedError, Undo, correct_file
from referee.service import corrections as files

KEPT = Path(__file__).parent.parent / "commands" / "kept" / "hand1.jsonl"
NAMED = Change(4, {"to": "foundation 3"})


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return Path(copyfile(KEPT, tmp_path / "hand.jsonl"))


def read(record: Path) -> Any:
    result = check_lines(record.read_bytes().splitlines(keepends=True))
    assert (result.status, result.errors) == (0, [])
    return result


def test_one_line_is_added_and_nothing_before_it_changes(
    record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, synced = record.read_bytes(), []
    monkeypatch.setattr(files.os, "fsync", lambda number: synced.append(os.fstat(number).st_size))
    corrected = correct_file(record, NAMED, "Ann")
    after = record.read_bytes()
    assert after.startswith(before) and after.endswith(b"\n")
    (line,) = after[len(before) :].splitlines()
    assert json.loads(line) == corrected.line
    assert synced == [len(after)]
    assert read(record).score == corrected.result.score
    assert [file.name for file in record.parent.iterdir()] == ["hand.jsonl"]


def test_what_is_refused_leaves_the_file_as_it_was(record: Path) -> None:
    before = record.read_bytes()
    with pytest.raises(RefusedError, match="no event 99"):
        correct_file(record, Drop(99), "Ann")
    assert record.read_bytes() == before


def test_a_last_line_without_its_end_stays_a_line(record: Path) -> None:
    before = record.read_bytes()
    record.write_bytes(before[:-1])
    correct_file(record, NAMED, "Ann")
    assert record.read_bytes().startswith(before)
    read(record)


def test_a_line_cut_off_by_a_crash_makes_room(record: Path) -> None:
    before = record.read_bytes()
    record.write_bytes(before + b'{"event": "play", "at": 9, "se')
    correct_file(record, NAMED, "Ann")
    assert record.read_bytes().startswith(before + b'{"event": "correct"')
    read(record)


def test_a_record_that_is_none_is_named(tmp_path: Path) -> None:
    file = tmp_path / "hand.jsonl"
    with pytest.raises(service.BadInputError, match=r"hand\.jsonl cannot be read \(no such file\)"):
        correct_file(file, Undo(), "Ann")
    file.write_bytes(KEPT.read_bytes() + b"[]\n")
    with pytest.raises(
        service.BadInputError, match=r"hand\.jsonl cannot be corrected \(line 8: .*: mend that line"
    ):
        correct_file(file, NAMED, "Ann")
    with pytest.raises(service.BadInputError, match="name the record in it"):
        correct_file(tmp_path, NAMED, "Ann")


def test_a_full_disk_leaves_nothing_half_written(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = record.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(service.BadInputError, match="No space left on device"):
        correct_file(record, NAMED, "Ann")
    assert record.read_bytes() == before


CORRECTS = """
import sys
from pathlib import Path
from referee.service import Change, correct_file
for number in range(3):
    correct_file(Path(sys.argv[1]), Change(0, {"match": {"north": int(sys.argv[2]) * 10 + number}}), sys.argv[2])
"""


def test_several_people_correct_one_record_at_once(record: Path) -> None:
    before = record.read_bytes()
    other = subprocess.Popen([sys.executable, "-c", CORRECTS, str(record), "7"])
    with ThreadPoolExecutor(4) as threads:
        made = threads.map(
            lambda number: correct_file(record, Change(0, {"match": {"north": 100 + number}}), "Ann"),
            range(8),
        )
        indices = [corrected.index for corrected in made]
    assert other.wait(120) == 0
    assert record.read_bytes().startswith(before)
    lines = [json.loads(line) for line in record.read_bytes().splitlines()]
    assert len(lines) == len(before.splitlines()) + 11
    assert len(set(indices)) == 8
    assert all(lines[index]["by"] == "Ann" for index in indices)
    read(record)
