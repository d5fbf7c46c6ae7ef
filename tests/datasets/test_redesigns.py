"""New designs out of drawn ones: paper stays paper, all cards of a design change alike, twins are two designs."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.redesigns import CHANGED, coloured, redesigned

Pixels = NDArray[np.uint8]

WHITE = np.ones(3)


def backs(inks: list[tuple[int, int, int]], each: int) -> tuple[Pixels, Pixels, NDArray[np.int64]]:
    """So many equal cards of every ink, on white paper, of which the left half is seen, and their decks."""
    crops = np.full((len(inks) * each, 160, 112, 3), 250, np.uint8)
    masks = np.zeros(crops.shape[:3], np.uint8)
    masks[:, :, :56] = 255
    for number in range(len(crops)):
        crops[number, 20:140, 10:50] = inks[number // each]
    return crops, masks, np.repeat(np.arange(len(inks)), each)


def test_turned_colours_leave_grey_alone_and_come_back() -> None:
    crops, _, _ = backs([(40, 60, 180), (120, 120, 120)], 1)
    turned = coloured(crops, WHITE, 2 * np.pi / 3, 1.0, 1.0)
    # a third of the way round, every channel stands for another
    assert turned[0, 80, 30].tolist() in ([60, 180, 40], [180, 40, 60])
    assert np.abs(turned[1].astype(int) - crops[1]).max() <= 1
    assert np.abs(turned[0, 0].astype(int) - 250).max() <= 1
    again = coloured(turned, WHITE, -2 * np.pi / 3, 1.0, 1.0)
    assert np.abs(again.astype(int) - crops).max() <= 2


@pytest.mark.parametrize("seed", range(12))
def test_cards_of_a_design_stay_alike_and_others_differ(seed: int) -> None:
    crops, masks, decks = backs([(40, 60, 180), (160, 70, 30)], 6)
    shown, seen, told = redesigned(crops, masks, decks, np.random.default_rng(seed))
    inks = np.array([np.median(crop[mask > 0], axis=0) for crop, mask in zip(shown, seen, strict=True)])
    for deck in np.unique(told):
        mine = told == deck
        assert np.ptp(inks[mine], axis=0).max() == 0
        assert len({mask.tobytes() for mask in seen[mine]}) == 1
        # none is made of cards of two
        assert len(np.unique(decks[mine])) == 1
        twins = (decks == decks[mine][0]) & ~mine
        if twins.any():
            assert np.abs(shown[mine][0].astype(float) - shown[twins][0])[seen[mine][0] > 0].mean() > CHANGED
    paper = shown[:, 2, 56]
    assert np.abs(paper.astype(int) - 250).max() <= 12
    # what is given is left as it was
    assert np.array_equal(crops, backs([(40, 60, 180), (160, 70, 30)], 6)[0])


def test_twins_and_mirrored_designs_do_occur() -> None:
    crops, masks, decks = backs([(40, 60, 180), (160, 70, 30)], 6)
    made = [redesigned(crops, masks, decks, np.random.default_rng(seed)) for seed in range(40)]
    assert any(len(np.unique(told)) > 2 for _, _, told in made)
    mirrored = [seen[0, :, -1].any() for _, seen, _ in made]
    assert any(mirrored) and not all(mirrored)


def test_grey_backs_have_no_twins() -> None:
    crops, masks, decks = backs([(90, 90, 90)], 6)
    made = [redesigned(crops, masks, decks, np.random.default_rng(seed)) for seed in range(40)]
    assert all(len(np.unique(told)) == 1 for _, _, told in made)
