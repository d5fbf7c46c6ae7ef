"""Faults that files of any content brought to light, each by the smallest file that does."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pillow_heif
import pytest
from fastapi.testclient import TestClient
from matches import PILES, complaint, files, points, record
from PIL import Image as Pillow
from pretend import PretendEye, make_video, picture

from referee import service
from referee.commands.console import complain
from referee.commands.doctor import Finding
from referee.commands.program import run
from referee.commands.serve import listen
from referee.record.account import give_account
from referee.record.check import check_lines
from referee.record.strictjson import JsonError, load_json
from referee.report import write_report
from referee.service import BadInputError
from referee.web import create_app
from referee.web.desk import Desk
from vision.capture.frames import save_image

SEATS = [{"seat": "north", "deck": "blue"}, {"seat": "south", "deck": "red"}]
HEADER: dict[str, Any] = {"record": 1, "game": "nerts", "seats": SEATS}
DEAL = {"event": "deal", "at": 0, "seat": "north", "piles": PILES}
PLAY = {"event": "play", "at": 1, "seat": "north", "cards": ["AH"], "from": "work 1", "to": "foundation 1"}


def lines(*objects: dict[str, Any]) -> list[bytes]:
    return [json.dumps(one).encode() + b"\n" for one in objects]


def written(kind: str) -> bytes:
    """A photo of this kind."""
    pillow_heif.register_heif_opener()
    file = BytesIO()
    Pillow.fromarray(picture("red")).save(file, kind)
    return file.getvalue()


def correct(of: int, **what: Any) -> dict[str, Any]:
    return {"event": "correct", "at": 0, "of": of, **what}


# -- records ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [1, 2, 5000, 5001])
def test_corrections_of_corrections_may_go_on_for_ever(length: int) -> None:
    """Each drops the one before, so the play is dropped, or is not, or is …"""
    chain = [correct(2 + number, drop=True) for number in range(length)]
    result = check_lines(lines(HEADER, DEAL, PLAY, *chain))
    assert (result.status, result.errors) == (0, [])
    assert result.score is not None
    assert result.score.hand["north"].centre == (length + 1) % 2


def test_corrections_may_go_around_in_a_circle() -> None:
    circle = [correct(3 + (number + 1) % 3000, drop=True) for number in range(3000)]
    assert check_lines(lines(HEADER, DEAL, PLAY, *circle)).status == 0


@pytest.mark.parametrize(
    "line",
    [
        {"event": "doubt", "at": 1, "of": 9, "candidates": [{"cards": ["2H"]}]},
        {"event": "doubt", "at": 1, "of": 9},
    ],
)
def test_a_line_that_names_one_behind_a_bad_line(line: dict[str, Any]) -> None:
    result = check_lines([*lines(HEADER, DEAL, PLAY, line), b"no JSON\n", *lines(PLAY)])
    assert result.status == 2
    assert result.errors == ["line 5: the line is not JSON in UTF-8 (one object a line)"]
    assert result.output[:3] == [line.rstrip() for line in lines(HEADER, DEAL, PLAY)]


@pytest.mark.parametrize(
    "change",
    [
        correct(3, **{"with": {"of": 99}}),
        correct(2, insert=[{**PLAY, "over": 99}]),
        correct(2, **{"with": {"over": 99}}),
        {"event": "doubt", "at": 1, "of": 2, "candidates": [{"over": 99}]},
    ],
)
def test_no_correction_names_an_event_that_is_none(change: dict[str, Any]) -> None:
    doubt = {"event": "doubt", "at": 1, "of": 2, "candidates": [{"cards": ["2H"]}]}
    result = check_lines(lines(HEADER, DEAL, PLAY, doubt, change))
    assert result.status == 2
    assert "line 5: " in result.errors[0] and "names event 99, which is none" in result.errors[0]


@pytest.mark.parametrize("last", [b"NaN", b"[" * 100_000, b'{"a": NaN', b"\xff", b'{"event": "end", "at"'])
def test_a_last_line_that_was_cut_off_is_left_out_of_a_match_as_well(
    last: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand, book = record(tmp_path / "hand.jsonl"), str(tmp_path / "match.json")
    hand.write_bytes(hand.read_bytes() + last)
    assert run(["check", str(hand)]) == 0
    assert run(["match", book, str(hand)]) == 0
    assert points(book) == [[-26, -25]]


# -- much of something ------------------------------------------------------------------------------------


def test_many_names_are_compared_in_no_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seats = [{"seat": f"seat{number}", "deck": f"deck{number}"} for number in range(20_000)]
    (tmp_path / "hand.jsonl").write_bytes(b"".join(lines({**HEADER, "seats": [*seats, seats[0]]})))
    begun = time.process_time()
    assert "seat 'seat0' is listed twice" in complaint(capsys, "check", str(tmp_path / "hand.jsonl"))
    (tmp_path / "match.json").write_text(json.dumps({seat["seat"]: 1 for seat in seats} | {"Seat7": 1}))
    assert "are one name to people" in complaint(
        capsys, "match", str(tmp_path / "match.json"), *(f"{seat['seat']}=1" for seat in seats), "Seat7=1"
    )
    assert time.process_time() - begun < 20


def test_a_key_given_twice_among_many_is_found_in_no_time() -> None:
    text = json.dumps({str(number): 1 for number in range(200_000)})[:-1] + ', "199999": 2}'
    begun = time.process_time()
    with pytest.raises(JsonError, match="key '199999' is there twice"):
        load_json(text)
    assert time.process_time() - begun < 20


def test_a_complaint_is_no_page_long(capsys: pytest.CaptureFixture[str]) -> None:
    assert complain(f"{'x' * 100_000} is no name: choose another") == 2
    said = capsys.readouterr().err
    assert len(said) < 2100
    assert said.startswith("nerts-referee: xxx") and said.endswith(" is no name: choose another\n")


# -- what is left alone, and what is left behind --------------------------------------------------------------


def test_a_record_is_not_put_in_the_place_of_its_recording(
    pretended: PretendEye, hand_video: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    video = tmp_path / "hand.mp4"
    shutil.copy(hand_video, video)
    (tmp_path / "link").symlink_to(video)
    for name in (video, tmp_path / "link"):
        said = complaint(capsys, "replay", str(video), "--out", str(name))
        assert "--out would put the record in the place of" in said
    assert video.read_bytes() == hand_video.read_bytes()


@pytest.mark.parametrize(
    "arguments",
    [
        ["match", "new/folder/match.json", "north=1", "south=2", "--seats", "north,south", "--edit", "1"],
        ["match", "new/folder/match.json", "hand.jsonl", "--as", "west=ann"],
        ["match", "new/folder/match.json", "--undo", "--seats", "north,south"],
        ["replay", "photo.png", "--out", "new/folder/hand.jsonl"],
        ["serve", "--host", "..", "--recordings", "new/folder"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_what_is_refused_leaves_no_folder(
    arguments: list[str], pretended: PretendEye, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    save_image(tmp_path / "photo.png", picture("red"))
    record(tmp_path / "hand.jsonl")
    complaint(capsys, *arguments)
    assert files(tmp_path) == ["hand.jsonl", "photo.png"]


# -- names ---------------------------------------------------------------------------------------------------


def test_a_recording_may_be_called_by_the_time(
    pretended: PretendEye, hand_video: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("20:15.mp4", "http:hand.mp4", "concat:a|b.mp4", "-i.mp4"):
        shutil.copy(hand_video, tmp_path / name)
        assert run(["replay", "--", name]) == 0, name


@pytest.mark.parametrize("kind", ["mp4", "mov"])
def test_a_film_with_photos_behind_it_comes_to_an_end(kind: str, hand_video: Path, tmp_path: Path) -> None:
    """In a process of its own: a library that goes around in a circle cannot be stopped otherwise."""
    make_video(tmp_path / f"film.{kind}", seconds=1)
    for photo in ("HEIF", "AVIF"):
        both = tmp_path / f"{photo}.{kind}"
        both.write_bytes((tmp_path / f"film.{kind}").read_bytes() + written(photo))
        command = [sys.executable, "-m", "referee.commands", "replay", str(both)]
        done = subprocess.run(command, text=True, capture_output=True, timeout=30)
        assert done.returncode == 2
        assert "is a film and photos in one file: save the film by itself" in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("host", ["x" * 300, "..", "\udcff", "é" * 80])
def test_what_can_be_no_address_is_one(host: str) -> None:
    with pytest.raises(BadInputError, match="there is no address"):
        listen(host, 0)


def test_doctor_shows_paths_as_they_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = Finding("weights", False, "no file /home/[bold]/[/]x", "look into [red]/home[/]")
    monkeypatch.setattr("referee.commands.doctor._machine_checks", lambda: [told])
    assert run(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "weights: no file /home/[bold]/[/]x" in said and "look into [red]/home[/]" in said


def test_a_report_can_be_written_of_a_record_without_a_header(hand_video: Path, tmp_path: Path) -> None:
    report = write_report(tmp_path / "report.html", hand_video, give_account([{"record": 1}]), "A hand")
    assert "unknown game" in report.read_text("utf-8")


def test_half_a_character_in_a_record_is_shown_for_all_that(hand_video: Path, tmp_path: Path) -> None:
    half, folder = "a\ud800b", tmp_path / "shelf" / "hand"
    folder.mkdir(parents=True)
    shutil.copy(hand_video, folder / "video.mp4")
    (folder / "recording.json").write_text(json.dumps({"name": half, "video": "video.mp4", "game": "nerts"}))
    told = [{**HEADER, "seats": [SEATS[0], {"seat": half, "deck": half}]}, DEAL, PLAY]
    (folder / "record.jsonl").write_bytes(b"".join(lines(*told)))
    kit = replace(service.tools, sample=tmp_path / "none")
    with TestClient(create_app(kit, tmp_path / "shelf"), base_url="http://localhost") as client:
        assert client.get("/api/recordings").json()["recordings"][0]["name"] == half
        assert client.get("/api/recordings/hand").json()["account"]["decks"][half] == half
    report = write_report(tmp_path / "report.html", hand_video, give_account(told), half)
    assert "a&#55296;b" in report.read_text("utf-8")


# -- facts beside recordings ---------------------------------------------------------------------------------

FACTS = '{"seats": [{"seat": "east", "deck": "red"}], "call": {"seat": "east", "at": 1.5}}'


@pytest.mark.parametrize(
    "facts",
    [
        "",
        "[]",
        "3",
        "no JSON",
        '{"seats": 3}',
        '{"seats": [3]}',
        '{"seats": [{"seat": "east"}]}',
        '{"seats": [{"seat": [], "deck": "red"}]}',
        '{"call": 5}',
        '{"call": {"seat": "east", "at": "soon"}}',
        '{"call": {"seat": "east", "at": NaN}}',
        FACTS.replace('"east", "at"', '"west", "seat": "east", "at"'),
        "[" * 100_000,
    ],
)
def test_facts_that_say_nothing_are_one_line(
    facts: str, pretended: PretendEye, hand_video: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    shutil.copy(hand_video, tmp_path / "hand.mp4")
    (tmp_path / "hand.json").write_text(facts)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(service, "tools", replace(service.tools, sample=tmp_path / "hand.mp4"))
    assert "hand.json cannot be used (it " in complaint(capsys, "demo")
    (tmp_path / "hand.json").write_text(FACTS)
    assert run(["demo", "--json"]) == 0


@pytest.mark.parametrize(
    "facts",
    [
        "[]",
        "[" * 100_000,
        '{"name": 5, "video": "video.mp4", "game": "nerts"}',
        '{"name": "a", "video": "video.mp4", "game": ["nerts"]}',
        '{"name": "a", "video": "../secret.mp4", "game": "nerts"}',
        '{"name": "a", "video": "a\\u0000b", "game": "nerts"}',
        '{"name": "a", "name": "b", "video": "video.mp4", "game": "nerts"}',
    ],
)
def test_a_recording_whose_facts_are_damaged_is_not_on_the_shelf(
    facts: str, hand_video: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "shelf" / "hand"
    folder.mkdir(parents=True)
    for video in (tmp_path / "shelf" / "secret.mp4", folder / "video.mp4"):
        shutil.copy(hand_video, video)
    kit = replace(service.tools, sample=tmp_path / "none")
    (folder / "recording.json").write_text('{"name": "a", "video": "video.mp4", "game": "nerts"}')
    assert [recording.name for recording in Desk(kit, tmp_path / "shelf")] == ["a"]
    (folder / "recording.json").write_text(facts)
    assert list(Desk(kit, tmp_path / "shelf")) == []
