"""Cards that resemble each other as backs and that nobody can read are backs; one that is read well says otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from vision.backs.one_side import open_faces, turned_over
from vision.layout import SeenCard


def card(sure: float | None, shown: float = 0.3) -> SeenCard:
    """A face read with so much, or a back."""
    square = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], dtype=float)
    side = "back" if sure is None else "face"
    return SeenCard(square, side, square, shown, 0.9, face_confidence=sure or 0.0)  # type: ignore[arg-type]


def turned(*cards: SeenCard, designs: list[int] | None = None) -> list[int]:
    found = np.zeros(len(cards), dtype=np.intp) if designs is None else np.array(designs, dtype=np.intp)
    return turned_over(cards, found).tolist()


def test_well_read_faces_are_not_asked_about() -> None:
    assert open_faces([card(0.99), card(0.9), card(None), card(0.2)]).tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("cards", "backs"),
    [
        # strips of suit signs, none legible
        ([card(0.2), card(0.6), card(0.3), card(0.7)], [0, 1, 2, 3]),
        # a stock that lies whole, its strips half legible
        ([card(0.76, 1.0), card(0.7), card(0.7), card(0.6)], [0, 1, 2, 3]),
        # black cards in a column: strips alike, hard to read, and one of them read
        ([card(0.95), card(0.6), card(0.3), card(0.2)], []),
        # strips that are read so so are faces in bad light
        ([card(0.8), card(0.7), card(0.6), card(0.5)], []),
        # three alike are chance
        ([card(0.2), card(0.3), card(0.2)], []),
        ([card(None), card(None), card(0.2), card(0.1)], [2, 3]),
    ],
)
def test_a_design_is_one_side(cards: list[SeenCard], backs: list[int]) -> None:
    assert turned(*cards) == backs


def test_each_design_is_judged_alone() -> None:
    cards = [card(0.2), card(0.95), card(0.2), card(0.2), card(0.5), card(0.2), card(0.2), card(0.3)]
    assert turned(*cards, designs=[0, 1, 0, 0, 1, 0, 1, 1]) == [0, 2, 3, 5]
