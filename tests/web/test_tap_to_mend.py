"""A count is mended by tapping: tags, places without one, questions of yes or no; and the hand outlasts a reload."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect
from pretend import picture

from vision.capture.frames import load_image, save_image


@pytest.fixture
def spread(tmp_path: Path) -> Path:
    save_image(tmp_path / "spread.png", picture("red", "red", "blue", "red"))
    return tmp_path / "spread.png"


def shown(page: Page, address: str, *photos: Path) -> None:
    page.goto(address)
    page.set_input_files("#photo-files", list(photos))
    expect(page.locator("#photo-pictures figure")).to_have_count(len(photos))


def tag(page: Page, name: str) -> Locator:
    return page.locator("#photo-pictures .tag").and_(page.get_by_role("button", name=name, exact=True))


def sheet(page: Page, name: str) -> Locator:
    return page.get_by_role("dialog").get_by_role("button", name=name, exact=True)


def counts(page: Page, **decks: int) -> None:
    """The table says so, and each deck's last number is its count."""
    rows = page.locator("#photo-score tbody tr")
    expect(rows).to_have_count(len(decks))
    for deck, count in decks.items():
        expect(rows.filter(has_text=deck).locator("td").nth(2)).to_contain_text(re.compile(rf"^{count} "))
        expect(tag(page, f"{deck} {count}")).to_have_count(1)
        expect(tag(page, f"{deck} {count + 1}")).to_have_count(0)


def tap_at(page: Page, x: float, y: float) -> None:
    """On a spot of the first photo, in shares of its width and height."""
    drawing = page.locator("#photo-pictures svg").first
    box = drawing.bounding_box()
    assert box is not None
    drawing.click(position={"x": x * box["width"], "y": y * box["height"]})


def test_a_tag_is_removed_changed_and_undone(page: Page, address: str, spread: Path) -> None:
    shown(page, address, spread)
    counts(page, red=3, blue=1)
    tag(page, "red 2").click()
    sheet(page, "Not a card").click()
    counts(page, red=2, blue=1)
    tag(page, "red 1").click()
    sheet(page, "blue").click()
    counts(page, red=1, blue=2)
    page.get_by_role("button", name="Undo", exact=True).click()
    counts(page, red=2, blue=1)
    page.locator("#photo-pictures .none").click()
    sheet(page, "It is a card after all").click()
    counts(page, red=3, blue=1)


def test_a_tap_on_an_empty_place_adds_a_card_which_can_go_again(
    page: Page, address: str, spread: Path
) -> None:
    shown(page, address, spread)
    tap_at(page, 0.6, 0.7)
    sheet(page, "blue").click()
    counts(page, red=3, blue=2)
    tap_at(page, 0.8, 0.7)
    sheet(page, "another deck").click()
    counts(page, red=3, blue=2, other=1)
    tap_at(page, 0.6, 0.7)  # what was added has a tag there now
    sheet(page, "red").click()
    counts(page, red=4, blue=1, other=1)
    tag(page, "other 1").click()
    sheet(page, "Not a card").click()
    counts(page, red=4, blue=1)


def test_a_tap_by_the_keys_and_a_sheet_that_is_closed_changes_nothing(
    page: Page, address: str, spread: Path
) -> None:
    shown(page, address, spread)
    tag(page, "blue 1").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("blue 1")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    counts(page, red=3, blue=1)


def test_a_top_is_named_anew(page: Page, address: str, tmp_path: Path) -> None:
    save_image(tmp_path / "faces.png", picture("ace", "ace"))
    shown(page, address, tmp_path / "faces.png")
    expect(page.locator("#photo-agree")).to_have_text("2 cards by the faces.")
    page.locator("#photo-pictures .tag").first.click()
    page.locator("#photo-sheet [data-pick=T]").click()
    expect(page.locator("#photo-agree")).to_have_text("11 cards by the faces.")
    expect(page.locator("#photo-foundations li").first).to_have_text("10♠ 10")
    page.locator("#photo-pictures .tag", has_text="10♠").click()
    sheet(page, "Not a foundation").click()
    expect(page.locator("#photo-agree")).to_have_text("1 card by the faces.")


def test_never_more_than_five_questions_are_asked(page: Page, address: str, tmp_path: Path) -> None:
    save_image(tmp_path / "dim.png", picture(*["dim ace"] * 8))
    shown(page, address, tmp_path / "dim.png")
    queue = page.locator("#photo-queue")
    for left in ("and 4 more", "and 3 more", "and 2 more", "and 1 more", "the last one"):
        expect(queue.locator("h2")).to_contain_text(left)
        expect(queue.locator("canvas")).to_have_count(1)
        queue.get_by_role("button", name="Cannot tell" if "2" in left else "Yes").click()
    expect(queue).to_be_empty()
    expect(page.locator("#photo-doubts")).to_contain_text("4 more tags are marked with ?")
    expect(page.locator("#photo-foundations li", has_text="1?")).to_have_count(4)


def test_what_was_nearly_a_card_is_added_by_a_yes(page: Page, address: str, spread: Path) -> None:
    corners = [[200, 60], [218, 60], [218, 85], [200, 85]]
    asked = {"asks": "Is there one more blue card here?", "image": 0, "corners": corners, "kind": "left out"}
    asked |= {"place": {"image": 0, "card": None, "mend": None}, "supposed": "blue"}

    def answer(route: Route) -> None:
        report = route.fetch().json()
        said = route.request.post_data_json["mends"]
        route.fulfill(json={**report, "ask": [] if said else [asked]})

    page.route("**/api/score", answer)
    shown(page, address, spread)
    page.locator("#photo-queue").get_by_role("button", name="Yes").click()
    counts(page, red=3, blue=2)


def test_two_decks_that_were_taken_for_one_are_told_apart_by_two_cards(
    page: Page, address: str, tmp_path: Path
) -> None:
    save_image(tmp_path / "alike.png", picture("red", "red", "like red", "like red", "blue"))
    shown(page, address, tmp_path / "alike.png")
    counts(page, red=4, blue=1)
    queue = page.locator("#photo-queue")
    expect(queue).to_contain_text("Are these two cards of one deck?")
    expect(queue.locator("canvas")).to_have_count(2)
    queue.get_by_role("button", name="No", exact=True).click()
    rows = page.locator("#photo-score tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.filter(has_text="red 2").locator("td").nth(2)).to_contain_text(re.compile("^2 "))
    expect(queue).not_to_contain_text("of one deck?")
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(rows).to_have_count(2)
    queue.get_by_role("button", name="The second is no card").click()
    counts(page, red=3, blue=1)
    page.get_by_role("button", name="Undo", exact=True).click()
    queue.get_by_role("button", name="Yes", exact=True).click()
    expect(queue).not_to_contain_text("of one deck?")
    counts(page, red=4, blue=1)


def test_as_many_decks_are_looked_for_as_play(page: Page, address: str, tmp_path: Path) -> None:
    save_image(tmp_path / "alike.png", picture("red", "red", "like red", "like red", "blue"))
    shown(page, address, tmp_path / "alike.png")
    counts(page, red=4, blue=1)
    page.locator("#photo-players").fill("3")
    page.locator("#photo-players").blur()
    expect(page.locator("#photo-score tbody tr")).to_have_count(3)
    page.locator("#photo-players").fill("2")
    page.locator("#photo-players").blur()
    counts(page, red=4, blue=1)


def test_a_no_takes_the_card_away_or_asks_what_it_is(page: Page, address: str, tmp_path: Path) -> None:
    save_image(tmp_path / "dim.png", picture("ace", "dim ace"))
    shown(page, address, tmp_path / "dim.png")
    page.locator("#photo-queue").get_by_role("button", name="No", exact=True).click()
    page.locator("#photo-sheet [data-pick='7']").click()
    expect(page.locator("#photo-agree")).to_have_text("8 cards by the faces.")
    expect(page.locator("#photo-queue")).to_be_empty()


def test_a_card_that_is_asked_about_may_be_none_or_another_decks(
    page: Page, address: str, tmp_path: Path
) -> None:
    save_image(tmp_path / "dim.png", picture("red", "dim red", "blue"))
    shown(page, address, tmp_path / "dim.png")
    queue = page.locator("#photo-queue")
    expect(queue).to_contain_text("Is this one red card?")
    queue.get_by_role("button", name="Another deck's").click()
    sheet(page, "blue").click()
    counts(page, red=1, blue=2)
    expect(queue).to_be_empty()
    page.get_by_role("button", name="Undo", exact=True).click()
    queue.get_by_role("button", name="No card").click()
    counts(page, red=1, blue=1)
    page.get_by_role("button", name="Undo", exact=True).click()
    queue.get_by_role("button", name="Yes").click()
    counts(page, red=2, blue=1)


def test_what_is_left_is_counted_from_a_photo(page: Page, address: str, spread: Path, tmp_path: Path) -> None:
    save_image(tmp_path / "left.png", picture("ace", "ace", "ace"))
    shown(page, address, spread)
    page.get_by_label("Photo of what is left of blue").set_input_files(tmp_path / "left.png")
    blue = page.locator("#photo-score tbody tr").filter(has_text="blue")
    expect(blue.locator("td.points")).to_have_text("-5")
    page.locator("#shot-1").get_by_role("button", name="Remove the photo").click()
    expect(blue.locator("td.points")).to_have_text("1")


def test_another_photo_settles_what_is_left(page: Page, address: str, spread: Path, tmp_path: Path) -> None:
    save_image(tmp_path / "left.png", picture("ace", "ace", "red"))
    save_image(tmp_path / "again.png", picture("ace", "ace"))
    shown(page, address, spread)
    shoot = page.get_by_label("Photo of what is left of blue")
    shoot.set_input_files(tmp_path / "left.png")
    left = page.locator("#photo-score tbody tr").filter(has_text="blue").locator(".left-seen")
    expect(left).to_have_text("3 ?")
    expect(page.locator("#photo-doubts .to-do")).to_contain_text("blue has left")
    shoot.set_input_files(tmp_path / "again.png")
    expect(left).to_have_text("2 ✓")
    expect(shoot).to_have_count(0)


@pytest.mark.parametrize("forgotten", [False, True], ids=["reloaded", "referee started again"])
def test_a_hand_outlasts_a_reload(page: Page, address: str, spread: Path, forgotten: bool) -> None:
    shown(page, address, spread)
    tag(page, "red 2").click()
    sheet(page, "blue").click()
    red = page.locator("#photo-score tbody tr").filter(has_text="red")
    red.get_by_label("Who plays with red").fill("Anna")
    red.get_by_label("Cards left in the Nerts pile of red").fill("4")
    expect(red.locator("td.points")).to_have_text("-6")
    page.wait_for_timeout(300)
    sent: list[Route] = []
    page.route("**/api/photos*", lambda route: (sent.append(route), route.continue_()))
    if forgotten:
        gone = {"error": "These photos are no longer remembered: start over and give them again."}
        page.route(
            "**/api/score",
            lambda route: route.continue_() if sent else route.fulfill(status=422, json=gone),
        )
    page.reload()
    counts(page, red=2, blue=2)
    expect(red.locator("td.points")).to_have_text("-6")
    expect(red.get_by_label("Who plays with red")).to_have_value("Anna")
    assert len(sent) == forgotten
    page.get_by_role("button", name="Undo", exact=True).click()
    counts(page, red=3, blue=1)
    page.get_by_role("button", name="Start over").click()
    page.wait_for_timeout(300)
    page.reload()
    expect(page.locator("#photo-drop")).to_be_visible()
    expect(page.locator("#photo-result")).to_be_hidden()


def test_a_finger_mends_on_a_phone(browser: Browser, address: str, spread: Path) -> None:
    phone = browser.new_context(viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    page = phone.new_page()
    shown(page, address, spread)
    page.get_by_role("button", name="Larger").tap()
    tag(page, "red 3").tap()
    opened = page.get_by_role("dialog")
    expect(opened).to_contain_text("red 3")
    box = opened.bounding_box()
    assert box is not None and box["y"] >= 250 and box["y"] + box["height"] <= 741
    for button in opened.get_by_role("button").all():
        size = button.bounding_box()
        assert size is None or size["height"] >= 44
    sheet(page, "Not a card").tap()
    counts(page, red=2, blue=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    phone.close()


def test_a_hand_is_kept_in_a_match_with_its_tagged_pictures(
    page: Page, address: str, spread: Path, tmp_path: Path
) -> None:
    shown(page, address, spread)
    keep, kept = page.get_by_role("button", name="Keep the hand"), page.locator("#photo-kept")
    page.get_by_label("Match", exact=True).select_option("a new one")
    page.get_by_label("called", exact=True).fill("friday evening")
    keep.click()
    expect(kept).to_contain_text("Type who plays with")
    page.get_by_label("Who plays with red").fill("Anna")
    page.get_by_label("Who plays with blue").fill("Ben")
    expect(page.get_by_label("Who called").locator("option")).to_have_text(
        ["not said", "Anna", "Ben", "nobody"]
    )
    page.get_by_label("Cards left in the Nerts pile of blue").fill("2")
    expect(page.locator("#photo-score td.points", has_text="-3")).to_be_visible()
    keep.click()
    expect(kept).to_contain_text("Hand 1 is kept in friday evening. Anna 3, Ben -3: to")
    tag(page, "red 1").click()
    sheet(page, "Not a card").click()
    counts(page, red=2, blue=1)
    keep.click()  # the same photos, mended: the same hand
    expect(kept).to_contain_text("hand 1 is now Anna 2, Ben -3 (it was Anna 3, Ben -3)")
    save_image(tmp_path / "more.png", picture("blue", "blue"))
    page.set_input_files("#photo-files", tmp_path / "more.png")
    counts(page, red=2, blue=3)
    keep.click()
    kept.get_by_role("button", name="One hand more").click()
    expect(kept).to_contain_text("Hand 2 is kept in friday evening. Anna 4, Ben -4: to")
    folder = tmp_path / "recordings" / "matches"
    assert (folder / "friday evening.json").is_file()
    assert sorted(path.name for path in (folder / "friday evening" / "hand-2").iterdir()) == [
        "1.jpg",
        "2.jpg",
        "count.json",
    ]
    picture_kept = load_image(folder / "friday evening" / "hand-2" / "1.jpg")
    assert picture_kept.shape[1] == 400 and picture_kept.shape[0] > 120  # the words stand beneath
    page.reload()
    expect(page.get_by_label("Match", exact=True)).to_have_value("friday evening")


def test_a_film_swept_over_the_cards_is_taken_for_photos_of_them(
    page: Page, address: str, tmp_path: Path
) -> None:
    image = np.ascontiguousarray(picture("ace", "ace", width=400, height=120))
    with av.open(str(tmp_path / "sweep.mp4"), "w") as out:
        stream = out.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 400, 120, "yuv420p"
        stream.options = {"crf": "10"}
        for index in range(20):
            frame = av.VideoFrame.from_ndarray(image, format="bgr24")
            frame.pts, frame.time_base = index, Fraction(1, 10)
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    page.goto(address)
    page.set_input_files("#photo-files", tmp_path / "sweep.mp4")
    expect(page.locator("#photo-pictures figure")).to_have_count(4, timeout=20_000)
    with page.expect_request("**/api/score") as asked:
        tap_at(page, 0.6, 0.9)
        sheet(page, "another deck").click()
    question = asked.value.post_data_json
    assert question["together"] is True and len(question["photos"]) == 4


def test_backs_that_were_taken_for_faces_are_told_at_once(page: Page, address: str, tmp_path: Path) -> None:
    save_image(tmp_path / "mixed.png", picture("red", "red", "red", "blue", "red", "ace", "ace"))
    shown(page, address, tmp_path / "mixed.png")
    counts(page, red=4, blue=1)
    page.locator("#photo-doubts").get_by_role("button", name="whose is it? (2 cards)").click()
    page.get_by_role("dialog").get_by_role("button", name="blue", exact=True).last.click()
    counts(page, red=4, blue=3)
    page.get_by_role("button", name="Undo", exact=True).click()
    counts(page, red=4, blue=1)
