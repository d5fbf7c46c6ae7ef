"""What people tell of the table's size, and the sheet of markers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pretend import PretendEye, picture, pretend_replay

from referee import service
from referee.commands.program import run
from referee.live.looking import CropEyes
from vision.capture.frames import load_image, save_image
from vision.capture.video import Frame
from vision.geometry.markers import find_markers
from vision.geometry.plane import given_corners
from vision.layout import Layout

RIM = ["--table", "0,0", "--table", "400,0", "--table", "400,120", "--table", "0,120"]


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "table.png"
    save_image(path, picture())
    return path


def seen(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


@pytest.mark.usefixtures("pretended")
def test_given_corners_tell_the_plane(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["see", "--json", str(photo)]) == 0
    assert seen(capsys)["plane"] is None
    assert run(["see", "--json", str(photo), *RIM, "--table-size", "800,240"]) == 0
    told = seen(capsys)
    assert told["plane"]["from"] == "corners"
    assert told["plane"]["residual_mm"] < 0.1
    assert told["plane"]["card_mm"] is None
    assert told["px_per_mm"] == pytest.approx(0.5, abs=0.005)
    left, right = (np.array(told["plane"]["to_mm"]) @ (x, 60.0, 1.0) for x in (0.0, 400.0))
    assert np.hypot(*(right[:2] / right[2] - left[:2] / left[2])) == pytest.approx(800, rel=0.01)


@pytest.mark.usefixtures("pretended")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (RIM, "--table is given 4 times, --table-size 0"),
        (RIM[:4], "--table is given 2 times"),
        (["--table-size", "800,240"], "--table is given 0 times"),
        ([*RIM[:-1], "here", "--table-size", "800,240"], "'here' is not two numbers"),
        ([*RIM[:-1], "nan,4", "--table-size", "800,240"], "'nan,4' is not two numbers"),
        ([*RIM, "--table-size", "800,-3"], "longer than 0 mm"),
        ([*RIM[2:4], *RIM[:2], *RIM[4:], "--table-size", "800,240"], "order around"),
    ],
)
def test_half_a_table_is_refused(
    photo: Path, given: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["see", str(photo), *given]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_replay_is_told_of_the_table(
    pretended: PretendEye, hand_video: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = []

    def replayed(*positional: Any, **more: Any) -> Any:
        told.append(more["table"])
        return pretend_replay(*positional, **more)

    monkeypatch.setattr(service, "tools", service.Tools(open_eye=lambda: pretended, replay=replayed))
    assert run(["replay", "--json", str(hand_video), *RIM, "--table-size", "800,240"]) == 0
    assert told[0].sizes.tolist() == [[800, 240]]


def test_a_watched_table_is_as_large_as_was_told() -> None:
    corners = [(0.0, 0.0), (400.0, 0.0), (400.0, 120.0), (0.0, 120.0)]

    class Eye:
        def see(self, image: np.ndarray, *, to_table: Any = None, to_follow: bool = False) -> Layout:
            return Layout(image.shape[1], image.shape[0], 3.0, to_table=to_table)

    eyes = CropEyes(Eye(), given_corners(corners, (800.0, 240.0)))
    whole = eyes.look(Frame(0, 0.0, picture()), None, None)
    assert whole.px_per_mm == pytest.approx(0.5, abs=0.005)
    assert whole.plane is not None
    part = eyes.look(Frame(1, 0.1, picture()), (20, 10, 80, 60), whole.to_table)
    assert part.plane is None
    assert part.to_table is not None
    assert part.to_table / part.to_table[2, 2] == pytest.approx(whole.plane.matrix / whole.plane.matrix[2, 2])


def test_a_sheet_of_markers_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "markers.png"
    assert run(["markers", "--json", "--out", str(sheet)]) == 0
    assert seen(capsys)["size_mm"] == 60
    assert find_markers(load_image(sheet)) is not None
    assert run(["markers", "--out", str(sheet), "--size", "300"]) == 2
    assert "choose 5 to" in capsys.readouterr().err
    assert run(["markers", "--out", str(tmp_path / "sheet.none")]) == 2
    assert ".png" in capsys.readouterr().err


@pytest.mark.parametrize("size", ["0", "-60", "nan", "inf"])
def test_a_marker_is_longer_than_nothing(
    photo: Path, pretended: PretendEye, size: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["see", str(photo), "--marker-size", size]) == 2
    assert "give a length over 0 mm, like --marker-size 60" in capsys.readouterr().err
    assert pretended.looks == 0
