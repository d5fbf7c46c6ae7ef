"""Videos as phones and damaged disks leave them: turned, with a clock of their own, with parts that cannot be read."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest

from vision.capture.frames import VideoError
from vision.capture.video import Video

#: What a track header says: x' = a x + c y, y' = b x + d y (ISO 14496-12), by degrees clockwise.
MATRICES = {0: (1, 0, 0, 1), 90: (0, 1, -1, 0), 180: (-1, 0, 0, -1), 270: (0, -1, 1, 0)}
CODECS = ["libx264", "libx265"]


def write(
    path: Path,
    pictures: Iterable[np.ndarray],
    codec: str = "libx264",
    *,
    fps: int = 10,
    first: int = 0,
    every: int = 1,
    keys: int = 250,
) -> Path:
    """A video of these pictures (BGR); `first`: frames after 0 at which its clock begins."""
    with av.open(str(path), "w") as out:
        stream = out.add_stream(codec, rate=fps)
        stream.options = (
            {"x265-params": f"log-level=none:keyint={keys}"} if codec == "libx265" else {"g": str(keys)}
        )
        for index, picture in enumerate(pictures):
            if not index:
                stream.height, stream.width = picture.shape[:2]
                stream.pix_fmt = "yuv420p"
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="bgr24")
            frame.pts, frame.time_base = first + index * every, Fraction(1, fps)
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    return path


def turned_by(path: Path, degrees: int) -> Path:
    """Write into an MP4 that its pictures are shown turned clockwise."""
    data = bytearray(path.read_bytes())
    a, b, c, d = (value << 16 for value in MATRICES[degrees])
    at = data.index(b"tkhd") + 44
    struct.pack_into(">9i", data, at, a, b, 0, c, d, 0, 0, 0, 1 << 30)
    path.write_bytes(data)
    return path


def corners(width: int, height: int) -> np.ndarray:
    """A dark picture with a red top left, a green top right and a blue bottom left quarter."""
    picture = np.full((height, width, 3), 30, np.uint8)
    picture[: height // 2, : width // 2] = (0, 0, 220)
    picture[: height // 2, width // 2 :] = (0, 220, 0)
    picture[height // 2 :, : width // 2] = (220, 0, 0)
    return picture


def busy(count: int, width: int = 160, height: int = 96) -> list[np.ndarray]:
    """Pictures of noise that drifts: their coding takes bytes in every frame. The top left corner tells the number."""
    rng = np.random.default_rng(7)
    field = rng.integers(0, 255, (height, width + count, 3), dtype=np.uint8)
    pictures = [field[:, index : index + width].copy() for index in range(count)]
    for index, picture in enumerate(pictures):
        picture[:48, :48] = 4 * (index % 60)
    return pictures


def damage(path: Path, low: float, high: float, spoil: Callable[[random.Random], int]) -> Path:
    """The same file with its bytes between two shares of its length written over."""
    rng, data = random.Random(3), bytearray(path.read_bytes())
    for at in range(int(low * len(data)), int(high * len(data))):
        data[at] = spoil(rng)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("degrees", MATRICES)
def test_a_turned_video_has_the_size_and_the_picture_of_the_upright_one(
    tmp_path: Path, codec: str, degrees: int
) -> None:
    upright = corners(320, 192)
    stored = np.rot90(upright, degrees // 90)
    path = turned_by(write(tmp_path / "phone.mp4", [stored] * 5, codec), degrees)
    with Video(path) as video:
        assert (video.width, video.height) == (320, 192)
        frames = list(video)
        ((_, asked),) = video.at([0.2])
    assert len(frames) == 5
    for image in (frames[0].image, frames[-1].image, asked):
        assert image.shape == (192, 320, 3)
        assert np.abs(image.astype(int) - upright).mean() < 12


@pytest.mark.parametrize("ending", [".mkv", ".mp4", ".ts", ".avi"])
def test_a_clock_that_does_not_begin_at_nought_is_no_missing_end(tmp_path: Path, ending: str) -> None:
    first = 36_000 if ending != ".avi" else 0
    path = write(tmp_path / f"cut{ending}", busy(30), first=first)
    with Video(path) as video:
        times = [frame.time_s for frame in video]
        assert times == pytest.approx([index / 10 for index in range(30)], abs=0.005)
        assert video.duration_s == pytest.approx(3.0, abs=0.15)


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("spoil", [lambda rng: 0, lambda rng: rng.randrange(256)], ids=["noughts", "noise"])
def test_no_frame_is_shown_that_damage_may_have_spoilt(
    tmp_path: Path, codec: str, spoil: Callable[[random.Random], int]
) -> None:
    pictures = busy(120)
    whole = write(tmp_path / "whole.mp4", pictures, codec, fps=30, keys=30)
    with Video(whole) as video:
        right = {frame.index: frame.image for frame in video}
    path = damage(whole, 0.40, 0.48, spoil)
    with Video(path) as video:
        frames = list(video)
        assert video.unreadable_end is None
    gaps = [frame.unreadable for frame in frames if frame.unreadable]
    assert len(gaps) == 1
    since, until = gaps[0]
    assert 1.2 < since < 1.7
    assert until in (2.0, 3.0)  # where a key frame lies
    for frame in frames:
        assert np.abs(frame.image.astype(int) - right[round(frame.time_s * 30)]).mean() < 1
    assert [round(f.time_s * 30) for f in frames] == [
        i for i in range(120) if i / 30 <= since + 1e-6 or i / 30 >= until - 1e-6
    ]


def flagged(path: Path) -> int:
    """How many frames the decoder gives without an error and calls spoilt."""
    with av.open(str(path)) as film:
        stream = film.streams.video[0]
        stream.thread_type = "SLICE"
        try:
            return sum(
                f.is_corrupt for packet in film.demux(stream) for f in stream.codec_context.decode(packet)
            )
        except av.FFmpegError:
            return 0


def test_a_frame_that_the_decoder_patches_up_and_calls_spoilt_is_not_shown(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole.mp4", busy(90, 320, 192), fps=30, keys=30)
    with av.open(str(whole)) as film:
        key = [packet.pos for packet in film.demux(video=0) if packet.is_keyframe][1]
    path = tmp_path / "patched.mp4"
    for seed in range(20):
        data, rng = bytearray(whole.read_bytes()), random.Random(seed)
        for at in range(key - 9000, key):
            if rng.random() < 0.1:
                data[at] = rng.randrange(256)
        path.write_bytes(data)
        if flagged(path):
            break
    assert flagged(path)
    with Video(path) as video:
        stored = list(video.as_stored())
    assert not any(frame.picture.is_corrupt for frame in stored)
    (gap,) = [frame.unreadable for frame in stored if frame.unreadable]
    assert gap[1] == pytest.approx(1.0)


def test_an_end_that_cannot_be_read_is_told_when_all_was_taken(tmp_path: Path) -> None:
    path = write(tmp_path / "end.mp4", busy(90), fps=30, keys=30)
    frames_at = path.read_bytes().index(b"mdat")
    path = damage(path, 0.75, 0.97, lambda rng: 0)
    assert frames_at < 1000  # the index lies behind the frames: what was damaged is the last of them
    with Video(path) as video:
        times = [frame.time_s for frame in video]
    assert video.unreadable_end is not None
    since, until = video.unreadable_end
    assert since == times[-1] < until
    assert until > 2.5


def test_a_beginning_that_cannot_be_read_counts_from_the_beginning_all_the_same(tmp_path: Path) -> None:
    whole = write(tmp_path / "begin.mp4", busy(90), fps=30, keys=30)
    at = whole.read_bytes().index(b"mdat") / whole.stat().st_size
    with Video(damage(whole, at + 8 / whole.stat().st_size, at + 0.1, lambda rng: 0)) as video:
        first = next(iter(video))
    assert first.unreadable == (0.0, pytest.approx(first.time_s))
    assert first.time_s == pytest.approx(1.0)


def test_a_clock_that_is_set_back_goes_on(tmp_path: Path) -> None:
    parts = [
        write(tmp_path / f"{name}.ts", busy(20), first=first) for name, first in (("a", 9_000), ("b", 100))
    ]
    path = tmp_path / "joined.ts"
    path.write_bytes(b"".join(part.read_bytes() for part in parts))
    with Video(path) as video:
        times = [frame.time_s for frame in video]
    assert len(times) == 40
    assert all(a < b for a, b in pairwise(times))
    assert times[-1] < 5


def test_frames_of_another_size_are_shown_in_the_first_size(tmp_path: Path) -> None:
    parts = [write(tmp_path / f"{size}.ts", [corners(*size)] * 10) for size in ((320, 192), (160, 96))]
    path = tmp_path / "switched.ts"
    path.write_bytes(b"".join(part.read_bytes() for part in parts))
    with Video(path) as video:
        frames = list(video)
    assert {frame.image.shape for frame in frames} == {(192, 320, 3)}
    assert np.abs(frames[-1].image.astype(int) - corners(320, 192)).mean() < 12


def test_a_video_of_which_nothing_decodes_is_refused_when_it_is_opened(tmp_path: Path) -> None:
    path = write(tmp_path / "noise.mp4", busy(30))
    at = path.read_bytes().index(b"mdat") / path.stat().st_size
    with pytest.raises(VideoError, match="has no frame that can be decoded"):
        Video(damage(path, at + 0.004, 0.9, lambda rng: rng.randrange(256)))
