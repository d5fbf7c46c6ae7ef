"""What options say that cannot hold, or that nothing in the photos answers to, is one line: never passed over."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pretend import PretendEye, picture
from said import complaint

from referee.commands.program import run
from vision.capture.frames import load_image, save_image
from vision.geometry.markers import marker_sheet


@pytest.fixture
def centre(tmp_path: Path) -> Path:
    """Foundations, and nothing of whose they are."""
    save_image(tmp_path / "centre.png", picture("ace", "ace"))
    return tmp_path / "centre.png"


@pytest.mark.usefixtures("pretended")
@pytest.mark.parametrize(
    ("cards", "given", "says"),
    [
        (["ace"], ["green=anna"], "--deck green=anna: the photos show no backs"),
        (["red", "blue"], ["red=ben", "blue=cara", "green=anna"], "they show blue, red"),
        (["red", "blue"], ["red=ben", "green=anna"], "no back in the photos is called green"),
    ],
)
def test_a_deck_that_no_photo_shows_is_named(
    cards: list[str], given: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_image(tmp_path / "photo.png", picture(*cards))
    options = [word for deck in given for word in ("--deck", deck)]
    assert run(["score", str(tmp_path / "photo.png"), *options]) == 2
    assert says in complaint(capsys)


@pytest.mark.usefixtures("pretended")
def test_a_deck_without_a_card_in_the_centre_is_told_by_what_is_left(
    photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seats = ["--deck", "red=ben", "--deck", "blue=cara", "--deck", "green=anna"]
    assert run(["score", str(photo), *seats]) == 2
    assert "add --left anna=N" in complaint(capsys)
    assert run(["score", "--json", str(photo), *seats, "--left", "anna=13"]) == 0
    decks = {deck["seat"]: deck for deck in json.loads(capsys.readouterr().out)["decks"]}
    assert (decks["anna"]["centre"], decks["anna"]["points"]) == (0, -26)


@pytest.mark.usefixtures("pretended")
def test_a_player_of_two_decks_is_asked_about_where_they_are_more_than_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wide = np.hstack([picture(*["red"] * 20), picture(*["blue"] * 20), picture(*["blue"] * 20)])
    save_image(tmp_path / "spread.png", wide)
    given = ["--deck", "red=anna", "--deck", "blue=anna"]
    assert run(["score", "--json", str(tmp_path / "spread.png"), *given]) == 0
    doubts = [doubt["asks"] for doubt in json.loads(capsys.readouterr().out)["doubts"]]
    assert any(asks.startswith("anna has 60 cards of the backs blue and red") for asks in doubts)


@pytest.mark.usefixtures("pretended")
def test_a_photo_of_what_is_left_is_one_of_nothing_else(
    photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = tmp_path / "again.png"
    again.write_bytes(photo.read_bytes())
    assert run(["score", str(photo), "--left", f"red={again}"]) == 2
    assert "again.png is given as the centre, too" in complaint(capsys)
    save_image(tmp_path / "pile.png", picture("red"))
    piles = [f"{seat}={tmp_path / 'pile.png'}" for seat in ("red", "blue")]
    assert run(["score", str(photo), "--left", piles[0], "--left", piles[1]]) == 2
    assert "--left tells by one photo what red and blue have left" in complaint(capsys)


@pytest.mark.usefixtures("pretended")
@pytest.mark.parametrize(
    ("left", "says"),
    [
        ("red=nothere.jpg", "--left red=nothere.jpg: give the number of cards left"),
        ("red=.", "--left red=."),
        ("zoe=4", "--left names zoe"),
    ],
)
def test_what_is_left_by_nobody_or_in_no_photo_is_named(
    left: str, says: str, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["score", str(photo), "--deck", "red=anna", "--deck", "blue=ben", "--left", left]) == 2
    assert says in complaint(capsys)


@pytest.mark.usefixtures("pretended")
def test_an_empty_folder_of_decks_is_named(
    photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "decks").mkdir()
    assert run(["score", str(photo), "--decks", str(tmp_path / "decks")]) == 2
    assert "decks holds no deck: enrol one first" in complaint(capsys)


RIM = [word for corner in ("0,0", "400,0", "400,120", "0,120") for word in ("--table", corner)]


@pytest.mark.usefixtures("pretended")
def test_a_table_is_measured_by_one_thing(photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["see", str(photo), *RIM, "--table-size", "800,240", "--marker-size", "60"]) == 2
    assert "--marker-size and --table both tell the table's size: give one" in complaint(capsys)


@pytest.mark.usefixtures("pretended")
def test_markers_that_are_told_of_and_not_there_are_missed(
    photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["see", "--json", str(photo), "--marker-size", "60"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    assert "spread.png does not show the four markers" in said.err
    sheet = marker_sheet(60)
    save_image(tmp_path / "sheet.png", np.dstack([sheet] * 3))
    assert run(["see", "--json", str(tmp_path / "sheet.png"), "--marker-size", "60"]) == 0
    assert json.loads(capsys.readouterr().out)["plane"]["from"] == "markers"


def photo_of(path: Path, width: int, height: int) -> Path:
    image = np.random.default_rng(1).integers(0, 255, (height, width, 3), np.uint8)
    image[:30] = 0
    image[:, :40] = picture("red", "blue")[0, 5]
    save_image(path, image)
    return path


@pytest.mark.usefixtures("pretended")
@pytest.mark.parametrize(
    ("size", "options", "drawn"),
    [
        ((3200, 1600), [], (2400, 1200)),
        ((1600, 3200), [], (1200, 2400)),
        ((3200, 1600), ["--full-size"], (3200, 1600)),
        ((2000, 1000), [], (2000, 1000)),
    ],
)
def test_a_drawing_is_no_larger_than_a_screen_unless_asked(
    size: tuple[int, int], options: Sequence[str], drawn: tuple[int, int], tmp_path: Path
) -> None:
    photo = photo_of(tmp_path / "phone.png", *size)
    assert run(["see", str(photo), "--draw", str(tmp_path / "out.png"), *options]) == 0
    assert load_image(tmp_path / "out.png").shape[1::-1] == drawn


@pytest.mark.usefixtures("pretended")
def test_the_size_of_a_drawing_that_is_not_asked_for_is_refused(
    photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["see", str(photo), "--full-size"]) == 2
    assert "--full-size is for a drawing: add --draw OUT.png" in complaint(capsys)


def test_a_camera_that_is_not_there_is_said_once_and_by_us_alone(
    pretended: PretendEye, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["doctor", "--camera", "97"]) == 1
    said: Any = capfd.readouterr()
    assert said.err == ""
    (told,) = [line for line in said.out.splitlines() if "camera" in line]
    assert "there is no camera 97" in told and "plug one in" in told
