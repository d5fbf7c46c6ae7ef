"""Faces that are hard to read are read again from all sides: checked on strips of a deck that was not trained on."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from voted_cards import cards as voted

from vision.faces.reader import CROP, Reader, rectify
from vision.layout import FACES, SeenCard
from vision.naming import UNSURE, Namer, _settle_sides

ROWS, COLUMNS = CROP
CARDS = sorted((Path(__file__).parent / "cards").glob("*.png"))
#: px between cards, and of a card that its neighbour leaves free.
GAP, STRIP = 40, 26


class Scene:
    """Cards side by side, of which strips at their left are seen; found `off` (widths) beside where they lie."""

    def __init__(self, off: float) -> None:
        count = len(CARDS)
        self.image = np.full((ROWS + 2 * GAP, count * (COLUMNS + GAP) + GAP, 3), (60, 90, 50), np.uint8)
        self.masks = np.zeros((count, *self.image.shape[:2]), bool)
        quads = []
        for number, path in enumerate(CARDS):
            left = GAP + number * (COLUMNS + GAP)
            self.image[GAP : GAP + ROWS, left : left + COLUMNS] = cv2.imread(str(path))
            self.masks[number, GAP : GAP + ROWS, left : left + STRIP] = True
            corner = np.array([left + off * COLUMNS, GAP])
            quads.append(corner + np.array([[0, 0], [COLUMNS, 0], [COLUMNS, ROWS], [0, ROWS]], float))
        self.quads = np.stack(quads)

    def cards(self) -> list[SeenCard]:
        """As they are after a first reading."""
        chances = Reader(threads=1).read(*rectify(self.image, self.quads, self.masks)).probabilities
        return [
            SeenCard(quad, "face", quad, 0.2, 0.9, face_confidence=float(mine.max()), face_probabilities=mine)
            for quad, mine in zip(self.quads, chances, strict=True)
        ]


def right(cards: list[SeenCard]) -> int:
    """How many are named, and rightly."""
    said = [FACES[int(np.argmax(c.face_probabilities))] if c.face_confidence >= 0.4 else None for c in cards]
    return sum(name == path.stem for name, path in zip(said, CARDS, strict=True))


@pytest.mark.parametrize("off", [-0.2, 0.2])
def test_strips_found_beside_where_they_lie_are_read_after_all(off: float) -> None:
    scene = Scene(off)
    cards = scene.cards()
    before = right(cards)
    Namer(None, 1).read_again(scene.image, cards, scene.masks, 1)
    # beyond the card's left edge the reader of now reads all of them at once
    assert right(cards) > before or before == len(cards) == right(cards)
    assert right(cards) >= 0.7 * len(cards)


def test_what_was_read_well_and_backs_are_left_alone() -> None:
    scene = Scene(0.07)
    cards = scene.cards()
    cards[0].face_confidence = UNSURE
    cards[1].side, cards[1].face_probabilities, cards[1].face_confidence = "back", None, 0.0
    before = cards[0].face_probabilities
    Namer(None, 1).read_again(scene.image, cards, scene.masks, 1)
    assert cards[0].face_probabilities is before
    assert cards[1].face is None and cards[1].face_probabilities is None


def test_strips_of_a_row_show_one_side_and_a_whole_card_speaks_for_itself() -> None:
    found = voted([(100.0 * k, 0.0) for k in range(4)], [[(100.0 * k, 0.0)] * 9 for k in range(4)])
    found.given[:], found.back[:] = 0.9, 0.8
    chances = np.full((4, len(FACES)), 1e-4)
    # one strip looks a little like a card that can be read
    chances[1, 5] = 0.7
    chances[3, 7] = 0.99
    quad = np.zeros((4, 2))
    row = [SeenCard(quad, "back", quad, share, 0.9, pile=3) for share in (0.2, 0.2, 0.2, 1.0)]
    _settle_sides(row, chances, found)
    assert [card.side for card in row] == ["back", "back", "back", "face"]
    found.given[:] = np.nan
    _settle_sides(row, chances, found)
    assert row[1].side == "face"
