"""Both uses of the page in a real browser, with a pretended eye and umpire behind it."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from pretend import NAMED, PLAYS, picture

from vision.capture.frames import save_image

PLAY_AT = [play["at"] for play in PLAYS if play["event"] == "play"]


@pytest.fixture
def spread(tmp_path: Path) -> Path:
    save_image(tmp_path / "spread.png", picture("red", "red", "blue", "red"))
    return tmp_path / "spread.png"


def video_time(page: Page) -> float:
    return float(page.evaluate("document.getElementById('video').currentTime"))


def video_ready(page: Page, patience_s: float = 20) -> None:
    """Wait until the video shows the frame it was sent to. (The page's policy forbids `wait_for_function`.)"""
    until = time.monotonic() + patience_s
    while not page.evaluate(
        "(video => video.readyState >= 2 && !video.seeking)(document.getElementById('video'))"
    ):
        assert time.monotonic() < until, "the video does not come"
        page.wait_for_timeout(50)


def wait_until_held(page: Page, held: list[Route], number: int = 1) -> None:
    """Wait until the page has asked so often for what a test keeps back."""
    until = time.monotonic() + 10
    while len(held) < number:
        assert time.monotonic() < until, "the page does not ask"
        page.wait_for_timeout(50)


def test_a_photo_is_annotated_and_scored(page: Page, address: str, spread: Path) -> None:
    page.goto(address)
    page.set_input_files("#photo-files", spread)
    rows = page.locator("#photo-score tbody tr")
    expect(rows).to_have_count(2)
    red = rows.filter(has_text="red")
    expect(red.locator("td").nth(2)).to_have_text(re.compile("^3 [✓?]$"))
    expect(red.locator("td").nth(4)).to_have_text("3")
    expect(page.locator("#photo-agree")).to_have_text("4 cards by the backs.")
    expect(page.locator("#photo-pictures polygon.back")).to_have_count(4)
    shown = page.locator("#photo-pictures img")
    assert shown.evaluate("image => image.decode().then(() => image.naturalWidth)") == 400


def test_what_is_typed_changes_the_score(page: Page, address: str, spread: Path) -> None:
    page.goto(address)
    page.set_input_files("#photo-files", spread)
    red = page.locator("#photo-score tbody tr").filter(has_text="red")
    red.get_by_label("Cards left in the Nerts pile of red").fill("4")
    red.get_by_label("Who plays with red").fill("Anna")
    red.get_by_label("Who plays with red").press("Tab")
    expect(red.locator("td.points")).to_have_text("-5")
    expect(red.get_by_label("Who plays with red")).to_have_value("Anna")


def test_an_answer_that_comes_while_somebody_types_wipes_nothing_out(
    page: Page, address: str, spread: Path
) -> None:
    page.goto(address)
    page.set_input_files("#photo-files", spread)
    red = page.locator("#photo-score tbody tr").filter(has_text="red")
    expect(red).to_be_visible()
    held: list[Route] = []
    page.route("**/api/score", lambda route: held.append(route))
    red.get_by_label("Cards left in the Nerts pile of red").fill("4")
    wait_until_held(page, held)
    red.get_by_label("Who plays with red").press_sequentially("Ann")
    for route in held:
        route.continue_()
    page.unroute("**/api/score")
    page.wait_for_timeout(100)
    red.get_by_label("Who plays with red").press("a")
    expect(red.locator("td.points")).to_have_text("-5")
    expect(red.get_by_label("Who plays with red")).to_have_value("Anna")
    expect(red.get_by_label("Who plays with red")).to_be_focused()


def test_faces_and_backs_are_compared_and_doubts_said(
    page: Page, address: str, spread: Path, tmp_path: Path
) -> None:
    save_image(tmp_path / "faces.png", picture("ace", "dim ace"))
    page.goto(address)
    page.set_input_files("#photo-files", [spread, tmp_path / "faces.png"])
    expect(page.locator("#photo-agree")).to_have_text("2 cards by the faces, 4 by the backs: they disagree.")
    expect(page.locator("#photo-foundations li")).to_have_count(2)
    expect(page.locator("#photo-queue .asks", has_text="A♠")).to_have_count(1)
    page.locator("#photo-clear").click()
    expect(page.locator("#photo-result")).to_be_hidden()


def test_faces_in_doubt_are_no_total(page: Page, address: str, spread: Path) -> None:
    """What the command says of a layout that may be no centre, the page says too."""

    def answer(route: Route) -> None:
        report = route.fetch().json()
        faces = [{"top": "AS", "cards": 1, "sure": False}]
        route.fulfill(json={**report, "foundations": faces, "total_by_faces": 1, "agrees": None})

    page.route("**/api/score", answer)
    page.goto(address)
    page.set_input_files("#photo-files", spread)
    expect(page.locator("#photo-agree")).to_have_text(
        "1 card by the faces, 4 by the backs; the faces are in doubt."
    )
    expect(page.locator("#photo-foundations li")).to_have_text("A♠ 1?")


def test_a_bad_photo_is_complained_about(page: Page, address: str, tmp_path: Path) -> None:
    (tmp_path / "notes.jpg").write_text("no picture")
    page.goto(address)
    page.set_input_files("#photo-files", tmp_path / "notes.jpg")
    expect(page.get_by_role("alert")).to_contain_text("notes.jpg is not a picture that can be read")


def test_a_bad_photo_keeps_no_other_away(page: Page, address: str, spread: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.jpg").write_text("no picture")
    page.goto(address)
    page.set_input_files("#photo-files", [tmp_path / "notes.jpg", spread])
    expect(page.locator("#photo-score tbody tr")).to_have_count(2)
    expect(page.locator("#complaint")).to_contain_text("notes.jpg is not a picture that can be read")
    expect(page.locator("#photo-busy")).to_be_hidden()


def test_what_is_amiss_with_a_photo_stays_told_until_somebody_types(
    page: Page, address: str, spread: Path, tmp_path: Path
) -> None:
    (tmp_path / "notes.jpg").write_text("no picture")
    save_image(tmp_path / "more.png", picture("red"))
    page.goto(address)
    held: list[Route] = []
    page.route("**/api/photos*", lambda route: route.continue_() if len(held) == 2 else held.append(route))
    page.set_input_files("#photo-files", tmp_path / "notes.jpg")
    page.set_input_files("#photo-files", [spread, tmp_path / "more.png"])
    wait_until_held(page, held, 2)
    for route in held:
        route.continue_()
    expect(page.locator("#photo-agree")).to_have_text("5 cards by the backs.")
    expect(page.locator("#complaint")).to_contain_text("notes.jpg is not a picture that can be read")
    page.get_by_label("Who plays with red").fill("Anna")
    expect(page.locator("#complaint")).to_be_hidden()


def test_what_is_amiss_is_told_though_somebody_types_while_other_photos_are_looked_at(
    page: Page, address: str, spread: Path, tmp_path: Path
) -> None:
    (tmp_path / "notes.jpg").write_text("no picture")
    save_image(tmp_path / "more.png", picture("red"))
    page.goto(address)
    page.set_input_files("#photo-files", spread)
    expect(page.locator("#photo-agree")).to_have_text("4 cards by the backs.")
    held: list[Route] = []
    refused: list[Route] = []

    def one_by_one(route: Route) -> None:
        (held if refused else refused).append(route)
        if not held:
            route.continue_()

    page.route("**/api/photos*", one_by_one)
    page.set_input_files("#photo-files", [tmp_path / "notes.jpg", tmp_path / "more.png"])
    wait_until_held(page, held)
    expect(page.locator("#complaint")).to_contain_text("notes.jpg is not a picture that can be read")
    page.get_by_label("Who plays with red").fill("Anna")
    page.wait_for_timeout(600)
    held[0].continue_()
    expect(page.locator("#photo-agree")).to_have_text("5 cards by the backs.")
    expect(page.locator("#complaint")).to_contain_text("notes.jpg is not a picture that can be read")


def test_a_photo_that_is_looked_at_can_be_chosen_again(page: Page, address: str, spread: Path) -> None:
    page.goto(address)
    held: list[Route] = []
    page.route("**/api/photos*", lambda route: held.append(route))
    page.set_input_files("#photo-files", spread)
    wait_until_held(page, held)
    # a browser says nothing when what is chosen is what was chosen before
    assert page.locator("#photo-files").evaluate("input => input.files.length") == 0


def test_a_photo_chosen_again_counts_once(page: Page, address: str, spread: Path) -> None:
    page.goto(address)
    page.set_input_files("#photo-files", spread)
    expect(page.locator("#photo-agree")).to_have_text("4 cards by the backs.")
    page.set_input_files("#photo-files", spread)
    expect(page.locator("#complaint")).to_contain_text("spread.png is here already: it counts once")
    expect(page.locator("#photo-agree")).to_have_text("4 cards by the backs.")
    expect(page.locator("#photo-pictures figure")).to_have_count(1)


def test_a_photo_on_its_way_when_somebody_starts_over_is_no_card_of_the_next_hand(
    page: Page, address: str, spread: Path, tmp_path: Path
) -> None:
    save_image(tmp_path / "next.png", picture("green", "green"))
    save_image(tmp_path / "more.png", picture("blue"))
    page.goto(address)
    page.set_input_files("#photo-files", spread)
    expect(page.locator("#photo-agree")).to_have_text("4 cards by the backs.")
    held: list[Route] = []
    page.route("**/api/photos*", lambda route: route.continue_() if held else held.append(route))
    page.set_input_files("#photo-files", tmp_path / "more.png")
    wait_until_held(page, held)
    page.locator("#photo-clear").click()
    page.set_input_files("#photo-files", tmp_path / "next.png")
    expect(page.locator("#photo-agree")).to_have_text("2 cards by the backs.")
    expect(page.locator("#photo-busy")).to_be_visible()
    held[0].continue_()
    expect(page.locator("#photo-busy")).to_be_hidden()
    expect(page.locator("#photo-agree")).to_have_text("2 cards by the backs.")
    expect(page.locator("#photo-pictures figure")).to_have_count(1)


def test_starting_over_while_somebody_has_just_typed_asks_nothing(
    page: Page, address: str, spread: Path
) -> None:
    page.goto(address)
    page.set_input_files("#photo-files", spread)
    red = page.locator("#photo-score tbody tr").filter(has_text="red")
    red.get_by_label("Who plays with red").fill("Anna")
    page.locator("#photo-clear").click()
    page.wait_for_timeout(600)
    expect(page.locator("#complaint")).to_be_hidden()
    expect(page.locator("#photo-result")).to_be_hidden()


def test_a_deck_that_is_called_otherwise_since_a_photo_came_is_nobodys_and_said_so(
    page: Page, address: str, spread: Path, tmp_path: Path
) -> None:
    save_image(tmp_path / "more.png", picture("red"))
    page.goto(address)
    page.set_input_files("#photo-files", spread)
    red = page.locator("#photo-score tbody tr").filter(has_text="red")
    red.get_by_label("Who plays with red").fill("Anna")
    page.wait_for_timeout(600)

    def rename(route: Route) -> None:
        seats = route.request.post_data_json["seats"]
        if "red" in seats:
            route.fulfill(status=422, json={"error": "no back in the photos is called red"})
            return
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace('"red"', '"pink"'))

    page.route("**/api/score", rename)
    page.set_input_files("#photo-files", tmp_path / "more.png")
    pink = page.locator("#photo-score tbody tr").filter(has_text="pink")
    expect(pink.locator("td").nth(2)).to_have_text(re.compile("^4 [✓?]$"))
    expect(pink.get_by_label("Who plays with pink")).to_have_value("")
    expect(page.locator("#complaint")).to_contain_text("No deck is called red any more")


def test_the_sample_is_refereed_and_a_click_jumps_the_video(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("link", name="Watch a recording").click()
    page.get_by_role("link", name="Sample hand").click()
    plays = page.locator("#plays li")
    expect(plays).to_have_count(2, timeout=20_000)
    expect(page.locator("#plays-count")).to_have_text("2 plays, 1 illegal")
    expect(plays.nth(0)).to_contain_text("A♥")
    expect(plays.nth(0)).to_contain_text("work 1 → foundation 1")
    illegal = page.locator("#plays li.illegal")
    expect(illegal).to_have_count(1)
    expect(illegal).to_contain_text("illegal · N9")
    expect(illegal).to_contain_text("a foundation builds up by one in its suit.")
    south = page.locator("#hand-table tbody tr").filter(has_text="south")
    expect(south).to_contain_text(NAMED)
    expect(south.locator("td.points")).to_have_text("1")
    video_ready(page)
    for number in (1, 0):
        plays.nth(number).get_by_role("button").click()
        video_ready(page)
        assert PLAY_AT[number] - 1 < video_time(page) <= PLAY_AT[number]
        expect(plays.nth(number).get_by_role("button")).to_have_attribute("aria-current", "true")


def test_the_moment_of_a_play_is_shown(page: Page, address: str) -> None:
    """The picture at the jump is the frame of that time: the white card is where it is then."""
    page.goto(f"{address}/#recording/sample")
    page.locator("#plays li.illegal button").click(timeout=20_000)
    video_ready(page)
    left = page.evaluate(
        """() => {
          const video = document.getElementById("video");
          const canvas = document.createElement("canvas");
          [canvas.width, canvas.height] = [320, 180];
          const brush = canvas.getContext("2d");
          brush.drawImage(video, 0, 0);
          const row = brush.getImageData(0, 90, 320, 1).data;
          for (let x = 0; x < 320; x++) if (row[4 * x] > 200) return x;
        }"""
    )
    assert left == pytest.approx(10 + video_time(page) * 40, abs=6)


def test_keys_step_through_the_plays(page: Page, address: str) -> None:
    page.goto(f"{address}/#recording/sample")
    buttons = page.locator("#plays li button")
    expect(buttons).to_have_count(2, timeout=20_000)
    video_ready(page)
    for key, number in (("i", 1), ("k", 0), ("j", 1)):
        page.keyboard.press(key)
        expect(buttons.nth(number)).to_have_attribute("aria-current", "true")
    expect(buttons.nth(0)).not_to_have_attribute("aria-current", "true")


def test_everything_can_be_shown(page: Page, address: str) -> None:
    page.goto(f"{address}/#recording/sample")
    expect(page.locator("#plays li")).to_have_count(2, timeout=20_000)
    page.get_by_label("everything").check()
    expect(page.locator("#plays li")).to_have_count(3)
    expect(page.locator("#plays li").nth(1)).to_contain_text("draws 2♣ 3♣ 10♦")
    page.get_by_label("rulings").check()
    expect(page.locator("#plays li")).to_have_count(1)


def test_an_uploaded_recording_is_refereed(
    page: Page, address: str, hand_video: Path, tmp_path: Path
) -> None:
    (tmp_path / "friday.mp4").write_bytes(hand_video.read_bytes())
    page.goto(f"{address}/#recordings")
    page.set_input_files("#recording-file", tmp_path / "friday.mp4")
    expect(page.get_by_role("heading", name="friday.mp4")).to_be_visible()
    expect(page.locator("#plays li")).to_have_count(2, timeout=20_000)
    page.get_by_role("link", name="Watch a recording").click()
    expect(page.get_by_role("link", name="friday.mp4")).to_contain_text("2 plays, 1 illegal")


def test_a_bad_recording_is_complained_about(page: Page, address: str, tmp_path: Path) -> None:
    (tmp_path / "notes.mp4").write_text("no video")
    page.goto(f"{address}/#recordings")
    page.set_input_files("#recording-file", tmp_path / "notes.mp4")
    expect(page.get_by_role("alert")).to_contain_text("notes.mp4 is not a video")
    page.goto(f"{address}/#recording/nowhere")
    expect(page.get_by_role("alert")).to_contain_text("There is no recording 'nowhere' here")


@pytest.mark.parametrize("view", ["#photo", "#recordings", "#recording/sample"])
def test_a_phone_needs_no_sideways_scrolling(browser: Browser, address: str, spread: Path, view: str) -> None:
    phone = browser.new_context(viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    page = phone.new_page()
    page.goto(f"{address}/{view}")
    if view == "#photo":
        page.set_input_files("#photo-files", spread)
        page.wait_for_selector("#photo-score tr")
    elif view == "#recording/sample":
        page.wait_for_selector("#plays li", timeout=20_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    phone.close()


def test_the_sample_that_ships_plays_in_the_browser(page: Page, sample_address: str) -> None:
    """Its real video, with the pretended umpire: the browser decodes it and jumps in it."""
    page.goto(f"{sample_address}/#recording/sample")
    page.locator("#plays li").nth(1).get_by_role("button").click(timeout=90_000)
    video_ready(page)
    assert PLAY_AT[1] - 1 < video_time(page) <= PLAY_AT[1]
    size = page.evaluate("(video => [video.videoWidth, video.videoHeight])(document.getElementById('video'))")
    assert size == [1920, 1080]
    assert float(page.evaluate("document.getElementById('video').duration")) >= 45
