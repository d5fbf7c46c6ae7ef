"""The live view, the board and the button in a real browser, with a pretended table behind them."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_table import HAND, HEADER, PretendSession, live_table, place, plain, play
from playwright.sync_api import Browser, Page, expect
from pretend import PretendEye, pretend_tools
from serving import Served, serving

from referee.web.auth import Keys, Role
from referee.web.invite import Invitation

WITHDRAWN = {"event": "correct", "at": 7.0, "of": 4, "drop": True, "by": "umpire"}
KEYS = Keys.new()


@pytest.fixture
def session() -> PretendSession:
    return PretendSession(image=(1, plain(120)))


@pytest.fixture
def served(hand_video: Path, tmp_path: Path, session: PretendSession) -> Iterator[Served]:
    with serving(pretend_tools(PretendEye(), hand_video), tmp_path, table=live_table(session)) as served:
        yield served


def begun(session: PretendSession) -> None:
    """A hand is under way, and two plays of it are told."""
    session.tell(*HAND[:2])
    seats = {"north": {"name": "Anna", "deck": "blue"}, "south": {"name": "south", "deck": "red"}}
    session.say("ready", "the deal is read: play", seats=seats)
    session.say("playing", "play goes on")


def test_plays_come_provisional_and_settle_in_their_place(
    page: Page, served: Served, session: PretendSession
) -> None:
    begun(session)
    page.goto(f"{served.address}/live")
    expect(page.locator("#live-head")).to_have_text("Playing")
    plays = page.locator("#live-plays li")
    expect(plays).to_have_count(1)
    expect(plays.first).to_contain_text("Anna")
    session.believe(HAND[3])
    expect(plays).to_have_count(2)
    expect(plays.first).to_contain_text("not settled yet")
    session.tell(*HAND[2:4])
    expect(plays).to_have_count(3)
    expect(page.locator("#live-plays li.unsettled")).to_have_count(0)
    expect(plays.first).to_contain_text("9♦")


def test_a_flag_has_the_rules_words_and_a_still_and_goes_when_it_is_withdrawn(
    page: Page, served: Served, session: PretendSession
) -> None:
    page.add_init_script("window.said = []; speechSynthesis.speak = (told) => said.push(told.text)")
    begun(session)
    page.goto(f"{served.address}/live")
    expect(page.locator("#live-plays li")).to_have_count(1)
    page.get_by_label("spoken sentence").check()
    page.wait_for_timeout(1600)  # what was told before we came is not called out
    session.tell(*HAND[2:5])
    flag = page.locator("#live-flags li")
    expect(flag).to_contain_text("illegal · N9")
    expect(flag).to_contain_text("9D does not go with AH")
    picture = flag.locator("img")
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1280
    (
        expect(picture).to_have_attribute("src", re.compile("of=evening$")),
        "another evening's is another picture",
    )
    expect(page.locator("#live-plays li.illegal")).to_have_count(1)
    assert page.evaluate("said") == ["Flags are spoken.", f"south: {HAND[4]['why']}"]
    session.tell(*HAND[5:], WITHDRAWN)
    expect(flag).to_have_count(0)
    expect(page.locator("#live-plays li.illegal")).to_have_count(0)
    expect(page.locator("#live-plays li").first).to_contain_text("2♦"), "corrected where it stands"


def test_the_picture_is_the_newest_with_the_places_over_it(
    page: Page, served: Served, session: PretendSession
) -> None:
    begun(session)
    page.goto(f"{served.address}/live")
    expect(page.locator("#live-dark")).to_be_hidden()
    session.image = (2, plain(200))
    expect(page.locator("#live-canvas[data-frame='2']")).to_be_visible()
    shade = page.evaluate(
        "document.getElementById('live-canvas').getContext('2d').getImageData(9, 9, 1, 1).data[0]"
    )
    assert abs(shade - 200) < 4
    outline = page.locator("#live-svg polygon")
    expect(outline).to_have_attribute("points", re.compile(r"^512,288 768,288 768,43\d"))
    expect(page.locator("#live-svg text")).to_have_text("AH")
    page.get_by_label("what is seen").uncheck()
    expect(outline).to_have_count(0)
    expect(page.locator("#live-counts")).to_have_text("Frames: taken 300, recorded 300, looked at 60, late 0")


def test_an_illegal_play_marks_the_pile_of_who_made_it(
    page: Page, served: Served, session: PretendSession
) -> None:
    """Everybody has a first work pile; foundations are everybody's."""
    session.places = [
        place("work 1", "north", 0.1, 0.1),
        place("work 1", "south", 0.1, 0.7),
        place("foundation 1", "", 0.4, 0.4),
    ]
    begun(session)
    page.goto(f"{served.address}/live")
    marked = page.locator("#live-svg polygon.marked")
    ruling = {**HAND[4], "ruling": "bad-build", "rule": "N5"}
    session.tell(play(2.0, "south", "9D", "waste", "work 1"), {**ruling, "of": [2]})
    expect(marked).to_have_count(1)
    expect(marked).to_have_attribute("points", re.compile(r"^128,50[34]"))
    session.tell(play(3.0, "south", "9C", "waste"), {**ruling, "of": [4]})
    expect(marked).to_have_attribute("points", re.compile(r"^512,288"))


def test_the_score_if_it_ended_now_and_the_call(page: Page, served: Served, session: PretendSession) -> None:
    begun(session)
    session.standing = {
        "nerts": {"north": 3, "south": 12},
        "points": {"north": {"points": 4}, "south": {"points": -20}},
    }
    page.goto(f"{served.address}/live")
    anna = page.locator("#live-standing tbody tr").filter(has_text="Anna")
    expect(anna.locator("td")).to_have_text(["Anna", "3", "4"])
    page.get_by_role("button", name="Anna calls Nerts").click()
    expect(page.locator("#live-said")).to_have_text("north called")
    assert session.calls == ["north"]
    page.get_by_role("button", name="south calls Nerts").click()
    expect(page.locator("#live-said")).to_have_text("north called first")
    session.say("score", "the hand is over", score={"north": {"points": 14}}, match={"north": 30, "south": 2})
    expect(page.locator("#live-score-title")).to_have_text("Score")
    expect(anna.locator("td")).to_have_text(["Anna", "3", "14", "30"])


@pytest.mark.parametrize("view", ["live", "board"])
def test_what_is_amiss_with_camera_and_disk_is_shown_while_it_is(
    page: Page, served: Served, session: PretendSession, view: str
) -> None:
    begun(session)
    page.goto(f"{served.address}/{view}")
    expect(page.locator(f"#{view}-head")).to_have_text("Playing")
    box = page.locator(f"#{view}-amiss")
    expect(box).to_be_hidden()
    session.amiss = ["the recording stopped, the disk is full: make <b>room</b>", "only 5.0 frames a second"]
    expect(box).to_be_visible()
    expect(box).to_contain_text("make <b>room</b>")
    expect(box).to_contain_text("only 5.0 frames a second")
    session.amiss = []
    expect(box).to_be_hidden()


def test_a_hand_that_is_over_is_led_to(page: Page, served: Served, session: PretendSession) -> None:
    """To its frames and its plays among the recordings, and not while it is played."""
    begun(session)
    page.goto(f"{served.address}/live")
    expect(page.locator("#live-head")).to_have_text("Playing")
    expect(page.locator("#live-again")).to_be_hidden()
    session.say("score", "the hand is over", score={"north": {"points": 21}, "south": {"points": 4}})
    link = page.get_by_role("link", name="Look at this hand again")
    expect(link).to_be_visible()
    assert (link.get_attribute("href") or "").endswith("#moment/session-20260405-190000.1")


def test_a_question_is_answered(page: Page, served: Served, session: PretendSession) -> None:
    begun(session)
    page.goto(f"{served.address}/live")
    expect(page.locator("#live-question")).to_be_hidden()
    session.say("playing", question={"number": 4, "asks": "Has Anna called?", "seat": "north", "at": 3.0})
    expect(page.locator("#live-asks")).to_have_text("Has Anna called?")
    page.get_by_role("button", name="Yes").click()
    expect(page.locator("#live-said")).to_have_text("play goes on")
    assert session.answers == [(4, True)]


def test_a_play_is_corrected_by_a_tap(page: Page, served: Served, session: PretendSession) -> None:
    begun(session)
    session.tell(*HAND[2:5])
    page.goto(f"{served.address}/live")
    page.locator("#live-plays li.illegal").get_by_role("button", name="Correct").click()
    page.locator("#live-correct").get_by_label("Your name").fill("Anna")
    other = page.locator("#live-others button").first
    words = other.locator(".what").inner_text()
    other.click()
    expect(page.locator("#live-corrected")).to_contain_text("derived anew")
    expect(page.locator("#live-plays li").first).to_contain_text(f"{words} (corrected by Anna)")
    page.get_by_role("button", name="Undo the last correction").click()
    expect(page.locator("#live-plays li").first).not_to_contain_text("corrected by Anna")


def test_what_is_told_is_text_and_no_markup(page: Page, served: Served, session: PretendSession) -> None:
    evil = "<img src=x onerror=alert(1)>"
    session.tell(HEADER, {"event": "call", "at": 1.0, "seat": evil, "word": evil})
    session.say(evil, evil)
    page.goto(f"{served.address}/live")
    expect(page.locator("#live-plays li")).to_contain_text(evil)
    expect(page.locator("#live-say")).to_have_text(evil)
    assert page.locator("#live img").count() == 0


def test_the_page_goes_on_behind_a_restart(
    page: Page, hand_video: Path, tmp_path: Path, session: PretendSession
) -> None:
    tools = pretend_tools(PretendEye(), hand_video)
    begun(session)
    session.tell(*HAND[2:4])
    with serving(tools, tmp_path, table=live_table(session)) as before:
        page.goto(f"{before.address}/live")
        expect(page.locator("#live-plays li")).to_have_count(3)
    expect(page.locator("#live-broken")).to_contain_text("goes on by itself")
    again = PretendSession(hands={1: HAND[:4]}, image=(1, plain(30)))
    again.hands[1] += HAND[4:6]  # told while nobody listened
    with serving(tools, tmp_path, table=live_table(again), port=before.port):
        expect(page.locator("#live-broken")).to_be_hidden(timeout=15_000)
        expect(page.locator("#live-plays li")).to_have_count(4)
        expect(page.locator("#live-plays li.illegal")).to_have_count(1)
        again.tell(HEADER, play(1.0, "south", "AC"))
        expect(page.locator("#live-plays li")).to_have_count(1)
        expect(page.locator("#live-count")).to_have_text("Hand 2: 1 plays")


def test_without_a_table_the_page_says_how_to_begin(page: Page, address: str) -> None:
    page.goto(f"{address}/live")
    expect(page.locator("#live-none")).to_contain_text("nerts-referee watch")
    expect(page.locator("#live-table")).to_be_hidden()


# -- the board and the button --------------------------------------------------------------------------------


def test_the_board_shows_state_score_and_plays(page: Page, served: Served, session: PretendSession) -> None:
    begun(session)
    page.goto(f"{served.address}/board")
    expect(page.locator("#board-head")).to_have_text("Playing")
    session.tell(*HAND[2:5])
    expect(page.locator("#board-plays li.illegal")).to_contain_text("9D does not go with AH")
    expect(page.locator("#board-score tbody tr").first).to_contain_text("Anna")
    size = page.locator("#board-score td").first.evaluate(
        "cell => parseFloat(getComputedStyle(cell).fontSize)"
    )
    assert size > 32


def phone(browser: Browser) -> Page:
    context = browser.new_context(viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    return context.new_page()


def test_a_phone_remembers_its_seat_and_buzzes(
    browser: Browser, served: Served, session: PretendSession
) -> None:
    begun(session)
    page = phone(browser)
    page.goto(f"{served.address}/buzz")
    page.get_by_role("button", name="Anna").click()
    page.reload()
    button = page.get_by_role("button", name="Nerts!")
    box = button.bounding_box()
    assert box is not None and box["height"] > 300 and box["y"] + box["height"] <= 740
    button.tap()
    expect(page.locator("#buzz-said")).to_have_text("north called")
    session.over = True
    button.tap()
    expect(page.locator("#buzz-said")).to_contain_text("no hand is being played")
    page.get_by_role("button", name="Somebody else").tap()
    expect(page.get_by_role("button", name="south")).to_be_visible()
    page.context.close()


def test_a_players_link_leads_to_the_button_and_no_further(
    browser: Browser, hand_video: Path, tmp_path: Path, session: PretendSession
) -> None:
    begun(session)
    tools = pretend_tools(PretendEye(), hand_video)
    with serving(tools, tmp_path, table=live_table(session), keys=KEYS) as guarded:
        page = phone(browser)
        page.goto(Invitation(guarded.address, KEYS, watched=True).link(Role.PLAYER))
        page.get_by_role("button", name="south").tap()
        page.get_by_role("button", name="Nerts!").tap()
        expect(page.locator("#buzz-said")).to_have_text("south called")
        page.goto(Invitation(guarded.address, KEYS, watched=True).link(Role.WATCHER))
        expect(page.locator("#live-plays li")).to_have_count(1)
        expect(page.locator("#live-calls")).to_be_hidden()
        page.context.close()


def test_board_and_button_go_on_behind_a_restart(
    browser: Browser, page: Page, hand_video: Path, tmp_path: Path, session: PretendSession
) -> None:
    """A buzz that nobody hears says so; once the referee is back it counts without a touch of the page."""
    tools = pretend_tools(PretendEye(), hand_video)
    begun(session)
    button = phone(browser)
    with serving(tools, tmp_path, table=live_table(session)) as before:
        page.goto(f"{before.address}/board")
        expect(page.locator("#board-plays li")).to_have_count(1)
        button.goto(f"{before.address}/buzz")
        button.get_by_role("button", name="Anna").tap()
    for shown, broken in ((page, "#board-broken"), (button, "#buzz-broken")):
        expect(shown.locator(broken)).to_contain_text("goes on by itself")
    button.get_by_role("button", name="Nerts!").tap()
    expect(button.locator("#buzz-said")).to_contain_text("cannot be reached")
    again = PretendSession(hands={1: HAND[:4]})
    with serving(tools, tmp_path, table=live_table(again), port=before.port):
        for shown, broken in ((page, "#board-broken"), (button, "#buzz-broken")):
            expect(shown.locator(broken)).to_be_hidden(timeout=15_000)
        expect(page.locator("#board-plays li")).to_have_count(3)
        button.get_by_role("button", name="Nerts!").tap()
        expect(button.locator("#buzz-said")).to_have_text("north called")
        assert again.calls == ["north"]
    button.context.close()


def test_names_that_are_chosen_are_shown_at_once_everywhere(
    browser: Browser, page: Page, served: Served, session: PretendSession
) -> None:
    begun(session)
    board = browser.new_page()
    board.goto(f"{served.address}/board")
    expect(board.locator("#board-score")).to_contain_text("Anna")
    page.goto(f"{served.address}/#terms")
    page.get_by_label("Who sits at north").fill("Carla")
    page.get_by_role("button", name="Keep").click()
    expect(page.locator("#terms-said")).to_contain_text("It holds from the next deal on.")
    expect(board.locator("#board-score")).to_contain_text("Carla")
    page.goto(f"{served.address}/#live")
    expect(page.locator("#live-standing")).to_contain_text("Carla")
    expect(page.get_by_role("button", name="Carla calls Nerts")).to_be_visible()
    board.close()


def test_from_told_to_shown(page: Page, served: Served, session: PretendSession) -> None:
    """A line is on the page well within the time in which people expect it, also with others looking on."""
    begun(session)
    page.goto(f"{served.address}/live")
    expect(page.locator("#live-plays li")).to_have_count(1)
    told = threading.Event()
    threading.Timer(0.3, lambda: (session.tell(HAND[2]), told.set())).start()
    told.wait(5)
    began = time.monotonic()
    expect(page.locator("#live-plays li")).to_have_count(2)
    assert time.monotonic() - began < 3
