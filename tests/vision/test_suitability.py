"""Will this view of a table do: each thing that can be amiss is told, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.capture.frames import load_image
from vision.layout import Layout, SeenCard
from vision.suitability import READS, blur_mm, draw_view, judge_view, reads_at, scale_by_area

CARDS = sorted((Path(__file__).parent / "cards").glob("*.png"))
#: px a mm of the table below.
SCALE = 2.0
SIZE = (int(63.5 * SCALE), int(88.9 * SCALE))


def table(*, scale: float = SCALE, height: int = 1080) -> tuple[np.ndarray, Layout]:
    """A green table of which every millimetre is so many px, with real cards on it, and what an eye says of it."""
    width = height * 16 // 9
    image = np.full((height, width, 3), (60, 110, 60), np.uint8)
    size = (int(63.5 * scale), int(88.9 * scale))
    cards = []
    for number, file in enumerate(CARDS[:4]):
        x, y = 100 + number * (size[0] + 30), 200
        image[y : y + size[1], x : x + size[0]] = cv2.resize(
            load_image(file), size, interpolation=cv2.INTER_AREA
        )
        corners = np.array(
            [[x, y], [x + size[0], y], [x + size[0], y + size[1]], [x, y + size[1]]], np.float64
        )
        cards.append(SeenCard(corners, "face", corners, 1.0, 0.99, face="AS", face_confidence=0.99))
    layout = Layout(width, height, scale, cards, to_table=np.diag([1 / scale, 1 / scale, 1.0]))
    return image, layout


def poor(frames: list[np.ndarray], layout: Layout, fps: float = 30.0) -> set[str]:
    """The names of what will not do."""
    return {finding.name for finding in judge_view(frames, fps, layout) if not finding.ok}


def test_a_good_view_has_nothing_amiss() -> None:
    image, layout = table()
    assert poor([image] * 10, layout) == set()


def test_everything_poor_has_an_advice() -> None:
    image, layout = table(scale=1.0, height=480)
    dark = (image * 0.2).astype(np.uint8)
    findings = judge_view([dark] * 4, 10.0, layout)
    assert {f.name for f in findings if not f.ok} >= {"resolution", "frame rate", "light", "scale"}
    assert all(finding.advice for finding in findings if not finding.ok)


def test_a_slow_camera() -> None:
    image, layout = table()
    assert poor([image] * 10, layout, fps=12.0) == {"frame rate"}


@pytest.mark.parametrize(("sigma", "amiss"), [(1.0, False), (3.0, True)])
def test_focus(sigma: float, amiss: bool) -> None:
    image, layout = table()
    blurred = cv2.GaussianBlur(image, (0, 0), sigma)
    assert ("focus" in poor([blurred] * 10, layout)) == amiss


@pytest.mark.parametrize("sigma_mm", [1.0, 1.5])
def test_blur_is_told_in_mm_at_every_scale(sigma_mm: float) -> None:
    for scale in (2.0, 3.0):
        image, layout = table(scale=scale)
        blurred = cv2.GaussianBlur(image, (0, 0), sigma_mm * scale)
        told = [blur_mm(blurred, card, scale) for card in layout.cards]
        assert all(blur is not None and 1.4 * sigma_mm <= blur <= 2.8 * sigma_mm for blur in told)


def test_of_a_card_of_which_little_shows_nothing_is_told() -> None:
    image, layout = table()
    card = layout.cards[0]
    card.visible = card.corners[0] + np.array([[0, 0], [8, 0], [8, 8], [0, 8]], np.float64)
    assert blur_mm(image, card, SCALE) is None


def test_glare_on_the_table_and_on_cards() -> None:
    image, layout = table()
    lamp = image.copy()
    cv2.circle(lamp, (1500, 800), 200, (255, 255, 255), -1)
    assert poor([lamp] * 10, layout) == {"glare"}
    burnt = image.copy()
    outline = layout.cards[1].corners.round().astype(np.int32)
    cv2.fillPoly(burnt, [outline], (255, 255, 255))
    assert poor([burnt] * 10, layout) == set()
    layout.cards[1].face_confidence = 0.3
    assert poor([burnt] * 10, layout) == {"glare"}


def test_a_lamp_that_flickers_and_a_camera_that_moves() -> None:
    image, layout = table()
    dim = (image * 0.85).astype(np.uint8)
    assert poor([image, dim] * 5, layout) == {"steady light"}
    moved = np.roll(image, 6, axis=1)
    assert poor([*[image] * 9, moved], layout) == {"steady camera"}


def test_without_cards_it_says_to_lay_some() -> None:
    image, layout = table()
    layout.cards, layout.to_table = [], None
    assert poor([image] * 10, layout) == {"cards"}
    assert np.isnan(scale_by_area(layout)).all()
    assert draw_view(image, layout).shape == image.shape


def test_scale_is_told_by_area_of_a_table_seen_at_a_slant() -> None:
    image, layout = table()
    # the far edge, above, is seen at half the scale of the near one
    corners = np.array([[480, 0], [1440, 0], [1920, 1080], [0, 1080]], np.float32)
    on_table = np.array([[0, 0], [900, 0], [900, 700], [0, 700]], np.float32)
    layout.to_table = cv2.getPerspectiveTransform(corners, on_table)
    scale = scale_by_area(layout)
    assert (np.diff(scale.mean(axis=1)) > 0).all()
    assert reads_at(float(scale[0].mean())) == "cannot" and scale[-1].mean() > READS
    view = draw_view(image, layout)
    assert (view[20:80, 900:1000] != image[20:80, 900:1000]).any()
    assert (view[1000:1060, 900:1000] == image[1000:1060, 900:1000]).all()
