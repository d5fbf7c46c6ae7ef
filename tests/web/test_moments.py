"""A moment to keep: as a clip, as a page that stands alone, by its link; and a hand under other rules."""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import pytest
from fastapi.testclient import TestClient
from live_table import HEADER, play
from playwright.sync_api import Page, expect
from pretend import PretendEye, pretend_tools
from serving import finished, serving
from watched_evening import EVENING, keep, number_of, number_of_jpeg

from referee.web import create_app
from referee.web.dispute import clips

HAND = f"/api/recordings/{EVENING}.2"
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    keep(tmp_path)
    return tmp_path


@pytest.fixture
def client(hand_video: Path, shelf: Path) -> Iterator[TestClient]:
    app = create_app(pretend_tools(PretendEye(), hand_video), shelf)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as opened:
        yield opened


# -- clips ---------------------------------------------------------------------------------------------------


def shown_in(data: bytes, path: Path) -> list[int]:
    """The numbers of the frames of an MP4."""
    path.write_bytes(data)
    with av.open(str(path)) as film:
        return [number_of(frame.to_ndarray(format="bgr24")) for frame in film.decode(video=0)]


def test_a_clip_has_the_very_frames_of_its_moment(client: TestClient, tmp_path: Path) -> None:
    answer = client.get(f"{HAND}/clip?from=13.3&to=15.3")
    assert answer.headers["content-type"] == "video/mp4"
    assert shown_in(answer.content, tmp_path / "a.mp4") == list(range(133, 154)), (
        "also over the end of a file"
    )
    part = client.get(f"{HAND}/clip?from=13.3&to=15.3", headers={"Range": "bytes=0-99"})
    assert part.status_code == 206 and part.content == answer.content[:100]
    small = client.get(f"{HAND}/clip?from=13.3&to=13.5&width=160")
    (tmp_path / "s.mp4").write_bytes(small.content)
    with av.open(str(tmp_path / "s.mp4")) as film:
        assert film.streams.video[0].width == 160
    early = client.get(f"{HAND}/clip?from=-1&to=9.5")
    assert shown_in(early.content, tmp_path / "b.mp4")[0] == 82, "where the hand begins"


def test_a_clip_of_a_recording_that_was_sent(client: TestClient, tmp_path: Path) -> None:
    answer = client.get("/api/recordings/sample/clip?from=1&to=2")
    assert answer.status_code == 200
    (tmp_path / "c.mp4").write_bytes(answer.content)
    with av.open(str(tmp_path / "c.mp4")) as film:
        assert len(list(film.decode(video=0))) == 11


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ("from=5&to=4", 422),
        ("from=5&to=5", 422),
        ("from=10&to=30.5", 422),
        ("from=x&to=4", 422),
        ("from=nan&to=4", 422),
        ("from=1", 422),
        ("from=0&to=1e9", 422),
        ("from=400&to=401", 404),
        ("from=12&to=13&width=9000", 422),
    ],
)
def test_a_clip_that_is_none(client: TestClient, asked: str, status: int) -> None:
    answer = client.get(f"{HAND}/clip?{asked}")
    assert answer.status_code == status and set(answer.json()) == {"error"}


def test_a_clip_is_cut_once_and_not_too_many_at_a_time(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut, go = [], threading.Event()
    really = clips.Clips._cut

    def slowly(self: Any, film: Any, key: Any) -> Path:
        cut.append(key)
        go.wait(20)
        return really(self, film, key)

    monkeypatch.setattr(clips.Clips, "_cut", slowly)
    asked = [threading.Thread(target=client.get, args=(f"{HAND}/clip?from=11.{n}&to=12",)) for n in range(6)]
    for thread in asked:
        thread.start()
    for _ in range(200):
        if len(cut) == 6:
            break
        threading.Event().wait(0.02)
    assert client.get(f"{HAND}/clip?from=14&to=15").status_code == 503
    go.set()
    for thread in asked:
        thread.join()
    assert client.get(f"{HAND}/clip?from=11.3&to=12").status_code == 200
    assert len(cut) == 6, "a clip that is there is not cut again"


# -- pages ---------------------------------------------------------------------------------------------------


def test_a_moment_as_a_page_stands_alone(client: TestClient) -> None:
    client.post(f"{HAND}/challenges", json={"of": 3, "by": EVIL, "says": EVIL})
    client.post(f"{HAND}/challenges/1", json={"state": "accepted", "by": "Ben"})
    answer = client.get(f"{HAND}/moment/3")
    page = answer.text
    assert "attachment" in answer.headers["content-disposition"]
    assert not re.findall(r"""(?:src|href)=["'](?!data:)|https?://|url[(]""", page), "nothing from outside"
    assert "<script" not in page and EVIL not in page and "&lt;img src=x" in page
    pictures = [base64.b64decode(each) for each in re.findall(r"data:image/jpeg;base64,([^\"]+)", page)]
    numbers = [number_of_jpeg(each) for each in pictures]
    assert len(numbers) == 4 and numbers[2] == 145 and numbers == sorted(numbers), (
        "the landing is its third still"
    )
    assert "frame 145, 0:14.5" in page
    assert "9D does not go with AH" in page and "N9" in page and "Accepted by Ben." in page
    assert "by one in suit to the king" in page, "the rule's own words"
    assert "&#34;cards&#34;: [&#34;9D&#34;]" in page and "wrong-foundation-card" in page, (
        "the lines of the record"
    )


def test_a_moment_with_its_rival_says_who_was_first(client: TestClient) -> None:
    page = client.get(f"{HAND}/moment/3?rival=5").text
    assert "Who was first" in page and "south was first" in page
    assert page.count("data:image/jpeg") == 4 + 5 and page.count("<rect") == 2
    strip = page.split('id="first"')[1]
    assert strip.count(", come to rest ·") == 2 and strip.count("still moving or hidden ·") == 2
    numbers = [int(number) for number in re.findall(r"frame (\d+)", strip)]
    assert numbers == sorted(numbers) and len(numbers) == 5, "and how the cards lie then"


def test_a_moment_of_which_no_picture_is_kept_is_told_without(client: TestClient, shelf: Path) -> None:
    for file in (shelf / EVENING).glob("film*"):
        file.unlink()
    page = client.get(f"{HAND}/moment/3?rival=5").text
    assert "9D does not go with AH" in page and "south was first" in page and "<img" not in page


@pytest.mark.parametrize(
    ("path", "status"), [("moment/99", 404), ("moment/0", 404), ("moment/3?rival=99", 404), ("moment/x", 422)]
)
def test_a_moment_that_is_none(client: TestClient, path: str, status: int) -> None:
    answer = client.get(f"{HAND}/{path}")
    assert answer.status_code == status and set(answer.json()) == {"error"}


def test_no_moment_before_there_is_a_record(client: TestClient) -> None:
    for path in ("moment/1", "first/1", "under"):
        answer = client.get(f"/api/recordings/sample/{path}")
        assert answer.status_code == 404 and "no record" in answer.json()["error"]
    client.post("/api/recordings/sample/referee")
    finished(client, "sample")
    assert client.get("/api/recordings/sample/moment/3").status_code == 200


def test_a_moment_is_kept_from_the_page(page: Page, hand_video: Path, shelf: Path, tmp_path: Path) -> None:
    with serving(pretend_tools(PretendEye(), hand_video), shelf) as served:
        page.goto(f"{served.address}/#moment/{EVENING}.2//3")
        page.get_by_text("Keep or send this moment").click()
        expect(page.locator("#moment-where")).to_contain_text("Frame 139")
        link = page.locator("#keep-link").inner_text()
        with page.expect_download() as got:
            page.get_by_role("link", name="Page (HTML)").click()
        kept = tmp_path / "kept.html"
        got.value.save_as(kept)
        with page.expect_download() as got:
            page.get_by_role("link", name="Clip (MP4)").click()
        clip = tmp_path / "clip.mp4"
        got.value.save_as(clip)
        assert shown_in(clip.read_bytes(), tmp_path / "same.mp4") == list(range(133, 154))
        page.goto("about:blank")
        page.goto(link)
        expect(page.locator("#moment-where")).to_contain_text("Frame 139 of")
        expect(page.locator("#moment-what")).to_contain_text("9♦")
    page.goto(kept.as_uri())
    expect(page.get_by_role("heading", name="Hand 2, 28 November 2026, 20:15")).to_be_visible()
    assert page.evaluate("[...document.images].every(image => image.complete && image.naturalWidth > 0)")


# -- other rules ---------------------------------------------------------------------------------------------


def dealt(seat: str, first: str) -> dict[str, Any]:
    piles = {"nerts": 13, "work 1": [first], "work 2": 1, "work 3": 1, "work 4": 1, "stock": 35}
    return {"event": "deal", "at": 9.0, "seat": seat, "piles": piles}


#: Both have 13 Nerts cards left, and north has one in the centre.
LEFT = [HEADER, dealt("north", "AH"), dealt("south", "AC"), play(11.0, "north", "AH")]


@pytest.fixture
def left(shelf: Path) -> None:
    (shelf / EVENING / "hand-2.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LEFT))


def under(client: TestClient, **asked: str) -> Any:
    return client.get(f"{HAND}/under", params=asked)


@pytest.mark.usefixtures("left")
def test_under_other_rules_nothing_is_written(client: TestClient, shelf: Path) -> None:
    files = {path: path.read_bytes() for path in (shelf / EVENING).iterdir() if path.is_file()}
    same = under(client).json()
    assert same["same"] and same["rulings"] == {"now": [], "there": []}
    dear = under(client, settings='{"penalty": 3}').json()
    north = dear["hand"]["north"]
    assert north["there"]["points"] == north["now"]["points"] - north["now"]["left"]
    assert files == {path: path.read_bytes() for path in (shelf / EVENING).iterdir() if path.is_file()}


def test_rulings_that_differ_are_told_in_words(hand_video: Path, tmp_path: Path) -> None:
    """North's ace slides under: allowed where house rules say so."""
    lines = [
        HEADER,
        play(2.0, "north", "2H", "work 1", "work 2"),
        {**play(3.0, "north", "3C", "work 3", "work 2"), "under": True},
    ]
    keep(tmp_path, {2: lines})
    client = TestClient(
        create_app(pretend_tools(PretendEye(), hand_video), tmp_path), base_url="http://localhost"
    )
    ruled = {each: under(client, settings=f'{{"slide_under": {each}}}').json() for each in ("true", "false")}
    differs = [one for one in ruled.values() if not one["same"]]
    assert len(differs) == 1
    told = [*differs[0]["rulings"]["now"], *differs[0]["rulings"]["there"]]
    assert told[0]["seat"] == "north" and told[0]["what"].startswith("3♣") and told[0]["said"] == "illegal"
    assert told[0]["rule"] and told[0]["why"]


@pytest.mark.parametrize(
    "asked",
    [
        {"game": "whist"},
        {"game": "double-solitaire"},
        {"settings": '{"penalty": "x"}'},
        {"settings": '{"nothing": 1}'},
        {"settings": "[]"},
        {"settings": "{"},
        {"settings": '{"penalty": 1' + "0" * 4000 + "}"},
    ],
)
def test_rules_that_cannot_be(client: TestClient, asked: dict[str, str]) -> None:
    answer = under(client, **asked)
    assert answer.status_code == 422 and set(answer.json()) == {"error"}


@pytest.mark.usefixtures("left")
def test_other_rules_are_compared_on_the_page(page: Page, hand_video: Path, shelf: Path) -> None:
    """Somebody may be quicker than the list of games."""
    page.route("**/api/table", lambda route: (page.wait_for_timeout(700), route.continue_()))
    with serving(pretend_tools(PretendEye(), hand_video), shelf) as served:
        page.goto(f"{served.address}/#moment/{EVENING}.2")
        page.get_by_text("Under other rules").click()
        page.get_by_role("button", name="Compare").click()
        found = page.locator("#otherwise-found")
        expect(found).to_contain_text("everything would be as it is")
        page.locator("#moment-otherwise").get_by_text("House rules").click()
        page.locator("#otherwise-rules [data-key=penalty]").fill("3")
        page.get_by_role("button", name="Compare").click()
        row = found.locator("tbody tr").filter(has_text="north")
        expect(row.locator("td")).to_have_text(["north", "points", "-25", "-38"])
        expect(page.locator("#moment-table")).to_contain_text("-25"), "what holds stays beside it"
