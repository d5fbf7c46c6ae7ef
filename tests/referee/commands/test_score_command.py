"""`score`: what counts for whom, for programs and for people."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from pretend import PretendEye, picture
from said import complaint

from referee.commands.program import run
from vision.capture.frames import load_image, save_image
from vision.layout import Layout


def test_score_counts_by_deck(pretended: PretendEye, photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["score", "--json", str(photo), "--deck", "red=anna", "--left", "anna=1"]) == 0
    report = json.loads(capsys.readouterr().out)
    decks = {deck["back"]: deck for deck in report["decks"]}
    assert (decks["red"]["seat"], decks["red"]["centre"], decks["red"]["left"], decks["red"]["points"]) == (
        "anna",
        3,
        1,
        1,
    )
    assert decks["blue"]["centre"] == 2
    assert report["total_by_backs"] == 5
    assert {"foundations", "total_by_faces", "agrees", "doubts"} <= set(report)


def test_score_counts_a_left_over_pile_in_its_photo(
    pretended: PretendEye, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pile = tmp_path / "pile.png"
    save_image(pile, picture("red", "red"))
    assert run(["score", "--json", str(photo), "--left", f"red={pile}", "--apart"]) == 0
    report = json.loads(capsys.readouterr().out)
    decks = {deck["back"]: deck for deck in report["decks"]}
    assert (decks["red"]["left"], decks["red"]["points"]) == (2, -1)
    assert {"images": [1], "shows": "left", "cards": 2} in report["spreads"]


def test_score_looks_for_as_many_decks_as_play(
    pretended: PretendEye, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_image(tmp_path / "alike.png", picture("red", "like red", "red", "like red"))
    for players, decks in (("1", {"red": 4}), ("2", {"red": 2, "red 2": 2})):
        assert run(["score", "--json", str(tmp_path / "alike.png"), "--players", players]) == 0
        report = json.loads(capsys.readouterr().out)
        assert {deck["back"]: deck["centre"] for deck in report["decks"]} == decks
    assert run(["score", str(tmp_path / "alike.png"), "--players", "40"]) == 2
    assert "players" in complaint(capsys)


@pytest.mark.parametrize(
    ("cards", "says"),
    [
        (["ace", "ace"], ["2 foundations: A♠ (1), A♠ (1)", "2 cards by the faces", "add that photo"]),
        (["red", "blue", "red"], ["3 cards by the backs"]),
        (["red"], ["1 card by the backs"]),
        ([], ["no card of the centre can be seen"]),
        (["ace"] * 9, ["9 piles: A♠ (1?), A", "9 cards by the faces, in doubt"]),
    ],
)
def test_score_tells_people_what_the_photo_gives(
    cards: list[str],
    says: list[str],
    pretended: PretendEye,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    save_image(tmp_path / "photo.png", picture(*cards))
    assert run(["score", str(tmp_path / "photo.png")]) == 0
    said = capsys.readouterr().out
    for words in says:
        assert words in said
    assert ("no card of the centre" in said) == (not cards)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--left", "north"], "--left 'north' is not KEY=VALUE: write it like --left north=4"),
        (["--left", "north=some"], "--left north=some: give the number of cards left"),
        (["--left", "north=-1"], "--left north=-1: give the number of cards left"),
        (["--left", "red=1", "--left", "red=2"], "--left names 'red' twice"),
        (["--deck", "violet=north"], "violet"),
        (["--match", "/nowhere/match.json"], "/nowhere/match.json cannot be read"),
        (["--match", os.devnull], "is a device or a pipe: name a file with the match"),
    ],
)
def test_bad_score_options(
    options: list[str], says: str, pretended: PretendEye, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["score", str(photo), *options]) == 2
    assert says in complaint(capsys)


def test_a_photo_given_twice_is_looked_at_once(
    pretended: PretendEye, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy.png"
    copy.write_bytes(photo.read_bytes())
    assert run(["score", "--json", str(photo), str(copy)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert pretended.looks == 1
    assert report["total_by_backs"] == 5
    assert [doubt["image"] for doubt in report["doubts"]] == [1]


def test_faces_alone_ask_for_the_backs_though_somebody_has_cards_left(
    pretended: PretendEye, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_image(tmp_path / "faces.png", picture("ace", "ace"))
    assert run(["score", str(tmp_path / "faces.png"), "--left", "north=4"]) == 0
    assert "whose cards they are shows on the backs" in capsys.readouterr().out


def test_a_player_may_be_called_as_they_like(
    pretended: PretendEye, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["score", str(photo), "--deck", "red=[/x]", "--deck", "blue=[red]"]) == 0
    said = capsys.readouterr().out
    assert "[/x]" in said and "[red]" in said


def test_the_name_of_a_pile_that_may_not_be_looked_at_is_told(
    pretended: PretendEye, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["score", str(photo), "--left", f"red={'n' * 300}.jpg"]) == 2
    assert "give the number of cards left" in complaint(capsys)


@pytest.mark.parametrize("key", ["red", "anna"])
def test_what_is_left_is_told_by_seat_or_deck(
    key: str, pretended: PretendEye, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["score", "--json", str(photo), "--deck", "red=anna", "--left", f"{key}=1"]) == 0
    decks = {deck["back"]: deck for deck in json.loads(capsys.readouterr().out)["decks"]}
    assert len(decks) == 2 and (decks["red"]["left"], decks["red"]["points"]) == (1, 1)


def test_what_is_left_is_told_once(
    pretended: PretendEye, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["score", str(photo), "--deck", "red=anna", "--left", "red=1", "--left", "anna=2"]) == 2
    assert "--left tells twice what anna has left: give it once" in complaint(capsys)


def test_score_says_which_counts_are_sure_and_draws_what_is_to_be_spread(
    pretended: PretendEye,
    photo: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plainly = PretendEye.see

    def doubtful(eye: PretendEye, image: np.ndarray) -> Layout:
        layout = plainly(eye, image)
        layout.px_per_mm = 3.0
        next(card for card in layout.cards if card.back == "red").confidence = 0.5
        return layout

    monkeypatch.setattr(PretendEye, "see", doubtful)
    drawn = tmp_path / "drawn.png"
    assert run(["score", str(photo), "--draw", str(drawn)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "%, not sure blue 2 0 2 sure" in said
    assert "to do, photo 1: Take the" in said and "in the marked area out" in said
    outline = (load_image(drawn) == (0, 60, 255)).all(axis=2)
    assert outline.any()
    assert run(["score", str(photo), "--draw", str(photo)]) == 2
    assert "would put a drawing in the place of" in complaint(capsys)


def test_what_is_asked_alike_is_told_once_and_marked_by_its_number(
    pretended: PretendEye, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    photo, drawn = tmp_path / "spread.png", tmp_path / "drawn.png"
    save_image(photo, picture(*["red"] * 6, "ace", "ace", "dim red", width=900, height=300))
    assert run(["score", str(photo)]) == 0
    said = capsys.readouterr().out
    assert "doubt 1, photo 1: A card lies face up among the backs: whose is it? (2 cards)" in said
    assert "doubt 2, photo 1: Is this one red card?" in said
    assert "add --draw OUT.png" in said and "nerts-referee serve" in said
    assert run(["score", str(photo), "--draw", str(drawn)]) == 0
    said = capsys.readouterr().out
    assert "drawn in" in said and drawn.name in said
    assert "add --draw" not in said


def test_a_drawing_shows_every_count_beneath_the_photo(
    pretended: PretendEye, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    photo, drawn = tmp_path / "spread.png", tmp_path / "drawn.png"
    save_image(photo, picture("red", "red", "blue", width=900, height=300))
    assert run(["score", str(photo), "--draw", str(drawn)]) == 0
    strip = load_image(drawn)[300:]
    assert len(strip) > 0
    for colour in ((60, 60, 235), (240, 130, 50)):
        assert (strip == colour).all(axis=2).any()
