"""Films of strangers decoded apart: frame for frame what is decoded here, and what breaks over them is one sentence."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

import av
import breaking
import numpy as np
import pytest
from numbered import number_of, numbered_film
from test_video_faults import busy, damage, turned_by, write

from vision.capture.ahead import ahead
from vision.capture.apart import by_number, footage
from vision.capture.apart.by_number import ApartReader, times_around
from vision.capture.apart.footage import ApartVideo
from vision.capture.apart.limits import FILM_MB, Limits
from vision.capture.apart.process import Apart, Work
from vision.capture.frame_reader import FrameReader
from vision.capture.frame_times import frame_times
from vision.capture.frames import CutOffError, VideoError
from vision.capture.video import Frame, Video

ROOT = Path(__file__).resolve().parents[3]
COUNT = 90
#: Short of time, as tests are.
STRICT = Limits(memory_mb=FILM_MB, cpu_s=2, wall_s=4)
B_FRAMES = {"preset": "veryfast", "bf": "3", "g": "24", "x264-params": "open-gop=1"}


@pytest.fixture(scope="module")
def apart() -> Iterator[Apart]:
    opened = Apart(STRICT)
    yield opened
    opened.close()


def even() -> list[float]:
    return [number / 30 for number in range(COUNT)]


def uneven() -> list[float]:
    steps = np.random.default_rng(3).choice([1 / 60, 1 / 30, 1 / 24, 0.1, 0.4], COUNT)
    return [2.5 + float(moment) for moment in np.cumsum(steps)]


def cut_off(folder: Path) -> Path:
    path = numbered_film(folder / "cut.mkv", even(), options={"preset": "ultrafast", "g": "15"})
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    return path


def spoilt_at_its_end(folder: Path) -> Path:
    return damage(write(folder / "end.mp4", busy(60)), 0.8, 0.97, lambda rng: rng.randrange(256))


FILMS: dict[str, Callable[[Path], Path]] = {
    "30 fps": lambda folder: numbered_film(folder / "even.mp4", even(), options=B_FRAMES),
    "uneven": lambda folder: numbered_film(folder / "uneven.mp4", uneven(), options=B_FRAMES),
    "turned": lambda folder: turned_by(numbered_film(folder / "turned.mp4", even()[:20]), 90),
    "without a clock": lambda folder: numbered_film(
        folder / "old.avi", even()[:40], codec="mpeg4", options={"bf": "2"}, clock=30
    ),
    "cut off": cut_off,
    "spoilt at its end": spoilt_at_its_end,
}


@pytest.fixture(scope="module", params=FILMS)
def film(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return FILMS[request.param](tmp_path_factory.mktemp("film"))


@pytest.fixture(scope="module")
def even_film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return FILMS["30 fps"](tmp_path_factory.mktemp("even"))


def gone_through(opened: Video | ApartVideo) -> tuple[list[Frame], str | None]:
    """All frames, and how it was cut off."""
    frames: list[Frame] = []
    with opened as video:
        try:
            with closing(ahead(video)) as told:
                frames.extend(told)
        except CutOffError as why:
            return frames, str(why)
    return frames, None


def process_of(video: ApartVideo) -> int:
    beside = video._beside
    assert beside is not None
    return int(beside._process.pid or 0)


# The same as here


def test_every_frame_is_what_it_is_here(film: Path) -> None:
    here, there = Video(film), ApartVideo(film, "IMG_1.mov")
    stated = [(each.width, each.height, each.fps, each.duration_s) for each in (here, there)]
    assert stated[0] == stated[1]
    (expected, cut), (frames, cut_there) = gone_through(here), gone_through(there)
    assert len(frames) == len(expected) > 10
    for frame, same in zip(frames, expected, strict=True):
        assert (frame.index, frame.time_s, frame.unreadable) == (same.index, same.time_s, same.unreadable)
        assert np.array_equal(frame.image, same.image)
    assert there.unreadable_end == here.unreadable_end
    assert cut_there == (None if cut is None else cut.replace(str(film), "IMG_1.mov"))
    frames[0].image[:] = 0  # it can be drawn on, and is nobody else's
    assert np.array_equal(frames[1].image, expected[1].image)


def test_the_films_are_what_they_are_called(tmp_path: Path) -> None:
    """One is cut off, one tells of an end that cannot be read, the others are whole."""
    told = {name: (opened := Video(make(tmp_path)), gone_through(opened)[1]) for name, make in FILMS.items()}
    assert [name for name, (_, cut) in told.items() if cut is not None] == ["cut off"]
    assert [name for name, (opened, _) in told.items() if opened.unreadable_end] == ["spoilt at its end"]


def test_frames_by_number_are_what_they_are_here(film: Path, apart: Apart) -> None:
    chance = random.Random(5)
    with FrameReader(film) as reader:
        there = ApartReader(apart, film, "IMG_1.mov")
        assert np.array_equal(there.times, reader.times)
        assert len(there) == len(reader)
        for index in [0, *(chance.randrange(len(reader)) for _ in range(12))]:
            try:
                expected = reader.frame(index)
            except VideoError as why:
                with pytest.raises(VideoError) as told:
                    there.frame(index)
                assert str(told.value) == str(why).replace(str(film), "IMG_1.mov")
            else:
                assert np.array_equal(there.frame(index), expected)
        with pytest.raises(IndexError, match=r"IMG_1\.mov has no frame"):
            there.frame(len(reader))
        there.close()


def test_times_near_a_moment_are_what_they_are_here(film: Path, apart: Apart) -> None:
    assert times_around(apart, film, "IMG_1.mov", 1.0) == frame_times(film, 1.0)


@pytest.mark.parametrize(
    "data", [None, b"", b"hello " * 1000, b"\0" * 5000], ids=["none", "empty", "text", "noughts"]
)
def test_what_is_no_film_is_told_as_it_is_here(data: bytes | None, tmp_path: Path, apart: Apart) -> None:
    path = tmp_path / "video.mp4"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(VideoError) as here:
        Video(path)
    expected = str(here.value).replace(str(path), "IMG_2.mov")
    for opened in (
        lambda: ApartVideo(path, "IMG_2.mov"),
        lambda: ApartReader(apart, path, "IMG_2.mov"),
        lambda: times_around(apart, path, "IMG_2.mov", 1.0),
    ):
        with pytest.raises(VideoError) as there:
            opened()
        assert str(there.value) == expected


def test_it_can_be_gone_through_again_and_left_in_the_middle(even_film: Path) -> None:
    with ApartVideo(even_film, "IMG_1.mov") as video:
        assert [number_of(frame.image) for frame in islice(video, 7)] == list(range(7))
        assert [number_of(frame.image) for frame in video] == list(range(COUNT))
        assert [number_of(frame.image) for frame in islice(video, 3)] == [0, 1, 2]


def test_where_no_memory_can_be_shared_the_frames_are_the_same(
    even_film: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(footage.Shared, "made", lambda: None)
    frames, _ = gone_through(ApartVideo(even_film, "IMG_1.mov"))
    with Video(even_film) as video:
        assert all(np.array_equal(a.image, b.image) for a, b in zip(frames, video, strict=True))


def test_a_film_whose_rows_are_filled_up_is_the_same(tmp_path: Path) -> None:
    """Pictures of an odd width, as they are: none of them is turned into another kind."""
    path = tmp_path / "raw.avi"
    with av.open(str(path), "w") as out:
        stream = out.add_stream("rawvideo", rate=30)
        stream.width, stream.height, stream.pix_fmt = 101, 58, "bgr24"
        for image in busy(12, 101, 58):
            out.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="bgr24")))
    frames, _ = gone_through(ApartVideo(path, "IMG_1.avi"))
    with Video(path) as video:
        assert all(np.array_equal(a.image, b.image) for a, b in zip(frames, video, strict=True))


# Its process


def test_its_process_ends_with_it(even_film: Path) -> None:
    video = ApartVideo(even_film, "IMG_1.mov")
    process = process_of(video)
    with video:
        next(iter(video))
        time.sleep(0.3)  # it waits for the next frame to be taken
    assert breaking.is_gone(process)


def test_its_process_ends_with_the_last_frame(even_film: Path) -> None:
    video = ApartVideo(even_film, "IMG_1.mov")
    process = process_of(video)
    assert len(list(video)) == COUNT
    assert breaking.is_gone(process)


def test_who_takes_frames_slowly_is_waited_for(even_film: Path) -> None:
    """Time runs for the decoder, not for who looks at what it gives."""
    with ApartVideo(even_film, "IMG_1.mov", Limits(FILM_MB, cpu_s=2, wall_s=2)) as video:
        frames = iter(video)
        next(frames)
        time.sleep(8)  # more than the process is ever given for a frame
        assert len(list(frames)) == COUNT - 1


@pytest.mark.parametrize("opens", ["Video", "breaking.HangingVideo"])
def test_it_does_not_outlive_the_program(opens: str, even_film: Path) -> None:
    program = (
        "import sys; sys.path.append(sys.argv[1])\n"
        "import breaking, time\nfrom vision.capture.apart import footage\n"
        "from vision.capture.apart.limits import Limits\nfrom vision.capture.video import Video\n"
        f"footage.Video = {opens}\n"
        "video = footage.ApartVideo(sys.argv[2], 'a.mp4', Limits(2000, 4, 4))\n"
        "print(video._beside._process.pid, flush=True)\n"
        "frames = iter(video); [next(frames) for _ in range(5)]; print('here', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, str(ROOT / "tests" / "vision"), str(even_film)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        beside = int(process.stdout.readline())
        assert process.stdout.readline() == "here\n"
        process.kill()
    assert breaking.is_gone(beside)


def test_a_reader_whose_process_was_killed_opens_its_film_again(even_film: Path, apart: Apart) -> None:
    reader = ApartReader(apart, even_film, "IMG_1.mov")
    assert number_of(reader.frame(3)) == 3
    os.kill(apart.do(breaking.echo).told["process"], signal.SIGKILL)
    time.sleep(0.3)
    assert number_of(reader.frame(4)) == 4


def test_more_films_than_are_kept_open_are_all_read(even_film: Path, apart: Apart) -> None:
    readers = [ApartReader(apart, even_film, "a.mp4") for _ in range(6)]
    for index in (5, 9):
        assert [number_of(reader.frame(index)) for reader in readers] == [index] * 6


def test_a_film_that_was_replaced_is_not_taken_for_the_one_before(tmp_path: Path, apart: Apart) -> None:
    path = numbered_film(tmp_path / "video.mp4", even()[:20])
    reader = ApartReader(apart, path, "IMG_1.mov")
    reader.close()
    os.utime(path, ns=(1, 1))
    with pytest.raises(VideoError, match=r"^IMG_1\.mov is another film by now: "):
        reader.frame(3)


# What goes wrong

BREAKS = "IMG_3.mov cannot be {}, as it breaks the program that decodes it: record or copy it again"


@pytest.mark.parametrize(
    ("opens", "says"),
    [
        (breaking.CrashingVideo, BREAKS.format("read beyond 0.1 s")),
        (breaking.FailingVideo, BREAKS.format("read beyond 0.1 s")),
        (breaking.HangingVideo, "IMG_3.mov takes too long to decode: record or copy it again"),
        (breaking.SpinningVideo, "IMG_3.mov takes too long to decode: record or copy it again"),
        (breaking.HungryVideo, "IMG_3.mov needs more memory than there is: record it smaller"),
    ],
    ids=lambda given: getattr(given, "__name__", None),
)
def test_a_film_that_goes_wrong_midway_is_one_sentence_behind_its_good_frames(
    even_film: Path, monkeypatch: pytest.MonkeyPatch, opens: type[Video], says: str
) -> None:
    monkeypatch.setattr(footage, "Video", opens)
    video = ApartVideo(even_film, "IMG_3.mov", STRICT)
    process = process_of(video)
    frames: list[Frame] = []
    with pytest.raises(VideoError) as told, video, closing(ahead(video)) as taken:
        frames.extend(taken)
    assert str(told.value) == says
    assert not isinstance(told.value, CutOffError)
    assert [number_of(frame.image) for frame in frames] == list(range(breaking.CrashingVideo.good))
    assert breaking.is_gone(process)


@pytest.mark.parametrize(
    ("opens", "says"),
    [
        (breaking.crash, BREAKS.format("opened")),
        (breaking.hang, "IMG_3.mov takes too long to open: record or copy it again"),
    ],
)
def test_a_film_that_goes_wrong_at_once_is_one_sentence(
    even_film: Path, monkeypatch: pytest.MonkeyPatch, opens: Callable[..., Video], says: str
) -> None:
    monkeypatch.setattr(footage, "Video", opens)
    with pytest.raises(VideoError) as told:
        ApartVideo(even_film, "IMG_3.mov", STRICT)
    assert str(told.value) == says


def test_stopping_lets_who_waits_go_at_once(even_film: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(footage, "Video", breaking.HangingVideo)
    with ApartVideo(even_film, "IMG_3.mov") as video, closing(ahead(video)) as taken:
        assert len(list(islice(taken, breaking.HangingVideo.good))) == breaking.HangingVideo.good
        began = time.monotonic()
        video.stop()
        with pytest.raises(VideoError):
            next(taken)
        assert time.monotonic() - began < 3


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="nothing tells here what a process takes")
def test_later_frames_that_are_enormous_are_passed_over_within_the_memory_that_is_allowed(
    tmp_path: Path,
) -> None:
    """A film that begins small and goes on in 64 megapixels: here it would take a gigabyte, and there it may not."""
    small, large = [np.zeros((96, 160, 3), np.uint8)] * 30, [np.zeros((8192, 8192, 3), np.uint8)] * 3
    parts = [write(tmp_path / f"{len(part)}.ts", part) for part in (small, large)]
    path = tmp_path / "grows.ts"
    path.write_bytes(b"".join(part.read_bytes() for part in parts))
    assert path.stat().st_size < 2_000_000
    frames, _ = gone_through(ApartVideo(path, "IMG_4.mov", Limits(memory_mb=150)))
    assert {frame.image.shape for frame in frames} == {(96, 160, 3)}
    assert 20 <= len(frames) <= 30


FRAME_3 = "IMG_3.mov {}: copy the recording again, or look at another moment"


@pytest.mark.parametrize(
    ("work", "says"),
    [
        (
            breaking.crash,
            FRAME_3.format("cannot be read at frame 3, as it breaks the program that decodes it"),
        ),
        (
            breaking.fail,
            FRAME_3.format("cannot be read at frame 3, as it breaks the program that decodes it"),
        ),
        (breaking.hang, FRAME_3.format("takes too long to read at frame 3")),
    ],
)
def test_a_frame_that_goes_wrong_is_one_sentence_and_the_next_is_there(
    even_film: Path, apart: Apart, monkeypatch: pytest.MonkeyPatch, work: Work, says: str
) -> None:
    monkeypatch.setattr(by_number, "for_film", lambda path: STRICT)
    reader = ApartReader(apart, even_film, "IMG_3.mov")
    with monkeypatch.context() as broken:
        broken.setattr(by_number, "_frame", work)
        with pytest.raises(VideoError) as told:
            reader.frame(3)
    assert str(told.value) == says
    assert number_of(reader.frame(4)) == 4
