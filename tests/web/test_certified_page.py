"""What the page says of counts: which are sure, and what is to be done for the others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from pretend import PretendEye, picture

from vision.capture.frames import save_image
from vision.layout import Layout


@pytest.fixture
def doubtful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Photos from near, in which the first of the red cards may be none."""
    plainly = PretendEye.see

    def see(eye: PretendEye, image: np.ndarray) -> Layout:
        layout = plainly(eye, image)
        layout.px_per_mm = 3.0
        for card in layout.cards:
            card.confidence = 0.995
        next(card for card in layout.cards if card.back == "red").confidence = 0.5
        return layout

    monkeypatch.setattr(PretendEye, "see", see)


def test_the_area_to_spread_is_marked_and_every_count_says_whether_it_is_sure(
    page: Page, address: str, tmp_path: Path, doubtful: None
) -> None:
    save_image(tmp_path / "spread.png", picture("red", "red", "blue", "red", "blue", "blue"))
    page.goto(address)
    page.set_input_files("#photo-files", tmp_path / "spread.png")
    rows = page.locator("#photo-score tbody tr")
    expect(rows.filter(has_text="red").locator(".count")).to_have_text("3 ?")
    expect(rows.filter(has_text="blue").locator(".count")).to_have_text("3 ✓")
    todo = page.locator("#photo-doubts .to-do button")
    expect(todo).to_have_count(1)
    expect(todo).to_contain_text("in the marked area out, spread them beside the others")
    area = page.locator("#photo-pictures polygon.to-spread")
    expect(area).to_have_count(1)
    todo.click()
    expect(area).to_be_in_viewport()
