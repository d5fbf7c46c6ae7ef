"""Backs of one colour are told apart by their patterns where these can be compared, slivers by what else is known."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.backs.test_designs import design, shot
from vision.backs.designs import Designs
from vision.backs.one_design import Evidence
from vision.backs.patterns import correlations
from vision.backs.similarity import group, patches
from vision.backs.whole_backs import WholeBacks
from vision.faces.reader import CROP

Pixels = NDArray[np.uint8]

#: Two designs of one colour: what differs is where it is light.
WAVES, FLOWERS = design((60, 50, 150), 6, 8), design((60, 50, 150), 17, 3)


def shots(*counts: int) -> Pixels:
    """(n, 160, 112, 3): so many backs of either design, each in its own light."""
    arts = (WAVES, FLOWERS)
    return np.stack([shot(art, 10 * k + n) for k, art in enumerate(arts) for n in range(counts[k])])


def whole(count: int) -> Pixels:
    return np.full((count, *CROP), 255, np.uint8)


def test_patterns_correlate_in_any_light_and_either_way_round() -> None:
    crops = shots(3, 3)
    crops[1] = (crops[1] * 0.6).astype(np.uint8)
    crops[2] = crops[2, ::-1, ::-1]
    alike, counts = correlations(patches(crops, whole(6)))
    kind = np.repeat([0, 1], 3)
    same = kind[:, None] == kind
    assert alike[same].min() > alike[~same].max() + 0.2
    assert np.array_equal(alike, alike.T) and np.array_equal(counts, counts.T)
    assert counts.min() == counts.max() == 1


def test_what_shares_nothing_or_is_plain_says_nothing() -> None:
    crops, masks = shots(2, 0), whole(2)
    # the end of one and the middle of the other, whichever way round
    masks[0, 40:] = masks[1, :60] = masks[1, 100:] = 0
    alike, counts = correlations(patches(crops, masks))
    assert alike[0, 1] == -1 and counts[0, 1] == 0
    assert alike[0, 0] > 0.9
    plain = np.full((2, *CROP, 3), 120, np.uint8)
    assert correlations(patches(plain, whole(2)))[0] == pytest.approx(0, abs=0.05)


def test_whole_backs_of_one_colour_are_two_decks() -> None:
    crops = shots(5, 4)
    evidence = Evidence.of(crops, whole(9), Designs(threads=1), WholeBacks(threads=1))
    odds = evidence.odds()
    assert odds == pytest.approx(odds.T)
    groups = group(odds, evidence.counts())
    assert groups.tolist() == [0] * 5 + [1] * 4


def test_slivers_go_where_the_networks_say() -> None:
    """Nothing of them can be compared directly."""
    decks = np.repeat([0, 1], 4)
    truth = np.where(decks[:, None] == decks, 6.0, -6.0)
    nothing = np.zeros((8, 8))
    evidence = Evidence(truth, truth, nothing + 1.0, nothing, nothing - 1.0, nothing, np.full(8, 0.1))
    assert group(evidence.odds(), evidence.counts()).tolist() == [0] * 4 + [1] * 4


@pytest.mark.parametrize("shown", [1.0, 0.2])
def test_backs_that_are_seen_well_are_told_by_their_patterns_where_the_networks_are_not_sure(
    shown: float,
) -> None:
    decks = np.repeat([0, 1], 4)
    same = decks[:, None] == decks
    unsure = np.where(same, 5.0, 2.5)
    unlike = np.where(same, 0.3, 1.6), np.ones((8, 8)), np.where(same, 0.9, 0.1), np.ones((8, 8))
    evidence = Evidence(unsure, unsure, *unlike, np.full(8, shown))
    told_apart = evidence.odds()[~same] < 0
    assert told_apart.all() == (shown == 1.0)


def test_two_that_are_seen_well_outweigh_strips() -> None:
    even = np.zeros((3, 3))
    evidence = Evidence(even, even, even, even + 0.5, even, even, np.array([0.9, 0.9, 0.1]))
    assert evidence.counts()[0, 1] == 10 * evidence.counts()[0, 2]


def test_no_backs_and_one_back() -> None:
    for count in (0, 1):
        found = patches(shots(1, 0)[:count], whole(count))
        alike, counts = correlations(found)
        assert alike.shape == counts.shape == (count, count)
