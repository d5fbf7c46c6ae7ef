"""Photos as phones write them, in a browser that cannot show them all: it shows what was seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pillow_heif
import pytest
from PIL import Image as Pillow
from playwright.sync_api import Page, Route, expect
from pretend import picture

WHERE = """image => {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  const brush = canvas.getContext("2d");
  brush.drawImage(image, 0, 0);
  const row = brush.getImageData(0, 2, canvas.width, 1).data;
  const light = [];
  for (let x = 0; x < canvas.width; x++) if (row[4 * x] > 120) light.push(x / canvas.width);
  return [Math.min(...light), Math.max(...light)];
}"""


@pytest.mark.parametrize("kind", ["HEIF", "AVIF", "TIFF", "PNG"])
def test_what_was_seen_is_shown_and_drawn_on(page: Page, address: str, tmp_path: Path, kind: str) -> None:
    """Larger than it is shown; the cards that are drawn lie on those of the picture."""
    pillow_heif.register_heif_opener()
    large = np.zeros((1000, 4000, 3), np.uint8)
    large[:40, 400:800] = 250  # twenty aces side by side
    file = tmp_path / f"hand.{kind.lower()}"
    how: dict[str, Any] = {} if kind == "TIFF" else {"quality": 90}
    Pillow.fromarray(large).save(file, kind, **({} if kind == "PNG" else how))
    page.goto(address)
    page.set_input_files("#photo-files", file)
    expect(page.locator("#photo-pictures polygon.face")).to_have_count(20, timeout=30_000)
    image = page.locator("#photo-pictures img")
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 2000
    left, right = image.evaluate(WHERE)
    assert (left, right) == (pytest.approx(0.1, abs=0.002), pytest.approx(0.2, abs=0.002))
    frame: Any = image.bounding_box()
    boxes: list[Any] = [each.bounding_box() for each in page.locator("#photo-pictures polygon.face").all()]
    drawn = [(box["x"] - frame["x"]) / frame["width"] for box in boxes]
    assert min(drawn) == pytest.approx(left, abs=0.004)
    assert max(drawn) == pytest.approx(right - 0.005, abs=0.004)


def test_a_photo_that_is_too_large_is_not_sent(page: Page, address: str, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), picture("red"))
    page.goto(address)
    page.evaluate("document.getElementById('photo-drop').dataset.mostMb = '0.00001'")
    sent: list[Route] = []
    page.route("**/api/photos*", lambda route: sent.append(route))
    page.set_input_files("#photo-files", tmp_path / "a.png")
    expect(page.get_by_role("alert")).to_contain_text("a.png has 1 MB, more than 0.00001")
    assert sent == []
