"""What can be read tells where cards lie."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.rows.legible import at_least_as, legible


def read(*told: tuple[int, float]) -> NDArray[np.float64]:
    chances = np.zeros((len(told), 52))
    for row, (face, chance) in enumerate(told):
        chances[row] = (1 - chance) / 60
        chances[row, face] = chance
    return chances


def test_nothing_is_read_where_nothing_lies() -> None:
    assert legible(read()) == 0.0


def test_every_face_counts_once_by_its_best_reading() -> None:
    assert legible(read((3, 0.9), (3, 0.8), (20, 0.5))) == pytest.approx(0.81 + 0.25)


def test_few_sure_readings_are_worth_more_than_many_unsure_ones() -> None:
    assert legible(read((1, 0.95), (2, 0.95))) > legible(read(*((face, 0.45) for face in range(6))))


def test_a_card_more_counts_but_a_shade_of_one_does_not() -> None:
    row = legible(read(*((face, 0.98) for face in range(6))))
    assert at_least_as(row, legible(read(*((face, 0.99) for face in range(6)))))
    assert not at_least_as(row, legible(read(*((face, 0.98) for face in range(7)))))
