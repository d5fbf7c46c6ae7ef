"""`see` and `enrol`: what is printed and drawn, and what they and `score` answer to bad pictures."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pillow_heif
import pytest
from PIL import Image as Pillow
from pretend import PretendEye, picture
from said import complaint, huge_png, lines_of

from referee import service
from referee.commands.program import run
from vision.backs.deckfile import EnrolledDeck
from vision.capture.frames import load_image, save_image
from vision.faces.reader import CROP


def test_see_prints_the_fields_of_the_contract(
    pretended: PretendEye, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["see", "--json", str(photo)]) == 0
    (seen,) = lines_of(capsys.readouterr().out)
    assert (seen["image"], seen["width"], seen["height"], seen["px_per_mm"]) == (str(photo), 400, 120, 1.0)
    assert [card["back"] for card in seen["cards"]] == ["red", "red", "red", "blue", "blue"]
    card = seen["cards"][1]
    assert card["corners"] == [[20.0, 0.0], [38.0, 0.0], [38.0, 25.0], [20.0, 25.0]]
    assert card["side"] == "back"
    assert card["face"] is None
    assert {"confidence", "face_confidence", "visible", "pile", "order"} <= set(card)
    assert seen["hands"] == []


def test_a_deck_is_enrolled_and_the_eye_told_of_it(
    pretended: PretendEye,
    photo: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def enrol(name: str, photos: Sequence[Any]) -> EnrolledDeck:
        count = len(photos)
        return EnrolledDeck(
            name, np.zeros((count, *CROP, 3), np.uint8), np.full((count, *CROP), 255, np.uint8)
        )

    told: list[list[str]] = []

    def open_eye(decks: Sequence[EnrolledDeck] = ()) -> PretendEye:
        told.append([deck.name for deck in decks])
        return pretended

    monkeypatch.setattr(service, "tools", replace(service.tools, enrol=enrol, open_eye=open_eye))
    folder = tmp_path / "decks"
    assert run(["enrol", "red lions", str(photo), str(photo), "--decks", str(folder), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said == {"name": "red lions", "file": str(folder / "red lions.npz"), "backs": 2}
    for command in ("see", "score"):
        assert run([command, str(photo), "--decks", str(folder), "--json"]) == 0
    # both look with the one eye that knows them
    assert told == [["red lions"]]


def test_decks_that_cannot_be_read_or_called_so_are_named(
    pretended: PretendEye, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("see", "score"):
        assert run([command, str(photo), "--decks", str(tmp_path / "none")]) == 2
        assert "enrol one first" in complaint(capsys)
    assert run(["enrol", "a/b", str(photo)]) == 2
    assert "no name for a deck" in complaint(capsys)
    assert run(["enrol", "red", str(tmp_path / "none.jpg")]) == 2
    assert "none.jpg" in complaint(capsys)


def test_a_picture_without_a_card_is_an_answer(
    pretended: PretendEye, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_image(tmp_path / "table.jpg", picture())
    assert run(["see", "--json", str(tmp_path / "table.jpg")]) == 0
    assert json.loads(capsys.readouterr().out)["cards"] == []
    assert run(["see", str(tmp_path / "table.jpg")]) == 0
    assert "no card on the table" in capsys.readouterr().out


def test_a_bad_picture_among_others_is_named_and_the_others_are_seen(
    pretended: PretendEye, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "notes.txt"
    bad.write_text("not a picture")
    assert run(["see", "--json", str(photo), str(bad), str(photo)]) == 2
    said = capsys.readouterr()
    assert [line["image"] for line in lines_of(said.out)] == [str(photo), str(photo)]
    assert (
        said.err == f"nerts-referee: {bad} is not a picture that can be read: "
        "give a JPEG, HEIC, PNG, WebP, AVIF, TIFF or BMP file\n"
    )


def test_see_draws_what_it_saw(
    pretended: PretendEye, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "drawn" / "out.png"
    assert run(["see", "--draw", str(target), str(photo)]) == 0
    drawn, plain = load_image(target), load_image(photo)
    assert drawn.shape == plain.shape
    assert (drawn[:30, :100] != plain[:30, :100]).any()
    assert (drawn[40:, 200:] == plain[40:, 200:]).all()
    assert run(["see", "--draw", str(target), str(photo), str(photo)]) == 0
    assert (tmp_path / "drawn" / "out-spread.png").is_file()


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.jpg", b"", "empty.jpg is empty: copy or take it again"),
        ("text.jpg", b"hello", "text.jpg is not a picture that can be read"),
        ("huge.png", huge_png(), "huge.png has 200 megapixels, more than 100: save it smaller"),
    ],
)
@pytest.mark.parametrize("command", ["see", "score"])
def test_bad_pictures(
    command: str,
    name: str,
    content: bytes,
    says: str,
    pretended: PretendEye,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / name).write_bytes(content)
    assert run([command, str(tmp_path / name)]) == 2
    assert says in complaint(capsys)
    assert pretended.looks == 0


@pytest.mark.parametrize(
    ("command", "what"),
    [("see", "a picture"), ("score", "a picture"), ("replay", "a video"), ("check", "the record")],
)
def test_a_folder_instead_of_a_file(
    command: str, what: str, pretended: PretendEye, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([command, str(tmp_path)]) == 2
    assert complaint(capsys) == f"{tmp_path} is a folder: name {what} in it"


@pytest.mark.parametrize("command", ["see", "score", "replay", "check"])
def test_a_file_that_is_not_there(
    command: str, pretended: PretendEye, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([command, str(tmp_path / "none")]) == 2
    assert str(tmp_path / "none") in complaint(capsys)


@pytest.mark.parametrize(
    ("draw", "says"),
    [
        ("spread.png", "in the place of {here}/spread.png: choose another name"),
        ("../{name}/spread.png", "in the place of"),
        (".", "is a folder: name a picture in it, like"),
        ("out.xyz", "out.xyz cannot be written: let its name end in .png or .jpg"),
    ],
)
def test_a_drawing_that_cannot_be_is_refused_before_anything_is_looked_at(
    draw: str, says: str, pretended: PretendEye, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, here = photo.read_bytes(), photo.parent
    target = here / draw.format(name=here.name)
    assert run(["see", str(photo), "--draw", str(target)]) == 2
    assert says.format(here=here) in complaint(capsys)
    assert photo.read_bytes() == before
    assert pretended.looks == 0


def test_photos_of_one_name_are_drawn_each(
    pretended: PretendEye, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "card 2" / photo.name
    save_image(other, picture("green", width=200))
    assert run(["see", str(photo), str(other), "--draw", str(tmp_path / "o.png")]) == 0
    sizes = [load_image(tmp_path / name).shape[1] for name in ("o-spread.png", "o-spread-2.png")]
    assert sizes == [400, 200]


def test_a_drawing_that_cannot_be_written_keeps_no_other_photo_from_being_seen(
    pretended: PretendEye, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").write_text("a file")
    assert run(["see", "--json", str(photo), str(photo), "--draw", str(tmp_path / "taken" / "o.png")]) == 2
    said = capsys.readouterr()
    assert len(lines_of(said.out)) == 2
    assert said.err.count("cannot be written") == said.err.count("\n") == 2


@pytest.mark.parametrize("name", [b"f\xfcnf.png", b"IMG[front].png", b"[red].png"])
def test_a_photo_may_be_called_as_it_likes(
    name: bytes, pretended: PretendEye, photo: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    odd = photo.rename(photo.with_name(os.fsdecode(name)))
    assert run(["see", "--json", str(odd)]) == 0
    assert json.loads(capfdbinary.readouterr().out)["image"] == str(odd)
    assert run(["see", str(odd)]) == 0
    assert name.replace(b"\xfc", b"\\udcfc") in capfdbinary.readouterr().out


@pytest.mark.parametrize("command", ["see", "score"])
def test_photos_of_phones_are_taken_as_they_are(
    command: str, pretended: PretendEye, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A HEIC of a phone held upright: stored on its side, turned by the container."""
    pillow_heif.register_heif_opener()
    exif = Pillow.Exif()
    exif[0x0112] = 6
    # what is stored lies on its side: turned clockwise it is the picture
    upright = np.hstack([picture("red", "red", "blue"), np.zeros((120, 400, 3), np.uint8)])
    stored = np.ascontiguousarray(np.rot90(upright)[:, :, ::-1])
    photo = tmp_path / "IMG_0001.HEIC"
    Pillow.fromarray(stored).save(
        photo, "HEIF", quality=-1, chroma=444, matrix_coefficients=0, exif=exif.tobytes()
    )
    assert run([command, "--json", str(photo)]) == 0
    told = json.loads(capsys.readouterr().out)
    if command == "see":
        assert (told["width"], told["height"]) == (800, 120)
    seen = [card["back"] for card in told["cards"]] if command == "see" else told["total_by_backs"]
    assert seen == (["red", "red", "blue"] if command == "see" else 3)


def test_what_is_left_may_be_a_photo_of_a_phone(
    pretended: PretendEye, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pile = tmp_path / "IMG_0002.tif"
    Pillow.fromarray(np.ascontiguousarray(picture("red", "red")[:, :, ::-1])).save(pile)
    assert run(["score", "--json", str(photo), "--left", f"red={pile}", "--apart"]) == 0
    decks = {deck["back"]: deck for deck in json.loads(capsys.readouterr().out)["decks"]}
    assert decks["red"]["left"] == 2
