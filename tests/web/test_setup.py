"""The set-up: what the camera over the table shows is judged, for the master alone, and drawn."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from live_table import PretendSession, live_table
from playwright.sync_api import Page, expect
from pretend import PretendEye, picture, pretend_tools
from serving import Served, serving

from referee.web import create_app


@pytest.fixture
def session() -> Iterator[PretendSession]:
    """A camera of 1280x720 that gives some 20 pictures a second."""
    shown = PretendSession(image=(1, picture("ace", "red", width=1280, height=720)))
    over = threading.Event()

    def film() -> None:
        while not over.wait(0.05):
            assert shown.image is not None
            shown.image = (shown.image[0] + 1, shown.image[1])

    thread = threading.Thread(target=film)
    thread.start()
    yield shown
    over.set()
    thread.join()


@pytest.fixture
def client(hand_video: Path, tmp_path: Path, session: PretendSession) -> Iterator[TestClient]:
    app = create_app(pretend_tools(PretendEye(), hand_video), tmp_path, table=live_table(session))
    with TestClient(app, base_url="http://localhost") as client:
        yield client


@pytest.fixture
def served(hand_video: Path, tmp_path: Path, session: PretendSession) -> Iterator[Served]:
    with serving(pretend_tools(PretendEye(), hand_video), tmp_path, table=live_table(session)) as served:
        yield served


def test_the_camera_is_judged(client: TestClient) -> None:
    told = client.post("/api/live/setup").json()
    findings = {finding["name"]: finding for finding in told["findings"]}
    assert findings["resolution"]["ok"] and findings["resolution"]["figure"] == "1280x720"
    assert not findings["light"]["ok"] and findings["light"]["advice"]
    fps = float(findings["frame rate"]["figure"].split()[0])
    assert 4 <= fps <= 25  # 20 where the machine has nothing else to do
    assert told["cards"] == 2
    assert told["picture"].startswith("data:image/jpeg;base64,")


def test_without_a_table_it_says_what_to_do(hand_video: Path, tmp_path: Path) -> None:
    app = create_app(pretend_tools(PretendEye(), hand_video), tmp_path)
    with TestClient(app, base_url="http://localhost") as alone:
        answer = alone.post("/api/live/setup")
        assert answer.status_code == 404 and "nerts-referee watch" in answer.json()["error"]


def test_without_a_picture_it_says_so(hand_video: Path, tmp_path: Path) -> None:
    table = live_table(PretendSession())
    app = create_app(pretend_tools(PretendEye(), hand_video), tmp_path, table=table)
    with TestClient(app, base_url="http://localhost") as dark:
        answer = dark.post("/api/live/setup")
        assert answer.status_code == 404 and "no picture yet" in answer.json()["error"]


def test_it_is_judged_once_at_a_time(client: TestClient) -> None:
    first: list[int] = []
    thread = threading.Thread(target=lambda: first.append(client.post("/api/live/setup").status_code))
    thread.start()
    time.sleep(0.3)
    second = client.post("/api/live/setup")
    thread.join()
    assert first == [200]
    assert second.status_code == 503 and "wait" in second.json()["error"]


def test_the_master_sees_what_is_amiss(page: Page, served: Served) -> None:
    page.goto(f"{served.address}/#setup")
    page.get_by_role("button", name="Judge the camera").click()
    dark = page.locator("#setup-findings li.poor", has_text="✗ light:")
    expect(dark).to_contain_text("light the table")
    shown = page.locator("#setup-picture")
    expect(shown).to_be_visible()
    assert shown.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1280
