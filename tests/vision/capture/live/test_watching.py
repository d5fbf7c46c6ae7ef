"""What is told of how frames come, by made frames: nothing here waits."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from numbered import numbered

from vision.capture.live.notices import Notice
from vision.capture.live.watching import Watch
from vision.capture.video import Frame


def told(times: Iterable[float], *, still: Iterable[float] = ()) -> list[Notice]:
    watch, standing = Watch(), set(still)
    found: list[Notice] = []
    for index, time_s in enumerate(times):
        image = numbered(0) if time_s in standing else numbered(index)
        found += watch.push(Frame(index, time_s, image))
    return found


def at(fps: float, until_s: float, from_s: float = 0.0) -> list[float]:
    return [from_s + n / fps for n in range(round((until_s - from_s) * fps))]


def test_a_camera_at_work_is_told_nothing_of() -> None:
    assert told(at(30, 20)) == []


def test_a_machine_that_slept_is_told_with_how_long() -> None:
    (notice,) = told([*at(30, 10), *at(30, 3620, from_s=3610)])
    assert notice.kind == "gap" and notice.time_s == 3610 and notice.since_s == pytest.approx(10, abs=0.1)
    assert "3600 s" in notice.text and ": " in notice.text


def test_too_few_frames_are_told_once_and_enough_again_once() -> None:
    found = told([*at(30, 10), *at(5, 30, from_s=10), *at(30, 50, from_s=30)])
    assert [notice.kind for notice in found] == ["slow", "steady"]
    assert 12 < found[0].time_s < 16 and "only " in found[0].text and 30 < found[1].time_s < 34


def test_a_rate_about_the_least_is_not_told_to_and_fro() -> None:
    times = np.cumsum(1 / np.random.default_rng(2).normal(10, 1.5, 600))
    assert len(told(times.tolist())) <= 1


def test_a_picture_that_stands_still_is_told_once() -> None:
    found = told(at(30, 40), still=[time_s for time_s in at(30, 40) if 10 <= time_s < 30])
    assert [notice.kind for notice in found] == ["frozen", "moving"]
    assert found[0].time_s == pytest.approx(15, abs=0.2) and found[1].time_s == pytest.approx(30, abs=0.1)


def test_a_picture_that_stands_for_a_moment_is_no_news() -> None:
    assert told(at(30, 20), still=[time_s for time_s in at(30, 20) if 10 <= time_s < 13]) == []
