"""What the placer is trained on: which cards the things found in a window truly are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from voted_cards import cards, grid

from scripts.build_found import NOTHING, UNTOLD, main, truth_of
from vision.placing import seen_map

#: A window's cards, as its shards keep them: two of a fan, the second 16 px further on and above.
FAN = np.array([(110.0, 150.0, 0.0, 70.0, 50.0, 0.0, 0, 0), (126.0, 150.0, 0.0, 70.0, 50.0, 0.0, 0, 0)])


def fan_cells() -> np.ndarray:
    """Which of the two is seen in each cell."""
    cells = np.full((80, 80), -1, np.int16)
    cells[20:55, 15:19] = 0
    cells[20:55, 19:44] = 1
    return cells


def told(middles: list[tuple[float, float]], votes: list[list[tuple[float, float]]]) -> list[int]:
    found = cards(middles, votes)
    return truth_of(found, seen_map(found, 320, 320)[0], fan_cells(), FAN).tolist()


STRIP, REST = grid(68, 150, 16, 136, 4.0), grid(126, 150, 96, 136, 4.0)


def test_cards_of_a_fan_are_told_by_where_they_lie_and_by_their_cells() -> None:
    assert told([(112, 151), (125, 149)], [STRIP, REST]) == [0, 1]
    # half way between the two, it is the one whose cells it has
    assert told([(118, 150)], [STRIP]) == [0]
    assert told([(118, 150)], [REST]) == [1]


def test_of_two_that_lie_near_one_card_one_is_its_neighbour() -> None:
    assert told([(125, 150), (121, 150)], [REST, STRIP]) == [1, 0]


def test_what_is_found_once_more_is_not_told_and_what_lies_elsewhere_is_none() -> None:
    more = [(110.0, 150.0), (126.0, 150.0), (120.0, 150.0), (240.0, 240.0)]
    assert told(more, [STRIP, REST, [], grid(240, 240, 40, 40)]) == [0, 1, UNTOLD, NOTHING]


def test_a_folder_without_windows_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 2
    assert f"{tmp_path}: no windows" in capsys.readouterr().err
