"""Contact sheets of sets: every picture is on them, whole, and input that is none is refused."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from scripts.build import still_sheet
from scripts.build.export import NEEDED

#: Colours of the pictures (BGR), and their sizes: landscape, portrait, wide.
COLOURS = ((200, 40, 40), (40, 200, 40), (40, 40, 200), (200, 200, 40), (40, 200, 200))
SIZES = ((400, 300), (300, 400), (640, 360), (400, 300), (300, 400))

#: As much of a card's truth as a sheet asks for.
CARD = dict.fromkeys(NEEDED, 0)


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "set.json").write_text(json.dumps({"set": "layouts"}))
    for number, (colour, (width, height)) in enumerate(zip(COLOURS, SIZES, strict=True)):
        picture = np.full((height, width, 3), colour, np.uint8)
        cv2.rectangle(picture, (0, 0), (width - 1, height - 1), (0, 0, 0), 12)
        cv2.imwrite(str(folder / f"{number:05d}.jpg"), picture)
        truth = {
            "image": f"{number:05d}.jpg",
            "game": "nuts",
            "width": width,
            "height": height,
            "cards": [CARD] * number,
        }
        (folder / f"{number:05d}.json").write_text(json.dumps(truth))
    return folder


def share(drawn: np.ndarray, colour: tuple[int, int, int]) -> float:
    return float((np.abs(drawn.astype(int) - colour).max(axis=2) < 30).mean())


def test_every_picture_is_shown_in_its_own_shape(built: Path, tmp_path: Path) -> None:
    out = tmp_path / "docs/sheet.jpg"
    assert still_sheet.main([str(built), "--pictures", "5", "--out", str(out)]) == 0
    drawn = cv2.imread(str(out))
    assert drawn is not None
    assert drawn.shape[1] == still_sheet.WIDTH
    for colour, (width, height) in zip(COLOURS, SIZES, strict=True):
        ys, xs = np.nonzero(np.abs(drawn.astype(int) - colour).max(axis=2) < 30)
        across, along = np.ptp(xs) + 1, np.ptp(ys) + 1
        # the black frame is 12 px wide
        assert across / along == pytest.approx((width - 24) / (height - 24), rel=0.06)
    assert still_sheet.main([str(built), "--pictures", "2", "--out", str(out)]) == 0
    fewer = cv2.imread(str(out))
    assert fewer is not None
    assert share(fewer, COLOURS[0]) > 0.1
    assert share(fewer, COLOURS[2]) < 0.001


def test_what_a_picture_shows_is_written_on_it(built: Path) -> None:
    assert [shown.told for shown in still_sheet.shown_of(built, 2)] == [
        "layouts, nuts, 0 cards",
        "layouts, nuts, 1 cards",
    ]


def test_a_sheet_is_no_larger_than_wanted(built: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for path in built.glob("*.jpg"):
        cv2.imwrite(str(path), rng.integers(0, 256, (300, 400, 3), dtype=np.uint8))
    out = tmp_path / "sheet.jpg"
    assert still_sheet.main([str(built), "--kb", "400", "--out", str(out)]) == 0
    assert 100_000 < out.stat().st_size <= 400_000


def test_what_is_no_set_is_refused(built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "sheet.jpg"
    assert still_sheet.main([str(tmp_path), "--out", str(out)]) == 2
    assert still_sheet.main([str(built), "--kb", "1", "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert "set.json" in said
    assert "--pictures" in said
    (built / "00001.jpg").write_bytes(b"no picture")
    assert still_sheet.main([str(built), "--out", str(out)]) == 2
    assert "00001.jpg" in capsys.readouterr().err
    assert not out.exists()
