"""Who was first: landings as far as they are known, the verdict and the rule's words; both side by side on the page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from live_table import HEADER, play
from playwright.sync_api import Page, expect
from pretend import PretendEye, pretend_tools
from serving import serving
from watched_evening import EVENING, keep, number_of_jpeg

from referee.web import create_app
from referee.web.dispute.first import First, who_was_first
from referee.web.errors import NotHereError

Line = dict[str, Any]
HAND = f"/api/recordings/{EVENING}.1"


def nothing_taken(number: int) -> float | None:
    return None


def tied(one: Line, other: Line, *more: Line, header: Line = HEADER) -> list[Line]:
    """North's and south's ace of hearts on one foundation, about at once."""
    return [header, {**play(5.0, "north", "AH"), **one}, {**play(5.1, "south", "AH"), **other}, *more]


def asked(lines: list[Line], rival: tuple[int, int] | None = None, taken_at: Any = nothing_taken) -> First:
    return who_was_first(lines, (1, 0), rival, taken_at)


def test_landings_that_were_seen_say_who_was_first() -> None:
    found = asked(tied({"landed": [4.97, 5.0]}, {"landed": [5.1, 5.13]}))
    assert (found.verdict, found.winner, found.tie) == ("first", "north", True)
    assert "0.10 to 0.16 s before the other" in found.say and "not seen to the frame" not in found.say
    assert [each.landed for each in found.plays] == [(4.97, 5.0), (5.1, 5.13)]
    assert found.rule is not None and found.rule.id == "N13" and "tie" in found.rule.text


@pytest.mark.parametrize(
    ("landed", "words"),
    [
        ([5.0, 5.06], "at the same moment"),
        ([5.05, 5.06], "less than 2 frames lie between them"),
    ],
)
def test_what_is_too_close_is_said_to_be(landed: list[float], words: str) -> None:
    found = asked(tied({"landed": [4.97, 5.01]}, {"landed": landed}))
    assert (found.verdict, found.winner) == ("both-stay", "")
    assert found.say.startswith("Too close to tell") and words in found.say and "both cards stay" in found.say


def test_a_moment_without_a_landing_is_trusted_to_a_tenth_of_a_second() -> None:
    found = asked(tied({}, {}))
    assert found.plays[0].landed == pytest.approx((4.9, 5.1))
    assert found.plays[1].landed == pytest.approx((5.0, 5.2))
    assert found.verdict == "both-stay" and "not seen to the frame: look at them" in found.say
    far = asked(tied({}, {"at": 5.6}))
    assert (far.verdict, far.winner) == ("first", "north")
    slow = asked(tied({}, {"at": 5.6}, header={**HEADER, "source": {"kind": "camera", "fps": 5}}))
    assert slow.plays[0].landed == pytest.approx((4.6, 5.4)), "two frames of a slow camera are longer"
    assert slow.verdict == "both-stay"


def test_a_card_that_was_seen_lying_there_had_landed() -> None:
    found = asked(tied({"frames": [151, 151]}, {}), taken_at={151: 5.04}.get)
    assert found.plays[0].landed == pytest.approx((4.9, 5.04))
    before = asked(tied({"frames": [140, 140]}, {}), taken_at={140: 4.6}.get)
    assert before.plays[0].landed == pytest.approx((4.9, 5.1)), "a frame before the moment says nothing"


def test_cards_that_were_first_seen_in_one_look_came_in_whichever_order() -> None:
    found = asked(tied({"frames": [170, 170]}, {"at": 5.5, "frames": [170, 170]}), taken_at={170: 5.8}.get)
    assert found.plays[0].landed == found.plays[1].landed == pytest.approx((4.9, 5.6))
    assert found.verdict == "both-stay"


def test_a_gap_makes_a_moment_as_wide_as_it_is() -> None:
    gap = {"event": "gap", "at": 5.2, "from": 4.0, "to": 5.05, "why": "covered"}
    found = asked(tied({}, {}, gap))
    assert found.plays[0].landed == pytest.approx((4.0, 5.1))


def test_a_card_that_was_seen_underneath_was_first() -> None:
    found = asked(tied({}, {"over": 1}))
    assert (found.verdict, found.winner) == ("first", "north") and "lies underneath" in found.say


def test_two_different_cards_are_no_tie() -> None:
    lines = [HEADER, play(5.0, "north", "AH"), play(5.9, "south", "2H", "nerts")]
    found = asked(lines)
    assert not found.tie and found.winner == "north" and "no tie" in found.say


def test_other_games_have_their_own_rule() -> None:
    found = asked(tied({}, {}, header={**HEADER, "game": "nerts-twelve"}))
    assert found.rule is not None and found.rule.id == "T3"


def test_the_likeliest_rival_is_offered_first() -> None:
    lines = [
        HEADER,
        play(5.0, "north", "AH"),
        play(5.05, "south", "KC", "nerts", "work 1"),
        play(5.6, "south", "AH"),
        play(8.0, "north", "AC", "work 2", "foundation 2"),
        play(30.0, "south", "2C", target="foundation 2"),
    ]
    found = asked(lines)
    assert [entry.index for entry in found.rivals] == [3, 2, 4], "far ones are none"
    assert asked(lines, (4, 0)).plays[1].key == (4, 0)
    assert asked(lines, (5, 0)).plays[1].key == (5, 0), "whatever somebody picks"
    assert len(asked(lines[:2]).plays) == 1
    for none in ((9, 0), (1, 7), (0, 0)):
        with pytest.raises(NotHereError):
            asked(lines, none)


def test_a_play_that_was_put_in_by_a_correction_can_be_asked_about() -> None:
    inserted = {
        "event": "correct",
        "at": 9.0,
        "of": 2,
        "insert": [play(4.8, "south", "KC", "nerts", "work 1")],
        "by": "Anna",
    }
    dropped = {"event": "correct", "at": 9.0, "of": 1, "drop": True, "by": "Anna"}
    assert (
        who_was_first(tied({}, {}, inserted), (3, 0), (2, 0), nothing_taken)
        .plays[0]
        .entry.text.startswith("K♣")
    )
    with pytest.raises(NotHereError):
        asked(tied({}, {}, dropped))


# -- on the page ---------------------------------------------------------------------------------------------

#: The aces come to rest in frames 70 and 82 (10 a second).
TIED: list[Line] = [
    {**HEADER, "source": {"kind": "camera", "fps": 10}},
    {**play(7.0, "north", "AH"), "landed": [6.95, 7.0]},
    {**play(8.2, "south", "AH"), "landed": [7.6, 8.2]},
    play(8.9, "south", "AC", "nerts", "foundation 2"),
    play(21.0, "north", "2C", "nerts", "foundation 2"),
]


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    keep(tmp_path, {1: TIED})
    return tmp_path


@pytest.fixture
def client(hand_video: Path, shelf: Path) -> Iterator[TestClient]:
    app = create_app(pretend_tools(PretendEye(), hand_video), shelf)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as opened:
        yield opened


def test_each_landing_is_shown_by_its_very_frame(client: TestClient) -> None:
    told = client.get(f"{HAND}/first/1").json()
    assert [each["frame"] for each in told["plays"]] == [70, 82]
    assert number_of_jpeg(client.get(f"{HAND}/frame/82?width=960").content) == 82
    other = client.get(f"{HAND}/first/1?rival=3&rival_part=0").json()
    assert other["plays"][1]["index"] == 3 and not other["tie"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("first/9", 404),
        ("first/0", 404),
        ("first/1?rival=77", 404),
        ("first/1?rival=x", 422),
        ("first/x", 422),
        ("first/1?part=-1", 422),
    ],
)
def test_odd_questions(client: TestClient, path: str, status: int) -> None:
    answer = client.get(f"{HAND}/{path}")
    assert answer.status_code == status and set(answer.json()) == {"error"}


def test_who_was_first_can_be_said_without_a_picture(client: TestClient, shelf: Path) -> None:
    for file in (shelf / EVENING).glob("film*"):
        file.unlink()
    told = client.get(f"{HAND}/first/1").json()
    assert told["winner"] == "north" and [each["frame"] for each in told["plays"]] == [None, None]


def test_the_kept_page_of_a_tie_has_both_landings_unasked(client: TestClient) -> None:
    page = client.get(f"{HAND}/moment/2").text
    strip = page.split('id="first"')[1]
    assert "north was first" in strip
    shown = [int(number) for number in re.findall(r"frame (\d+)", strip)]
    assert shown == [69, 70, 76, 82, 90], "before and after each landing, and how the cards lie then"
    assert 'id="first"' not in client.get(f"{HAND}/moment/3").text, "no tie"


def test_both_landings_stand_side_by_side(page: Page, hand_video: Path, shelf: Path) -> None:
    with serving(pretend_tools(PretendEye(), hand_video), shelf) as served:
        page.goto(f"{served.address}/#moment/{EVENING}.1//1")
        page.get_by_text("Who was first?").click()
        frames = page.locator("#first-landings img")
        expect(frames).to_have_count(2)
        expect(frames.nth(0)).to_have_attribute("src", re.compile("/frame/70[?]"))
        expect(frames.nth(1)).to_have_attribute("src", re.compile("/frame/82[?]"))
        # a picture that has not come yet takes no room
        for each in (frames.nth(0), frames.nth(1)):
            each.evaluate("image => image.decode()")
        left, right = (frames.nth(n).bounding_box() for n in (0, 1))
        assert left and right and left["y"] == right["y"] and left["x"] + left["width"] <= right["x"]
        expect(page.locator("#first-say")).to_contain_text("north was first")
        expect(page.locator("#first-rule")).to_contain_text("N13 Ties.")
        bars = page.locator("#first-line i")
        first, second = (bars.nth(n).bounding_box() for n in (0, 1))
        assert first and second and first["x"] + first["width"] < second["x"], "intervals on one line of time"
        frames.nth(0).click()
        assert [frames.nth(n).bounding_box()["width"] for n in (0, 1)] == pytest.approx(
            [3 * left["width"]] * 2
        )  # type: ignore[index]
        frames.nth(1).click()
        page.get_by_role("button", name="The next frame: south").click()
        expect(frames.nth(1)).to_have_attribute("src", re.compile("/frame/83[?]"))
        page.get_by_role("button", name="Show it large: south").click()
        expect(page.locator("#moment-where")).to_contain_text("Frame 83 of")
        page.locator("#first-rival").select_option(label="0:08.9 south A♣  nerts → foundation 2")
        expect(page.locator("#first-say")).to_contain_text("This is no tie")
        page.locator("#first-rival").select_option(label="0:21.0 north 2♣  nerts → foundation 2")
        expect(page.locator("#first-landings")).to_contain_text("frame 210"), "any two plays"
        page.goto(f"{served.address}/#moment/{EVENING}.1//4")
        expect(page.locator("#first-rival")).to_contain_text("none came within ten seconds")
        expect(page.locator("#first-found")).to_be_hidden()
        page.locator("#first-rival").select_option(label="0:07.0 north A♥  work 1 → foundation 1")
        expect(frames).to_have_count(2)


def test_too_close_is_said_on_the_page(page: Page, hand_video: Path, tmp_path: Path) -> None:
    keep(tmp_path, {1: [TIED[0], TIED[1], {**TIED[2], "at": 7.1, "landed": [7.0, 7.1]}]})
    with serving(pretend_tools(PretendEye(), hand_video), tmp_path) as served:
        page.goto(f"{served.address}/#moment/{EVENING}.1//2")
        page.get_by_text("Who was first?").click()
        expect(page.locator("#first-say .chip")).to_have_text("too close")
        expect(page.locator("#first-line i.winner")).to_have_count(0)
        assert json.loads(page.evaluate("fetch(location.origin + '/api/recordings').then(a => a.text())"))
