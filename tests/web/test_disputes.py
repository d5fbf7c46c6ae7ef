"""A dispute: exact frames, corrections, challenges; in a browser from the challenge to the accepted ruling."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from disputing import SIZES, tapping
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Page, expect
from pretend import RULING, PretendEye, pretend_tools
from serving import finished, serve

from referee.web import create_app
from vision.capture.frames import decode_image

SAMPLE = "/api/recordings/sample"


@pytest.fixture
def page_client(hand_video: Path, tmp_path: Path) -> Iterator[TestClient]:
    app = create_app(pretend_tools(PretendEye(), hand_video), tmp_path / "shelf")
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def refereed(page_client: TestClient) -> TestClient:
    page_client.post(f"{SAMPLE}/referee")
    finished(page_client, "sample")
    return page_client


def record(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "shelf/sample/record.jsonl").read_text().splitlines()]


# -- frames --------------------------------------------------------------------------------------------------


def left_edge(image: np.ndarray) -> int:
    """Where the white card of the pretended film begins."""
    return int(np.argmax(image[90, :, 1] > 170))


def test_every_frame_is_the_very_one(page_client: TestClient, hand_video: Path) -> None:
    with av.open(str(hand_video)) as film:
        shown = [left_edge(frame.to_ndarray(format="bgr24")) for frame in film.decode(video=0)]
    assert len(set(shown)) == len(shown) == 60, "each frame differs from each other one"
    for number in [*range(60), 3, 59, 0, 30, 31, 29]:
        answer = page_client.get(f"{SAMPLE}/frame/{number}")
        assert answer.headers["x-frame"] == str(number)
        assert abs(left_edge(decode_image(answer.content, "frame")) - shown[number]) <= 1, number
    times = page_client.get(f"{SAMPLE}/times").json()["times"]
    assert times == pytest.approx([number / 10 for number in range(60)], abs=1e-3)


@pytest.mark.parametrize(
    ("frame", "status"), [("60", 404), ("-1", 404), ("x", 422), ("9" * 30, 404), ("3?width=9999", 422)]
)
def test_a_frame_that_is_none(page_client: TestClient, frame: str, status: int) -> None:
    answer = page_client.get(f"{SAMPLE}/frame/{frame}")
    assert answer.status_code == status and set(answer.json()) == {"error"}


def test_a_frame_may_be_asked_for_small(page_client: TestClient) -> None:
    small = decode_image(page_client.get(f"{SAMPLE}/frame/3?width=160").content, "frame")
    assert small.shape[:2] == (90, 160)


# -- corrections ---------------------------------------------------------------------------------------------


def test_a_correction_is_one_line_and_everything_follows(refereed: TestClient, tmp_path: Path) -> None:
    before = record(tmp_path)
    said = {"of": 3, "with": {"cards": ["2H"]}}
    answer = refereed.post(f"{SAMPLE}/correct", json={"said": said, "by": "Anna"})
    assert answer.status_code == 200
    assert answer.json()["illegal"] == 0
    assert "2♥" in str(answer.json()["account"]["entries"])
    *was, line = record(tmp_path)
    assert was == before
    assert line["event"] == "correct" and line["by"] == "Anna"
    undone = refereed.post(f"{SAMPLE}/correct", json={"said": {"undo": True}, "by": "Anna"})
    assert undone.json()["illegal"] == 1
    assert len(record(tmp_path)) == len(before) + 2


@pytest.mark.parametrize(
    "body",
    [
        {"said": {"of": 3, "drop": True}},
        {"said": {"of": 3, "drop": True}, "by": ""},
        {"said": {"of": 3, "drop": True}, "by": "x" * 61},
        {"said": {"of": 99, "drop": True}, "by": "Anna"},
        {"said": {"of": 3, "with": {"cards": ["XX"]}}, "by": "Anna"},
        {"said": {}, "by": "Anna"},
        {"said": [], "by": "Anna"},
    ],
)
def test_what_cannot_be_corrected_changes_nothing(refereed: TestClient, tmp_path: Path, body: Any) -> None:
    before = record(tmp_path)
    answer = refereed.post(f"{SAMPLE}/correct", json=body)
    assert answer.status_code == 422 and set(answer.json()) == {"error"}
    assert record(tmp_path) == before


def test_what_is_not_refereed_is_not_corrected(page_client: TestClient) -> None:
    body = {"said": {"of": 3, "drop": True}, "by": "Anna"}
    answer = page_client.post(f"{SAMPLE}/correct", json=body)
    assert answer.status_code == 422 and "referee it first" in answer.json()["error"]


def test_the_likeliest_other_readings_are_offered_and_taken(refereed: TestClient) -> None:
    offered = refereed.get(f"{SAMPLE}/alternatives/3").json()["alternatives"]
    assert 1 <= len(offered) <= 12
    assert all(each["text"] and each["seat"] for each in offered)
    other = offered[0]
    body = {"said": other["say"], "by": "Anna", "insist": True}
    answer = refereed.post(f"{SAMPLE}/correct", json=body)
    assert answer.status_code == 200
    assert other["text"] in str(answer.json()["account"]["entries"])
    for odd in ("0", "99"):
        assert refereed.get(f"{SAMPLE}/alternatives/{odd}").status_code in (404, 422)


def test_why_is_told(refereed: TestClient) -> None:
    told = refereed.get(f"{SAMPLE}/lines/3").json()
    assert told["line"]["cards"] == ["9D"]
    assert [each["line"]["event"] for each in told["about"]] == ["ruling"]
    for odd in ("0", "99", "-1"):
        assert refereed.get(f"{SAMPLE}/lines/{odd}").status_code == 404


# -- challenges ----------------------------------------------------------------------------------------------


def test_a_challenge_is_answered_and_settled(refereed: TestClient, hand_video: Path, tmp_path: Path) -> None:
    asked = refereed.post(f"{SAMPLE}/challenges", json={"of": 3, "by": "Anna", "says": "It was a two."})
    assert asked.status_code == 201
    assert RULING["why"] in asked.json()["answer"] and "N9" in asked.json()["answer"]
    settled = refereed.post(f"{SAMPLE}/challenges/1", json={"state": "open", "by": "Ben"}).json()
    assert (settled["state"], settled["settled_by"], settled["by"]) == ("open", "Ben", "Anna")
    said = {"of": 3, "with": {"cards": ["2H"]}}
    refereed.post(f"{SAMPLE}/correct", json={"said": said, "by": "Anna"})
    settled = refereed.post(f"{SAMPLE}/challenges/1", json={"state": "accepted", "by": "Ben"}).json()
    assert "nothing was found against it" in settled["answer"], "the answer is that of now"
    again = TestClient(
        create_app(pretend_tools(PretendEye(), hand_video), tmp_path / "shelf"), base_url="http://localhost"
    )
    assert again.get(f"{SAMPLE}/challenges").json()["challenges"] == [settled]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("", {"of": 99, "by": "Anna"}, 404),
        ("", {"of": -1, "by": "Anna"}, 422),
        ("", {"of": 3, "by": "Anna", "says": "x" * 301}, 422),
        ("", {"of": 3}, 422),
        ("/7", {"state": "open", "by": "Anna"}, 404),
        ("/1", {"state": "won", "by": "Anna"}, 422),
    ],
)
def test_a_challenge_that_is_none(refereed: TestClient, path: str, body: Any, status: int) -> None:
    answer = refereed.post(f"{SAMPLE}/challenges{path}", json=body)
    assert answer.status_code == status and set(answer.json()) == {"error"}
    assert refereed.get(f"{SAMPLE}/challenges").json() == {"challenges": []}


def test_there_is_an_end_to_challenges(refereed: TestClient) -> None:
    for _ in range(200):
        assert refereed.post(f"{SAMPLE}/challenges", json={"of": 3, "by": "Anna"}).status_code == 201
    assert refereed.post(f"{SAMPLE}/challenges", json={"of": 3, "by": "Anna"}).status_code == 413


@pytest.mark.parametrize("odd", ["", "{}", "[1]", '[{"number": 1}]', "[{}]", "null"])
def test_a_spoilt_file_of_challenges_is_none(refereed: TestClient, tmp_path: Path, odd: str) -> None:
    (tmp_path / "shelf/sample/challenges.json").write_text(odd)
    assert refereed.get(f"{SAMPLE}/challenges").json() == {"challenges": []}
    assert refereed.post(f"{SAMPLE}/challenges", json={"of": 3, "by": "Anna"}).status_code == 201


# -- in a browser --------------------------------------------------------------------------------------------


@pytest.fixture
def disputed(hand_video: Path, tmp_path: Path) -> Iterator[str]:
    """The page, with the sample refereed."""
    app_tools = pretend_tools(PretendEye(), hand_video)
    for address in serve(app_tools, tmp_path / "shelf"):
        import httpx2

        httpx2.post(f"{address}{SAMPLE}/referee")
        with httpx2.Client(base_url=address) as client:
            finished(client, "sample")  # type: ignore[arg-type]
        yield address


@pytest.mark.parametrize("size", SIZES, ids=["laptop", "phone"])
def test_from_challenge_to_accepted_ruling_in_six_taps(
    browser: Browser, disputed: str, size: tuple[int, int]
) -> None:
    with tapping(browser, size) as taps:
        taps.page.goto(f"{disputed}/#recording/sample")
        taps.tap(taps.page.get_by_role("link", name="Look closely"))
        taps.settle("Frame 39 of 59")


def test_frames_are_stepped_through_and_a_link_leads_back(page: Page, disputed: str) -> None:
    page.goto(f"{disputed}/#moment/sample/30")
    where = page.locator("#moment-where")
    expect(where).to_have_text("Frame 30 of 59 · 0:03.0")
    for key, frame in ((".", 31), (".", 32), (",", 31), ("j", 6), ("j", 14)):
        page.keyboard.press(key)
        expect(where).to_contain_text(f"Frame {frame} of 59")
    link = page.url
    assert link.endswith("#moment/sample/14/2")
    page.goto("about:blank")
    page.goto(link)
    expect(where).to_contain_text("Frame 14 of 59")
    expect(page.locator("#moment-what")).to_contain_text("draws")
    page.get_by_label("Frame", exact=True).fill("50")
    expect(where).to_contain_text("Frame 50 of 59")


def test_it_runs_slowly_and_repeats_the_play(page: Page, disputed: str) -> None:
    page.goto(f"{disputed}/#moment/sample")
    page.locator("#moment-plays li.illegal button").click()
    page.get_by_label("Speed").select_option("1")
    page.get_by_label("repeat the play").check()
    page.get_by_role("button", name="run").click()
    seen = set()
    for _ in range(40):
        seen.add(int(page.locator("#moment-where").inner_text().split()[1]))
        page.wait_for_timeout(80)
    page.get_by_role("button", name="stop").click()
    assert len(seen) > 5
    assert min(seen - {39}) >= 32 and max(seen) <= 53, "1.2 s before it to 0.8 s behind it"


def test_the_zoom_keeps_what_lies_under_the_pointer(page: Page, disputed: str) -> None:
    page.goto(f"{disputed}/#moment/sample/30")
    expect(page.locator("#moment-where")).to_contain_text("Frame 30")
    picture = page.locator("#moment-picture")
    before = picture.bounding_box()
    page.get_by_role("button", name="Larger").click()
    larger = picture.bounding_box()
    assert before is not None and larger is not None
    assert larger["width"] == pytest.approx(before["width"] * 1.5, rel=0.01)
    page.keyboard.press("0")
    whole = picture.bounding_box()
    assert whole is not None and whole["width"] == pytest.approx(before["width"], rel=0.01)


def test_a_play_becomes_another_one_by_a_tap(page: Page, disputed: str) -> None:
    page.goto(f"{disputed}/#moment/sample")
    page.locator("#moment-plays li.illegal button").click()
    page.locator("#moment-by").fill("Anna")
    page.get_by_text("Correct it").click()
    other = page.locator("#correct-others button").first
    expect(other).to_be_visible()
    words = other.locator(".what").inner_text()
    other.click()
    expect(page.locator("#moment-what")).to_contain_text(words)
    expect(page.locator("#moment-what")).to_contain_text("corrected by Anna")


def test_a_play_is_corrected_and_undone_on_the_page(page: Page, disputed: str) -> None:
    page.goto(f"{disputed}/#moment/sample")
    page.locator("#moment-plays li.illegal button").click()
    page.locator("#moment-by").fill("Anna")
    page.get_by_text("Correct it").click()
    expect(page.get_by_label("Rank")).to_have_value("9")
    expect(page.locator("#correct-to")).to_have_value("foundation 1")
    page.get_by_label("Rank").select_option("2")
    page.locator("#correct-suit").select_option("H")
    page.get_by_role("button", name="It was this").click()
    expect(page.locator("#moment-said")).to_contain_text(
        "Corrected: plays, rulings and score are derived anew."
    )
    expect(page.locator("#moment-what")).to_contain_text("2♥")
    expect(page.locator("#moment-what")).to_contain_text("corrected by Anna")
    expect(page.locator("#moment-plays li.illegal")).to_have_count(0)
    page.get_by_role("button", name="Undo the last correction").click()
    expect(page.locator("#moment-plays li.illegal")).to_have_count(1)
