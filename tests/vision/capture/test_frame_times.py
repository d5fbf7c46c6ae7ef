"""When frames are shown, told without decoding: the same moments at which decoding shows them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from vision.capture.frame_times import frame_times
from vision.capture.frames import VideoError

CLOCK = Fraction(1, 90_000)


def uneven() -> list[float]:
    """Moments of 160 frames: some 10 ms apart, some 200 ms, and a picture that stands for six seconds."""
    gaps = np.random.default_rng(5).uniform(0.01, 0.2, 160)
    gaps[0], gaps[100] = 0, 6
    return [float(moment) for moment in np.cumsum(gaps)]


def film(
    path: Path, moments: list[float], *, start: float = 0.0, options: dict[str, str] | None = None
) -> Path:
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 160, 96, "yuv420p"
        stream.time_base = stream.codec_context.time_base = CLOCK
        stream.options = options or {"g": "30", "bf": "3"}
        for index, moment in enumerate(moments):
            frame = av.VideoFrame.from_ndarray(np.full((96, 160, 3), index, np.uint8), format="bgr24")
            frame.pts, frame.time_base = round((moment + start) / CLOCK), CLOCK
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    return path


def near(moments: list[float], around: float) -> list[float]:
    """Those within two seconds, and two on either side."""
    before = [moment for moment in moments if moment < around - 2]
    behind = [moment for moment in moments if moment > around + 2]
    return before[-2:] + [moment for moment in moments if abs(moment - around) <= 2] + behind[:2]


@pytest.mark.parametrize(
    ("name", "start", "options"),
    [
        ("a.mp4", 0.0, None),
        ("plain.mp4", 0.0, {"g": "30", "bf": "0"}),
        ("one-key.mp4", 0.0, {"g": "1000", "bf": "3"}),
        ("a.mkv", 3600.0, None),
        ("a.ts", 10.0, None),
    ],
)
def test_the_moments_are_those_of_the_frames(
    tmp_path: Path, name: str, start: float, options: dict[str, str] | None
) -> None:
    moments = uneven()
    path = film(tmp_path / name, moments, start=start, options=options)
    for around in (0.0, 0.3, 4.0, moments[99] + 3, moments[100], moments[-1], moments[-1] + 1):
        assert frame_times(path, around) == pytest.approx(near(moments, around), abs=2e-3), around


def test_there_are_always_two_before_and_behind(tmp_path: Path) -> None:
    path = film(tmp_path / "slow.mkv", [0.0, 30.0, 60.0, 90.0, 120.0, 150.0])
    assert frame_times(path, 45.0) == pytest.approx([0.0, 30.0, 60.0, 90.0], abs=2e-3)


@pytest.mark.parametrize("content", [b"", b"hello", bytes(9000)])
def test_what_is_no_film_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.mp4").write_bytes(content)
    with pytest.raises(VideoError, match=r"a\.mp4"):
        frame_times(tmp_path / "a.mp4", 1.0)
    with pytest.raises(VideoError, match="does not exist"):
        frame_times(tmp_path / "b.mp4", 1.0)
