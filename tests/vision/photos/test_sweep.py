"""A sweep over cards: the frames that are taken are sharp and spread over the film."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from vision.capture.frames import VideoError
from vision.capture.video import Video
from vision.photos.sweep import MOST, choose, detail, sharpest_frames


def picture(shift: int, blur: float, light: float = 1.0) -> np.ndarray:
    """A piece of a patterned table, `shift` px on, as a hand that moves blurs it."""
    wide = np.random.default_rng(4).integers(0, 2, (18, 60)).astype(np.uint8) * 200 + 30
    wide = cv2.resize(wide, None, fx=16, fy=16, interpolation=cv2.INTER_NEAREST)
    part = wide[:240, shift : shift + 426].astype(np.float32) * light
    if blur:
        part = cv2.GaussianBlur(part, (0, 0), blur)
    return np.repeat(np.clip(part, 0, 255).astype(np.uint8)[..., None], 3, axis=2)


def film(path: Path, blurs: list[float], fps: int = 20) -> Path:
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=fps)
        stream.width, stream.height, stream.pix_fmt = 426, 240, "yuv420p"
        stream.options = {"crf": "12"}
        for index, blur in enumerate(blurs):
            frame = av.VideoFrame.from_ndarray(picture(4 * index, blur), format="bgr24")
            frame.pts, frame.time_base = index, Fraction(1, fps)
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    return path


def test_the_sharpest_frame_of_each_part_is_taken(tmp_path: Path) -> None:
    blurs = [4.0] * 40
    for sharp in (3, 17, 26, 38):
        blurs[sharp] = 0.0
    path = film(tmp_path / "sweep.mp4", blurs)
    frames = sharpest_frames(partial(Video, path), "sweep.mp4")
    assert [frame.index for frame in frames] == [3, 17, 26, 38]


def test_parts_that_are_blurred_throughout_give_none(tmp_path: Path) -> None:
    blurs = [0.0] * 10 + [4.0] * 30
    path = film(tmp_path / "sweep.mp4", blurs)
    frames = sharpest_frames(partial(Video, path), "sweep.mp4")
    assert len(frames) == 1 and frames[0].index < 10


def test_light_makes_no_frame_sharper() -> None:
    bright, dim = detail(picture(0, 2.0)), detail(picture(0, 2.0, light=0.5))
    assert 0.8 < dim / bright < 1.25
    assert detail(picture(0, 0.0, light=0.5)) > 1.5 * bright


@pytest.mark.parametrize("count", [1, 2, 3, 100])
def test_of_any_film_one_frame_at_least_and_few_are_taken(count: int) -> None:
    rng = np.random.default_rng(count)
    chosen = choose(np.arange(count) / 30, rng.uniform(0.1, 1, count))
    assert 1 <= len(chosen) <= MOST and max(chosen) < count


def test_a_recording_of_a_hand_is_no_sweep(tmp_path: Path) -> None:
    path = film(tmp_path / "long.mp4", [0.0] * 34, fps=1)
    with pytest.raises(VideoError, match="longer than 30 s"):
        sharpest_frames(partial(Video, path), "long.mp4")
