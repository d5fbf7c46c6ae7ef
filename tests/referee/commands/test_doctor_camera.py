"""`doctor --camera`: what the camera shows is judged, and kept as a picture."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from pretend import PretendEye, picture

from referee.commands.program import run
from vision.capture.frames import load_image
from vision.capture.live.sources import SourceError
from vision.capture.video import Frame


@dataclass
class Camera:
    """Gives 60 frames, 25 a second."""

    image: np.ndarray
    name: str = "camera"
    width: int = 1280
    height: int = 720
    fps: float = 30.0
    open: bool = True

    def frames(self) -> Iterator[Frame]:
        for index in range(100):
            yield Frame(index, index / 25, self.image)

    def now(self) -> float:
        return 0.0

    def close(self) -> None:
        self.open = False


@pytest.fixture
def camera(monkeypatch: pytest.MonkeyPatch) -> Camera:
    lent = Camera(picture("ace", "ace", width=1280, height=720))
    monkeypatch.setattr("referee.commands.doctor.open_source", lambda spec: lent)
    monkeypatch.setattr("referee.commands.doctor._machine_checks", list)
    return lent


def test_a_camera_is_looked_through(
    camera: Camera, pretended: PretendEye, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "view.png"
    assert run(["doctor", "--camera", "Desk camera", "--picture", str(kept), "--json"]) == 1
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["frame rate"] == {**checks["frame rate"], "ok": True, "figure": "25 fps as measured"}
    assert not checks["light"]["ok"] and "light the table" in checks["light"]["advice"]
    assert load_image(kept).shape == (720, 1280, 3)
    assert not camera.open


def test_a_camera_that_cannot_be_opened_is_one_line(
    pretended: PretendEye, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(spec: str) -> Camera:
        raise SourceError(f"there is no camera {spec}: plug one in")

    monkeypatch.setattr("referee.commands.doctor.open_source", refuse)
    monkeypatch.setattr("referee.commands.doctor._machine_checks", list)
    assert run(["doctor", "--camera", "Attic"]) == 1
    assert "there is no camera Attic: plug one in" in capsys.readouterr().out


@pytest.mark.parametrize("odd", ["", " ", "1.5", "100", "-1", "nan", "a\x1bb"])
def test_what_can_be_no_camera_is_refused(odd: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--camera", odd]) == 2
    assert "number from 0 to 99, its name or its URL" in capsys.readouterr().err
