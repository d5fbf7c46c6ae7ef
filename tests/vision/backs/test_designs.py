"""Strips are cut the same way round at either edge, and the weights tell designs apart that the test drew."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.backs.designs import Designs
from vision.backs.strips import STRIP, edge_strips
from vision.faces.reader import CROP

Pixels = NDArray[np.uint8]


def design(ink: tuple[int, int, int], pitch: int, margin: int) -> Pixels:
    """(160, 112, 3): stripes within a white margin, the same upside down."""
    art = np.full((*CROP, 3), 240, np.uint8)
    inner = art[margin:-margin, margin:-margin]
    rows = np.abs(np.arange(len(inner)) - (len(inner) - 1) / 2).astype(int)
    inner[(rows // pitch) % 2 == 0] = ink
    cv2.rectangle(art, (margin, margin), (CROP[1] - margin - 1, CROP[0] - margin - 1), ink, 1)
    return art


def shot(art: Pixels, seed: int) -> Pixels:
    """The same back once more: a little off, blurred and noisy."""
    rng = np.random.default_rng(seed)
    move = np.array([[1, 0, rng.uniform(-1, 1)], [0, 1, rng.uniform(-1, 1)]])
    moved = cv2.warpAffine(art, move, CROP[::-1], borderMode=cv2.BORDER_REPLICATE)
    soft = cv2.GaussianBlur(moved, (0, 0), 0.8) * rng.uniform(0.85, 1.0)
    return np.clip(soft + rng.normal(0, 4, soft.shape), 0, 255).astype(np.uint8)


def left_strip_only(count: int) -> Pixels:
    masks = np.zeros((count, *CROP), np.uint8)
    masks[:, :, :16] = 255
    return masks


def test_both_edges_of_a_symmetrical_back_give_the_same_strip() -> None:
    crops = design((150, 60, 40), 6, 8)[None]
    strips, seen = edge_strips(crops, np.full((1, *CROP), 255, np.uint8))
    assert strips.shape == (1, 2, *STRIP, 3)
    assert seen.all()
    assert np.abs(strips[0, 0].astype(int) - strips[0, 1]).max() <= 1


def test_a_covered_edge_gives_no_strip() -> None:
    _, seen = edge_strips(np.zeros((2, *CROP, 3), np.uint8), left_strip_only(2))
    assert seen.tolist() == [[True, False]] * 2


def test_designs_are_told_apart_by_their_strips() -> None:
    arts = [design((150, 60, 40), 6, 8), design((40, 40, 170), 11, 5), design((60, 120, 40), 3, 10)]
    crops = np.stack([shot(art, 10 * k + n) for k, art in enumerate(arts) for n in range(6)])
    odds = Designs(threads=1).odds(crops, left_strip_only(len(crops)))
    kind = np.repeat(np.arange(3), 6)
    same = kind[:, None] == kind[None]
    off = ~np.eye(len(kind), dtype=bool)
    assert ((odds > 0) == same)[off].mean() > 0.97


def test_nothing_is_said_where_no_edge_is_seen() -> None:
    crops = np.stack([shot(design((150, 60, 40), 6, 8), n) for n in range(3)])
    masks = left_strip_only(3)
    masks[0] = 0
    odds = Designs(threads=1).odds(crops, masks)
    assert np.isnan(odds[0]).all()
    assert not np.isnan(odds[1:, 1:]).any()


def test_backs_of_which_a_short_edge_shows_are_compared_by_it() -> None:
    arts = [design((150, 60, 40), 6, 8), design((40, 40, 170), 11, 5)]
    crops = np.stack([shot(art, 10 * k + n) for k, art in enumerate(arts) for n in range(5)])
    masks = np.zeros((len(crops), *CROP), np.uint8)
    masks[:, :20] = 255
    odds = Designs(threads=1).odds(crops, masks)
    kind = np.repeat(np.arange(2), 5)
    same = kind[:, None] == kind[None]
    assert (odds[same] > 0).mean() > 0.9
    assert (odds[~same] < 0).mean() > 0.9
    # a long edge and a short one say nothing of each other
    masks[5:] = left_strip_only(5)
    assert np.isnan(Designs(threads=1).odds(crops, masks)[:5, 5:]).all()
