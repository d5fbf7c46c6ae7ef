"""Worn cards stay the cards that they are."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from datasets.decks.wear import WornFaces, worn
from datasets.film.art import plain_deck

DECK = plain_deck("blue", (150, 60, 30))


def likeness(a: np.ndarray, b: np.ndarray) -> float:
    one, two = (cv2.cvtColor(p, cv2.COLOR_BGR2GRAY).astype(float) for p in (a, b))
    return float(np.corrcoef(one.ravel(), two.ravel())[0, 1])


@pytest.mark.parametrize("face", ["2S", "KH", "7D"])
def test_a_worn_card_is_still_that_card(face: str) -> None:
    new = DECK.faces[face]
    light = [np.abs(worn(new, 0.2, np.random.default_rng(s)).astype(int) - new).mean() for s in range(6)]
    heavy = [np.abs(worn(new, 1.0, np.random.default_rng(s)).astype(int) - new).mean() for s in range(6)]
    assert 0.5 < np.mean(light) < np.mean(heavy) < 40
    used = worn(new, 1.0, np.random.default_rng(1))
    others = [likeness(used, art) for name, art in DECK.faces.items() if name != face]
    assert likeness(used, new) > max(others) + 0.02
    assert (worn(new, 0.0, np.random.default_rng(1)) == new).all()


def test_the_rim_is_worn_most_and_alpha_is_left_alone() -> None:
    grey = np.full((352, 252, 4), 90, np.uint8)
    grey[..., 3] = 77
    change = np.zeros((352, 252))
    for seed in range(12):
        used = worn(grey, 0.8, np.random.default_rng(seed))
        assert (used[..., 3] == 77).all()
        change += np.abs(used[..., :3].astype(int) - 90).mean(axis=2)
    assert change[:8].mean() > 1.5 * change[150:200, 100:150].mean()


def test_faces_are_worn_each_in_its_way_and_the_same_every_time() -> None:
    one, again, other = (WornFaces(DECK.faces, 0.7, seed) for seed in (3, 3, 4))
    assert len(one) == 52 and set(one) == set(DECK.faces)
    assert (one["2S"] == again["2S"]).all() and (one["2S"] != other["2S"]).any()
    blank = WornFaces(dict.fromkeys(DECK.faces, np.full((176, 126, 3), 240, np.uint8)), 0.7, 3)
    assert (blank["2S"] != blank["3S"]).any()
