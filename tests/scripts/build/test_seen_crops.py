"""Crops as the eye cuts them: the label is what truly lies where it saw a card."""

from __future__ import annotations

import numpy as np
import pytest

from datasets.reader_crops import REJECT
from datasets.stills import Still
from datasets.truth import CardTruth
from scripts.build.seen.crops import REJECTS, seen_crops
from vision.layout import FACES, SeenCard


def corners(x: float, y: float) -> list[list[float]]:
    return [[x, y], [x + 126, y], [x + 126, y + 176], [x, y + 176]]


def truth(x: float, face: str, *, up: bool = True, share: float = 1.0, index: bool = True) -> CardTruth:
    return CardTruth(corners(x, 100), face, up, 0, 0, 0, share, None, [0, 0, 0, 63, 88], index)


class Given:
    """An eye that sees cards at given places, off by some px; crop k is of brightness k."""

    def __init__(self, places: list[float]) -> None:
        self._places = places

    def crops(self, image: np.ndarray) -> tuple[list[SeenCard], np.ndarray, np.ndarray]:
        cards = [
            SeenCard(np.array(corners(x + 5, 97)), "face", np.zeros((0, 2)), 1.0, 0.9) for x in self._places
        ]
        crops = np.stack([np.full((160, 112, 3), k, np.uint8) for k in range(len(cards))])
        return cards, crops, np.full((len(cards), 160, 112), 255, np.uint8)


CARDS = [
    truth(100, "QS"),
    truth(400, "QS", up=False, index=False),
    truth(700, "2H", share=0.2, index=False),
    truth(1000, "7D", share=0.2),
]


@pytest.fixture(scope="module")
def kept() -> list[tuple[int, int, str]]:
    """(crop, label, name) of many drawings of a table of which one card is missed, and where one is seen too many."""
    still = Still(np.zeros((400, 1800, 3), np.uint8), CARDS, 2.0)
    found = []
    for seed in range(200):
        eye = Given([1000, 1500, 100, 400, 700])
        for crop in seen_crops(eye, still, np.random.default_rng(seed)):  # type: ignore[arg-type]
            found.append((int(crop.image[0, 0, 0]), crop.label, crop.name))
    return found


def test_a_face_is_labelled_where_it_lies(kept: list[tuple[int, int, str]]) -> None:
    assert {(label, name) for crop, label, name in kept if crop == 2} == {(FACES.index("QS"), "QS")}
    assert {(label, name) for crop, label, name in kept if crop == 0} == {(FACES.index("7D"), "7D")}
    assert sum(crop == 2 for crop, *_ in kept) == 200


def test_what_is_no_readable_face_is_kept_now_and_then(kept: list[tuple[int, int, str]]) -> None:
    for crop, name in ((1, "nothing"), (3, "back"), (4, "2H")):
        mine = [(label, told) for number, label, told in kept if number == crop]
        assert set(mine) == {(REJECT, name)}
        assert len(mine) / 200 == pytest.approx(REJECTS, abs=0.08)
