"""The commands: what they print, where they write, and what they answer to bad input."""

from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pretend import PLAYS, RECORD, PretendEye, picture, pretend_replay

from referee.commands import tools
from referee.commands.program import main, run
from vision.deckfile import EnrolledDeck
from vision.frames import CutOffError, load_image, save_image
from vision.reader import CROP

HEADER = {
    "record": 1,
    "game": "nerts",
    "seats": [{"seat": "north", "deck": "blue"}, {"seat": "south", "deck": "red"}],
}
PILES = {
    "nerts": ["??"] * 12 + ["KD"],
    "work 1": ["AH"],
    "work 2": ["9S"],
    "work 3": ["8S"],
    "work 4": ["5C"],
}
RECORD_LINES = [
    (json.dumps(line) + "\n").encode()
    for line in (
        HEADER,
        {"event": "deal", "at": 0, "seat": "north", "piles": {**PILES, "stock": 35}},
        {"event": "play", "at": 1, "seat": "north", "cards": ["AH"], "from": "work 1", "to": "foundation 1"},
        {"event": "play", "at": 2.5, "seat": "north", "cards": ["9S"], "from": "work 2", "to": "work 3"},
    )
]


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "spread.png"
    save_image(path, picture("red", "red", "red", "blue", "blue"))
    return path


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def huge_png() -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    header = struct.pack(">IIBBBBB", 20_000, 10_000, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


def complaint(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line on standard error."""
    said = capsys.readouterr().err
    assert said.count("\n") == 1, said
    assert said.startswith("nerts-referee: ")
    assert "Traceback" not in said
    return said.removeprefix("nerts-referee: ").strip()


@pytest.mark.parametrize(
    "command", ["check", "see", "score", "enrol", "replay", "serve", "demo", "doctor", "version"]
)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"]) == 0
    said = capsys.readouterr().out
    assert f"nerts-referee {command}" in said
    if command != "serve":
        assert "--json" in said


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["version", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"version"}


def test_numpy_gets_one_thread_before_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    for given, told in ((None, "1"), ("3", "3")):
        # set first: what was not there is taken away again in the end
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", given or "")
        if given is None:
            monkeypatch.delenv("OPENBLAS_NUM_THREADS")
        with pytest.raises(SystemExit) as ended:
            main(["version"])
        assert ended.value.code == 0
        assert os.environ["OPENBLAS_NUM_THREADS"] == told
    loaded = "import sys, referee.commands; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", loaded], check=False).returncode == 0


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

    told: list[str] = []

    def open_eye(decks: Sequence[EnrolledDeck] = ()) -> PretendEye:
        told.extend(deck.name for deck in decks)
        return pretended

    monkeypatch.setattr(tools, "tools", replace(tools.tools, enrol=enrol, open_eye=open_eye))
    folder = tmp_path / "decks"
    assert run(["enrol", "red lions", str(photo), str(photo), "--decks", str(folder), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said == {"name": "red lions", "file": str(folder / "red lions.npz"), "backs": 2}
    for command in ("see", "score"):
        assert run([command, str(photo), "--decks", str(folder), "--json"]) == 0
    assert told == ["red lions", "red lions"]


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
        said.err
        == f"nerts-referee: {bad} is not a picture that can be read: give a JPEG, PNG, WebP or BMP file\n"
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


@pytest.mark.parametrize(
    ("cards", "says"),
    [
        (["ace", "ace"], ["2 foundations: A♠ (1), A♠ (1)", "2 cards by the faces", "add that photo"]),
        (["red", "blue", "red"], ["3 cards by the backs"]),
        ([], ["no card of the centre can be seen"]),
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
        (["--match", os.devnull], "is no match file"),
    ],
)
def test_bad_score_options(
    options: list[str], says: str, pretended: PretendEye, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["score", str(photo), *options]) == 2
    assert says in complaint(capsys)


def test_check_prints_the_record_then_rulings_then_the_score(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "hand.jsonl"
    path.write_bytes(b"".join(RECORD_LINES))
    assert run(["check", "--json", str(path)]) == 0
    said = capsysbinary.readouterr().out
    assert said.startswith(b"".join(RECORD_LINES))
    rulings = [json.loads(line) for line in said[len(b"".join(RECORD_LINES)) :].splitlines()]
    assert [line["event"] for line in rulings] == ["ruling", "score"]
    assert rulings[0]["of"] == [3]
    assert rulings[0]["verdict"] == "illegal"


def test_check_tells_people_what_was_illegal_and_the_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "hand.jsonl"
    path.write_bytes(b"".join(RECORD_LINES))
    assert run(["check", str(path)]) == 0
    said = capsys.readouterr().out
    assert "0:02.5" in said
    assert "illegal" in said
    assert "9♠" in said
    assert "A♥" not in said
    assert "centre" in said


def test_a_record_malformed_in_the_middle(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    path = tmp_path / "hand.jsonl"
    path.write_bytes(b"".join([*RECORD_LINES, b'{"event": "play"\n', *RECORD_LINES[2:]]))
    assert run(["check", "--json", str(path)]) == 2
    said = capsysbinary.readouterr()
    assert said.out.startswith(b"".join(RECORD_LINES))
    assert [json.loads(line)["event"] for line in said.out.splitlines()[4:]] == ["ruling"]
    assert said.err.count(b"\n") == 1
    assert b"line 5" in said.err
    assert b"hand.jsonl" in said.err


def test_a_record_cut_off_in_its_last_line_is_no_error(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "hand.jsonl"
    path.write_bytes(b"".join([*RECORD_LINES, b'{"event": "pl']))
    assert run(["check", "--json", str(path)]) == 0
    said = capsysbinary.readouterr()
    assert b"cut off" in said.err
    assert b"line 5" in said.err
    assert json.loads(said.out.splitlines()[-1])["event"] == "score"


def test_nothing_is_called_legal_that_could_not_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "hand.jsonl"
    path.write_bytes(b"\x00\xff garbage\n")
    assert run(["check", str(path)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "line 1: the line is not JSON" in said.err


def test_an_empty_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hand.jsonl").touch()
    assert run(["check", str(tmp_path / "hand.jsonl")]) == 2
    assert "is empty: a record begins with its header line" in complaint(capsys)


def test_replay_prints_the_record_and_keeps_it(
    pretended: PretendEye, hand_video: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "kept" / "hand.jsonl"
    options = ["--set", "target=200", "--call", "north@5.5", "--deck", "bicycles=north", "--out", str(target)]
    assert run(["replay", str(hand_video), "--json", *options]) == 0
    printed = capsys.readouterr().out
    lines = lines_of(printed)
    assert lines[0]["settings"] == {"target": 200}
    assert lines[0]["seats"][0] == {"seat": "north", "deck": "bicycles"}
    assert [line["event"] for line in lines[1:]] == ["play", "draw", "play", "call", "ruling", "score"]
    assert lines[4]["at"] == 5.5
    assert target.read_text() == printed


def test_replay_tells_people_the_plays(
    pretended: PretendEye, hand_video: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["replay", str(hand_video)]) == 0
    said = capsys.readouterr().out
    for words in ("0:01.2", "A♥", "work 1 → foundation 1", "illegal (N3)", "<b>a foundation</b>", "-26"):
        assert words in said


def test_a_cut_off_video_keeps_what_could_be_read(
    pretended: PretendEye,
    hand_video: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def until_the_cut(
        video: Path, game: str, settings: Mapping[str, Any], **more: Any
    ) -> Iterator[dict[str, Any]]:
        yield from RECORD[:3]
        raise CutOffError(f"{video} is cut off at 2.1 s of 6.0 s: record or copy it again")

    monkeypatch.setattr(tools, "tools", replace(tools.tools, replay=until_the_cut))
    target = tmp_path / "hand.jsonl"
    assert run(["replay", str(hand_video), "--json", "--out", str(target)]) == 2
    said = capsys.readouterr()
    assert lines_of(said.out) == RECORD[:3]
    assert lines_of(target.read_text()) == RECORD[:3]
    assert (
        said.err.strip()
        == f"nerts-referee: {hand_video} is cut off at 2.1 s of 6.0 s: record or copy it again"
    )


def test_a_video_cut_off_on_disk_ends_with_status_2(
    pretended: PretendEye, hand_video: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cut = tmp_path / "cut.mp4"
    data = hand_video.read_bytes()
    cut.write_bytes(data[: len(data) * 2 // 3])
    assert run(["replay", str(cut), "--json"]) == 2
    assert "cut.mp4 is cut off at" in complaint(capsys)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--game", "whist"], "unknown game 'whist' (known: "),
        (["--set", "magic=1"], "unknown setting 'magic' of game 'nerts' (it has: "),
        (["--set", "target=-3"], "setting 'target' cannot be -3 (allowed: "),
        (["--set", "target"], "--set 'target' is not KEY=VALUE: write it like --set target=200"),
        (["--call", "north@noon"], "--call 'north@noon' has no time: write it like --call north@61.5"),
        (["--out", os.sep], "/ is a folder: name a file in it"),
    ],
)
def test_bad_replay_options(
    options: list[str], says: str, pretended: PretendEye, hand_video: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["replay", str(hand_video), *options]) == 2
    assert says in complaint(capsys)


def test_replay_of_what_is_no_video(
    pretended: PretendEye, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.mp4").touch()
    (tmp_path / "text.mp4").write_text("no video")
    for path, says in (
        (photo, "is a picture"),
        (tmp_path / "empty.mp4", "is empty"),
        (tmp_path / "text.mp4", "not a v"),
    ):
        assert run(["replay", str(path)]) == 2
        assert says in complaint(capsys)


def test_the_demo_leaves_a_report_and_the_record(
    pretended: PretendEye, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["demo", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "work 1 → foundation 1" in said
    assert str(tmp_path / "report.html") in said
    report = (tmp_path / "report.html").read_text("utf-8")
    assert report.count("data:image/jpeg;base64,") == 2 * 4
    assert "&lt;b&gt;a foundation&lt;/b&gt;" in report
    assert "http" not in report
    assert lines_of((tmp_path / "demo.jsonl").read_text("utf-8"))[1:4] == PLAYS


def test_the_demo_prints_only_the_record_with_json(
    pretended: PretendEye, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["demo", "--json", "--out", str(tmp_path)]) == 0
    assert lines_of(capsys.readouterr().out)[-1]["event"] == "score"
    assert (tmp_path / "report.html").is_file()


def test_the_demo_without_its_sample(
    pretended: PretendEye, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tools, "tools", replace(tools.tools, sample=tmp_path / "gone.mp4"))
    assert run(["demo", "--out", str(tmp_path)]) == 2
    assert "gone.mp4 is missing: install nerts-referee again" in complaint(capsys)


def test_a_port_in_use(pretended: PretendEye, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert run(["serve", "--port", str(port), "--recordings", str(tmp_path)]) == 2
    said = complaint(capsys)
    assert f"port {port} on 127.0.0.1 cannot be used" in said
    assert "--port" in said


def test_recordings_in_a_file(pretended: PretendEye, photo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--port", "0", "--recordings", str(photo)]) == 2
    assert f"{photo} is a file: name a folder" in complaint(capsys)


def test_doctor_names_what_will_not_do(
    pretended: PretendEye, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_weights() -> Any:
        raise tools.BrokenInstallError("the weights finder.onnx are missing")

    monkeypatch.setattr(
        tools, "tools", replace(tools.tools, open_eye=no_weights, sample=tmp_path / "gone.mp4")
    )
    assert run(["doctor", "--json"]) == 1
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["python"]["ok"]
    assert not checks["weights"]["ok"]
    assert "finder.onnx" in checks["weights"]["figure"]
    assert checks["weights"]["advice"]
    assert not checks["sample"]["ok"]


def test_missing_weights_are_a_failure_not_bad_input(
    pretended: PretendEye, photo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_weights() -> Any:
        raise tools.BrokenInstallError("the weights finder.onnx are missing: install nerts-referee again")

    monkeypatch.setattr(tools, "tools", replace(tools.tools, open_eye=no_weights))
    assert run(["see", str(photo)]) == 1
    assert "finder.onnx" in complaint(capsys)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["shuffle"], "No such command 'shuffle'"),
        (["see"], "Missing argument 'IMAGE...': see nerts-referee see --help"),
        (["check", "--colour", "x"], "--colour"),
        (["serve", "--port", "99999"], "'--port': Input should be less than or equal to 65535"),
    ],
)
def test_a_mistyped_command_line_is_one_line(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    assert says in complaint(capsys)


def test_as_a_program(tmp_path: Path) -> None:
    """Through a real process: the exit status, one line, no traceback, and an end when nobody reads on."""
    program = [sys.executable, "-m", "referee.commands"]
    done = subprocess.run([*program, "check", str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"nerts-referee: {tmp_path} is a folder: name the record in it\n"
    record = tmp_path / "long.jsonl"
    record.write_bytes(b"".join([*RECORD_LINES, b'{"event": "note", "at": 3}\n' * 20_000]))
    piped = subprocess.Popen(
        [*program, "check", "--json", str(record)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert piped.stdout is not None and piped.stderr is not None
    assert piped.stdout.readline() == RECORD_LINES[0]
    piped.stdout.close()
    assert piped.stderr.read() == b""
    assert piped.wait(60) == 1


def test_the_pretended_umpire_reads_the_whole_video(hand_video: Path) -> None:
    told: list[float] = []
    lines = list(
        pretend_replay(
            hand_video, "nerts", {}, call=None, seats=None, on_progress=lambda done, _: told.append(done)
        )
    )
    assert lines == RECORD
    assert told[-1] == pytest.approx(5.9, abs=0.05)


def test_what_players_tell_is_read_from_beside_the_recording(tmp_path: Path) -> None:
    facts = {"call": {"seat": "east", "at": 59.5}, "seats": [{"seat": "east", "deck": "red", "side": "east"}]}
    (tmp_path / "hand.json").write_text(json.dumps(facts))
    assert tools.Told.beside(tmp_path / "hand.mp4") == tools.Told(("east", 59.5), {"east": "red"})
    assert tools.Told.beside(tmp_path / "other.mp4") == tools.Told()
