"""Requests that are followed: a pile asked to be laid apart shows all its cards, no hand lies over one asked away."""

from __future__ import annotations

import numpy as np
import pytest

from datasets.photos import phone as phones
from datasets.photos.endings import all_show_strips
from datasets.photos.finished import HandPhoto, SameTable
from datasets.photos.photograph import photograph, still_of
from datasets.render import HAND
from datasets.scene import PlacedCard
from referee.photos.score import Request
from scripts.build.seen.following import Follower
from tests.datasets.plain import cloth, plain_decks


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Phones of fewer px."""
    monkeypatch.setattr(phones, "LONG", 1008)
    monkeypatch.setattr(phones, "SHORT", 756)


def test_each_photo_is_asked_about_once_and_a_squared_pile_is_laid_apart() -> None:
    rng, decks = np.random.default_rng(3), plain_decks(2)
    faces = sorted(decks[1].faces)[:3]
    squared = [PlacedCard(1, face, False, 0.2 * n, 0.0, 0.0, 0) for n, face in enumerate(faces)]
    still = still_of(photograph(rng, squared, decks, SameTable(cloth, 1)))
    assert still.scene is not None and still.ids is not None
    assert not all_show_strips(still.scene, still.ids)
    follower = Follower(rng, decks, cloth, 1)
    apart, away = Request("spread", "apart", 0), Request("again", "a hand lies over it", 1)
    photos = [HandPhoto("fan", 0, 1, still), HandPhoto("fan", 1, 0, still)]
    first, second = follower.follow([apart, away, Request("again", "once more", 0)], photos)
    assert (first.seat, second.seat) == (1, 0)
    for taken in (first, second):
        assert taken.still.scene is not None and taken.still.ids is not None
        assert sorted(card.face for card in taken.still.cards) == faces
        assert not any(card.face_up for card in taken.still.cards)
        assert not (taken.still.ids == HAND).any()
    assert all_show_strips(first.still.scene, first.still.ids)  # type: ignore[arg-type]
    assert second.still.scene.cards == squared  # type: ignore[union-attr]
