"""`replay` and `demo`: what is told of a video, kept of it, and said of one that will not do."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from pretend import NAMED, PLAYS, RECORD, PretendEye, pretend_replay
from said import complaint, lines_of

from referee import service
from referee.commands.program import run
from referee.rules.events import GAPS
from vision.capture.frames import CutOffError
from vision.capture.gaps import Why


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
    for words in ("0:01.2", "A♥", "work 1 → foundation 1", "illegal (N9)", NAMED, "-26"):
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

    monkeypatch.setattr(service, "tools", replace(service.tools, replay=until_the_cut))
    target = tmp_path / "hand.jsonl"
    assert run(["replay", str(hand_video), "--json", "--out", str(target)]) == 2
    said = capsys.readouterr()
    assert lines_of(said.out) == RECORD[:3]
    assert lines_of(target.read_text()) == RECORD[:3]
    assert (
        said.err.strip()
        == f"nerts-referee: {hand_video} is cut off at 2.1 s of 6.0 s: record or copy it again"
    )


def test_ctrl_c_is_said_and_what_was_told_until_then_is_kept(
    pretended: PretendEye,
    hand_video: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def until_stopped(*_: Any, **__: Any) -> Iterator[dict[str, Any]]:
        yield from RECORD[:3]
        raise KeyboardInterrupt

    monkeypatch.setattr(service, "tools", replace(service.tools, replay=until_stopped))
    target = tmp_path / "hand.jsonl"
    assert run(["replay", str(hand_video), "--out", str(target)]) == 130
    assert complaint(capsys) == "stopped"
    assert lines_of(target.read_text()) == RECORD[:3]


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
        (["--game", "pishe-pasha"], "'pishe-pasha' cannot be followed on video yet: only games of the Nerts"),
        (["--game", "nuts", "--set", "work_piles=5"], "unknown setting 'work_piles' of game 'nuts'"),
        (["--set", "work_piles=7"], "setting 'work_piles' cannot be 7 (allowed: "),
        (["--out", os.sep], "/ is a folder: name a file in it"),
    ],
)
def test_bad_replay_options(
    options: list[str], says: str, pretended: PretendEye, hand_video: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["replay", str(hand_video), *options]) == 2
    assert says in complaint(capsys)


@pytest.mark.parametrize("kept", [True, False])
def test_a_replay_that_tells_nothing_leaves_the_record_that_was_there(
    kept: bool, pretended: PretendEye, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    film, target = tmp_path / "text.mp4", tmp_path / "hand.jsonl"
    film.write_text("no video")
    if kept:
        target.write_text("the record of another evening")
    assert run(["replay", str(film), "--out", str(target)]) == 2
    complaint(capsys)
    assert target.exists() == kept
    assert not kept or target.read_text() == "the record of another evening"


CORRECTED = (
    '{"record": 1, "game": "nerts", "seats": []}\n{"event": "correct", "of": 2, "drop": true, "by": "%s"}\n'
)


@pytest.mark.parametrize(
    "name,held,says",
    [
        ("hand.jsonl", CORRECTED % "Ada", "hand.jsonl holds corrections by Ada: choose another name"),
        ("hand.3.jsonl", CORRECTED % "Ada", "hand.3.jsonl holds corrections by Ada"),
        ("hand.jsonl", CORRECTED % "Ada" + '{"event": "corr', "holds corrections by Ada"),
        ("hand.jsonl", "a diary", "hand.jsonl is there and is no record: choose another name"),
    ],
)
def test_a_record_that_people_corrected_and_what_is_none_are_kept(
    name: str,
    held: str,
    says: str,
    pretended: PretendEye,
    hand_video: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / name).write_text(held)
    assert run(["replay", str(hand_video), "--out", str(tmp_path / "hand.jsonl")]) == 2
    assert says in complaint(capsys)
    assert (tmp_path / name).read_text() == held and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    "name,held", [("hand.jsonl", CORRECTED % "umpire"), ("hand.jsonl", ""), ("hand.old.jsonl", "a diary")]
)
def test_a_record_of_the_umpire_alone_makes_room(
    name: str, held: str, pretended: PretendEye, hand_video: Path, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(held)
    target = tmp_path / "hand.jsonl"
    assert run(["replay", str(hand_video), "--out", str(target)]) == 0
    assert lines_of(target.read_text())[-1]["event"] == "score"


def test_a_record_for_which_there_is_no_room_is_one_line(
    pretended: PretendEye, hand_video: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["replay", str(hand_video), "--json", "--out", "/dev/full"]) == 2
    assert "/dev/full cannot be written (No space left on device)" in complaint(capsys)


#: How the sentence of each kind of gap begins, and what helps against it.
GAPS_SAID = {
    "unreadable": ("the recording cannot be read", "copy the recording again"),
    "few-frames": ("there are too few frames to see every play", "record 30 frames a second or more"),
    "frozen": ("the picture was frozen", "restart the camera"),
    "dark": ("it was too dark to see anything", "leave a light on"),
    "covered": ("the camera was covered", "keep hands and sleeves away from the camera"),
    "moved": ("the camera was moved", "clamp the camera"),
}


def test_what_is_found_and_what_a_record_may_tell_are_the_same_gaps() -> None:
    assert set(get_args(Why)) == set(GAPS) == set(GAPS_SAID)


@pytest.mark.parametrize("why", get_args(Why))
def test_what_a_recording_does_not_tell_is_said_with_what_helps(
    pretended: PretendEye,
    hand_video: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    why: str,
) -> None:
    says, remedy = GAPS_SAID[why]
    gap = {"event": "gap", "at": 2.0, "from": 2.0, "to": 3.5, "why": why}

    def with_a_gap(*_: Any, **__: Any) -> Iterator[dict[str, Any]]:
        yield from [*RECORD[:3], gap, *RECORD[3:]]

    monkeypatch.setattr(service, "tools", replace(service.tools, replay=with_a_gap))
    assert run(["replay", str(hand_video)]) == 0
    said = capsys.readouterr()
    assert f"{says} from 0:02.0 to 0:03.5" in said.out
    begins, ends = f"nerts-referee: {hand_video}: {says} from 0:02.0", f" is in doubt: {remedy}"
    assert said.err.startswith(begins) and ends in said.err
    assert said.err.count("\n") == 1


def test_what_makes_a_recording_hard_to_follow_is_said_and_it_is_followed(
    pretended: PretendEye,
    hand_video: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def small(*_: Any, on_notice: Any, **__: Any) -> Iterator[dict[str, Any]]:
        on_notice("cards are seen at 0.95 px/mm: hang the camera lower")
        yield from RECORD

    monkeypatch.setattr(service, "tools", replace(service.tools, replay=small))
    assert run(["replay", "--json", str(hand_video)]) == 0
    said = capsys.readouterr()
    assert said.err == f"nerts-referee: {hand_video}: cards are seen at 0.95 px/mm: hang the camera lower\n"
    assert said.out.count("\n") == len(RECORD)


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
    assert "&lt;b&gt;red[/]&lt;/b&gt;" in report
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
    monkeypatch.setattr(service, "tools", replace(service.tools, sample=tmp_path / "gone.mp4"))
    assert run(["demo", "--out", str(tmp_path)]) == 2
    assert "gone.mp4 is missing: install nerts-referee again" in complaint(capsys)


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
    assert service.Told.beside(tmp_path / "hand.mp4") == service.Told(("east", 59.5), {"east": "red"})
    assert service.Told.beside(tmp_path / "other.mp4") == service.Told()


@pytest.mark.parametrize("fast", [False, True])
def test_a_recording_is_gone_through_twice_unless_that_is_not_wanted(
    fast: bool, pretended: PretendEye, hand_video: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    def replay(*given: Any, fast: bool = False, **told: Any) -> Iterator[dict[str, Any]]:
        asked.append(fast)
        return pretend_replay(*given, **told)

    monkeypatch.setattr(service, "tools", replace(service.tools, replay=replay))
    assert run(["replay", str(hand_video), "--json", *(["--fast"] if fast else [])]) == 0
    assert asked == [fast]


def test_what_the_second_pass_changed_is_said(
    pretended: PretendEye,
    hand_video: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    again = {"event": "correct", "at": 4.5, "of": 2, "drop": True, "by": "umpire", "pass": 2}

    def replay(*given: Any, **told: Any) -> Iterator[dict[str, Any]]:
        yield from [*pretend_replay(*given, **told), again]

    monkeypatch.setattr(service, "tools", replace(service.tools, replay=replay))
    assert run(["replay", str(hand_video)]) == 0
    assert "second pass: 1 draw withdrawn" in capsys.readouterr().out
