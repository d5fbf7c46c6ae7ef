"""The film on the page: it steps by its own frames, by keys and by a finger, wherever its clock starts."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Route, expect
from pretend import RECORD, PretendEye, pretend_tools
from serving import serve

CLOCK = Fraction(1, 90_000)
FRAMES = 40
#: Seconds between one frame and the next: no two alike for long, and once a picture that stands for five seconds.
GAPS = [0.0, *(5.0 if index == 20 else (0.04, 0.011, 0.2, 0.09)[index % 4] for index in range(FRAMES - 1))]
MOMENTS = list(accumulate(GAPS))


def numbered(path: Path, start: float = 0.0) -> None:
    """A film in which a white bar goes from left to right: where it stands tells which frame is shown."""
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 320, 180, "yuv420p"
        stream.time_base = stream.codec_context.time_base = CLOCK
        # Chromium itself misses frames before a key frame of an uneven MP4 whose frames are stored out of order
        stream.options = {"g": "15", "bf": "0" if path.suffix == ".mp4" else "2", "crf": "4"}
        for index, moment in enumerate(MOMENTS):
            image = np.full((180, 320, 3), 30, np.uint8)
            image[:, 8 * index : 8 * index + 8] = 240
            frame = av.VideoFrame.from_ndarray(image, format="bgr24")
            frame.pts, frame.time_base = round((moment + start) / CLOCK), CLOCK
            out.mux(stream.encode(frame))
        out.mux(stream.encode())


@pytest.fixture
def films(tmp_path: Path) -> Iterator[str]:
    """The page with two recordings that were refereed before."""
    for id, video, start in (("uneven", "video.mp4", 0.0), ("late", "video.mkv", 3600.0)):
        (tmp_path / id).mkdir()
        numbered(tmp_path / id / video, start)
        facts = {"name": id, "video": video, "game": "nerts"}
        (tmp_path / id / "recording.json").write_text(json.dumps(facts))
    tools = pretend_tools(PretendEye(), tmp_path / "none.mp4")
    yield from serve(replace(tools, replay=lambda *_, **__: RECORD), tmp_path)


def shown(page: Page) -> int:
    """Which frame is shown."""
    until = time.monotonic() + 15
    while not page.evaluate(
        "(video => video.readyState >= 2 && !video.seeking)(document.getElementById('video'))"
    ):
        assert time.monotonic() < until, "the video does not come"
        page.wait_for_timeout(30)
    page.wait_for_timeout(60)
    return int(
        page.evaluate(
            """() => {
              const canvas = document.createElement("canvas");
              [canvas.width, canvas.height] = [320, 180];
              const brush = canvas.getContext("2d");
              brush.drawImage(document.getElementById("video"), 0, 0);
              const row = brush.getImageData(0, 90, 320, 1).data;
              const bright = [...Array(40).keys()].map((column) => row[4 * (8 * column + 4)]);
              return bright.indexOf(Math.max(...bright));
            }"""
        )
    )


def stepped(page: Page, key: str, frame: int) -> int:
    """Which frame is shown after a key, when it is the one awaited or after a while."""
    page.keyboard.press(key)
    until = time.monotonic() + 5
    while shown(page) != frame and time.monotonic() < until:
        page.wait_for_timeout(50)
    return shown(page)


def opened(page: Page, address: str, id: str) -> None:
    page.goto(f"{address}/#recording/{id}")
    expect(page.locator("#plays li")).to_have_count(2, timeout=20_000)
    assert shown(page) == 0


@pytest.mark.parametrize("id", ["uneven", "late"])
def test_a_step_shows_the_neighbouring_frame_however_uneven_they_are(page: Page, films: str, id: str) -> None:
    opened(page, films, id)
    seen = [stepped(page, ".", frame) for frame in range(1, 25)]
    assert seen == list(range(1, 25))
    seen = [stepped(page, ",", frame) for frame in range(23, 17, -1)]
    assert seen == list(range(23, 17, -1))


def test_quick_steps_follow_one_another_and_end_with_the_film(page: Page, films: str) -> None:
    opened(page, films, "uneven")
    for _ in range(9):
        page.keyboard.press(".")
    page.wait_for_timeout(800)
    assert shown(page) == 9
    for _ in range(12):
        page.keyboard.press(",")
    page.wait_for_timeout(800)
    assert shown(page) == 0
    page.evaluate("document.getElementById('video').currentTime = 1e6")
    page.wait_for_timeout(300)
    page.keyboard.press(".")
    page.wait_for_timeout(300)
    assert shown(page) == FRAMES - 1


def test_the_moments_of_a_film_cut_out_of_a_longer_one_are_found(page: Page, films: str) -> None:
    opened(page, films, "late")
    page.locator("#plays li button").first.click()
    page.wait_for_timeout(300)
    wanted = max(index for index, moment in enumerate(MOMENTS) if moment <= 1.2 - 0.6)
    assert shown(page) == wanted


def test_what_the_picture_did_not_tell_stands_among_the_plays(page: Page, films: str) -> None:
    def with_gap(route: Route) -> None:
        told = route.fetch().json()
        if told["account"]:
            gap = {
                "kind": "gap",
                "seat": "",
                "text": "the picture stands still",
                "illegal": False,
                "remarks": [],
            }
            told["account"]["entries"].insert(
                1, {"index": 9, "at": 2.0, "starts": 2.0, "confidence": 1.0, **gap}
            )
        route.fulfill(json=told)

    page.route("**/api/recordings/uneven", with_gap)
    page.goto(f"{films}/#recording/uneven")
    expect(page.locator("#plays li.gap")).to_have_count(1, timeout=20_000)
    page.locator("#plays li button").first.click()
    page.keyboard.press("j")
    expect(page.locator("#plays li.illegal button")).to_have_attribute("aria-current", "true")


@pytest.mark.parametrize("view", [(360, 740), (740, 360)], ids=["upright", "sideways"])
def test_a_finger_steps_through_a_recording_on_a_phone(
    browser: Browser, films: str, view: tuple[int, int]
) -> None:
    size = {"width": view[0], "height": view[1]}
    phone = browser.new_context(viewport=size, is_mobile=True, has_touch=True)
    page = phone.new_page()
    opened(page, films, "uneven")
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    for name, frame in [("frame ›", 1), ("frame ›", 2), ("‹ frame", 1)]:
        button = page.get_by_role("button", name=name)
        expect(button).to_be_in_viewport(ratio=0.99)
        box: Any = button.bounding_box()
        assert box["width"] >= 44 and box["height"] >= 44
        button.tap()
        page.wait_for_timeout(100)
        assert shown(page) == frame
    page.get_by_role("button", name="illegal »").tap()
    expect(page.locator("#plays li.illegal button")).to_have_attribute("aria-current", "true")
    assert page.evaluate("document.documentElement.scrollWidth") <= view[0]
    phone.close()


def test_a_recording_that_is_too_large_is_not_sent(page: Page, films: str, hand_video: Path) -> None:
    page.goto(f"{films}/#recordings")
    page.evaluate("document.getElementById('recording-drop').dataset.mostMb = '0.001'")
    sent: list[Route] = []
    page.route("**/api/recordings?*", lambda route: sent.append(route))
    page.set_input_files("#recording-file", hand_video)
    expect(page.get_by_role("alert")).to_contain_text("hand.mp4 has 1 MB, more than 0.001")
    assert sent == []
