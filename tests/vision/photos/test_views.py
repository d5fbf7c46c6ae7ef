"""Where a place of one photo lies in another one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.geometry.plane import apply
from vision.layout import SeenCard
from vision.photos.views import Floats, laid_on

PLACE = np.array([[400.0, 300], [520, 310], [510, 480], [390, 470]])
TURNED = np.array([[0.4, -0.2, 30.0], [0.2, 0.4, -60.0], [0.0, 0.0, 1.0]])


def card(corners: Floats) -> SeenCard:
    return SeenCard(corners, "back", corners, 1.0, 0.95)


@given(st.floats(-30.0, 30.0), st.floats(-30.0, 30.0))
def test_planes_that_are_off_put_a_place_where_the_cards_about_it_lie(x: float, y: float) -> None:
    """However far apart two photos lay the same cards on their table; cards further off tell nothing."""
    other = np.array([[1.0, 0, x], [0, 1.0, y], [0, 0, 1.0]]) @ TURNED
    near = [(card(PLACE + push), card(PLACE + push)) for push in ([-70.0, 5.0], [70.0, -5.0], [5.0, 90.0])]
    far = [(card(PLACE + 900.0), card(PLACE + 950.0)) for _ in range(6)]
    assert np.allclose(laid_on(PLACE, TURNED, other, [*far, *near]), PLACE)
    assert np.allclose(apply(other, laid_on(PLACE, TURNED, other, [])), apply(TURNED, PLACE))
