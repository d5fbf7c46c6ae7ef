"""A thread takes every frame, whoever looks."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from numbered import number_of, numbered_film

from vision.capture.live.capture import Capture
from vision.capture.live.recorder import Recorder
from vision.capture.live.sources import FilmAsLive, SourceError, open_source
from vision.capture.video import Video

#: How long anything may take on a busy machine, s.
PATIENCE_S = 30.0


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seconds, 30 frames a second."""
    return numbered_film(tmp_path_factory.mktemp("film") / "film.mp4", (n / 30 for n in range(60)))


def wait_until_ended(capture: Capture) -> None:
    until = time.monotonic() + PATIENCE_S
    while not capture.ended:
        assert time.monotonic() < until, "it goes on"
        time.sleep(0.01)


def test_a_film_as_live_gives_every_frame_no_sooner_than_its_time(film: Path) -> None:
    source = open_source(str(film), as_live=True)
    began = time.monotonic()
    told = [
        (frame.index, frame.time_s, number_of(frame.image), time.monotonic()) for frame in source.frames()
    ]
    assert [number for _, _, number, _ in told] == [index for index, *_ in told] == list(range(60))
    assert all(at - began >= time_s - 0.02 for _, time_s, _, at in told)
    assert told[-1][1] == pytest.approx(59 / 30, abs=1e-4)


def test_a_film_plays_faster_where_that_is_asked_for(film: Path) -> None:
    began = time.monotonic()
    times = [frame.time_s for frame in FilmAsLive(film, speed=1000).frames()]
    assert time.monotonic() - began < 1.9
    assert times[-1] == pytest.approx(59 / 30, abs=1e-4)


@pytest.mark.parametrize(("suffix", "since"), [(".mp4", 1.3), (".mkv", 0.55), (".mp4", 1.99)])
def test_a_film_goes_on_where_it_is_asked_to(tmp_path: Path, suffix: str, since: float) -> None:
    """By its own clock, which need not begin at 0; without waiting for what lies before."""
    film = numbered_film(tmp_path / f"film{suffix}", [40 + n / 30 for n in range(60)])
    with Video(film) as video:
        whole = [(number_of(video.upright(one.picture)), one.time_s) for one in video.as_stored()]
        part = [(number_of(video.upright(one.picture)), one.time_s) for one in video.as_stored(since)]
    assert part == [(number, at) for number, at in whole if at >= since]
    source = FilmAsLive(film)
    source.go_on_from(since)
    assert source.now() == pytest.approx(min(since, whole[-1][1] - 0.5), abs=0.1)
    began = time.monotonic()
    shown = [(number_of(frame.image), frame.time_s, time.monotonic()) for frame in source.frames()]
    # of a film that was all but over the end is shown again: who goes on has to see something
    assert [(number, at) for number, at, _ in shown][len(shown) - len(part) :] == part
    assert shown[0][1] >= min(since, 1.4)
    assert all(at_s - began >= at - shown[0][1] - 0.02 for _, at, at_s in shown)


@pytest.mark.parametrize("name", ["none.mp4", "text.mp4"])
def test_a_film_that_is_none_is_told_in_words(name: str, tmp_path: Path) -> None:
    (tmp_path / "text.mp4").write_text("hello\n" * 100)
    with pytest.raises(SourceError, match=f"{name} .*: "):
        open_source(str(tmp_path / name), as_live=True)


def test_who_looks_slowly_holds_nothing_up(film: Path, tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, "evening")
    with Capture(FilmAsLive(film), recorder) as capture:
        seen = []
        while (frame := capture.newest(seen[-1] if seen else -1, PATIENCE_S)) is not None:
            assert number_of(frame.image) == frame.index
            seen.append(frame.index)
            time.sleep(0.2)
    assert seen == sorted(set(seen)) and 2 <= len(seen) < 30
    assert capture.counts.taken == capture.counts.recorded == 60
    assert capture.counts.looked_at == len(seen)
    with Video(tmp_path / "evening-0001.mp4") as video:
        assert [number_of(frame.image) for frame in video] == list(range(60))


def test_frames_between_are_still_held(film: Path) -> None:
    with Capture(FilmAsLive(film, speed=1000)) as capture:
        wait_until_ended(capture)
        assert [frame.index for frame in capture.since(49, 100)] == list(range(50, 60))
        assert [frame.index for frame in capture.since(49, 3)] == [57, 58, 59]
        assert capture.since(59, 9) == [] and capture.newest(59, 0.0) is None
        assert capture.counts.looked_at == 10


def test_stopping_is_quick_and_leaves_no_thread(film: Path, tmp_path: Path) -> None:
    before = set(threading.enumerate())
    capture = Capture(FilmAsLive(film, speed=0.01), Recorder(tmp_path)).start()
    assert capture.newest(-1, PATIENCE_S) is not None
    capture.stop()
    assert capture.ended and capture.newest(0, PATIENCE_S) is None
    assert set(threading.enumerate()) <= before


def test_numbers_and_times_go_on_from_an_earlier_run(film: Path, tmp_path: Path) -> None:
    for _ in range(2):
        recorder = Recorder(tmp_path, "evening")
        source = FilmAsLive(film, speed=1000)
        with Capture(source, recorder, first_index=recorder.next_index, first_s=recorder.last_s) as capture:
            wait_until_ended(capture)
    assert capture.counts.taken == 60
    again = Recorder(tmp_path, "evening")
    again.close()
    assert again.next_index == 120 and again.last_s == pytest.approx(2 * 59 / 30, abs=1e-3)
    assert sorted(file.name for file in tmp_path.glob("*.mp4")) == ["evening-0001.mp4", "evening-0002.mp4"]
