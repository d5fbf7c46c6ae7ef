"""A session that is killed goes on with the same hand: nothing told is lost, nothing is told twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from evening import FPS, Evening
from killed import FORKED, Killed, is_whole, killed, run
from umpire_table import Table

KILLS = 30


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    return killed(Evening([Table(1, 20.0)]), tmp_path_factory.mktemp("killed"), KILLS)


def test_nothing_told_is_lost_and_nothing_is_told_twice(found: Killed) -> None:
    assert found.kills >= 10
    assert found.lost == []
    assert found.twice == []
    assert is_whole(found.record(1))


def test_it_is_one_session_and_one_hand(found: Killed) -> None:
    assert [path.name for path in found.folder.glob("session-*/hand-*.jsonl")] == ["hand-1.jsonl"]
    # a kill may fall between what is written of the deal and what is said of it
    assert sum("ready" in states for states in found.states) <= 1
    assert found.states[-1][-1] == "over"


def test_the_hand_goes_on(found: Killed) -> None:
    (figures,) = found.figures
    # where kills fall, and what they hide, hangs on how busy the machine is
    assert figures.plays.right >= 0.5 * figures.plays.true, figures
    assert figures.false_illegal == 0
    assert found.record(1)[-1]["event"] == "score"


def test_without_a_frame_more_the_hand_ends_as_it_was_known(tmp_path: Path) -> None:
    """Started again where no picture comes, and stopped."""
    evening = Evening([Table(1, 6.0)])
    child = FORKED.Process(target=run, args=(evening, tmp_path, 0, None, int(13 * FPS)))
    child.start()
    child.join()
    assert child.exitcode == 0
    (path,) = tmp_path.glob("session-*/hand-1.jsonl")
    before = path.read_bytes()
    assert b'"play"' in before and b'"score"' not in before
    run(evening, tmp_path, evening.frames, None)
    after = path.read_bytes()
    assert after.startswith(before)
    record = [json.loads(line) for line in after.splitlines()]
    assert record[-1]["event"] == "score" and is_whole(record)
