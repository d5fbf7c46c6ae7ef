"""A staircase that lacks a card: which one it is, and where it lies, is said by the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from test_deal import FACE, dealing, looks, staircase

from referee.umpire.seats.deal import find_deal
from referee.umpire.seats.dealt_piles import dealt_piles
from vision.layout import Layout


@pytest.mark.parametrize("lacks", range(1, 6))
@pytest.mark.parametrize("game", ["nuts", "team-nuts"])
@pytest.mark.parametrize("seat", ["south", "west"])
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("shown", [False, True])
def test_a_card_of_a_staircase_that_no_look_shows_is_looked_for(
    shown: bool, left: bool, seat: str, game: str, lacks: int
) -> None:
    suit, other = {"south": ("S", "north"), "west": ("H", "east")}[seat]
    whole = staircase(seat, game, left=left)
    missed = next(card for card in whole if card.face == FACE[lacks] + suit)
    seen = looks([card for card in whole if card is not missed], staircase(other, game))

    def look_again(window: tuple[int, int, int, int], plane: np.ndarray) -> Layout:
        return replace(seen[0], cards=[missed] if shown else [])

    deal = find_deal(seen, look_again, dealing(game), fill=True)
    full = find_deal(looks(whole, staircase(other, game)), None, dealing(game))
    assert deal.tops.keys() == full.tops.keys()
    for seat, tops in full.tops.items():
        assert deal.tops[seat].keys() == tops.keys()
        for place, found in tops.items():
            assert np.allclose(deal.tops[seat][place].at, found.at, atol=12.0)
    piles = dealt_piles(deal)
    unread = {place.own_name for place, pile in piles.items() if pile[-1].up and not pile[-1].known}
    assert unread == (set() if shown else {f"work {lacks}"})
