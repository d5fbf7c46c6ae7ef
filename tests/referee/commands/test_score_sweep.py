"""A film swept over the cards is scored as photos of the same cards are."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from pretend import PretendEye, picture
from said import complaint, lines_of

from referee.commands.program import run


def sweep(path: Path, seconds: float = 2.0, fps: int = 10) -> Path:
    """Grey and blue columns, which the pretended eye sees as cards, with noise that comes and goes."""
    image = np.repeat(np.repeat(picture("ace", "ace", "ace"), 2, axis=0), 2, axis=1)
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=fps)
        stream.width, stream.height, stream.pix_fmt = image.shape[1], image.shape[0], "yuv420p"
        stream.options = {"crf": "10"}
        for index in range(round(seconds * fps)):
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="bgr24")
            frame.pts, frame.time_base = index, Fraction(1, fps)
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    return path


def test_the_frames_of_a_film_are_taken_for_photos(
    pretended: PretendEye, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    film = sweep(tmp_path / "sweep.mp4")
    assert run(["score", str(film), "--json"]) == 0
    (report,) = lines_of(capsys.readouterr().out)
    assert [frame["film"] for frame in report["frames"]] == [str(film)] * len(report["frames"])
    times = [frame["at"] for frame in report["frames"]]
    assert times == sorted(times) and 1 <= len(times) <= 4
    assert pretended.looks >= 1
    assert run(["score", str(film), "--draw", str(tmp_path / "seen.png")]) == 0
    assert "sweep.mp4 at" in capsys.readouterr().out
    assert list(tmp_path.glob("seen*.png"))


def test_a_recording_of_a_hand_is_no_sweep(
    pretended: PretendEye, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    film = sweep(tmp_path / "hand.mp4", seconds=33, fps=2)
    assert run(["score", str(film)]) == 2
    assert "nerts-referee replay" in complaint(capsys)
    (tmp_path / "notes.mp4").write_text("no film")
    assert run(["score", str(tmp_path / "notes.mp4")]) == 2
    assert "notes.mp4 is not a video" in complaint(capsys)
