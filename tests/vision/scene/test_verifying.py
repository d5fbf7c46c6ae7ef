"""The verifier, with the weights that are kept: a card is one, what is only said to lie beside it is none."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from voted_cards import cards, grid

from tests.vision.detect.test_placing import CARD, picture
from vision.detect.placing import CUT, cuts_of
from vision.found import Found
from vision.scene.stacking import painted
from vision.scene.verifying import MOST, NO_BACK, Verifier

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

ALONG = (CARD[1] - CARD[0]) / np.linalg.norm(CARD[1] - CARD[0])


def laid(face: str, corners: Floats) -> Pixels:
    """A card on a green cloth."""
    art = cv2.imread(str(Path(__file__).parents[1] / "cards" / f"{face}.png"))
    assert art is not None
    own = np.array([[0, 0], [art.shape[1], 0], art.shape[1::-1], [0, art.shape[0]]], np.float32)
    matrix = cv2.getPerspectiveTransform(own, corners.astype(np.float32))
    image = np.where(picture()[..., :1] > 150, cv2.warpPerspective(art, matrix, (640, 520)), picture())
    noise = np.random.default_rng(5).normal(0, 3, image.shape)
    return np.clip(cv2.GaussianBlur(image, (0, 0), 0.8) + noise, 0, 255).astype(np.uint8)


def asked(image: Pixels, quads: list[Floats]) -> Floats:
    """What the verifier says of cards that are said to lie at `quads`, the later ones above."""
    corners = np.stack(quads)
    shown, step = painted(corners, range(len(quads)), image.shape[1], image.shape[0])
    return Verifier(threads=1).odds(cuts_of(image, corners, shown, step, range(len(quads))))


@pytest.mark.parametrize("face", ["2H", "9C", "KC", "8D", "AS"])
def test_a_card_is_one_and_a_sliver_of_cloth_beside_it_is_none(face: str) -> None:
    sliver, card = asked(laid(face, CARD), [CARD + 30 * ALONG, CARD])
    assert card > 2 and sliver < -0.5


def test_a_rectangle_across_a_card_is_none() -> None:
    turned = np.array([[np.cos(1.1), -np.sin(1.1)], [np.sin(1.1), np.cos(1.1)]])
    middle = CARD.mean(axis=0)
    across = (CARD - middle) @ turned.T + middle + 12
    card, _ = asked(laid("9C", CARD), [CARD, CARD + 400])
    _, wrong = asked(laid("9C", CARD), [CARD, across])
    assert card > wrong + 2


def test_nothing_asked_nothing_said_and_no_more_than_it_may_say() -> None:
    assert Verifier(threads=1).odds(np.zeros((0, *CUT, 5), np.uint8)).shape == (0,)
    noise = np.random.default_rng(1).integers(0, 256, (40, *CUT, 5), dtype=np.uint8)
    assert np.abs(Verifier(threads=1, batch=7).odds(noise)).max() <= MOST


def said(odds: list[float]) -> Verifier:
    """A verifier that says this of the cards that it is asked about, and nothing of more."""

    class Told(Verifier):
        def __init__(self) -> None:
            pass

        def odds(self, cuts: Pixels) -> Floats:
            assert len(cuts) == len(odds)
            return np.array(odds)

    return Told()


def mostly_backs(faces: int) -> Found:
    """Four backs, and cards that show their faces."""
    middles = [(80.0 + 110 * k, 100.0) for k in range(4 + faces)]
    found = cards(middles, [grid(*at, 80, 120) for at in middles])
    found.back[:4] = 1.0
    return found


def test_of_backs_with_faces_among_them_only_the_likely_ones_stay() -> None:
    image, found = np.zeros((200, 600, 3), np.uint8), mostly_backs(1)
    left = said([-6, 1, NO_BACK - 0.1, NO_BACK + 0.1]).cleared(image, found)
    assert left.middle[:, 0].tolist() == found.middle[[1, 3, 4], 0].tolist()


def test_spread_backs_alone_and_tables_are_left_as_they_were_found() -> None:
    image = np.zeros((200, 1300, 3), np.uint8)
    for faces in (0, 6):
        found = mostly_backs(faces)
        assert len(said([]).cleared(image, found)) == len(found)
