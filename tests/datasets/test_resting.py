"""Cards lie on one another: no sheet crosses another, and none hangs in the air."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.resting import AIR, at_rest, grid_of, lifted
from datasets.scene import THICKNESS, PlacedCard

Floats = NDArray[np.float64]


def card(x: float, y: float, angle: float = 0.0, curl: float = 0.0) -> PlacedCard:
    return PlacedCard(0, "2S", True, x, y, angle, 0, curl=curl)


def height_at(one: PlacedCard, sheet: Floats, point: Floats) -> float:
    """Of a card's lower side over a point of the table; nan beside it."""
    dx, dy = point - (one.x, one.y)
    u = np.cos(one.angle) * dx + np.sin(one.angle) * dy
    v = np.cos(one.angle) * dy - np.sin(one.angle) * dx
    if abs(u) > one.width / 2 or abs(v) > one.height / 2:
        return np.nan
    x, y = grid_of(one)
    return float(np.interp(u, x, [np.interp(v, y, column) for column in sheet.T]))


@pytest.mark.parametrize("seed", range(4))
def test_no_sheet_crosses_another(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cards = [
        card(*rng.uniform(-60, 60, 2), float(rng.uniform(0, 6)), float(rng.normal(0, 0.6))) for _ in range(14)
    ]
    sheets = at_rest(cards)
    met = 0
    for point in rng.uniform(-90, 90, (300, 2)):
        heights = np.array([height_at(*pair, point) for pair in zip(cards, sheets, strict=True)])
        heights = heights[~np.isnan(heights)]
        assert (heights > -1e-9).all()
        assert (np.diff(heights) >= THICKNESS).all()
        met += len(heights)
    assert met > 500


def test_a_squared_pile_is_as_high_as_its_cards() -> None:
    top = lifted([card(0, 0) for _ in range(10)])[-1]
    assert top.lift == pytest.approx([10 * THICKNESS + 9 * AIR] * 4, abs=1e-3)


def test_a_long_column_does_not_climb_into_the_air() -> None:
    """Each card leans on the last: at any place only a few lie on one another."""
    cards = lifted([card(0, 18.0 * i) for i in range(20)])
    layers = 88 / 18 + 1
    assert max(max(c.lift) for c in cards) < 1.6 * layers * (THICKNESS + AIR)
    # the free ends lie lower than the ends that are held up
    assert cards[-1].lift[2] < 0.5 * cards[-1].lift[0]


def test_a_curled_card_stands_on_its_ends_or_on_its_middle() -> None:
    up, down = lifted([card(0, 0, curl=0.9)])[0], lifted([card(0, 0, curl=-0.9)])[0]
    assert up.lift == pytest.approx([0.9 + THICKNESS] * 4)
    assert down.lift == pytest.approx([THICKNESS] * 4)
    assert at_rest([card(0, 0, curl=-0.9)])[0].max() == pytest.approx(0.9)
