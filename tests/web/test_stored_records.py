"""A recording's record that was kept, and corrected since: the page tells what holds now."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pretend import PLAYS, RECORD

from referee.service import Tools
from referee.web.desk import Desk

CORRECTION = {"event": "correct", "at": 9, "of": 3, "with": {"cards": ["2H"]}, "by": "Ann"}


def told(folder: Path, video: Path, record: bytes) -> dict[str, Any] | None:
    """What the desk tells of the sample when it finds this record beside it."""
    (folder / "sample").mkdir()
    (folder / "sample" / "record.jsonl").write_bytes(record)
    os.utime(video, (1, 1))
    desk = Desk(replace(Tools(), sample=video), folder)
    try:
        account = desk["sample"].account
    finally:
        desk.close()
    return None if account is None else account.to_json()


def written(*lines: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def test_the_old_accusation_does_not_stand(tmp_path: Path, hand_video: Path) -> None:
    account = told(tmp_path, hand_video, written(*RECORD, *RECORD[-2:], CORRECTION))
    assert account is not None
    assert account["illegal"] == 0
    assert [entry["remarks"] for entry in account["entries"]] == [[], [], []]
    assert account["entries"][2]["text"].endswith("(corrected by Ann)")
    assert account["score"]["hand"]["south"]["disputed"] == 0


def test_a_ruling_is_told_once(tmp_path: Path, hand_video: Path) -> None:
    account = told(tmp_path, hand_video, written(*RECORD, *RECORD[-2:]))
    assert account is not None
    assert [len(entry["remarks"]) for entry in account["entries"]] == [0, 0, 1]
    assert account["plays"] == len([line for line in PLAYS if line["event"] == "play"])


@pytest.mark.parametrize("record", [b"", b"no record\n", b"\xff\xfe\n", b"[]\n"])
def test_what_is_no_record_is_as_if_there_were_none(tmp_path: Path, hand_video: Path, record: bytes) -> None:
    assert told(tmp_path, hand_video, record) is None
