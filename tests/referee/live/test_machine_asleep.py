"""The machine sleeps in the middle of a hand: the record says for how long nothing was seen, and the hand goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from evening import FPS, Evening
from umpire_table import Table

from referee.live.session import Keeper, Rules, Session, Told
from vision.capture.video import Frame
from vision.layout import Layout

#: When it falls asleep, s of the evening, and for how long it does; meanwhile nobody plays.
ASLEEP_S, SLEPT_S = 12.0, 600.0


class Wakeful:
    """Sees the evening by the table's time, which stood still while the machine slept."""

    def __init__(self, evening: Evening) -> None:
        self.evening = evening

    def look(self, frame: Frame, box: tuple[int, int, int, int] | None, to_table: Any) -> Layout:
        late = SLEPT_S if frame.time_s > ASLEEP_S else 0.0
        return self.evening.look(replace(frame, time_s=frame.time_s - late), box, to_table)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[Told]:
    evening = Evening([Table(1, 16.0)], still_s=3.0)
    keeper = Keeper.open(tmp_path_factory.mktemp("asleep"), "pretended")
    session = Session(Wakeful(evening), keeper, Rules(), fps=FPS)
    told: list[Told] = []
    session.observe(told.append)
    for frame in evening:
        late = SLEPT_S if frame.time_s > ASLEEP_S else 0.0
        session.push(replace(frame, time_s=frame.time_s + late))
    session.end()
    return told


def test_the_record_says_when_nothing_was_seen(told: list[Told]) -> None:
    (gap,) = (one.line for one in told if one.line.get("event") == "gap")
    assert gap["from"] == pytest.approx(ASLEEP_S, abs=0.5)
    assert gap["to"] == pytest.approx(ASLEEP_S + SLEPT_S, abs=1.5)


def test_the_hand_goes_on_behind_it_and_nobody_is_accused(told: list[Told]) -> None:
    lines = [one.line for one in told if one.index is not None]
    plays = [line["at"] for line in lines if line.get("event") == "play"]
    assert [at for at in plays if at < ASLEEP_S]
    assert [at for at in plays if at > ASLEEP_S + SLEPT_S]
    assert not [at for at in plays if ASLEEP_S + 0.5 < at < ASLEEP_S + SLEPT_S - 0.5]
    assert not [line for line in lines if line.get("verdict") == "illegal"]
    assert lines[-1]["event"] == "score"
    assert len([line for line in lines if "record" in line]) == 1
