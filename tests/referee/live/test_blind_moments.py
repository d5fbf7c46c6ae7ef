"""What a camera cannot see is said, and when it sees again play goes on by itself: dark, covered, moved, unplugged."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from evening import FPS, Evening, truth
from umpire_table import Table

from referee.live.noticing import Noticing
from referee.live.session import Keeper, Rules, Session, Told
from referee.live.session.picture import Picture
from scripts.measure.replays import score_replay
from vision.capture.change import ChangeMap
from vision.capture.gaps import Gap
from vision.capture.moments.ring import FrameRing
from vision.capture.video import Frame

Line = dict[str, Any]
#: From when to when (s), and what happens then.
DARK, COVERED, MOVED, GONE = (12.0, 13.5), (15.0, 16.5), 18.0, (1.0, 1.5)


def spoilt(at: float, image: np.ndarray) -> np.ndarray:
    if DARK[0] <= at < DARK[1]:
        return np.asarray(image // 12, dtype=np.uint8)
    if COVERED[0] <= at < COVERED[1]:
        # a palm on the lens
        return np.full_like(image, (120, 140, 190)) + (image % 3)
    return image


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Evening, Keeper, list[Told]]:
    table = Table(1, 18.0)
    evening = Evening([table], spoil=spoilt, moved=(MOVED, 7, -4))
    told: list[Told] = []
    keeper = Keeper.open(tmp_path_factory.mktemp("blind"), "pretended")
    session = Session(evening, keeper, Rules(), fps=FPS)
    session.observe(told.append)
    for frame in evening:
        if GONE[0] <= frame.time_s < GONE[1]:
            session.camera_gone("the camera was unplugged")
            continue
        session.push(frame)
    session.end()
    return evening, keeper, told


def spans(told: list[Told], state: str) -> list[tuple[float, float]]:
    """From when to when each state was told."""
    lines = [one.line for one in told if one.line.get("event") == "session"]
    after = [*lines[1:], lines[-1]]
    return [(a["at"], b["at"]) for a, b in zip(lines, after, strict=True) if a["state"] == state]


@pytest.mark.parametrize(("state", "span"), [("dark", DARK), ("covered", COVERED)])
def test_what_hides_the_table_is_told_while_it_does(
    told: tuple[Evening, Keeper, list[Told]], state: str, span: tuple[float, float]
) -> None:
    ((since, until),) = spans(told[2], state)
    assert since == pytest.approx(span[0], abs=0.25)
    assert until == pytest.approx(span[1], abs=0.25)


def test_a_camera_that_is_unplugged_is_told_and_comes_back(told: tuple[Evening, Keeper, list[Told]]) -> None:
    ((since, until),) = spans(told[2], "no camera")
    assert (since, until) == (pytest.approx(0.9, abs=0.15), pytest.approx(GONE[1], abs=0.15))


def test_a_camera_that_was_moved_finds_the_table_again(told: tuple[Evening, Keeper, list[Told]]) -> None:
    ((since, until),) = spans(told[2], "moved")
    assert MOVED <= since <= MOVED + 2.5
    assert until <= MOVED + 6.0


def test_the_record_says_when_nothing_could_be_seen(told: tuple[Evening, Keeper, list[Told]]) -> None:
    record = [json.loads(line) for line in told[1].record(1).read_text().splitlines()]
    gaps = {line["why"]: line for line in record if line.get("event") == "gap"}
    assert {"dark", "covered", "moved"} <= set(gaps)
    assert gaps["dark"]["from"] == pytest.approx(DARK[0], abs=0.25)
    assert gaps["moved"]["to"] <= MOVED + 6.0


def test_plays_are_told_in_spite_of_it_and_nobody_is_accused(
    told: tuple[Evening, Keeper, list[Told]],
) -> None:
    evening, keeper, _ = told
    record = [json.loads(line) for line in keeper.record(1).read_text().splitlines()]
    part = evening.parts[0]
    figures = score_replay(record, truth(part.table, part.start))
    assert figures.false_illegal == 0
    true = {(line["seat"], *line["cards"]) for line in part.table.record if line["event"] == "play"}
    seen = {(line["seat"], *line["cards"]) for line in record if line.get("event") == "play"}
    late = {
        (line["seat"], *line["cards"])
        for line in part.table.record
        if line["event"] == "play" and line["at"] + part.start > MOVED + 4.0
    }
    assert len(true & seen) >= 0.75 * len(true)
    assert late
    assert len(late & seen) >= 0.6 * len(late)


def test_a_dark_picture_is_not_called_frozen_as_well() -> None:
    """Nothing moves in it, and then all of it changes at once."""
    evening = Evening([Table(1, 5.0)])
    height, width = evening.image(0).shape[:2]
    dark = np.zeros((height, width, 3), np.uint8)
    change, picture = ChangeMap(width, height), Picture(width, height)
    noticing = Noticing(change, FrameRing(width, height))
    gaps: list[Gap] = []
    for number in range(60):
        frame = Frame(number, number / 10, dark if 10 <= number < 45 else evening.image(90 + number))
        gaps += noticing.push(frame)[1]
        picture.notice(frame)
    assert [gap.why for gap in gaps] == ["dark"]
    assert [gap.why for gap in picture.gaps()[0]] == ["dark"]
