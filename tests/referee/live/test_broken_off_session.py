"""A session that begins in the middle of a hand, or breaks off there, accuses nobody of what it did not see."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from broken_off import Kill, broken_off
from evening import Evening
from killed import ALIVE, UNSEEN, Killed, is_whole
from umpire_table import Table

from referee.live.hand import in_turn


def begun(first: int, folder: Path) -> Killed:
    """From a frame of a hand on, of which nothing was seen before."""
    return broken_off(Evening([Table(1, 20.0)]), folder, [], first)


@pytest.mark.parametrize("first", [112, 222])
def test_nobody_is_accused_of_what_was_in_hand_when_it_began(first: int, tmp_path: Path) -> None:
    """A hand lies over a foundation when the hand is taken up, and has just laid 2S, or 2H, off a waste."""
    found = begun(first, tmp_path)
    assert [line for line in found.record(1) if line.get("event") == "begun"]
    assert not [line for line in found.record(1) if line.get("verdict") == "illegal"]


def test_it_breaks_off_where_it_writes(tmp_path: Path) -> None:
    """Before, between and behind what is written, and in the middle of it."""
    kills = [Kill(90), *(Kill(12, 2, writes) for writes in range(6))]
    found = broken_off(Evening([Table(1, 12.0)]), tmp_path, kills)
    assert (found.lost, found.twice) == ([], []) and is_whole(found.record(1))
    assert found.figures[0].false_illegal == 0


def test_most_is_told_though_it_breaks_off_again_and_again(tmp_path: Path) -> None:
    """As in `test_killed_session.py`, where it hangs on how busy the machine is what a kill hides."""
    rng = random.Random(0)
    kills = [Kill(rng.randint(1, ALIVE), rng.randint(0, UNSEEN)) for _ in range(24)]
    found = broken_off(Evening([Table(1, 20.0)]), tmp_path, kills)
    (figures,) = found.figures
    assert found.kills >= 20 and (found.lost, found.twice) == ([], [])
    assert figures.plays.right >= 0.7 * figures.plays.true, figures
    assert figures.false_illegal == 0
    assert sum("ready" in states for states in found.states) == 1


def test_what_was_not_told_yet_goes_where_it_belongs() -> None:
    told = [{"at": 1.0}, {"at": 3.0, "event": "play"}, {"at": 3.0, "event": "turn"}, {"at": 6.0}]
    moments = [line["at"] for line in in_turn(told, [{"at": 3.0, "event": "draw"}, {"at": 0.5}, {"at": 7.0}])]
    assert moments == [0.5, 1.0, 3.0, 3.0, 3.0, 6.0, 7.0]
