"""A real browser on a real server: Debian's Chromium, without a window."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from pretend import RECORD, PretendEye, pretend_tools
from serving import CHROMIUM_FLAGS, serve

from referee.service import SAMPLE


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser; without one the tests are skipped, or fail where it is required (NERTS_BROWSER=required)."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        if os.environ.get("NERTS_BROWSER") == "required":
            pytest.fail("there is no Chromium here, and NERTS_BROWSER=required: install the package chromium")
        pytest.skip("there is no Chromium here: install the package chromium")
    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page at desktop size; an error of a script fails the test."""
    faults: list[str] = []
    context = browser.new_context(viewport={"width": 1366, "height": 850})
    opened = context.new_page()
    opened.on("pageerror", lambda error: faults.append(str(error)))
    yield opened
    context.close()
    assert faults == []


@pytest.fixture
def address(hand_video: Path, tmp_path: Path) -> Iterator[str]:
    """The page with a pretended eye and umpire."""
    yield from serve(pretend_tools(PretendEye(), hand_video), tmp_path / "recordings")


@pytest.fixture
def sample_address(tmp_path: Path) -> Iterator[str]:
    """The page with the sample that ships, and a pretended umpire."""
    tools = replace(pretend_tools(PretendEye(), SAMPLE), replay=lambda *_, **__: RECORD)
    yield from serve(tools, tmp_path / "recordings")
