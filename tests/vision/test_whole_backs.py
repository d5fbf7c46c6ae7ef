"""Backs of which little but no whole edge is seen, as in a heap, are told apart by what is seen of them."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray
from test_designs import design, shot

from vision.reader import CROP
from vision.strips import edge_strips
from vision.whole_backs import SIZE, WholeBacks, reduced

Pixels = NDArray[np.uint8]


def heaped(count: int) -> Pixels:
    """(count, 160, 112): a corner, an upper part, a slanted one ... of each card, never a whole edge of it."""
    rows, columns = np.mgrid[0 : CROP[0], 0 : CROP[1]]
    shapes = [
        (rows < 90) & (columns < 70),
        rows < 70,
        rows + columns < 110,
        (rows > 60) & (columns > 30) & (rows < 140),
        rows - columns > 50,
        (rows > 90) & (columns > 40),
    ]
    return np.stack([shapes[n % len(shapes)] for n in range(count)]) * np.uint8(255)


def test_designs_are_told_apart_in_a_heap() -> None:
    arts = [design((150, 60, 40), 6, 8), design((40, 40, 170), 11, 5), design((60, 120, 40), 3, 10)]
    crops = np.stack([shot(art, 10 * k + n) for k, art in enumerate(arts) for n in range(6)])
    masks = heaped(len(crops))
    assert not edge_strips(crops, masks)[1].any()
    odds = WholeBacks(threads=1).odds(crops, masks)
    kind = np.repeat(np.arange(3), 6)
    same, off = kind[:, None] == kind[None], ~np.eye(len(kind), dtype=bool)
    assert (odds[same & off] > 0).mean() > 0.85
    assert (odds[~same] < 0).mean() > 0.95


def test_it_is_no_matter_how_backs_are_turned() -> None:
    crops = np.stack([shot(design((150, 60, 40), 6, 8), n) for n in range(4)])
    net, masks = WholeBacks(threads=1), heaped(4)
    odds = net.odds(crops, masks)
    np.testing.assert_allclose(odds, odds.T, atol=1e-4)
    turned = net.odds(crops[:, ::-1, ::-1], masks[:, ::-1, ::-1])
    np.testing.assert_allclose(turned, odds, atol=1e-3)


def test_what_covers_a_card_counts_nothing() -> None:
    crops = np.stack([shot(design((150, 60, 40), 6, 8), n) for n in range(4)])
    masks = heaped(4)
    covered = crops.copy()
    # but for the rim, which is averaged with what is seen
    far = np.stack([cv2.erode((mask == 0).astype(np.uint8), np.ones((7, 7), np.uint8)) for mask in masks]) > 0
    covered[far] = 17
    net = WholeBacks(threads=1)
    np.testing.assert_allclose(net.odds(covered, masks), net.odds(crops, masks), atol=1e-3)


def test_reduced_masks_stay_masks() -> None:
    small, seen = reduced(np.zeros((2, *CROP, 3), np.uint8), heaped(2))
    assert small.shape == (2, *SIZE, 3)
    assert set(np.unique(seen).tolist()) == {0, 255}
    assert abs((seen > 0).mean() - (heaped(2) > 0).mean()) < 0.02
