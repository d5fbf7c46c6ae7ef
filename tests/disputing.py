"""Somebody settles a dispute on the page, and the taps are counted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page, expect

#: A laptop's and a phone's picture, px.
SIZES = [(1366, 850), (360, 740)]


class Taps:
    """A page that is tapped, or clicked where the screen is no phone's."""

    def __init__(self, page: Page, width: int) -> None:
        self.page, self.width, self.count = page, width, 0

    def tap(self, what: Any) -> None:
        self.count += 1
        what.tap() if self.width < 500 else what.click()

    def settle(self, frame: str) -> None:
        """From the plays of a hand to the accepted answer to a challenge, in no more than six taps with those before."""
        page = self.page
        self.tap(page.locator("#moment-plays li.illegal button"))
        expect(page.locator("#moment-where")).to_contain_text(frame)
        page.locator("#moment-by").fill("Anna")
        self.tap(page.get_by_role("button", name="Challenge"))
        challenge = page.locator("#moment-challenges li")
        expect(challenge).to_contain_text("a foundation builds up by one in its suit")
        self.tap(challenge.get_by_role("button", name="Accept"))
        expect(challenge).to_contain_text("accepted")
        assert self.count <= 6
        assert page.evaluate("document.documentElement.scrollWidth") <= self.width


@contextmanager
def tapping(browser: Browser, size: tuple[int, int]) -> Iterator[Taps]:
    """A new page of this size."""
    touch = size[0] < 500
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, is_mobile=touch, has_touch=touch
    )
    try:
        yield Taps(context.new_page(), size[0])
    finally:
        context.close()
