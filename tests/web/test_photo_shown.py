"""How a photo and its tags are shown: all in view, legible, tinted only where a card shows; also on a phone."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect
from pretend import PretendEye, picture

from vision.capture.frames import save_image
from vision.faces.indices import LETTERS, doubt
from vision.layout import FACES, Layout


@pytest.fixture
def spread(tmp_path: Path) -> Path:
    save_image(tmp_path / "spread.png", picture("red", "red", "blue", "red"))
    return tmp_path / "spread.png"


def shown(page: Page, address: str, photo: Path) -> None:
    page.goto(address)
    page.set_input_files("#photo-files", photo)
    expect(page.locator("#photo-pictures figure")).to_have_count(1)


def tag(page: Page, name: str) -> Locator:
    return page.locator("#photo-pictures .tag").and_(page.get_by_role("button", name=name, exact=True))


def test_a_tall_photo_is_all_in_view_until_it_is_enlarged(page: Page, address: str, tmp_path: Path) -> None:
    save_image(tmp_path / "tall.png", picture("red", "red", "blue", width=400, height=900))
    shown(page, address, tmp_path / "tall.png")
    hidden = "frame => frame.scrollHeight - frame.clientHeight"
    frame = page.locator("#photo-pictures .frame")
    assert frame.evaluate(hidden) <= 1
    page.get_by_role("button", name="Larger").click()
    assert frame.evaluate(hidden) > 100


def test_tags_that_have_room_are_larger_than_those_that_are_crowded(
    page: Page, address: str, tmp_path: Path
) -> None:
    cards = ["red", "red", *[""] * 12, "blue"]
    save_image(tmp_path / "spread.png", spaced(cards))
    shown(page, address, tmp_path / "spread.png")
    letters = [
        float(page.locator(f"#photo-pictures .tag[aria-label='{name}'] text").get_attribute("font-size") or 0)
        for name in ("red 1", "red 2", "blue 1")
    ]
    assert letters[0] == letters[1] < letters[2]


def spaced(cards: list[str]) -> np.ndarray:
    """Cards with gaps where there is no name, in a picture so large that tags of neighbours crowd each other."""
    image = picture(*[card or "red" for card in cards], width=1200, height=300)
    for column, card in enumerate(cards):
        if not card:
            image[:, column * 20 : column * 20 + 20] = 0
    return image


def test_a_pile_turned_over_has_a_short_tag(page: Page, address: str, tmp_path: Path) -> None:
    save_image(tmp_path / "centre.png", picture("ace", "ace", "red"))
    shown(page, address, tmp_path / "centre.png")
    expect(tag(page, "turned over")).to_have_text("13?")


def test_only_what_is_in_view_of_a_card_is_tinted_and_asked_about(
    page: Page, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A face that lies on a back keeps its colours, and the crop of a question outlines the strip that is meant."""
    plainly = PretendEye.see

    def see(eye: PretendEye, image: np.ndarray) -> Layout:
        layout = plainly(eye, image)
        for card in layout.cards:
            card.visible = card.corners * (1, 0.2)
        return layout

    monkeypatch.setattr(PretendEye, "see", see)
    save_image(tmp_path / "spread.png", picture("dim red", "red", "red"))
    shown(page, address, tmp_path / "spread.png")
    for part in (".tint", ".asked"):
        points = page.locator(f"#photo-pictures {part}").first.get_attribute("points") or ""
        assert max(float(point) for point in re.split("[ ,]", points)[1::2]) == 5, part
    assert (
        page.locator("#photo-pictures polygon.back").evaluate_all("all => all.map(one => one.style.fill)")
        == [""] * 3
    )


def test_on_a_phone_the_score_comes_into_view(browser: Browser, address: str, spread: Path) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 640})
    page = context.new_page()
    page.goto(address)
    expect(page.locator("#photo .lead")).to_be_visible()
    page.set_input_files("#photo-files", spread)
    expect(page.locator("#photo-score")).to_be_in_viewport()
    expect(page.locator("#photo .lead")).to_be_hidden()
    context.close()


def test_the_name_of_a_new_match_outlasts_a_reload(page: Page, address: str, spread: Path) -> None:
    shown(page, address, spread)
    page.select_option("#photo-match", label="a new one")
    page.fill("#photo-called", "Friday")
    page.wait_for_timeout(500)
    page.reload()
    expect(page.locator("#photo-called")).to_have_value("Friday")


def test_it_is_busy_until_the_score_is_that_of_all_photos(page: Page, address: str, spread: Path) -> None:
    shown(page, address, spread)
    expect(page.locator("#photo-busy")).to_be_hidden()
    held: list[Route] = []
    page.route("**/api/score", lambda route: held.append(route))
    save_image(spread.with_name("more.png"), picture("blue", "blue"))
    with page.expect_request("**/api/score"):
        page.set_input_files("#photo-files", spread.with_name("more.png"))
    expect(page.locator("#photo-busy")).to_be_visible()
    for route in held:
        route.continue_()
    expect(page.locator("#photo-pictures figure")).to_have_count(2)
    expect(page.locator("#photo-busy")).to_be_hidden()


def test_letters_of_other_courts_are_offered_where_an_index_is_none_of_ours(
    page: Page, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A German queen of hearts: it is said what is seen, and named once the letters are chosen."""
    plainly = PretendEye.see

    def see(eye: PretendEye, image: np.ndarray) -> Layout:
        layout = plainly(eye, image)
        for card in layout.cards:
            card.name_face(np.where(np.array(FACES) == "8H", 0.97, 0.0))
            card.letters = np.where(np.array([*LETTERS, ""]) == "D", 0.99, 0.01 / len(LETTERS))
        doubt(layout.cards)
        return layout

    monkeypatch.setattr(PretendEye, "see", see)
    save_image(tmp_path / "queen.png", picture("ace"))
    shown(page, address, tmp_path / "queen.png")
    expect(page.locator("#photo-foundations li")).to_contain_text("?♥")
    page.get_by_role("button", name="German, French or Dutch: choose their letters").click()
    expect(page.locator("#photo-indices")).to_be_focused()
    page.locator("#photo-indices").select_option("KDB")
    expect(page.locator("#photo-foundations li")).to_have_text("Q♥ 12")
    expect(page.locator("#photo-doubts")).not_to_contain_text("letters")
