"""Where a recording tells nothing: pictures that stand still as no table does, and too few of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from vision.capture.gaps import Gap, GapFinder, beside_blindness
from vision.capture.video import Frame, Span

FPS = 30


def table(at: float, *, noise: float = 2.0, hand: bool = True, lamp: int = 0) -> np.ndarray:
    """A table with a hand that goes to and fro, filmed at `at` s."""
    rng = np.random.default_rng(int(at * 1000))
    image = np.full((180, 320, 3), (60 + lamp, 110 + lamp, 70 + lamp), np.float64)
    image[40:80, 40:70] = 230
    if hand:
        x = int(130 + 110 * np.sin(3 * at))
        image[60:140, x : x + 60] = (120, 150, 200)
    return np.clip(image + rng.normal(0, noise, image.shape), 0, 255).astype(np.uint8)


def told(frames: Iterable[Frame], unreadable_end: Span | None = None) -> list[Gap]:
    finder = GapFinder()
    gaps = [gap for frame in frames for gap in finder.push(frame)]
    return [*gaps, *finder.end(unreadable_end)]


def film(moments: Iterable[float], shown: dict[float, np.ndarray] | None = None, **how: bool) -> list[Frame]:
    return [Frame(i, at, table(at, **how)) for i, at in enumerate(moments)]


def seconds(count: float, fps: float = FPS) -> list[float]:
    return [i / fps for i in range(round(count * fps))]


def test_a_table_at_play_has_no_gap() -> None:
    assert told(film(seconds(6))) == []


@pytest.mark.parametrize("noise", [0.0, 0.4])
def test_a_table_at_rest_is_not_frozen(noise: float) -> None:
    """Cameras that smooth noise away show the same picture again and again, until a hand comes in at the edge."""
    resting = [Frame(i, at, table(at, noise=noise, hand=False)) for i, at in enumerate(seconds(2))]
    image = table(2.0, noise=noise, hand=False)
    image[60:90, :6] = (120, 150, 200)
    assert told([*resting, Frame(60, 2.0, image)]) == []


def test_a_picture_that_stands_and_then_jumps_was_frozen() -> None:
    frames = film(seconds(6))
    frozen = [Frame(f.index, f.time_s, frames[60].image) if 60 <= f.index < 150 else f for f in frames]
    (gap,) = told(frozen)
    assert gap == Gap(pytest.approx(2.0), pytest.approx(5.0), "frozen", pytest.approx(3.0))


def test_a_picture_that_stands_to_the_end_was_frozen() -> None:
    frames = film(seconds(6))
    frozen = [Frame(f.index, f.time_s, frames[60].image) if f.index > 60 else f for f in frames]
    (gap,) = told(frozen)
    assert (gap.since_s, gap.why) == (pytest.approx(2.0), "frozen")


def test_a_picture_that_is_dark_or_covered_is_not_called_frozen_as_well() -> None:
    frozen, few = Gap(1.0, 4.0, "frozen", 3.0), Gap(1.0, 4.0, "few-frames", 0.4)
    dark, later = Gap(0.9, 4.0, "dark", 3.1), Gap(2.0, 4.0, "dark", 2.0)
    assert beside_blindness([frozen, few], dark) == [few]
    assert beside_blindness([frozen, few], later) == [frozen, few]
    assert beside_blindness([frozen], Gap(0.9, 4.0, "moved", 3.1)) == [frozen]
    assert beside_blindness([frozen, few], None) == [frozen, few]


def test_a_lamp_that_is_switched_on_is_no_jump() -> None:
    dim = film(seconds(2), noise=0.0, hand=False)
    lit = [
        Frame(60 + i, 2 + at, table(at, noise=0.0, hand=False, lamp=25)) for i, at in enumerate(seconds(1))
    ]
    assert told([*dim, *lit]) == []


@pytest.mark.parametrize("fps", [2, 4])
def test_too_few_frames_are_told_once_with_the_longest_wait(fps: int) -> None:
    (gap,) = told(film(seconds(10, fps)))
    assert gap == Gap(0.0, pytest.approx(10 - 1 / fps), "few-frames", pytest.approx(1 / fps))


def test_few_pictures_shown_again_and_again_are_few_all_the_same() -> None:
    frames = film(seconds(8))
    held = [Frame(f.index, f.time_s, frames[f.index // 15 * 15].image) for f in frames]
    (gap,) = told(held)
    assert (gap.why, gap.blind_s) == ("few-frames", pytest.approx(0.5, abs=0.04))
    assert gap.until_s - gap.since_s > 6


@pytest.mark.parametrize("fps", [8, 10, 24, 60])
def test_fewer_frames_than_usual_are_enough(fps: int) -> None:
    assert told(film(seconds(4, fps))) == []


def test_a_hitch_is_told_by_itself() -> None:
    (gap,) = told(film([at for at in seconds(6) if not 2.0 < at < 2.6]))
    assert gap == Gap(pytest.approx(2.0), pytest.approx(2.6), "few-frames", pytest.approx(0.6))


def test_what_cannot_be_read_is_told_as_such_alone() -> None:
    frames = film([at for at in seconds(6) if not 2.0 < at < 4.0])
    broken = [Frame(f.index, f.time_s, f.image, (2.0, 4.0)) if f.index == 61 else f for f in frames]
    assert told(broken, (frames[-1].time_s, 7.0)) == [
        Gap(2.0, 4.0, "unreadable", 2.0),
        Gap(frames[-1].time_s, 7.0, "unreadable", pytest.approx(7.0 - frames[-1].time_s)),
    ]


def test_frames_that_nobody_had_time_for_are_not_too_few() -> None:
    given = film(seconds(4.0))
    left_out = [frame for frame in given if frame.time_s < 1.0 or frame.index % 15 == 0]
    finder = GapFinder(numbered=True)
    assert [gap for frame in left_out for gap in finder.push(frame)] + finder.end() == []
    assert [gap.why for gap in told(left_out)] == ["few-frames"]
