"""Windows cut out of whole pictures: what they say of cells and cards is what the picture shows there."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from datasets.render import HAND, NOTHING
from datasets.scene import PlacedCard, Scene, overhead_camera
from datasets.stills import Still
from datasets.truth import CardTruth
from datasets.window_above import window_from_above
from datasets.window_cuts import cut_window
from datasets.windows import CELL, Window

#: Colours of the cards (BGR); a hand is grey.
INKS = np.array([(200, 30, 30), (30, 200, 30), (30, 30, 200), (200, 200, 30), (200, 30, 200)])


def still(width: int = 900, height: int = 700) -> Still:
    """Cards in one colour each, the second over the first, under a hand's corner."""
    camera = overhead_camera(width, height, 1.5, tilt=0.3, tilt_towards=0.4, distance=1.5)
    places = [(-150, -60, 0.2), (-130, -40, 0.4), (40, 20, 1.3), (150, -90, 2.8), (120, 120, 0.0)]
    cards = [
        PlacedCard(0, "AS", number != 3, x, y, turn, number) for number, (x, y, turn) in enumerate(places)
    ]
    scene = Scene(width, height, camera, ["0"], cards)
    image = np.full((height, width, 3), 120, np.uint8)
    ids = np.full((height, width), NOTHING, np.int16)
    for number, card in enumerate(cards):
        quad = np.round(scene.corners(card)).astype(np.int32)
        cv2.fillConvexPoly(image, quad, INKS[number].tolist())
        cv2.fillConvexPoly(ids, quad, number)
    image[:150], ids[:150] = 60, HAND
    truth = [
        CardTruth(scene.corners(c).tolist(), "AS", c.face_up, 0, n, 0, 1.0, None, [c.x, c.y, 0, 63, 88], True)
        for n, c in enumerate(cards)
    ]
    return Still(image, truth, 1.5, scene=scene, ids=ids)


#: How windows are cut out of a picture: as it was taken, or as from above.
Cut = Callable[[np.random.Generator, Still, int], Window | None]
CUTS: tuple[Cut, ...] = (cut_window, window_from_above)


def windows(cut: Cut, count: int = 30, size: int = 320) -> list[Window]:
    picture = still()
    every = [cut(np.random.default_rng(seed), picture, size) for seed in range(count)]
    return [window for window in every if window is not None]


@pytest.mark.parametrize("cut", CUTS)
def test_every_cell_is_what_the_picture_shows_there(cut: Cut) -> None:
    met = []
    for window in windows(cut):
        middles = window.image[CELL // 2 :: CELL, CELL // 2 :: CELL].astype(int)
        for row in range(len(window.cards)):
            inside = cv2.erode((window.cells == row).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
            if inside.any():
                apart = np.abs(middles[inside][:, None] - INKS[None]).max(axis=2)
                assert len(set(apart.argmin(axis=1).tolist())) == 1
                met.append(apart.min(axis=1).mean())
        hand = cv2.erode((window.cells == -2).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        assert (np.abs(middles[hand] - 60) < 12).all()
    assert len(met) > 30 and max(met) < 12


@pytest.mark.parametrize("cut", CUTS)
def test_a_card_lies_where_its_row_says(cut: Cut) -> None:
    """Cells well inside a card's rectangle belong to it or to what lies on it, those outside never do."""
    seen = 0
    for window in windows(cut):
        cells = np.argwhere(np.ones_like(window.cells))[:, ::-1] * CELL + CELL / 2
        for row, (x, y, *axes) in enumerate(window.cards[:, :6]):
            long, short = np.array(axes[:2]), np.array(axes[2:])
            across = (cells - (x, y)) @ np.linalg.inv(np.stack([long, short]))
            reach = np.abs(across).max(axis=1).reshape(window.cells.shape)
            assert not (window.cells == row)[reach > 1.15].any()
            on_top = window.cards[:, 7].argmax() == row
            if on_top:
                inner = window.cells[reach < 0.8]
                assert np.isin(inner, [row, -2]).mean() > 0.4
            seen += 1
            # a plane is told with errors
            assert 1.15 < np.linalg.norm(long) / np.linalg.norm(short) < 1.7
    assert seen > 40


@pytest.mark.parametrize("cut", CUTS)
def test_backs_are_told_and_shown_cells_counted(cut: Cut) -> None:
    backs = set()
    for window in windows(cut):
        for row, told in enumerate(window.cards):
            shown = int((window.cells == row).sum())
            assert told[7] == shown or (shown == 0 and (window.cells == -3).any())
            if shown > 10:
                where = np.argwhere(window.cells == row)[shown // 2] * CELL + CELL // 2
                ink = np.abs(window.image[where[0], where[1]].astype(int) - INKS).max(axis=1).argmin()
                backs.add((int(ink), bool(told[6])))
    assert (3, True) in backs
    assert sum(back for _, back in backs) == 1


@pytest.mark.parametrize("size", [320, 640])
def test_a_window_is_no_larger_than_its_picture(size: int) -> None:
    for window in windows(cut_window, 6, size):
        assert window.image.shape == (size, size, 3) and window.cells.shape == (size // CELL, size // CELL)


def test_spreads_are_seen_from_above_at_the_finders_scale() -> None:
    """Taken at a slant, a card's sides still meet at right angles, long and short ones as a card's."""
    slanted = still().scene
    assert slanted is not None
    as_taken = [slanted.corners(card) for card in slanted.cards]
    shares, angles = [], []
    for window in windows(window_from_above):
        for told in window.cards:
            long, short = told[2:4].astype(float), told[4:6].astype(float)
            shares.append(np.linalg.norm(long) / np.linalg.norm(short))
            angles.append(abs(long @ short) / np.linalg.norm(long) / np.linalg.norm(short))
            assert 0.9 * 1.1 * 63 < 2 * np.linalg.norm(short) < 1.1 * 2.1 * 63
    sides = [np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1) for quad in as_taken]
    assert np.ptp([side[1] / side[0] for side in sides]) > 0.05
    assert np.median(np.abs(np.array(shares) / (88 / 63) - 1)) < 0.06
    assert np.median(angles) < 0.05
