"""Spreads come to an end for every seed and show every card."""

from __future__ import annotations

import numpy as np
import pytest

from datasets.arrange import Arranger, Shoe
from datasets.stills import Manner, laid_rows

FACES = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]


@pytest.mark.parametrize("seed", range(40))
def test_a_spread_holds_as_many_cards_as_it_should(seed: int) -> None:
    rng = np.random.default_rng(seed)
    decks = [FACES[: int(rng.integers(4, 20))] for _ in range(int(rng.integers(2, 5)))]
    wanted = int(rng.integers(12, 61))
    cards = laid_rows(Arranger(rng, Shoe(rng, decks)), wanted, False, Manner(), 1.0)
    assert len(cards) == min(wanted, sum(map(len, decks)))
    assert len({(card.deck, card.face) for card in cards}) == len(cards)
