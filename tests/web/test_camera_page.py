"""The page's own camera, in a browser whose camera is a drawn film."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import pytest
from hand_held import PLACES, ColourEye, seen_from, table
from playwright.sync_api import Browser, Page, expect
from pretend import pretend_tools
from serving import CHROMIUM_FLAGS, serve

SPREAD = [("red" if k < 5 else "blue", at) for k, at in enumerate(PLACES[:8])]

#: Forty cards, 9 px apart, as the referee tells of them.
SMALL = {
    "state": "counted",
    "say": "",
    "size": [1280, 720],
    "frames": [0],
    "looking": None,
    "quick": False,
    "faces": None,
    "glow": [[[100, 300], [200, 300], [200, 400]]],
    "decks": [
        {"back": "red", "count": 30, "moved": 0, "sure": False},
        {"back": "blue", "count": 10, "moved": 0, "sure": True},
    ],
    "cards": [
        {
            "number": k + 1 if k < 30 else k - 29,
            "shows": "back",
            "name": "red" if k < 30 else "blue",
            "face": None,
            "corners": [[100 + 9 * k, 300], [160 + 9 * k, 300], [160 + 9 * k, 390], [100 + 9 * k, 390]],
            "at": [105 + 9 * k, 345],
            "moved": False,
        }
        for k in range(40)
    ],
}


#: Whether an outline that stands still lies on the picture: outlines are drawn anew with every answer.
WITHIN = """() => {
  const card = document.querySelector("#camera-seen polygon.still")?.getBoundingClientRect();
  const stage = document.getElementById("camera-video").getBoundingClientRect();
  return card && stage.left <= card.left && card.left <= card.right && card.right <= stage.right;
}"""

#: Whether this browser has kept photos.
KEPT = """() => new Promise((resolve) => {
  const opening = indexedDB.open("nerts-referee", 1);
  opening.onerror = () => resolve(false);
  opening.onupgradeneeded = () => opening.transaction.abort();
  opening.onsuccess = () => {
    const asked = opening.result.transaction("hand").objectStore("hand").get("hand");
    asked.onsuccess = () => {
      opening.result.close();
      resolve(Boolean(asked.result?.shots?.length));
    };
  };
})"""


def film(path: Path) -> Path:
    """Four seconds of a hand that holds a phone over a spread, as Chromium plays it for a camera, again and again."""
    with av.open(str(path), "w", format="mjpeg") as out:
        stream = out.add_stream("mjpeg", rate=10)
        stream.width, stream.height, stream.pix_fmt = 640, 360, "yuvj420p"
        stream.options = {"qmin": "2", "qmax": "4"}
        steps = [k / 5 for k in (*range(20), *range(20, 0, -1))]
        for index, step in enumerate(steps):
            frame = av.VideoFrame.from_ndarray(seen_from(table(SPREAD), step), format="bgr24")
            frame.pts, frame.time_base = index, Fraction(1, 10)
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    return path


@pytest.fixture(scope="module")
def filmed(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser with a camera; `browser` is asked for first, so that it is skipped where there is none."""
    path = film(tmp_path_factory.mktemp("camera") / "hand.mjpeg")
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    flags = ["--use-fake-device-for-media-stream", f"--use-file-for-fake-video-capture={path}"]
    opened = browser.browser_type.launch(executable_path=chromium, args=[*CHROMIUM_FLAGS, *flags])
    yield opened
    opened.close()


@pytest.fixture
def counted(hand_video: Path, tmp_path: Path) -> Iterator[str]:
    """The page with an eye that sees the film's cards."""
    yield from serve(pretend_tools(ColourEye(), hand_video), tmp_path / "recordings")  # type: ignore[arg-type]


def opened(browser: Browser, address: str, width: int, *, may: bool = True) -> Page:
    context = browser.new_context(viewport={"width": width, "height": 800})
    if may:
        context.grant_permissions(["camera"], origin=address)
    page = context.new_page()
    page.goto(address)
    page.get_by_role("button", name="Open the camera").click()
    return page


def wait_until_kept(page: Page) -> None:
    for _ in range(200):
        if page.evaluate(KEPT):
            return
        page.wait_for_timeout(200)
    raise AssertionError("the photos were not kept")


@pytest.mark.parametrize("width", [1366, 360])
def test_the_count_stands_on_the_picture_and_is_taken(filmed: Browser, counted: str, width: int) -> None:
    page = opened(filmed, counted, width)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    lines = page.locator("#camera-decks li")
    expect(lines).to_have_text([re.compile("red: 5"), re.compile("blue: 3")], timeout=40_000)
    expect(page.locator("#camera-seen .tag")).to_have_count(8)
    page.wait_for_function(WITHIN, timeout=40_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # a phone that is held upright films upright, and fills its picture
    assert page.locator("#camera-video").evaluate("video => getComputedStyle(video).aspectRatio") == "auto"
    page.get_by_role("button", name="Take", exact=True).click()
    rows = page.locator("#photo-score tbody tr")
    expect(rows.filter(has_text="red").locator("td").nth(2)).to_contain_text(
        re.compile("^5 "), timeout=40_000
    )
    expect(rows.filter(has_text="blue").locator("td").nth(2)).to_contain_text(re.compile("^3 "))
    expect(page.locator("#camera")).to_be_hidden()
    assert page.locator("#photo-pictures figure").count() >= 1
    assert not page.evaluate("document.getElementById('camera-video').srcObject")
    wait_until_kept(page)
    page.reload()  # what was taken is kept like photos
    expect(page.locator("#photo-score tbody tr")).to_have_count(2, timeout=40_000)
    page.context.close()
    assert faults == []


def test_cards_too_small_for_letters_have_dots_and_each_deck_its_count(filmed: Browser, counted: str) -> None:
    context = filmed.new_context(viewport={"width": 360, "height": 800})
    context.grant_permissions(["camera"], origin=counted)
    page = context.new_page()
    page.route("**/api/viewfinder*", lambda route: route.fulfill(json=SMALL))
    page.goto(counted)
    page.get_by_role("button", name="Open the camera").click()
    expect(page.locator("#camera-seen circle")).to_have_count(40)
    expect(page.locator("#camera-seen .tag text")).to_have_text(["30", "10"])
    expect(page.locator("#camera-seen .glow")).to_have_count(1)
    expect(page.locator("#camera-decks li")).to_have_text(
        [re.compile("red: 30 [?] spread these"), re.compile("blue: 10 .* sure")]
    )
    context.close()


def test_another_view_closes_the_camera(filmed: Browser, counted: str) -> None:
    page = opened(filmed, counted, 1366)
    expect(page.locator("#camera")).to_be_visible()
    page.get_by_role("link", name="Watch a recording").click()
    page.get_by_role("link", name="Score a photo").click()
    expect(page.locator("#camera")).to_be_hidden()
    expect(page.locator("#photo-drop")).to_be_visible()
    page.context.close()


def test_a_second_camera_is_told_that_another_is_open(filmed: Browser, counted: str) -> None:
    first = opened(filmed, counted, 1366)
    expect(first.locator("#camera-decks li")).to_have_count(2, timeout=40_000)
    second = opened(filmed, counted, 360)
    expect(second.locator("#camera-say")).to_contain_text(
        "Another camera is being looked through", timeout=40_000
    )
    first.get_by_role("button", name="Close the camera").click()
    expect(second.locator("#camera-decks li")).to_have_count(2, timeout=40_000)
    first.context.close()
    second.context.close()


def test_a_camera_that_may_not_be_used_is_told_in_one_line(filmed: Browser, counted: str) -> None:
    page = opened(filmed, counted, 360, may=False)
    said = page.locator("#camera-refused")
    expect(said).to_contain_text("does not let this page use the camera")
    expect(page.locator("#photo-drop")).to_be_visible()
    expect(page.locator("#camera")).to_be_hidden()
    page.context.close()


def test_without_https_the_page_says_what_to_start(page: Page, counted: str) -> None:
    """As a phone sees a page that is served in the network without --tls."""
    page.add_init_script("Object.defineProperty(window, 'isSecureContext', { value: false })")
    page.goto(counted)
    page.get_by_role("button", name="Open the camera").click()
    expect(page.locator("#camera-refused")).to_contain_text("--tls")
    expect(page.locator("#camera-refused")).to_contain_text("Photos can be chosen")


def test_a_device_without_a_camera_is_told_so(page: Page, counted: str) -> None:
    page.context.grant_permissions(["camera"], origin=counted)
    page.goto(counted)
    page.get_by_role("button", name="Open the camera").click()
    expect(page.locator("#camera-refused")).to_contain_text("no camera")
