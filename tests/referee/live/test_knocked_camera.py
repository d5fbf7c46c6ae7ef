"""A camera knocked in the middle of a hand: found again at once, the record goes on, places are shown where they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evening import FPS, SIZE, Evening, truth
from umpire_table import Table

from referee.live.hands import Hands
from referee.live.session import Keeper, Rules, Session
from referee.live.terms import Terms
from referee.rules.settings import Settings
from referee.umpire.umpire import Umpire
from scripts.measure.replays import score_replay

KNOCKED_S, SECONDS, BY = 13.0, 21.0, (9, -5)


@pytest.fixture(scope="module")
def evening() -> Evening:
    return Evening([Table(3, 14.0)], moved=(KNOCKED_S, *BY))


def test_a_recording_goes_on_as_if_the_camera_had_not_been_knocked(evening: Evening) -> None:
    rules, part = Settings.of("nerts", {}), evening.parts[0]
    hands = Hands(evening, lambda: Umpire.of(rules), SIZE, float(FPS), Terms("nerts", {}))
    record: list[dict[str, Any]] = []
    for frame in evening:
        if part.start - 0.3 <= frame.time_s < SECONDS:
            record += hands.push(frame)
    record += hands.end(None)
    (gap,) = [line for line in record if line.get("event") == "gap"]
    assert (gap["why"], gap["from"]) == ("moved", KNOCKED_S)
    assert gap["to"] - gap["from"] < 0.5
    done = [line for line in truth(part.table, part.start) if line.get("at", 0.0) < SECONDS - 0.5]
    figures = score_replay(record, done)
    assert figures.false_illegal == 0
    assert figures.plays.right == figures.plays.true
    assert figures.plays.invented == 0


def test_places_are_shown_where_they_are_now_and_kept_so(evening: Evening, tmp_path: Path) -> None:
    session = Session(evening, Keeper.open(tmp_path, "knocked"), Rules(), fps=FPS)
    before: dict[str, Any] = {}
    spots: dict[float, np.ndarray] = {}
    for frame in evening:
        if frame.time_s > KNOCKED_S + 2.0:
            break
        session.push(frame)
        if frame.time_s in (KNOCKED_S - 1.0, KNOCKED_S + 2.0):
            kept = json.loads(next(tmp_path.rglob("*spots*")).read_text())
            spots[frame.time_s] = np.linalg.inv(np.array(kept["to_table"]))
            before = before or {f"{one['seat']} {one['place']}": one["area"] for one in session.places}
    after = {f"{one['seat']} {one['place']}": one["area"] for one in session.places}
    for place in ("north nerts", "south work 1", "south stock"):
        step = (np.array(after[place]) - before[place]) * SIZE
        assert step == pytest.approx(np.tile(BY, (4, 1)), abs=1.0)
    origin = np.array([0.0, 0.0, 1.0])
    one, two = (lies @ origin / (lies @ origin)[2] for lies in spots.values())
    assert (two - one)[:2] == pytest.approx(BY, abs=1.0)
