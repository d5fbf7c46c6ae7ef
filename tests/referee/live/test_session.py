"""An evening at a make-believe table: hand after hand is told, ruled on, scored and counted in the match."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evening import FPS, SKIN, Evening, last_moment, truth
from umpire_table import Table

from referee.live.session import Answer, Keeper, Rules, Session, Told
from referee.record.check import check_lines
from referee.service.kept_match import KeptMatch
from scripts.measure.replays import score_replay

Line = dict[str, Any]


@dataclass
class Spent:
    """An evening that is over."""

    evening: Evening
    keeper: Keeper
    told: list[Told]
    answers: dict[str, Answer]

    def record(self, hand: int) -> list[Line]:
        return [json.loads(line) for line in self.keeper.record(hand).read_text().splitlines()]

    def states(self) -> list[str]:
        said = [one.line["state"] for one in self.told if one.line.get("event") == "session"]
        return [state for before, state in zip(["", *said], said, strict=False) if state != before]

    def session_lines(self, **wanted: Any) -> list[Line]:
        lines = [one.line for one in self.told if one.line.get("event") == "session"]
        return [line for line in lines if wanted.items() <= line.items()]


def begun(evening: Evening, folder: Path, told: list[Told], **rules: Any) -> Session:
    match = KeptMatch(folder / "match.json")
    session = Session(evening, Keeper.open(folder, "pretended"), Rules(**rules), match=match, fps=FPS)
    session.observe(told.append)
    return session


@pytest.fixture(scope="module")
def spent(tmp_path_factory: pytest.TempPathFactory) -> Spent:
    """Two hands: the first is called falsely, then, as is asked, rightly; the second is gathered up with cards left."""
    first, second = Table(43, 90), Table(1, 8.0)
    evening = Evening([first, second], still_s=10.0)
    told: list[Told] = []
    names = {"north": "anna", "south": "ben"}
    session = begun(evening, tmp_path_factory.mktemp("evening"), told, names=names)
    assert not session.call("north").taken
    calls = {16.0: "south", 16.4: "north"}
    answers: dict[str, Answer] = {}

    def questions() -> list[Line]:
        return [one.line["question"] for one in told if "question" in one.line]

    for frame in evening:
        for at in [at for at in calls if frame.time_s >= at]:
            seat = calls.pop(at)
            answers[f"{seat} at {at:.1f}"] = session.call(seat)
        session.push(frame)
        if len(answers) == 2 and questions():
            answers["yes"] = session.answer(questions()[-1]["number"], True)
            assert not session.answer(questions()[-1]["number"], True).taken
    answers["after the end"] = session.call("north")
    session.end()
    return Spent(evening, session.keeper, told, answers)


def test_every_play_of_every_hand_is_told_right(spent: Spent) -> None:
    for number, part in enumerate(spent.evening.parts, 1):
        figures = score_replay(spent.record(number), truth(part.table, part.start))
        assert figures.plays.share >= 0.95, figures
        illegal = {line["ruling"] for line in spent.record(number) if line.get("verdict") == "illegal"}
        assert illegal <= {"false-call"}
    assert not list(spent.keeper.folder.glob("hand-3*"))


def test_the_states_come_in_their_order(spent: Spent) -> None:
    between = ["score", "next deal", "empty table", "dealing", "ready", "playing"]
    begin = ["dealing", "empty table", "dealing", "ready", "playing"]
    called = ["called", "playing", "called"]
    assert spent.states() == [*begin, *called, *between, "score", "next deal", "empty table", "over"]
    assert all(line["say"] for line in spent.session_lines())
    (ready, _) = spent.session_lines(state="ready")
    assert ready["seats"]["north"]["name"] == "anna"


def test_the_first_call_counts_and_a_false_one_is_ruled_while_play_goes_on(spent: Spent) -> None:
    first, second, third, late = spent.answers.values()
    assert (first.taken, second.taken, third.taken, late.taken) == (True, False, True, False)
    assert second.say == "ben called first"
    record = spent.record(1)
    calls = [line for line in record if line.get("event") == "call"]
    assert [line["seat"] for line in calls] == ["south", "north"]
    rulings = [(line["rule"], line["verdict"]) for line in record if line.get("ruling") == "false-call"]
    assert rulings == [("N15", "illegal")]
    assert [line["why"] for line in record if line.get("event") == "end"] == ["called"]
    assert record[-1]["event"] == "score"
    assert record[-1]["final"]


def test_an_empty_nerts_pile_with_hands_at_rest_is_asked_about(spent: Spent) -> None:
    part = spent.evening.parts[0]
    (asked, *_) = [one.line for one in spent.told if "question" in one.line]
    assert asked["question"]["seat"] == "north"
    assert asked["question"]["asks"].startswith("anna has no Nerts card left")
    assert asked["at"] >= part.start + last_moment(part.table) + 3.5


def test_points_are_told_at_once_with_the_call(spent: Spent) -> None:
    (_, right) = spent.session_lines(state="called")
    assert right["seat"] == "north"
    assert right["nerts"] == {"north": 0, "south": 10}
    final = spent.record(1)[-1]["hand"]
    assert right["points"]["north"]["left"] == final["north"]["left"] == 0
    # what the last play adds may come to light a moment later
    assert abs(right["points"]["south"]["centre"] - final["south"]["centre"]) <= 1


def test_records_are_whole_and_lines_are_told_as_they_are_written(spent: Spent) -> None:
    for hand in (1, 2):
        record = spent.record(hand)
        assert check_lines(line + "\n" for line in map(json.dumps, record)).status == 0
        assert [one.index for one in spent.told if one.hand == hand and one.index is not None] == list(
            range(len(record))
        )
        assert [one.line for one in spent.told if one.hand == hand and one.index is not None] == record
        assert record[0]["session"] == spent.keeper.session
        assert record[0]["source"]["kind"] == "camera"
    assert spent.record(1)[0]["id"] != spent.record(2)[0]["id"]


def test_what_is_not_settled_is_told_before_and_withdrawn_seldom(spent: Spent) -> None:
    early = [one for one in spent.told if one.provisional and one.line["event"] == "play"]
    withdrawn = [one for one in early if one.line.get("withdrawn")]
    plays = [line for hand in (1, 2) for line in spent.record(hand) if line.get("event") == "play"]
    assert len(early) >= 0.8 * len(plays)
    assert len(withdrawn) <= 0.1 * len(early)


def test_the_match_counts_the_hand_that_was_called_and_the_next_header_knows(spent: Spent) -> None:
    match = json.loads((spent.keeper.folder.parent / "match.json").read_text())
    points = {seat: one["points"] for seat, one in spent.record(1)[-1]["hand"].items()}
    assert len(match["hands"]) == 1
    assert match["hands"][0]["points"] == {"anna": points["north"], "ben": points["south"]}
    assert spent.record(2)[0]["match"] == points


def test_a_hand_gathered_up_with_nerts_cards_left_is_stopped_and_not_counted(spent: Spent) -> None:
    record = spent.record(2)
    ends = [line["why"] for line in record if line.get("event") == "end"]
    assert ends == ["stopped"]
    assert record[-1]["final"]


def waving(at: float, image: np.ndarray) -> np.ndarray:
    """Somebody's elbow moves in a corner where no card lies."""
    y = 10 + 20 * (int(at * FPS) % 2)
    image[y : y + 40, 5:45] = SKIN
    return image


@pytest.mark.parametrize("is_still", [True, False])
def test_a_call_that_is_plainly_right_is_scored_at_once(is_still: bool, tmp_path: Path) -> None:
    evening = Evening([Table(43, 90)], still_s=6.0)
    told: list[Told] = []
    session = begun(evening, tmp_path, told)
    call_s = evening.parts[0].start + last_moment(evening.parts[0].table) + 0.3
    for frame in evening:
        session.push(frame)
        if frame.time_s >= call_s - 3.0 and not is_still:
            evening.spoil = waving
        if session.state not in ("called", "score") and frame.time_s >= call_s:
            assert session.call("north").taken
        if session.state == "score":
            break
    session.end()
    lines = [one.line for one in told if one.line.get("event") == "session"]
    (called, scored) = [
        next(line for line in lines if line["state"] == state) for state in ("called", "score")
    ]
    assert scored["at"] - called["at"] <= 1.5
    record = [json.loads(line) for line in session.keeper.record(1).read_text().splitlines()]
    assert score_replay(record, truth(evening.parts[0].table, evening.parts[0].start)).plays.share >= 0.95
    (call,) = [line for line in record if line.get("event") == "call"]
    assert (call["seat"], record[-1]["hand"]["north"]["left"]) == ("north", 0)


def test_cards_gathered_up_at_once_take_no_play_back_that_was_seen(tmp_path: Path) -> None:
    evening = Evening([Table(43, 90)], still_s=1.5)
    told: list[Told] = []
    session = begun(evening, tmp_path, told)
    for frame in evening:
        session.push(frame)
    session.end()
    record = [json.loads(line) for line in session.keeper.record(1).read_text().splitlines()]
    figures = score_replay(record, truth(evening.parts[0].table, evening.parts[0].start))
    assert figures.plays.share >= 0.95, figures
    assert [line["why"] for line in record if line.get("event") == "end"] == ["called"]
    illegal = [one.line for one in told if one.line.get("verdict") == "illegal"]
    assert not illegal


def test_a_call_over_a_pile_that_is_seen_empty_is_not_false_though_its_last_play_was_missed(
    tmp_path: Path,
) -> None:
    table = Table(43, 90)
    last = [line for line in table.record if line["event"] == "play" and line["from"] == "nerts"][-1]
    seat, target = str(last["seat"]), str(last["to"])
    place = ("" if target.startswith("foundation") else seat, target)
    table.changes = [one for one in table.changes if one.place != place or one.at < float(str(last["at"]))]
    told: list[Told] = []
    evening = Evening([table], still_s=8.0)
    session = begun(evening, tmp_path, told)
    for frame in evening:
        session.push(frame)
        if session.state == "playing" and frame.time_s >= evening.parts[0].start + last_moment(table) + 0.3:
            assert session.call(seat).taken
        if session.state == "score":
            break
    session.end()
    record = [json.loads(line) for line in session.keeper.record(1).read_text().splitlines()]
    (call,) = [line for line in record if line.get("event") == "call"]
    rulings = [line["verdict"] for line in record if line.get("ruling") == "false-call"]
    assert (call["seat"], rulings) == (seat, ["undecided"])
    (doubt,) = [line for line in record if line.get("of") == record.index(call) and "asks" in line]
    assert (
        doubt["asks"]
        == f"The Nerts pile of {seat} is seen to be empty, but a play from it was missed: which?"
    )
    assert (record[-1]["hand"][seat]["left"], record[-1]["final"]) == (1, True)
    assert check_lines(line + "\n" for line in map(json.dumps, record)).status == 0
