"""Spreads photographed several times: nothing moves but what is spread anew, and every card shows a strip."""

from __future__ import annotations

import numpy as np
import pytest

from datasets.photos import phone as phones
from datasets.photos.endings import all_show_strips
from datasets.photos.lays import draw_lay
from tests.datasets.plain import cloth, plain_decks


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Phones of fewer px."""
    monkeypatch.setattr(phones, "LONG", 1008)
    monkeypatch.setattr(phones, "SHORT", 756)


def test_what_is_spread_anew_lies_beside_the_rest_and_all_else_stays() -> None:
    lay, (one, two) = draw_lay(np.random.default_rng(3), plain_decks(2), cloth, (14, 16), views=2)
    assert [card.mm for card in one.cards] == [card.mm for card in two.cards]
    assert not np.array_equal(one.image, two.image)
    taken = {1, 4, 9}
    again = lay.spread_anew(taken)
    left = [card for number, card in enumerate(lay.cards) if number not in taken]
    assert again.cards[: len(left)] == left
    moved = again.cards[len(left) :]
    assert sorted((card.deck, card.face) for card in moved) == sorted(
        (lay.cards[number].deck, lay.cards[number].face) for number in taken
    )
    lowest = max(card.corners_mm()[:, 1].max() for card in left)
    furthest = max(card.corners_mm()[:, 0].max() for card in left)
    for card in moved:
        corners = card.corners_mm()
        assert corners[:, 1].min() > lowest or corners[:, 0].min() > furthest
    photo = again.photo()
    assert photo is not None and photo.scene is not None and photo.ids is not None
    assert all_show_strips(photo.scene, photo.ids)
