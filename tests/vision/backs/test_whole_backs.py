"""Backs of which little but no whole edge is seen, as in a heap, are told apart by what is seen of them."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.vision.backs.test_designs import design, shot
from vision.backs.strips import edge_strips
from vision.backs.whole_backs import WholeBacks
from vision.faces.reader import CROP

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


def test_backs_of_one_design_are_so_however_they_are_turned() -> None:
    arts = [design((150, 60, 40), 6, 8), design((40, 40, 170), 11, 5)]
    crops = np.stack([shot(art, 10 * k + n) for k, art in enumerate(arts) for n in range(4)])
    crops[1::2] = crops[1::2, ::-1, ::-1]
    odds = WholeBacks(threads=1).odds(crops, heaped(len(crops)))
    np.testing.assert_allclose(odds, odds.T, atol=1e-4)
    kind = np.repeat(np.arange(2), 4)
    assert ((odds > 0) == (kind[:, None] == kind)).mean() > 0.9


def test_the_order_of_the_backs_is_no_matter() -> None:
    crops = np.stack([shot(design((150, 60, 40), 3 + n, 8), n) for n in range(5)])
    net, masks, order = WholeBacks(threads=1), heaped(5), np.array([3, 1, 4, 0, 2])
    odds = net.odds(crops, masks)
    np.testing.assert_allclose(net.odds(crops[order], masks[order]), odds[np.ix_(order, order)], atol=1e-3)


def test_no_backs_and_one_back() -> None:
    net, masks = WholeBacks(threads=1), heaped(1)
    crops = np.stack([shot(design((150, 60, 40), 6, 8), 1)])
    assert net.odds(crops[:0], masks[:0]).shape == (0, 0)
    assert np.isfinite(net.odds(crops, masks)).all()


def test_what_covers_a_card_counts_nothing() -> None:
    crops = np.stack([shot(design((150, 60, 40), 6, 8), n) for n in range(4)])
    masks = heaped(4)
    covered = crops.copy()
    # but for the rim, which is averaged with what is seen
    far = np.stack([cv2.erode((mask == 0).astype(np.uint8), np.ones((7, 7), np.uint8)) for mask in masks]) > 0
    covered[far] = 17
    net = WholeBacks(threads=1)
    np.testing.assert_allclose(net.odds(covered, masks), net.odds(crops, masks), atol=1e-3)
