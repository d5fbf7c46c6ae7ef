"""Left-over piles kept with what was seen of them: each of one deck, the same again by its seed."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from datasets.photos import phone as phones
from datasets.render import Art
from scripts.build.seen.kept import kept_piles
from scripts.build.seen.piles import seen_pile
from tests.datasets.plain import cloth, plain_decks
from vision.layout import Layout


class Blind:
    """An eye that keeps the pictures that it was shown."""

    def __init__(self) -> None:
        self.shown: list[np.ndarray] = []

    def see(self, image: np.ndarray, **_: object) -> Layout:
        self.shown.append(image)
        return Layout(image.shape[1], image.shape[0], 0.0)


class Room:
    """Plain decks on a cloth."""

    surface = staticmethod(cloth)

    def decks(self, rng: np.random.Generator, least: int, most: int, whole: bool = False) -> list[Art]:
        return plain_decks(2)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Phones of fewer px."""
    monkeypatch.setattr(phones, "LONG", 1008)
    monkeypatch.setattr(phones, "SHORT", 756)


def test_a_pile_is_of_one_deck_without_a_card_twice_and_the_same_again(tmp_path: Path) -> None:
    eye, room = Blind(), Room()
    one, again, other = (seen_pile(eye, room, 5, number) for number in (0, 0, 1))
    assert (eye.shown[0] == eye.shown[1]).all() and eye.shown[0].shape[:2] == (
        one.layout.height,
        one.layout.width,
    )
    for pile in (one, other):
        faces = [card.face for card in pile.truth]
        assert 1 <= len(faces) <= 13 and len(set(faces)) == len(faces)
        assert {card.deck for card in pile.truth} == {0}
    assert [card.corners for card in one.truth] == [card.corners for card in again.truth]
    assert [card.corners for card in one.truth] != [card.corners for card in other.truth]
    (tmp_path / "00000.pile").write_bytes(pickle.dumps(one))
    assert [card.face for card in next(kept_piles(tmp_path)).truth] == [card.face for card in one.truth]
