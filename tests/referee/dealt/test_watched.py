"""Too dark is what cards do not stand out in, not a dark table."""

from __future__ import annotations

import pytest

from referee.dealt.watched import is_too_dark
from tests.referee.dealt.test_count_dealt import landing
from vision.dealt.landings import Landing


def printed(contrast: int) -> list[Landing]:
    """Cards half of whose px are lighter by so much."""
    cards = [landing(float(at)) for at in range(8)]
    for one in cards:
        one.crop[:80] = 10 + contrast
        one.crop[80:] = 10
    return cards


@pytest.mark.parametrize(
    ("light", "contrast", "noise", "dark"),
    [(20.0, 90, 2.0, False), (20.0, 12, 2.0, True), (20.0, 40, 8.0, True), (120.0, 12, 2.0, False)],
)
def test_a_dark_table_is_none_where_cards_stand_out(
    light: float, contrast: int, noise: float, dark: bool
) -> None:
    assert is_too_dark(light, printed(contrast), noise) == dark


def test_a_dim_film_without_any_card_is_too_dark() -> None:
    assert is_too_dark(40.0, [], 1.0) and not is_too_dark(120.0, [], 1.0)
