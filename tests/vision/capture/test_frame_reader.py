"""The very frame that is asked for by its number, in films of every kind."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from numbered import number_of, numbered, numbered_film
from test_video_faults import turned_by

from vision.capture.clip import clip
from vision.capture.frame_reader import FrameReader
from vision.capture.frames import VideoError
from vision.capture.video import Video

#: Frames a second, for so many frames; uneven ones as a phone takes them.
COUNT = 400
EVEN = {"30 fps": 30, "60 fps": 60}


def uneven(count: int = COUNT) -> list[float]:
    steps = np.random.default_rng(3).choice([1 / 60, 1 / 30, 1 / 24, 0.1, 0.4], count)
    return [2.5 + float(moment) for moment in np.cumsum(steps)]


def moments(kind: str) -> list[float]:
    return [n / EVEN[kind] for n in range(COUNT)] if kind in EVEN else uneven()


B_FRAMES = {"preset": "veryfast", "bf": "3", "g": "48", "x264-params": "open-gop=1"}
FEW_KEYS = {"preset": "ultrafast", "bf": "2", "g": "120", "sc_threshold": "0"}
FILMS = {
    "30 fps": ("30 fps", {"preset": "ultrafast", "bf": "0", "g": "60"}, "mp4"),
    "60 fps, B-frames, open groups": ("60 fps", B_FRAMES, "mp4"),
    "uneven, B-frames, open groups": ("uneven", B_FRAMES, "mp4"),
    "30 fps, transport stream": ("30 fps", B_FRAMES, "ts"),
    "uneven, few key frames": ("uneven", FEW_KEYS, "mkv"),
}


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("films")
    return {
        name: numbered_film(folder / f"{n}.{ending}", moments(kind), options=options)
        for n, (name, (kind, options, ending)) in enumerate(FILMS.items())
    }


@pytest.mark.parametrize("name", FILMS)
def test_two_hundred_frames_by_number_are_the_very_frames(name: str, films: dict[str, Path]) -> None:
    chance = random.Random(name)
    with FrameReader(films[name]) as reader:
        assert len(reader) == COUNT
        for index in [chance.randrange(COUNT) for _ in range(200)]:
            assert number_of(reader.frame(index)) == index


@pytest.mark.parametrize("name", FILMS)
def test_times_and_pictures_are_those_of_going_through_it(name: str, films: dict[str, Path]) -> None:
    with Video(films[name]) as video, FrameReader(films[name]) as reader:
        for frame in video:
            assert reader.times[frame.index] == pytest.approx(frame.time_s, abs=1e-6)
            assert reader.index_at(frame.time_s) == frame.index
            if frame.index % 40 == 0:
                assert np.array_equal(reader.frame(frame.index), frame.image)


def test_stepping_back_decodes_nothing_twice(films: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    with FrameReader(films["uneven, few key frames"]) as reader:
        assert number_of(reader.frame(300)) == 300
        reads: list[int] = []
        monkeypatch.setattr(reader, "_read_to", reads.append)
        assert [number_of(reader.frame(index)) for index in range(299, 280, -1)] == list(range(299, 280, -1))
        assert reads == []


def test_stepping_on_decodes_each_frame_once(films: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    with FrameReader(films["60 fps, B-frames, open groups"]) as reader:
        reader.frame(100)
        monkeypatch.setattr(reader, "_go_to", None)
        assert [number_of(reader.frame(index)) for index in range(101, 200)] == list(range(101, 200))


def test_a_turned_film_is_upright(films: dict[str, Path], tmp_path: Path) -> None:
    film = turned_by(numbered_film(tmp_path / "turned.mp4", moments("30 fps")[:20]), 90)
    with FrameReader(film) as reader:
        assert number_of(np.ascontiguousarray(np.rot90(reader.frame(7)))) == 7


def test_a_film_without_a_clock_is_counted(tmp_path: Path) -> None:
    film = numbered_film(
        tmp_path / "old.avi", moments("30 fps")[:50], codec="mpeg4", options={"bf": "2"}, clock=30
    )
    with FrameReader(film) as reader:
        assert len(reader) == 50
        assert [number_of(reader.frame(index)) for index in (40, 3, 4, 49, 0)] == [40, 3, 4, 49, 0]


def test_a_number_beyond_the_end_is_told(films: dict[str, Path]) -> None:
    with FrameReader(films["30 fps"]) as reader, pytest.raises(IndexError, match="it has 400"):
        reader.frame(400)


def test_a_damaged_frame_is_told_and_the_others_are_given(films: dict[str, Path], tmp_path: Path) -> None:
    data = bytearray(films["30 fps"].read_bytes())
    at = data.index(b"mdat") + (len(data) - data.index(b"mdat")) // 2
    data[at : at + 4000] = bytes(4000)
    (tmp_path / "damaged.mp4").write_bytes(data)
    with FrameReader(tmp_path / "damaged.mp4") as reader:
        told = []
        for index in range(0, COUNT, 5):
            try:
                assert number_of(reader.frame(index)) == index or 100 < index < 300
            except VideoError as why:
                told.append(str(why))
        assert told and all("damaged.mp4 is damaged at frame" in line and ": " in line for line in told)
        assert len(told) < 20
        assert number_of(reader.frame(0)) == 0 and number_of(reader.frame(399)) == 399


@pytest.mark.parametrize("name", ["uneven, B-frames, open groups", "uneven, few key frames"])
def test_a_clip_holds_the_frames_between_two_moments(
    name: str, films: dict[str, Path], tmp_path: Path
) -> None:
    with Video(films[name]) as video:
        wanted = [(frame.index, frame.time_s) for frame in video if 100 <= frame.index <= 130]
    # a clip begins with the frame that is shown then
    begin, end = wanted[0][1] + 1e-3, wanted[-1][1] + 1e-3
    assert clip(films[name], begin, end, tmp_path / "clip.mp4") == 31
    with Video(tmp_path / "clip.mp4") as video:
        told = [(number_of(frame.image), frame.time_s) for frame in video]
    assert [number for number, _ in told] == [number for number, _ in wanted]
    assert [time_s for _, time_s in told] == pytest.approx(
        [time_s - wanted[0][1] for _, time_s in wanted], abs=1e-4
    )
    assert b"avc1" in (tmp_path / "clip.mp4").read_bytes()


@pytest.mark.parametrize(("begin", "end"), [(3, 2), (2, 2), (-1, 2), (99, 100)])
def test_a_clip_of_nothing_is_told_and_not_written(
    begin: float, end: float, films: dict[str, Path], tmp_path: Path
) -> None:
    with pytest.raises(VideoError, match=": "):
        clip(films["30 fps"], begin, end, tmp_path / "clip.mp4")
    assert list(tmp_path.iterdir()) == []


def test_the_colours_of_a_clip_are_those_of_the_film(tmp_path: Path) -> None:
    film = numbered_film(tmp_path / "film.mp4", moments("30 fps")[:30])
    clip(film, 0, 0.5, tmp_path / "clip.mp4")
    with FrameReader(tmp_path / "clip.mp4") as reader:
        assert float(np.abs(reader.frame(3).astype(int) - numbered(3)).mean()) < 12
