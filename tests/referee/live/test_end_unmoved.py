"""Cards that are gathered up on a plain table look as if the camera had been moved: the hand ends all the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from evening import FPS, Evening, truth
from test_film_of_hands import Film, told
from umpire_table import Table

from referee.live.session import Keeper, Rules, Session
from scripts.measure.replays import adjudicated, score_replay
from vision.capture.blind import Blind, Blindness
from vision.capture.change import Grey

Line = dict[str, Any]


@pytest.fixture
def evening(monkeypatch: pytest.MonkeyPatch) -> Evening:
    """When half of the cards have been gathered up the camera is taken to have been moved, for good."""
    evening = Evening([Table(43, 20.0), Table(1, 8.0)])
    since = evening.parts[0].gathered + 3.2

    right, free, freed = Blind.push, Blind.unmoved, list[float]()

    def push(blind: Blind, at: float, small: Grey) -> Blindness | None:
        if at < since or freed:
            return right(blind, at, small)
        blind._latest = at, small
        blind.why, blind.since_s, blind.shown = "moved", since, None
        return blind.why

    def unmoved(blind: Blind) -> None:
        free(blind)
        freed.append(since)

    monkeypatch.setattr(Blind, "push", push)
    monkeypatch.setattr(Blind, "unmoved", unmoved)
    return evening


def replayed(evening: Evening, _: Path) -> list[list[Line]]:
    return told(Film(evening))


def watched(evening: Evening, folder: Path) -> list[list[Line]]:
    keeper = Keeper.open(folder, "pretended")
    session = Session(evening, keeper, Rules(), fps=FPS)
    for frame in evening:
        session.push(frame)
    session.end()
    records = sorted(keeper.folder.glob("hand-*.jsonl"))
    return [[json.loads(line) for line in path.read_text().splitlines()] for path in records]


@pytest.mark.parametrize("driven", [replayed, watched])
def test_a_hand_ends_though_the_camera_seems_to_have_been_moved(
    evening: Evening, driven: Callable[[Evening, Path], list[list[Line]]], tmp_path: Path
) -> None:
    hands = driven(evening, tmp_path)
    assert len(hands) == 2
    for record, part in zip(hands, evening.parts, strict=True):
        figures = score_replay(adjudicated(record), truth(part.table, part.start))
        assert figures.plays.right == figures.plays.true >= 4, figures.faults
        assert figures.plays.invented == 0, figures.faults
        gaps = [line["to"] - line["from"] for line in record if line.get("event") == "gap"]
        assert all(gap < 0.2 for gap in gaps)
