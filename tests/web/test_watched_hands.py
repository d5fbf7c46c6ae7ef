"""Hands that were watched, on the shelf: exact frames out of the recording, corrections, challenges."""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from disputing import SIZES, tapping
from fastapi.testclient import TestClient
from filelock import FileLock
from live_table import HAND, HEADER, PretendSession, live_table, plain, play
from playwright.sync_api import Browser, Page, expect
from pretend import PretendEye, pretend_tools
from serving import serving
from watched_evening import EVENING, FIRST, SCORE, film, frame_shown, keep, number_of_jpeg
from watched_evening import SECOND as PLAYED

from referee.service.kept_match import KeptMatch
from referee.web import create_app
from referee.web.live import LiveTable
from referee.web.shelf import evenings
from vision.capture.frames import decode_image
from vision.capture.live.recorder import Recorder

SECOND = f"/api/recordings/{EVENING}.2"


def client_of(hand_video: Path, shelf: Path, table: LiveTable | None = None) -> TestClient:
    app = create_app(pretend_tools(PretendEye(), hand_video), shelf, table=table)
    return TestClient(app, base_url="http://localhost", raise_server_exceptions=False)


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    keep(tmp_path)
    return tmp_path


@pytest.fixture
def client(hand_video: Path, shelf: Path) -> Iterator[TestClient]:
    with client_of(hand_video, shelf) as opened:
        yield opened


def record(shelf: Path, number: int = 2) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (shelf / EVENING / f"hand-{number}.jsonl").read_text().splitlines()]


# -- the shelf -----------------------------------------------------------------------------------------------


def test_evenings_are_listed_with_their_hands(client: TestClient, shelf: Path) -> None:
    (evening,) = client.get("/api/recordings").json()["evenings"]
    assert evening["name"] == "28 November 2026, 20:15"
    assert [(hand["id"], hand["state"], hand["plays"], hand["illegal"]) for hand in evening["hands"]] == [
        (f"{EVENING}.1", "done", 1, 0),
        (f"{EVENING}.2", "done", 3, 1),
    ]
    told = client.get(SECOND).json()
    assert told["name"] == "Hand 2, 28 November 2026, 20:15"
    assert [entry["text"] for entry in told["account"]["entries"] if entry["kind"] == "play"][-1].startswith(
        "A♦"
    )
    kept = (shelf / EVENING / "hand-2.jsonl").read_bytes()
    assert client.get(f"{SECOND}/record").content == kept


def test_of_years_of_evenings_the_latest_are_told_of(
    client: TestClient, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evenings, "_TOLD", 3)
    earlier = shelf / "session-20251231-190000"
    earlier.mkdir()
    for number in (2, 10, 9):
        (earlier / f"hand-{number}.jsonl").write_text(json.dumps(HEADER) + "\n")
    found = client.get("/api/recordings").json()["evenings"]
    assert [each["id"] for each in found] == [EVENING, earlier.name]
    assert found[1]["name"] == "20251231-190000", "it told nothing of itself"
    told = [(hand["number"], hand["state"], hand["plays"]) for hand in found[1]["hands"]]
    assert told == [(2, "done", None), (9, "done", None), (10, "open", 0)]


@pytest.mark.parametrize(
    "id",
    [f"{EVENING}.3", f"{EVENING}.0", f"{EVENING}.01", "session-.1", "session-x.1", f"{EVENING}", "..%2F.1"],
)
def test_a_hand_that_is_none(client: TestClient, id: str) -> None:
    for below in ("", "/times", "/frame/1", "/record", "/challenges"):
        answer = client.get(f"/api/recordings/{id}{below}")
        assert answer.status_code == 404 and set(answer.json()) == {"error"}


def test_what_is_asked_of_films_that_were_sent_is_refused_in_words(client: TestClient) -> None:
    for method, below in (
        ("POST", "/referee"),
        ("GET", "/video"),
        ("GET", "/events"),
        ("GET", "/frames?around=1"),
    ):
        answer = client.request(method, f"{SECOND}{below}")
        assert answer.status_code == 404 and "look closely" in answer.json()["error"]


@pytest.mark.parametrize("odd", ["", "[]", "null", '{"began": "x"}', '{"began": 1e300}'])
def test_a_session_that_tells_little_of_itself(hand_video: Path, shelf: Path, odd: str) -> None:
    (shelf / EVENING / "session.json").write_text(odd)
    answer = client_of(hand_video, shelf).get("/api/recordings")
    assert answer.status_code == 200
    assert [len(each["hands"]) for each in answer.json()["evenings"]] == [2]
    assert client_of(hand_video, shelf).get(SECOND).json()["plays"] == 3


# -- frames --------------------------------------------------------------------------------------------------


def test_every_frame_of_a_hand_is_the_very_one(client: TestClient) -> None:
    told = client.get(f"{SECOND}/times").json()
    numbers = [first + n for first, count in told["numbers"] for n in range(count)]
    assert len(numbers) == len(told["times"])
    assert numbers[0] > 0, "the hand begins where it was dealt, not where the evening did"
    assert told["times"] == pytest.approx([frame_shown(number) for number in numbers], abs=1e-4)
    for number in [numbers[0], numbers[-1], *numbers[5:-1:7], numbers[3]]:
        answer = client.get(f"{SECOND}/frame/{number}")
        assert answer.headers["x-frame"] == str(number)
        assert number_of_jpeg(answer.content) == number
    assert client.get(f"{SECOND}/times?after={numbers[-3]}").json()["times"] == told["times"][-2:]


def test_holes_in_the_recording_are_told(hand_video: Path, tmp_path: Path) -> None:
    keep(tmp_path, missing={95, 96, 97})
    client = client_of(hand_video, tmp_path)
    runs = client.get(f"{SECOND}/times").json()["numbers"]
    assert [first + count for first, count in runs[:-1]] == [95] and runs[1][0] == 98
    assert client.get(f"{SECOND}/frame/96").status_code == 404
    assert number_of_jpeg(client.get(f"{SECOND}/frame/98").content) == 98


def test_a_hand_of_which_no_recording_was_kept(hand_video: Path, tmp_path: Path) -> None:
    keep(tmp_path)
    for file in (tmp_path / EVENING).glob("film*"):
        file.unlink()
    client = client_of(hand_video, tmp_path)
    assert client.get(SECOND).json()["plays"] == 3
    answer = client.get(f"{SECOND}/times")
    assert answer.status_code == 404 and "No recording of this hand was kept" in answer.json()["error"]


# -- corrections and challenges ------------------------------------------------------------------------------


def test_a_finished_hand_is_corrected_in_its_record(client: TestClient, shelf: Path) -> None:
    before = record(shelf)
    said = {"of": 3, "with": {"cards": ["2H"]}}
    answer = client.post(f"{SECOND}/correct", json={"said": said, "by": "Anna"})
    assert answer.status_code == 200 and answer.json()["illegal"] == 0
    *was, line = record(shelf)
    assert was == before and line["by"] == "Anna"
    assert client.get(SECOND).json()["account"]["score"]["hand"]["south"]["centre"] == 1
    others = client.get(f"{SECOND}/alternatives/3").json()["alternatives"]
    assert others and client.get(f"{SECOND}/lines/3").json()["line"]["cards"] == ["9D"]


def counted(shelf: Path, file: Path | None = None) -> tuple[KeptMatch, dict[str, str]]:
    """The second hand of the evening is one that ended, and is counted in its match; or in the one of this file."""
    lines = [
        {**HEADER, "id": "c9a5cf44-a3a5-4c63-a9d4-4b0ff0c29b6c"},
        play(11.2, "north", "AH"),
        play(12.0, "south", "AC", target="foundation 2"),
        {"event": "end", "at": 13.0, "why": "stuck"},
        {**SCORE, "at": 13.0},
    ]
    (shelf / EVENING / "hand-2.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    match, names = KeptMatch(file or shelf / EVENING / "match.json"), {"north": "Anna", "south": "Ben"}
    assert match.keep(shelf / EVENING / "hand-2.jsonl", names) == ""
    return match, names


def test_the_match_of_the_evening_follows_a_correction(client: TestClient, shelf: Path) -> None:
    match, names = counted(shelf)
    assert match.totals(names) == {"north": 1, "south": 1}
    told = client.post(f"{SECOND}/correct", json={"said": {"of": 1, "drop": True}, "by": "Anna"}).json()
    assert told["beside"] == "The match counts it so, too."
    assert match.totals(names) == {"north": 0, "south": 1}
    undone = client.post(f"{SECOND}/correct", json={"said": {"undo": True}, "by": "Anna"}).json()
    assert match.totals(names) == {"north": 1, "south": 1} and undone["beside"]


def test_a_match_of_many_evenings_follows_a_correction(
    client: TestClient, shelf: Path, tmp_path: Path
) -> None:
    match, names = counted(shelf, tmp_path / "league.json")
    about = shelf / EVENING / "session.json"
    about.write_text(json.dumps({**json.loads(about.read_text()), "match": str(match.path)}))
    told = client.post(f"{SECOND}/correct", json={"said": {"of": 1, "drop": True}, "by": "Anna"}).json()
    assert told["beside"] == "The match counts it so, too."
    assert match.totals(names) == {"north": 0, "south": 1}


def test_a_hand_that_no_match_counts_stays_so(client: TestClient, shelf: Path) -> None:
    match, _ = counted(shelf)
    before = match.path.read_bytes()
    first = {"said": {"of": 1, "drop": True}, "by": "Anna"}
    assert client.post(f"/api/recordings/{EVENING}.1/correct", json=first).json()["beside"] == ""
    assert match.path.read_bytes() == before
    match.path.write_text("no match at all")
    beside = client.post(f"{SECOND}/correct", json=first).json()["beside"]
    assert beside.startswith("The match still counts it as it was (")
    assert len(record(shelf)) == 6, "the correction stands all the same"


def test_a_challenge_to_a_watched_hand_is_kept_beside_it(
    client: TestClient, hand_video: Path, shelf: Path
) -> None:
    asked = client.post(f"{SECOND}/challenges", json={"of": 3, "by": "Anna", "says": "Two of hearts"})
    assert asked.status_code == 201 and "N9" in asked.json()["answer"]
    settled = client.post(f"{SECOND}/challenges/1", json={"state": "accepted", "by": "Ben"}).json()
    assert client_of(hand_video, shelf).get(f"{SECOND}/challenges").json()["challenges"] == [settled]
    assert client.get(f"/api/recordings/{EVENING}.1/challenges").json()["challenges"] == []


def test_a_hand_that_another_program_watches_is_told_to_be_played(client: TestClient, shelf: Path) -> None:
    path = shelf / EVENING / "hand-2.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in PLAYED[:-1]))
    assert client.get(SECOND).json()["state"] == "playing", "its recording has just grown"
    while_ago = time.time() - 60
    os.utime(shelf / EVENING / "film.frames", (while_ago, while_ago))
    assert client.get(SECOND).json()["state"] == "open"


def test_a_hand_that_another_program_watches_is_not_written(client: TestClient, shelf: Path) -> None:
    path = shelf / EVENING / "hand-2.jsonl"
    path.write_text(
        "".join(json.dumps(line) + "\n" for line in record(shelf) if line.get("event") != "score")
    )
    before = path.read_bytes()
    body = {"said": {"of": 3, "drop": True}, "by": "Anna"}
    with FileLock(shelf / EVENING / ".lock"):
        answer = client.post(f"{SECOND}/correct", json=body)
        assert answer.status_code == 422 and "is being played" in answer.json()["error"]
        assert path.read_bytes() == before
    assert client.post(f"{SECOND}/correct", json=body).status_code == 200, "a hand that was broken off"


def test_the_hand_that_is_played_is_corrected_through_its_session(hand_video: Path, shelf: Path) -> None:
    session = PretendSession(hands={1: HAND[:2]}, image=(1, plain(90)))
    session.tell(*PLAYED[:-2])
    path = shelf / EVENING / "hand-2.jsonl"
    before = path.read_bytes()
    client = client_of(hand_video, shelf, replace(live_table(session), kept=EVENING))
    assert client.get(SECOND).json()["state"] == "playing"
    answer = client.post(f"{SECOND}/correct", json={"said": {"of": 3, "drop": True}, "by": "Anna"})
    assert answer.status_code == 200 and answer.json()["illegal"] == 0
    assert session.lines[-1]["by"] == "Anna" and path.read_bytes() == before
    first = client.post(
        f"/api/recordings/{EVENING}.1/correct", json={"said": {"of": 1, "drop": True}, "by": "Ben"}
    )
    assert first.status_code == 200 and record(shelf, 1)[-1]["by"] == "Ben"
    session.over = True
    assert client.get(SECOND).json()["state"] == "done"


# -- in a browser --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES, ids=["laptop", "phone"])
def test_from_the_shelf_to_an_accepted_ruling_in_six_taps(
    browser: Browser, hand_video: Path, shelf: Path, size: tuple[int, int]
) -> None:
    served_by = pretend_tools(PretendEye(), hand_video)
    with tapping(browser, size) as taps, serving(served_by, shelf) as served:
        page = taps.page
        page.goto(f"{served.address}/#recordings")
        taps.tap(page.get_by_role("link", name="Hand 2"))
        taps.settle("Frame 139 of")
        link = page.url
        page.goto("about:blank")
        page.goto(link)
        expect(page.locator("#moment-where")).to_contain_text("Frame 139 of")
        expect(page.locator("#moment-what")).to_contain_text("9♦")


# -- on the live page ----------------------------------------------------------------------------------------


def test_a_flags_still_shows_the_landing(hand_video: Path, shelf: Path) -> None:
    """Not the picture of the moment at which it was told; that one where the landing is not recorded."""
    session = PretendSession(hands={1: FIRST}, image=(999, plain(90, (320, 180))))
    client = client_of(hand_video, shelf, replace(live_table(session), kept=EVENING))
    session.tell(*PLAYED[:5])
    answer = client.get("/api/live/still/2/4")
    assert answer.headers["x-frame"] == "145" and number_of_jpeg(answer.content) == 145
    late = {**PLAYED[4], "at": 900.0}
    session.tell({**PLAYED[3], "at": 900.0}, late)
    until = time.monotonic() + 10
    while (answer := client.get("/api/live/still/2/6")).status_code == 404 and time.monotonic() < until:
        time.sleep(0.02)
    assert "x-frame" not in answer.headers and answer.headers["cache-control"] == "no-store"
    assert abs(int(decode_image(answer.content, "still")[5, 5, 0]) - 90) < 3


def test_a_flag_has_its_clip_and_leads_to_its_frames(page: Page, hand_video: Path, shelf: Path) -> None:
    session = PretendSession(hands={1: FIRST}, image=(999, plain(90, (320, 180))))
    table = replace(live_table(session), kept=EVENING)
    with serving(pretend_tools(PretendEye(), hand_video), shelf, table=table) as served:
        page.goto(f"{served.address}/live")
        expect(page.locator("#live-head")).to_be_visible()
        session.tell(*PLAYED[:5])
        began = time.monotonic()
        flag = page.locator("#live-flags li")
        expect(flag.locator("img")).to_have_js_property("complete", True)
        flag.get_by_role("button", name="show the clip").click()
        film = flag.locator("video")
        assert film.evaluate(
            "film => film.readyState > 1 || new Promise(done => (film.oncanplay = () => done(true)))"
        )
        assert time.monotonic() - began < 5
        assert film.evaluate("film => film.duration") == pytest.approx(2.1, abs=0.2)
        session.tell(PLAYED[5])
        expect(page.locator("#live-plays li")).to_have_count(4)
        expect(film).to_be_visible(), "a clip goes on when something else is told"
        flag.get_by_role("link", name="look closely").click()
        expect(page.locator("#moment-where")).to_contain_text("Frame 139 of")
        expect(page.locator("#moment-what")).to_contain_text("9♦")
        page.go_back()
        expect(page).not_to_have_url(re.compile("#moment"))
        page.get_by_role("link", name="Look closely: 0:11.2").click()
        expect(page.locator("#moment-what")).to_contain_text("A♥")
        page.goto(f"{served.address}/#recording/{EVENING}.2")
        expect(page.locator("#moment-title")).to_contain_text("Hand 2")


def test_a_hand_grows_under_the_eyes_of_who_looks(page: Page, hand_video: Path, tmp_path: Path) -> None:
    folder = keep(tmp_path, hands={1: FIRST})
    session = PretendSession(hands={1: FIRST})
    session.tell(HEADER, play(11.0, "north", "AH"))
    recorder = Recorder(folder, "film")
    stop = threading.Event()

    def go_on() -> None:
        for frame in film(range(recorder.next_index, recorder.next_index + 400)):
            if stop.wait(0.02):
                return
            recorder.push(frame)

    table = replace(live_table(session), kept=EVENING)
    with serving(pretend_tools(PretendEye(), hand_video), tmp_path, table=table) as served:
        page.goto(f"{served.address}/#moment/{EVENING}.2")
        expect(page.locator("#moment-plays li")).to_have_count(1)
        most = int(page.get_by_label("Frame", exact=True).get_attribute("max") or 0)
        thread = threading.Thread(target=go_on)
        thread.start()
        page.locator("#moment-plays button").click()
        page.locator("#moment-says").fill("It was mine")
        session.tell(play(12.0, "south", "AC", target="foundation 2"))
        expect(page.locator("#moment-plays li")).to_have_count(2, timeout=10_000)
        expect(page.locator("#moment-says")).to_have_value("It was mine")
        until = time.monotonic() + 15
        while int(page.get_by_label("Frame", exact=True).get_attribute("max") or 0) < most + 50:
            assert time.monotonic() < until, "the frames that are recorded meanwhile come in"
            page.wait_for_timeout(200)
        page.get_by_label("Frame", exact=True).fill(str(most + 40))
        expect(page.locator("#moment-where")).to_contain_text(re.compile("Frame 2[0-9][0-9] of"))
        number = int(page.locator("#moment-where").inner_text().split()[1])
        shown = page.locator("#moment-picture")
        expect(shown).to_have_attribute("src", re.compile(f"{EVENING}.2/frame/{number}$"))
        assert number > 220, "a frame that was not there when the page was opened"
        stop.set()
        thread.join()
        recorder.close()
