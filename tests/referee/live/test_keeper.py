"""The files of an evening: nothing told is lost, whatever the disk or a crash does."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from referee.errors import BadInputError
from referee.live.session import Keeper
from referee.live.session import keeper as keeping
from referee.live.session.taken_up import NotTakenUpError, Spots
from referee.rules.places import Place
from referee.umpire.seats.area import Area, SeatArea
from referee.umpire.story import Lift, Lying

NERTS = Place("nerts", 0, "north")
SEAT = SeatArea(
    "north",
    (-1.0, 0.0),
    (0.0, -1.0),
    {NERTS: (260.0, 120.5), Place("work", 1, "north"): (160.0, 120.0)},
    True,
)
AREA = Area([SEAT], np.diag([0.5, 0.5, 1.0]), {Place("foundation", 1): (12.5, -3.0)})
PILES = {NERTS: (Lying("??", "north", False, there=False), Lying("4H", "north", True, (260.0, 121.0)))}
LINES: list[dict[str, Any]] = [{"record": 1}, {"event": "deal", "at": 0.0}, {"event": "play", "at": 1.0}]


def begun(folder: Path) -> Keeper:
    keeper = Keeper.open(folder, "camera 0")
    keeper.next_hand()
    return keeper


def killed(keeper: Keeper) -> None:
    """What the system does when a program is killed: its locks go."""
    assert keeper._lock is not None
    keeper._lock.release()


def written(keeper: Keeper) -> list[dict[str, Any]]:
    return [json.loads(line) for line in keeper.record().read_text().splitlines()]


def test_a_session_that_was_killed_is_gone_on_with(tmp_path: Path) -> None:
    keeper = begun(tmp_path)
    keeper.append(LINES)
    killed(keeper)
    again = Keeper.open(tmp_path, "camera 0")
    assert (again.session, again.hand, again.folder) == (keeper.session, 1, keeper.folder)
    again.append([{"event": "call", "at": 2.0}])
    assert written(again) == [*LINES, {"event": "call", "at": 2.0}]


@pytest.mark.parametrize("why", ["it ended", "another camera", "long ago", "not wanted", "still running"])
def test_any_other_session_is_left_alone(tmp_path: Path, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    keeper = begun(tmp_path)
    keeper.append(LINES)
    if why == "it ended":
        keeper.close()
    elif why != "still running":
        killed(keeper)
    if why == "long ago":
        old = time.time() - keeping.GONE_ON_WITH_S - 5
        for file in keeper.folder.iterdir():
            os.utime(file, (old, old))
    source = "camera 1" if why == "another camera" else "camera 0"
    new = Keeper.open(tmp_path, source, resume=why != "not wanted")
    assert new.session != keeper.session
    assert new.folder != keeper.folder
    assert new.hand == 0
    assert written(keeper) == LINES


def test_it_is_known_which_match_its_hands_are_counted_in(tmp_path: Path) -> None:
    keeper = begun(tmp_path)
    keeper.count_in(tmp_path / "league.json")
    killed(keeper)
    again = Keeper.open(tmp_path, "camera 0")
    assert again.match == tmp_path / "league.json"
    again.close()
    about = json.loads((again.folder / "session.json").read_text())
    assert (about["match"], about["ended"]) == (str(tmp_path / "league.json"), True)


def test_what_a_full_disk_does_not_take_comes_later_and_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = begun(tmp_path)
    keeper.append(LINES[:1])
    real = os.fsync

    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    keeper.append(LINES[1:2])
    assert "make room on the disk" in keeper.trouble
    # nothing half-written is left
    assert written(keeper) == LINES[:1]
    monkeypatch.setattr(os, "fsync", real)
    keeper.append(LINES[2:])
    assert keeper.trouble == ""
    assert written(keeper) == LINES


def test_what_waits_goes_into_its_own_record_when_the_next_hand_has_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = begun(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(keeping, "_add_to", _raising)
        keeper.append(LINES)
        keeper.next_hand()
        keeper.append(LINES[:2])
    keeper.append([])
    assert written(keeper) == LINES[:2]
    assert [json.loads(line) for line in keeper.record(1).read_text().splitlines()] == LINES


def _raising(*_: Any) -> None:
    raise OSError(28, "No space left on device")


def test_a_last_line_that_was_torn_off_goes_aside(tmp_path: Path) -> None:
    keeper = begun(tmp_path)
    keeper.append(LINES)
    whole = keeper.record().read_bytes()
    keeper.record().write_bytes(whole + b'{"event": "pl')
    assert keeper.lines() == LINES
    assert keeper.record().read_bytes() == whole
    assert keeper.record().with_suffix(".torn").read_bytes() == b'{"event": "pl\n'


@pytest.mark.parametrize(
    "spots", [None, b"", b"[]", b'{"seats": []}', b'{"seats": [{"seat": 1}], "to_table": 3}']
)
def test_a_hand_whose_places_are_not_known_is_not_gone_on_with(tmp_path: Path, spots: bytes | None) -> None:
    keeper = begun(tmp_path)
    keeper.append(LINES)
    if spots is not None:
        (keeper.folder / "hand-1.spots.json").write_bytes(spots)
    with pytest.raises(NotTakenUpError, match="not known where its places lie"):
        keeper.interrupted()
    assert written(keeper) == LINES


def test_a_hand_that_was_scored_is_over(tmp_path: Path) -> None:
    keeper = begun(tmp_path)
    keeper.append([*LINES, {"event": "score", "at": 2.0}])
    assert keeper.interrupted() is None


def test_spots_come_back_as_they_were() -> None:
    spots = Spots(
        AREA, (1920, 1080), [("north", 61.5)], 63.25, PILES, [Lift(NERTS, PILES[NERTS][-1:], 60.5)], LINES[2:]
    )
    again = Spots.from_json(json.loads(json.dumps(spots.to_json())))
    assert again.to_json() == spots.to_json()
    assert again.area.foundations == AREA.foundations
    assert again.calls == [("north", 61.5)]
    assert (again.piles, again.lifted, again.recent) == (spots.piles, spots.lifted, spots.recent)


def test_a_file_where_the_folder_should_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match="name a folder for the recordings"):
        Keeper.open(tmp_path / "file", "camera 0")
