"""Bands out of photos: what is labelled in them is where the cards' edges are, in rows laid either way."""

from __future__ import annotations

import numpy as np
import pytest

from datasets.glimpses import bands_in
from datasets.photos import phone as phones
from datasets.photos.photograph import photograph, still_of
from datasets.photos.spreading import Spreader
from datasets.scene import POKER_MM
from datasets.stills import Still
from tests.datasets.plain import cloth, plain_decks
from vision.rows.band import COLUMN_MM, FILL, LONG_MM, ROWS


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Phones of fewer px."""
    monkeypatch.setattr(phones, "LONG", 1008)
    monkeypatch.setattr(phones, "SHORT", 756)


def photo_of_a_row(seed: int, lengthwise: bool) -> Still:
    """Twelve cards of two decks in turn."""
    rng = np.random.default_rng(seed)
    spreader = Spreader(rng, POKER_MM)
    named = [(number % 2, "AS") for number in range(12)]
    spreader.ground.cards += spreader._strung(named, 16.0, 0.0, 0.0, lengthwise)
    return still_of(photograph(rng, spreader.ground.cards, plain_decks(2), cloth))


@pytest.mark.parametrize("lengthwise", [False, True])
def test_edges_lie_where_one_back_ends_and_the_next_begins(small: None, lengthwise: bool) -> None:
    steps = []
    for seed in range(4):
        for band in bands_in(photo_of_a_row(seed, lengthwise), np.random.default_rng(seed)):
            side = np.bincount(band.edges[:, 0].astype(int), minlength=2).argmax()
            edges = band.edges[(band.edges[:, 0] == side) & (np.abs(band.edges[:, 2]) < 2)]
            middle = band.image[ROWS // 2 - 4 : ROWS // 2 + 4].mean(axis=0)
            for at in edges[:, 1]:
                column = round(at / COLUMN_MM)
                if 8 <= column < len(middle) - 8:
                    before, after = middle[column - 6 : column - 2], middle[column + 3 : column + 7]
                    steps.append(np.abs(before.mean(axis=0) - after.mean(axis=0)).max())
    assert len(steps) > 20
    # two colours in turn: nearly every labelled edge is one
    assert np.mean(np.array(steps) > 12) > 0.85


def test_labels_are_of_cards_as_high_as_the_band(small: None) -> None:
    bands = bands_in(photo_of_a_row(1, True), np.random.default_rng(1))
    edges = np.concatenate([band.edges for band in bands])
    assert len(edges) >= 12
    assert all(band.image.shape[0] == ROWS for band in bands)
    # a card that reaches beyond the picture of its band is none of the row
    assert np.abs(edges[:, 4]).max() < LONG_MM * (1 / FILL - 1)
    assert set(edges[:, 5]) == {0.0, 1.0}
