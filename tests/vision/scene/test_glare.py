"""Where light burns out cards: a spot of it is told, white rims and overexposed photos are not."""

import cv2
import numpy as np
import pytest

from vision.layout import Layout, SeenCard
from vision.scene.glare import glare


def table(rim: int = 6, paint: tuple[int, int, int] = (150, 60, 40)) -> tuple[np.ndarray, Layout]:
    """A row of ten backs, px and mm 2 to 1, with white rims."""
    image, layout = np.full((600, 1200, 3), 90, np.uint8), Layout(1200, 600, 2.0)
    for k in range(10):
        x = 100 + 80 * k
        cv2.rectangle(image, (x, 200), (x + 126, 376), (255, 255, 255), -1)
        cv2.rectangle(image, (x + rim, 200 + rim), (x + 126 - rim, 376 - rim), paint, -1)
        corners = np.array([[x, 200], [x + 126, 200], [x + 126, 376], [x, 376]], dtype=float)
        layout.cards.append(SeenCard(corners, "back", corners, 1.0, 0.99, back="blue"))
    return image, layout


def test_white_rims_are_no_glare() -> None:
    assert glare(*table()) == []


def test_a_spot_of_light_is_outlined_where_it_lies() -> None:
    image, layout = table()
    cv2.circle(image, (500, 290), 45, (255, 255, 255), -1)
    (spot,) = glare(image, layout)
    assert spot.mean(axis=0) == pytest.approx((500, 290), abs=12)
    assert np.ptp(spot[:, 0]) == pytest.approx(90, abs=20)


def test_light_beside_the_cards_and_white_cards_are_no_glare() -> None:
    image, layout = table()
    cv2.circle(image, (500, 80), 60, (255, 255, 255), -1)
    assert glare(image, layout) == []
    assert glare(*table(paint=(255, 255, 255))) == []
    assert glare(image, Layout(1200, 600, 0.0)) == []
