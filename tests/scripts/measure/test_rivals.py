"""The rivals of the finder: their targets decode to the cards they were made of, suppression, and the measure."""

from __future__ import annotations

import numpy as np
import pytest

from scripts.measure.rivals.decode import Rectangles, read_peaks, suppressed
from scripts.measure.rivals.measure import View, _of_window, outcome
from scripts.measure.rivals.peaks import Rival, peak_targets

CELLS = 40


def card(x: float, y: float, turn: float, seen: float = 100.0, back: float = 0.0) -> list[float]:
    c, s = np.cos(turn), np.sin(turn)
    return [x, y, 30 * c, 30 * s, -20 * s, 20 * c, back, seen]


def corners(row: list[float]) -> np.ndarray:
    m, u, v = np.array(row[:2]), np.array(row[2:4]), np.array(row[4:6])
    return np.array([m - u - v, m - u + v, m + u + v, m + u - v])


def window(rows: list[list[float]]) -> tuple[np.ndarray, np.ndarray]:
    """(h, w) which card each cell shows, later ones above, and the table of cards."""
    at = np.stack(np.meshgrid(np.arange(CELLS) * 4 + 2.0, np.arange(CELLS) * 4 + 2.0), axis=-1)
    cells = np.full((CELLS, CELLS), -1, np.int16)
    for number, row in enumerate(rows):
        off = at - np.array(row[:2])
        along, across = off @ np.array(row[2:4]) / 900, off @ np.array(row[4:6]) / 400
        cells[(abs(along) < 1) & (abs(across) < 1)] = number
    return cells, np.array(rows, np.float32)


@pytest.mark.parametrize("rival", ["boxes", "corners"])
def test_targets_decode_to_the_cards_they_were_made_of(rival: Rival) -> None:
    rows = [card(50, 60, 0.4), card(110, 90, -1.0, back=1.0)]
    peaks, boxes, weights = peak_targets(rival, *window(rows))
    assert weights.max() == 1 and not np.isnan(boxes).any()
    output = np.concatenate(
        [np.log(np.clip(peaks, 1e-4, 1 - 1e-4) / (1 - np.clip(peaks, 1e-4, 1 - 1e-4))), boxes]
    )
    found = suppressed(read_peaks(output.astype(np.float64)), 0.5)
    found = found.only(np.flatnonzero(found.sure > 0.9))
    assert len(found.sure) == 2
    for row in rows:
        apart = np.linalg.norm(found.corners[:, None] - corners(row)[None, :, None], axis=-1).min(axis=2)
        assert apart.max(axis=1).min() < 1.5


def test_covered_corners_are_no_peaks() -> None:
    rows = [card(60, 60, 0.0), card(75, 60, 0.0)]
    peaks, _, _ = peak_targets("corners", *window(rows))
    # the lower card shows its two corners at the left
    assert np.count_nonzero(peaks.max(axis=0) >= 1) == 6


def test_suppression_keeps_the_surer_of_two_that_overlap_too_much() -> None:
    square = corners(card(50, 50, 0.0))
    found = Rectangles(
        np.stack([square, square + np.array([6, 0]), square + np.array([40, 0])]), np.array([0.9, 0.8, 0.7])
    )
    assert suppressed(found, 0.5).sure.tolist() == [0.9, 0.7]
    assert suppressed(found, 0.9).sure.tolist() == [0.9, 0.8, 0.7]


def test_what_is_found_twice_is_once_right_and_slivers_need_not_be_found() -> None:
    one, two = corners(card(50, 50, 0.0)), corners(card(140, 50, 0.0))
    view = View(np.zeros((160, 160, 3), np.uint8), np.stack([one, two]), np.array([1.0, 0.1]))
    found = Rectangles(np.stack([one, one + np.array([2, 0]), two]), np.array([0.9, 0.8, 0.7]))
    told = outcome([(found, view)], "")
    assert told.at(0.5) == (1, 1)
    assert told.reported(0.5) == (1, 2)
    assert 0.9 < told.average_precision() <= 1.0
    assert len(_of_window(Rectangles(np.zeros((0, 4, 2)), np.zeros(0)), view)[0]) == 0
