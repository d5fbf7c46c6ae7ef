"""How sure a reading is said to be: the surer the reader and the more of the card is seen; backs are left alone."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.faces.certainty import settle
from vision.layout import FACES, SeenCard

CHANCE = st.floats(0.4, 0.999)


def face(best: float, second: float = 0.0, fraction: float = 1.0) -> SeenCard:
    """A card read as the fourth face with `best`, as the fifth with `second`."""
    chances = np.full(len(FACES), 1e-6)
    chances[3], chances[4] = best, second
    corners = np.zeros((4, 2))
    return SeenCard(
        corners,
        "face",
        corners,
        fraction,
        0.9,
        face=FACES[3],
        face_confidence=best,
        face_probabilities=chances,
    )


@given(CHANCE, CHANCE)
def test_a_surer_reading_is_surer(one: float, two: float) -> None:
    low, high = sorted((one, two))
    cards = [face(low, (1 - low) / 4), face(high, (1 - high) / 4)]
    settle(cards)
    assert 0 < cards[0].face_confidence <= cards[1].face_confidence < 1


def test_a_rival_makes_it_less_sure_and_so_does_a_cover() -> None:
    cards = [face(0.7, 0.01), face(0.7, 0.28), face(0.7, 0.01, fraction=0.1)]
    settle(cards)
    assert cards[0].face_confidence > max(cards[1].face_confidence, cards[2].face_confidence)


def test_what_was_read_stays_and_what_was_not_named_is_left_alone() -> None:
    named, unnamed = face(0.9), face(0.3)
    unnamed.face = None
    before = named.face_probabilities
    settle([named, unnamed])
    assert named.face_probabilities is before
    assert unnamed.face_confidence == 0.3
