"""The backs that the matcher of whole backs is trained on, as the eye compares them."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from datasets.back_crops import BackCrops
from datasets.stills import Still
from datasets.truth import CardTruth
from scripts.build.seen.backs import seen_backs
from tests.scripts.build.test_build_cases import seen


def truth(x: float, deck: int, face_up: bool = False) -> CardTruth:
    corners = [[x, 100], [x + 126, 100], [x + 126, 276], [x, 276]]
    return CardTruth(corners, "QS", face_up, deck, 0, 0, 1.0, None, [0, 0, 0, 63, 88], False)


def backs(cards: list[CardTruth], middles: list[float]) -> BackCrops | None:
    """Of backs that the eye sees at these places, each with a crop of its own number."""
    numbers = np.arange(len(middles), dtype=np.uint8)
    crops = np.zeros((len(middles), 160, 112, 3), np.uint8) + numbers[:, None, None, None]
    masks = np.full((len(middles), 160, 112), 255, np.uint8)
    answer = [seen(x, 1.0) for x in middles], crops, masks
    still = Still(np.zeros((400, 2000, 3), np.uint8), cards, 2.0)
    return seen_backs(SimpleNamespace(back_crops=lambda _: answer), still)  # type: ignore[arg-type]


def test_what_is_no_back_is_left_out_and_the_others_have_their_decks() -> None:
    cards = [truth(100, 3), truth(400, 1), truth(700, 2, face_up=True), truth(1000, 3)]
    kept = backs(cards, [1002, 702, 402, 1500, 101])
    assert kept is not None
    assert kept.crops[:, 0, 0, 0].tolist() == [0, 2, 4] and kept.decks.tolist() == [3, 1, 3]
    assert len(kept.masks) == 3


def test_a_photo_of_one_deck_tells_nothing() -> None:
    assert backs([truth(100, 1), truth(400, 1)], [100, 400]) is None
    assert backs([truth(100, 1), truth(400, 2)], [100]) is None
