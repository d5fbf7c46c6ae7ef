"""Contact sheets of staged things: what lies in the film, and input that is none."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.film.video import VideoWriter
from scripts import contact_sheet

SEEN = {"rule": "N5", "cards": ["west 2H"], "source": "waste", "target": "work 1", "shown": 9, "px": 400}
ROOM = {"rule": None, "cards": [], "source": None, "target": None, "shown": 0, "px": 0, "box": None}


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """Three seconds that grow lighter, with a white square that is there from 1 s to 2 s."""
    path = tmp_path / "hand.mp4"
    with VideoWriter(path, 480, 270, 10, crf=18, preset="ultrafast") as video:
        for index in range(30):
            picture = np.full((270, 480, 3), 20 + 3 * index, np.uint8)
            if 10 <= index < 20:
                picture[100:160, 200:260] = 255
            video.write(cv2.cvtColor(picture, cv2.COLOR_BGR2YUV_I420))
    return path


def staged(film: Path, *entries: dict[str, object]) -> None:
    film.with_suffix(".staged.json").write_text(json.dumps(entries))


def test_a_line_shows_the_place_before_while_and_after(film: Path, tmp_path: Path) -> None:
    deed = SEEN | {"kind": "wrong-rank", "lifted": 1.1, "landed": 1.8, "box": [200, 100, 260, 160]}
    staged(film, deed, ROOM | {"kind": "lamp", "lifted": 0.5, "landed": 0.5})
    out = tmp_path / "sheet.png"
    assert contact_sheet.main([str(film), "--out", str(out)]) == 0
    drawn = cv2.imread(str(out), cv2.IMREAD_GRAYSCALE)
    assert drawn is not None
    width, height = contact_sheet.SIZE
    line = height + contact_sheet.TEXT + contact_sheet.GAP
    assert drawn.shape == (2 * line, contact_sheet.MOMENTS * (width + contact_sheet.GAP))
    middles = [drawn[height // 2, i * (width + contact_sheet.GAP) + width // 2] for i in range(5)]
    assert [value > 200 for value in middles] == [False, True, True, True, False]
    # the lamp names no place: the whole picture is shown, whose middle lies in no square then
    assert drawn[line + height // 2, width // 2] < 80


def test_what_the_camera_did_not_see_is_left_out(
    film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    staged(film, SEEN | {"kind": "draw-two", "lifted": 9.0, "landed": 9.5, "box": None})
    assert contact_sheet.main([str(film), "--out", str(tmp_path / "sheet.png")]) == 2
    assert "stopped before" in capsys.readouterr().err
    assert not (tmp_path / "sheet.png").exists()


def test_a_film_without_anything_staged_is_refused(
    film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [str(film), "--out", str(tmp_path / "sheet.png")]
    assert contact_sheet.main(command) == 2
    assert "film_hand" in capsys.readouterr().err
    staged(film)
    assert contact_sheet.main(command) == 2
    assert "--plant" in capsys.readouterr().err
    staged(film, ROOM | {"kind": "lamp", "lifted": 0.5, "landed": 0.5})
    assert contact_sheet.main([str(film), "--out", str(tmp_path / "sheet.nonesuch")]) == 2
    assert ".jpg" in capsys.readouterr().err
    assert contact_sheet.main([str(tmp_path / "none.mp4"), "--out", str(tmp_path / "sheet.png")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
