"""Films with faults, refereed with the real eye: what a camera did not tell is told, and held against nobody."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import pytest

from referee.commands.program import run
from referee.live.replay import replay
from referee.record.check import check_lines
from referee.service import SAMPLE
from vision.eye import Eye

Record = list[dict[str, Any]]
#: The seconds of the sample that these films show; in them six plays are made, all legal.
SECONDS, FPS = 9.0, 30
TRUTH = [
    line
    for line in map(json.loads, SAMPLE.with_name("hand.truth.jsonl").read_text().splitlines())
    if line.get("event") == "play" and line["at"] < SECONDS - 0.5
]


@pytest.fixture(scope="module")
def eye() -> Eye:
    return Eye()


def film(path: Path, shown: Callable[[int], int | None], *, fps: int = FPS, first: int = 0) -> Path:
    """The sample's beginning at 720p; `shown`: which frame of it stands for each, or None to leave it out."""
    with av.open(str(SAMPLE)) as sample, av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=fps)
        stream.width, stream.height, stream.pix_fmt = 1280, 720, "yuv420p"
        stream.options = {"preset": "veryfast"}
        held: dict[int, av.VideoFrame] = {}
        count = 0
        for index, frame in enumerate(sample.decode(video=0)):
            if index >= SECONDS * FPS:
                break
            taken = shown(index)
            if taken is None:
                continue
            if taken == index:
                held = {index: frame.reformat(1280, 720, "yuv420p")}
            picture = held[taken]
            picture.pts, picture.time_base = first + count, Fraction(1, fps)
            out.mux(stream.encode(picture))
            count += 1
        out.mux(stream.encode())
    return path


def told(record: Record, kind: str) -> Record:
    """The events of a kind as they stand when every correction is applied; other lines as they are."""
    if kind in ("gap", "doubt", "ruling", "score"):
        return [line for line in record if line.get("event") == kind]
    standing = check_lines([json.dumps(line) + "\n" for line in record]).record
    assert standing is not None
    return [one.event.to_json() for one in standing.events if one.event.kind == kind]


def as_played(record: Record) -> list[tuple[Any, ...]]:
    return [(line["seat"], line["cards"], line["from"], line["to"]) for line in told(record, "play")]


def seen_plays(record: Record) -> list[tuple[Any, ...]]:
    return sorted((line["seat"], *line["cards"], line["to"].split()[0]) for line in told(record, "play"))


TRUE_PLAYS = sorted((line["seat"], *line["cards"], line["to"].split()[0]) for line in TRUTH)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, eye: Eye) -> Record:
    """The film as it is, with a call while eleven and more Nerts cards are left."""
    path = film(tmp_path_factory.mktemp("whole") / "hand.mp4", lambda index: index)
    return list(replay(path, eye=eye, call=("east", 5.0)))


def test_when_cards_were_lifted_and_landed_is_told_to_the_frame(whole: Record) -> None:
    """And by which arm, once it is known how a player sits."""
    plays = {(line["seat"], *line["cards"]): line for line in told(whole, "play")}
    for name, frames in (("lifted", 4.1), ("landed", 2.1)):
        spans = [(plays[true["seat"], *true["cards"]].get(name), true[name][0]) for true in TRUTH]
        found = [(span, at) for span, at in spans if span is not None]
        assert len(found) >= len(TRUTH) - 1
        assert sum(first - 0.002 <= at <= last + 0.002 for (first, last), at in found) >= len(found) - 1
        assert sorted(last - first for (first, last), _ in found)[len(found) // 2] <= frames / FPS
    arms = {(seat, line["hand"]) for (seat, *_), line in plays.items() if "hand" in line}
    assert arms and len(arms) == len({seat for seat, _ in arms})


def test_a_call_with_cards_left_is_false_and_the_hand_goes_on(whole: Record) -> None:
    (ruling,) = told(whole, "ruling")
    assert (ruling["rule"], ruling["verdict"], ruling["seat"]) == ("N15", "illegal", "east")
    (call,) = told(whole, "call")
    assert call["at"] == 5.0
    assert told(whole, "end") == []
    assert seen_plays(whole) == TRUE_PLAYS
    assert any(line["at"] > 5.0 for line in told(whole, "play"))
    assert told(whole, "score")[0]["final"] is False


def test_a_clock_that_begins_at_an_hour_changes_nothing(tmp_path: Path, whole: Record, eye: Eye) -> None:
    path = film(tmp_path / "cut.mkv", lambda index: index, first=3600 * FPS)
    again = list(replay(path, eye=eye, call=("east", 5.0)))
    assert as_played(again) == as_played(whole)
    assert told(again, "gap") == []


@pytest.fixture
def frozen(tmp_path: Path) -> Iterator[Path]:
    """The picture stands still from 5.2 to 7.4 s: the two of diamonds, the three, and a king are laid meanwhile."""
    yield film(tmp_path / "frozen.mp4", lambda index: 156 if 156 <= index < 222 else index)


def test_what_a_frozen_picture_hides_is_told_and_in_doubt(
    frozen: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["replay", str(frozen), "--json"]) == 0
    said = capsys.readouterr()
    record = [json.loads(line) for line in said.out.splitlines()]
    (gap,) = told(record, "gap")
    assert gap["why"] == "frozen"
    assert (gap["from"], gap["to"]) == (pytest.approx(5.2, abs=0.05), pytest.approx(7.4, abs=0.05))
    assert "the picture was frozen from 0:05.2 to 0:07.4" in said.err
    landed = [line for line in told(record, "play") if "landed" in line]
    hidden = [line for line in landed if line["landed"][1] - line["landed"][0] > 1]
    assert {line["cards"][0] for line in hidden} >= {"2D", "3D", "KC"}
    assert {line["cards"][0] for line in landed if line["at"] < 5.0}
    for line in hidden:
        assert line["landed"][0] <= gap["from"] + 0.001
        assert line["landed"][1] >= gap["to"] - 0.001
        assert line["confidence"] < 0.9
    (doubt,) = told(record, "doubt")
    assert record[doubt["of"]]["cards"] in [line["cards"] for line in hidden]
    assert "frozen" in doubt["asks"]
    assert [line for line in told(record, "ruling") if line["verdict"] == "illegal"] == []
    before = {tuple(line["cards"]) for line in told(record, "play") if line["at"] < 5}
    assert before == {tuple(line["cards"]) for line in TRUTH if line["at"] < 5}


def test_two_frames_a_second_are_told_and_no_moment_is_sure(tmp_path: Path, eye: Eye) -> None:
    path = film(tmp_path / "slow.mp4", lambda index: index if index % 15 == 0 else None, fps=2)
    record = list(replay(path, eye=eye))
    (gap,) = told(record, "gap")
    assert (gap["why"], gap["from"]) == ("few-frames", 0.0)
    assert gap["to"] >= 8.0
    plays = told(record, "play")
    assert len(plays) >= 3
    for line in plays:
        earliest, latest = line["landed"]
        assert latest - earliest == pytest.approx(0.5, abs=0.01)
        true = next(t for t in TRUTH if t["cards"] == line["cards"] and t["seat"] == line["seat"])
        assert earliest - 0.05 <= true["at"] <= latest + 0.6
    assert [line for line in told(record, "ruling") if line["verdict"] == "illegal"] == []


def test_seats_that_are_not_at_the_table_are_refused_before_the_hand_is_followed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = film(tmp_path / "hand.mp4", lambda index: index)
    assert run(["replay", str(path), "--call", "south@8"]) == 2
    said = capsys.readouterr().err
    assert said == (
        f"nerts-referee: {path}: 'south' does not sit at this table: west and east do, as the picture shows it\n"
    )
