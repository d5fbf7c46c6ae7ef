"""Contact sheets of staged things: what lies in the film, and input that is none."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.film.video import VideoWriter
from scripts.build.film import contact_sheet

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
    width, height = contact_sheet.WIDTH, round(contact_sheet.SHAPE * contact_sheet.WIDTH)
    line = height + contact_sheet.TEXT + contact_sheet.GAP
    assert drawn.shape == (2 * line, contact_sheet.MOMENTS * (width + contact_sheet.GAP))
    middles = [drawn[height // 2, i * (width + contact_sheet.GAP) + width // 2] for i in range(5)]
    assert [value > 200 for value in middles] == [False, True, True, True, False]
    # the lamp names no place: the whole picture is shown, whose middle lies in no square then
    assert drawn[line + height // 2, width // 2] < 80


def test_a_film_that_begins_in_the_middle_of_a_hand_is_told_in_the_hand_s_time(
    film: Path, tmp_path: Path
) -> None:
    film.with_suffix(".json").write_text(json.dumps({"from_s": 40.0}))
    deed = SEEN | {"kind": "wrong-rank", "lifted": 41.1, "landed": 41.8, "box": [200, 100, 260, 160]}
    staged(film, deed)
    drawn = contact_sheet.sheet(film, 200)
    assert drawn.shape[1] == contact_sheet.MOMENTS * (200 + contact_sheet.GAP)
    middles = [drawn[75, i * (200 + contact_sheet.GAP) + 100, 0] for i in range(5)]
    assert [value > 200 for value in middles] == [False, True, True, True, False]


def test_the_course_of_a_hand_shows_the_whole_table_from_time_to_time(film: Path, tmp_path: Path) -> None:
    out = tmp_path / "course.png"
    assert contact_sheet.main([str(film), "--every", "0.4", "--width", "160", "--out", str(out)]) == 0
    drawn = cv2.imread(str(out), cv2.IMREAD_GRAYSCALE)
    assert drawn is not None
    # eight moments in two lines, each lighter than the one before
    assert drawn.shape == (2 * (90 + contact_sheet.TEXT), 5 * (160 + contact_sheet.GAP))
    corners = [
        int(drawn[r * (90 + contact_sheet.TEXT) + 5, c * (160 + contact_sheet.GAP) + 5])
        for r in (0, 1)
        for c in range(5)
    ]
    assert corners[:8] == sorted(corners[:8]) and corners[7] > corners[0] + 40
    assert corners[8] == 255


def test_the_whole_course_needs_nothing_staged(film: Path, tmp_path: Path) -> None:
    assert contact_sheet.main([str(film), "--every", "1", "--out", str(tmp_path / "a.jpg")]) == 0


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
    assert "build.film.hand" in capsys.readouterr().err
    staged(film)
    assert contact_sheet.main(command) == 2
    assert "--plant" in capsys.readouterr().err
    staged(film, ROOM | {"kind": "lamp", "lifted": 0.5, "landed": 0.5})
    assert contact_sheet.main([str(film), "--out", str(tmp_path / "sheet.nonesuch")]) == 2
    assert ".jpg" in capsys.readouterr().err
    assert contact_sheet.main([str(tmp_path / "none.mp4"), "--out", str(tmp_path / "sheet.png")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_an_evening_is_shown_state_by_state(film: Path, tmp_path: Path) -> None:
    out = tmp_path / "sheet.png"
    assert contact_sheet.main([str(film), "--states", "--out", str(out)]) == 2
    told = [("empty", 0.0, 0.8), ("ready", 1.0, 1.8), ("dealing", 2.0, 2.8)]
    states = [{"state": state, "from": start, "to": end} for state, start, end in told]
    film.with_suffix(".evening.json").write_text(json.dumps({"states": states}))
    assert contact_sheet.main([str(film), "--states", "--width", "240", "--out", str(out)]) == 0
    drawn = cv2.imread(str(out), cv2.IMREAD_GRAYSCALE)
    assert drawn is not None and drawn.shape[0] == 135 + contact_sheet.TEXT
    # the white square is there in the second only; dealing is shown at two moments, lighter and lighter
    across = 240 + contact_sheet.GAP
    assert [bool(drawn[65, n * across + 115] > 200) for n in range(5)] == [False, True, False, False, True]
    corners = [float(drawn[10:30, n * across + 10 : n * across + 30].mean()) for n in range(4)]
    assert corners == sorted(corners) and corners[3] > corners[2] + 2
