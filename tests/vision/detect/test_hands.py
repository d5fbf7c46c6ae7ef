"""Hands: what is wide and surely seen; patches of a floor are none in a photo, but may hide cards where hands move."""

from __future__ import annotations

import numpy as np

from vision.detect.hands import Skin, outlines, seen_hands

CELL, CARD_PX = 4.0, 60.0


def patch(rows: slice, columns: slice, chance: float) -> np.ndarray:
    """A map of 100 x 100 cells with one patch."""
    drawn = np.zeros((100, 100))
    drawn[rows, columns] = chance
    return drawn


def test_a_hand_is_outlined_in_px_with_its_chance() -> None:
    ((outline, sure),) = outlines(patch(np.s_[20:60], np.s_[30:55], 0.9), CELL)
    assert outline.min(axis=0).tolist() == [30 * CELL + CELL / 2, 20 * CELL + CELL / 2]
    assert outline.max(axis=0).tolist() == [54 * CELL + CELL / 2, 59 * CELL + CELL / 2]
    assert abs(sure - 0.9) < 1e-6
    assert outlines(patch(np.s_[20:22], np.s_[30:33], 0.9), CELL) == []


def test_only_what_is_wide_and_surely_seen_is_a_hand_in_a_photo() -> None:
    hand = outlines(patch(np.s_[20:60], np.s_[30:55], 0.9), CELL)
    floor = outlines(patch(np.s_[20:60], np.s_[30:55], 0.67), CELL)
    fingers = outlines(patch(np.s_[0:25], np.s_[30:40], 0.9), CELL)
    strip = outlines(patch(np.s_[20:60], np.s_[30:33], 0.9), CELL)
    for told, strict in ((hand, 1), (floor, 0), (fingers, 1), (strip, 0)):
        assert len(seen_hands(told, CARD_PX, strict=True)) == strict
        assert len(seen_hands(told, CARD_PX, strict=False)) == 1


def test_crumbs_are_no_hands_ever() -> None:
    crumb = outlines(patch(np.s_[20:25], np.s_[30:36], 0.95), CELL)
    assert len(crumb) == 1
    assert seen_hands(crumb, CARD_PX, strict=False) == []


def test_two_looks_that_disagree_are_as_sure_as_the_surer_one() -> None:
    near = Skin(patch(np.s_[20:60], np.s_[30:55], 0.9), (CELL, CELL))
    far = Skin(np.full((50, 50), 0.2), (2 * CELL, 2 * CELL))
    unsure = near.joined(far)
    assert unsure.cell == near.cell and unsure.chance.shape == near.chance.shape
    # log odds of 0.9 and 0.2, halved
    assert np.isclose(unsure.chance[40, 40], 1 / (1 + np.exp(-(np.log(9) - np.log(4)) / 2)))
    assert len(unsure.outlines()) == 1
    assert near.joined(Skin(np.full((50, 50), 0.02), (2 * CELL, 2 * CELL))).outlines() == []


def test_a_resized_picture_s_skin_lies_where_it_did() -> None:
    skin = Skin(patch(np.s_[20:60], np.s_[30:55], 0.9), (CELL, CELL))
    ((before, _),), ((after, _),) = skin.outlines(), skin.scaled(2.0, 0.5).outlines()
    assert np.allclose(after, before * (2.0, 0.5))
