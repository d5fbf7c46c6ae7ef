"""The sifter, with the weights that are kept: what is found in one place is one card, however it is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_rows import still
from numpy.typing import NDArray
from voted_cards import cards, grid

from scripts.open_eye import OpenEye
from tests.vision.detect.test_spread_finder import CARDS, INKS
from tests.vision.detect.test_spread_finder import heap as drawn_heap
from vision.detect.placing import CUT
from vision.eye import Eye
from vision.found import Found
from vision.rows.beside_rows import InPlace
from vision.scene.sifting import Case, Sifter
from vision.scene.stacking import stack_up

Floats = NDArray[np.float64]

#: Where three things of a heap were found: two in one place nearly, and one that lies across it.
MIDDLES = [(200.0, 200.0), (214.0, 196.0), (260.0, 260.0)]
VOTES = [grid(180, 200, 60, 130), grid(245, 196, 20, 120), grid(260, 260, 90, 130)]


def heap(real: list[float], middles: list[tuple[float, float]] | None = None) -> Found:
    """Three backs of which the placer says that they are `real`."""
    found = cards(MIDDLES if middles is None else middles, VOTES)
    found.of_spread, found.real = True, np.array(real)
    found.back, found.confidence = np.full(3, 0.98), np.full(3, 0.5)
    found.evidence, found.off = np.tile((0.9, 0.1, 0.1), (3, 1)), np.full((3, 4), 0.02)
    return found


def case(found: Found, verified: list[float], size: int = 500) -> Case:
    cuts, seen = np.zeros((len(found), *CUT, 5), np.uint8), stack_up(found, size, size).fraction
    return Case.of(
        InPlace(found, found.corners, cuts, seen, found.confidence), np.array(verified), (size, size)
    )


def sifted(found: Found, verified: list[float], size: int = 500) -> Floats:
    return Sifter(threads=1).chance(case(found, verified, size))


def carried(found: Found, matrix: Floats, by: float = 1.0) -> Found:
    """The same things in a picture that is turned by a rotation and enlarged."""
    for name in ("middle", "long", "short", "cells_at"):
        setattr(found, name, by * getattr(found, name) @ matrix.T)
    # in the picture's middle again
    shift = by * np.array([250.0, 250.0]) - by * matrix @ np.array([250.0, 250.0])
    found.middle, found.cells_at = found.middle + shift, found.cells_at + shift
    found.cell_px *= by
    return found


def test_what_placer_and_verifier_know_is_a_card_and_what_they_do_not_is_none() -> None:
    chance = sifted(heap([0.99, 0.02, 0.99]), [5.0, -5.0, 5.0])
    assert chance[0] > 0.9 and chance[2] > 0.9 and chance[1] < 0.3


def test_of_two_in_one_place_one_is_less_of_a_card_than_it_is_by_itself() -> None:
    alone = [MIDDLES[0], (420.0, 100.0), MIDDLES[2]]
    among = sifted(heap([0.99, 0.2, 0.99]), [5.0, -1.0, 5.0])[1]
    by_itself = sifted(heap([0.99, 0.2, 0.99], alone), [5.0, -1.0, 5.0])[1]
    assert among < by_itself - 0.1


def test_the_order_of_what_was_found_does_not_matter() -> None:
    real, verified, order = [0.99, 0.2, 0.4], [4.0, -1.0, 1.0], np.array([2, 0, 1])
    first, then = heap(real), heap(real).only(order)
    told = sifted(first, verified)
    assert np.allclose(told[order], sifted(then, [verified[k] for k in order]), atol=1e-4)
    assert np.ptp(told) > 0.05


@pytest.mark.parametrize(("turn", "by"), [(0.7, 1.0), (2.4, 1.0), (0.0, 2.0)])
def test_a_picture_that_is_turned_or_enlarged_tells_the_same(turn: float, by: float) -> None:
    real, verified = [0.99, 0.2, 0.4], [4.0, -1.0, 1.0]
    matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    other = carried(heap(real), matrix, by)
    size = int(500 * by)
    # what is seen of each is counted in whole px
    assert np.allclose(sifted(heap(real), verified), sifted(other, verified, size), atol=0.05)


def test_pairs_are_those_that_overlap_both_ways_round() -> None:
    told = case(heap([0.9, 0.9, 0.9], [(100.0, 100.0), (150.0, 100.0), (400.0, 400.0)]), [0.0, 0.0, 0.0])
    assert sorted(zip(told.one.tolist(), told.other.tolist(), strict=True)) == [(0, 1), (1, 0)]
    there, back = told.pairs
    # half of each is common; the other lies half a breadth across
    assert there[1:5] == pytest.approx([0.5, 0.5, 0.5, 0.0], abs=0.01)
    assert there[[1, 2]] == pytest.approx(back[[2, 1]], abs=0.01)
    assert there[7:9] == pytest.approx(back[[8, 7]]) and there[9] == pytest.approx(-back[9])


def test_one_thing_is_sifted_by_itself_and_of_nothing_nothing_is_said() -> None:
    found = heap([0.99, 0.9, 0.9])
    one, none = found.only(np.array([0])), found.only(np.array([], dtype=np.intp))
    assert sifted(one, [5.0]).shape == (1,) and sifted(one, [5.0])[0] > 0.8
    assert sifted(none, []).shape == (0,)


def test_the_verifier_learns_from_what_the_sifter_would_give_up(monkeypatch: pytest.MonkeyPatch) -> None:
    eye = OpenEye(threads=1)
    monkeypatch.setattr(Sifter, "chance", lambda _, case: np.zeros(len(case.cards)))
    image = still(drawn_heap(0), INKS).image
    given_up, kept = eye.see(image).cards, eye.cuts(image)[0]
    assert not [card for card in given_up if card.side == "back"] and len(kept) > CARDS / 2


@pytest.mark.parametrize(("sifted", "kept"), [(True, [0, 3]), (False, [3])])
def test_what_the_sifter_is_sure_of_may_show_less_than_a_strip(sifted: bool, kept: list[int]) -> None:
    found = cards([(200.0 * k, 100.0) for k in range(4)], [grid(200.0 * k, 100, 40, 40) for k in range(4)])
    found.confidence, found.sifted = np.array([0.99, 0.9, 0.99, 0.9]), sifted
    stacking = replace(stack_up(found, 900, 300), fraction=np.array([0.04, 0.04, 0.02, 0.07]))
    assert sorted(Eye(threads=1)._kept(found, stacking)) == kept
