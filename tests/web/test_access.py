"""Everybody can use the page: no view has anything that axe finds wrong, at a laptop's and a phone's size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from fastapi.testclient import TestClient
from live_table import HAND, PretendSession, live_table, plain
from playwright.sync_api import Browser, Page
from pretend import PretendEye, picture, pretend_tools
from serving import serve
from watched_evening import EVENING, keep

from referee.web import create_app
from referee.web.auth import Keys, Role
from referee.web.invite import Invitation
from vision.capture.frames import save_image

SIZES = {"laptop": (1366, 850), "phone": (360, 740)}
KEYS, BASE = Keys.new(), "http://localhost"


def photo(page: Page, tmp_path: Path) -> None:
    save_image(tmp_path / "spread.png", picture("red", "blue", "dim ace"))
    page.set_input_files("#photo-files", tmp_path / "spread.png")
    page.wait_for_selector("#photo-score tr")


def plays(page: Page, tmp_path: Path) -> None:
    page.wait_for_selector("#plays li", timeout=20_000)


def codes(page: Page, tmp_path: Path) -> None:
    page.wait_for_selector("#invite-links li")


def told(page: Page, tmp_path: Path) -> None:
    page.wait_for_selector(".plays li.illegal")


def flagged(page: Page, tmp_path: Path) -> None:
    told(page, tmp_path)
    page.get_by_role("button", name="show the clip").click()
    page.wait_for_function("document.querySelector('.flag video').readyState > 1")


def shelved(page: Page, tmp_path: Path) -> None:
    page.wait_for_selector(".evening a")


def chosen(page: Page, tmp_path: Path) -> None:
    page.get_by_role("button", name="Anna").click()
    page.wait_for_selector("#buzz-button:visible")


def judged(page: Page, tmp_path: Path) -> None:
    page.get_by_role("button", name="Judge the camera").click()
    page.wait_for_selector("#setup-findings li")


def closely(page: Page, tmp_path: Path) -> None:
    page.locator("#moment-plays li.illegal button").click()
    page.locator("#moment-by").fill("Anna")
    page.get_by_role("button", name="Challenge").click()
    page.wait_for_selector("#moment-challenges li")
    page.locator("#moment details").evaluate_all("all => all.forEach(each => (each.open = true))")
    page.wait_for_selector("#first-landings img")
    page.get_by_role("button", name="Compare").click()
    page.wait_for_selector("#otherwise-found p")


def rules(page: Page, tmp_path: Path) -> None:
    page.locator("#terms").get_by_text("House rules").click()
    page.wait_for_selector("[data-key=target]")


COLOURS = """() => {
  const style = getComputedStyle(document.body);
  return [style.color, style.backgroundColor];
}"""

#: The views, and what each is looked at with.
VIEWS: dict[str, Callable[[Page, Path], None] | None] = {
    "live": flagged,
    "board": told,
    "buzz": chosen,
    "#photo": photo,
    "#recordings": shelved,
    "#recording/sample": plays,
    "#setup": judged,
    f"#moment/{EVENING}.2": closely,
    "#terms": rules,
    "#invite": codes,
}


def faults(page: Page, *rules: str) -> list[str]:
    """What axe finds wrong, by all its rules or by these. The page's policy lets a test no more than evaluate."""
    asked: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        asked["runOnly"] = {"type": "rule", "values": list(rules)}
    found = Axe().run(page, options=asked).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found]


@pytest.fixture
def guarded(hand_video: Path, tmp_path: Path) -> Iterator[str]:
    """The page for those who have a key: so there are links on it."""
    session = PretendSession(
        image=(1, plain(90)), amiss=["the recording stopped, the disk is full: make room"]
    )
    session.tell(*HAND)
    session.say("playing", "play goes on", question={"number": 1, "asks": "Has Anna called?"})
    tools = pretend_tools(PretendEye(), hand_video)
    keep(tmp_path / "shelf")
    yield from serve(tools, tmp_path / "shelf", keys=KEYS, table=replace(live_table(session), kept=EVENING))


@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing(browser: Browser, guarded: str, tmp_path: Path, size: str) -> None:
    """Nor in the dark, where all that differs is the colours."""
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme="light", bypass_csp=True
    )
    page = context.new_page()
    for view, prepare in VIEWS.items():
        page.goto(Invitation(guarded, KEYS).link(Role.MASTER, view))
        page.wait_for_url(lambda url: "key=" not in url)
        if prepare is not None:
            prepare(page, tmp_path)
        assert faults(page) == [], view
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view
        light = page.evaluate(COLOURS)
        page.emulate_media(color_scheme="dark")
        assert page.evaluate(COLOURS) != light, view
        assert faults(page, "color-contrast") == [], view
        page.emulate_media(color_scheme="light")
    context.close()


@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing_in_a_moment_that_is_kept(
    browser: Browser, hand_video: Path, tmp_path: Path, size: str
) -> None:
    """The page that stands alone, with who was first in it."""
    keep(tmp_path)
    client = TestClient(create_app(pretend_tools(PretendEye(), hand_video), tmp_path), BASE)
    hand = f"/api/recordings/{EVENING}.2"
    client.post(f"{hand}/challenges", json={"of": 3, "by": "Anna", "says": "It was mine"})
    kept = tmp_path / "kept.html"
    kept.write_bytes(client.get(f"{hand}/moment/3?rival=5").content)
    width, height = SIZES[size]
    page = browser.new_context(viewport={"width": width, "height": height}).new_page()
    page.goto(kept.as_uri())
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert faults(page) == [], scheme
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.context.close()
