"""A new deal is told from the last hand's cards that still lie there."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from believed import place_of

from referee.live.session.deals import DealWatch
from referee.rules.places import Place
from referee.umpire.deal import Deal
from referee.umpire.dealt_row import Found
from vision.layout import FACES

NAMES = ("nerts", "work 1", "work 2", "work 3", "work 4")
PLACES = [place_of(seat, name) for seat in ("west", "east") for name in NAMES]


def dealt() -> Deal:
    """Ten open cards of which one cannot be read."""
    tops: dict[str, dict[Place, Found]] = {"west": {}, "east": {}}
    for number, place in enumerate(PLACES):
        chances = np.full(52, 1e-4 if number else 1 / 52)
        chances[number] = 0.99 if number else 1 / 52
        tops[str(place.seat)][place] = Found((70.0 * number, 0.0), 0.0, True, np.log(chances / chances.sum()))
    return Deal(cast(Any, None), tops, {})


@pytest.mark.parametrize(("same", "old"), [(9, True), (7, True), (4, False), (3, False), (0, False)])
def test_cards_that_lie_where_they_lay_by_chance_make_no_deal_an_old_one(same: int, old: bool) -> None:
    """In a filmed evening three of ten did, and the hand was not followed."""
    faces = [FACES[number if 0 < number <= same else number + 20] for number in range(len(PLACES))]
    watch = DealWatch(cast(Any, None), cast(Any, None), dict(zip(PLACES, faces, strict=True)))
    assert watch._is_old(dealt()) == old
