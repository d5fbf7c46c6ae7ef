"""Backs of which one corner shows are turned about it where the others say so, and left alone where they do not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.backs.test_designs import design, shot
from vision.backs.turned import amiss, better_ways, found_twice, other_ways, turn, weighed
from vision.faces.reader import CROP
from vision.geometry.plane import apply
from vision.geometry.polygons import corners_apart, oriented_iou
from vision.layout import Layout, SeenCard
from vision.naming import Namer

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

ROWS, COLUMNS = CROP
#: Whole backs that lie beside each other, and what is seen of the one in question: a corner of so many px.
WHOLE, CORNER = 9, (70, 60)
#: A table seen at a slant: px to mm.
SLANT = np.array([[0.5, 0.03, 10.0], [0.01, 0.55, -20.0], [1e-5, 8e-5, 1.0]])


def upright_at(x: float, y: float) -> Floats:
    return np.array([[x, y], [x + COLUMNS, y], [x + COLUMNS, y + ROWS], [x, y + ROWS]])


def lying_at(x: float, y: float) -> Floats:
    """The same corner, the long edge to the right: its first two corners are the ends of a short edge."""
    return np.array([[x, y + COLUMNS], [x, y], [x + ROWS, y], [x + ROWS, y + COLUMNS]])


class Heap:
    """Whole backs and one of which a corner shows, that lies `lying` but was `found` otherwise."""

    def __init__(self, lying: bool, found_lying: bool) -> None:
        art = design((60, 50, 150), 12, 14)
        side = ROWS + 20
        self.image = np.full((2 * side + 20, (WHOLE + 1) * side, 3), (60, 90, 50), np.uint8)
        self.masks = np.zeros((WHOLE + 2, *self.image.shape[:2]), bool)
        quads = []
        for number in range(WHOLE):
            x, y = 10 + number * side, 10
            self.image[y : y + ROWS, x : x + COLUMNS] = shot(art, number)
            self.masks[number, y : y + ROWS, x : x + COLUMNS] = True
            quads.append(upright_at(x, y))
        x, y = 10, side + 10
        back = shot(art, WHOLE)
        back = np.rot90(back) if lying else back
        height, width = CORNER
        self.image[y : y + height, x : x + width] = back[:height, :width]
        self.masks[WHOLE, y : y + height, x : x + width] = True
        # what hides the rest of it, whichever way it lies
        self.masks[WHOLE + 1, y : y + ROWS, x : x + ROWS] = True
        self.masks[WHOLE + 1, y : y + height, x : x + width] = False
        self.truth = lying_at(x, y) if lying else upright_at(x, y)
        quads.append(lying_at(x, y) if found_lying else upright_at(x, y))
        quads.append(np.array([[x, y], [x + ROWS, y], [x + ROWS, y + ROWS], [x, y + ROWS]], float))
        self.cards = [SeenCard(quad, "back", quad, 0.3, 0.9) for quad in quads]
        self.backs = np.arange(WHOLE + 2) <= WHOLE

    def layout(self) -> Layout:
        """Seen straight from above."""
        return Layout(*self.image.shape[1::-1], 0.0, self.cards)

    def right(self) -> bool:
        """Does it lie where it is said to lie?"""
        return oriented_iou(self.cards[WHOLE].corners, self.truth) > 0.95


@pytest.mark.parametrize("lying", [False, True])
def test_a_corner_is_turned_to_how_it_lies_and_then_left_alone(lying: bool) -> None:
    namer = Namer(None, 1)
    heap = Heap(lying, not lying)
    assert not heap.right()
    whole = [card.corners.copy() for card in heap.cards[:WHOLE]]
    for _ in range(2):
        turn(heap.cards, *namer.weigh_ways(heap.image, heap.layout(), heap.masks, 1, heap.backs))
        assert heap.right()
        assert heap.cards[WHOLE].corners[:2, 1].mean() <= heap.cards[WHOLE].corners[2:, 1].mean()
    assert all(np.array_equal(card.corners, quad) for card, quad in zip(heap.cards, whole, strict=False))


def seen_at(quad: Floats, across: float, along: float) -> NDArray[np.bool_]:
    """(400, 400) what is seen of a card, shares of its width and length from its first corner on."""
    mask = np.zeros((400, 400), bool)
    into = np.linalg.inv(np.column_stack([quad[1] - quad[0], quad[3] - quad[0]]))
    y, x = np.mgrid[:400, :400] + 0.5
    at = np.einsum("ij,jhw->ihw", into, np.stack([x, y]) - quad[0][:, None, None])
    mask[(at >= 0).all(axis=0) & (at[0] <= across) & (at[1] <= along)] = True
    return mask


def test_a_card_may_lie_otherwise_only_where_all_that_is_seen_of_it_stays_a_part_of_it() -> None:
    quad = upright_at(120, 100)
    shown = [(0.4, 0.3), (0.4, 0.68), (1.0, 0.3), (0.3, 1.0), (1.0, 1.0)]
    masks = np.stack([seen_at(quad, *part) for part in shown])
    rows, ways = other_ways(np.stack([quad] * len(shown)), masks, 1, None)
    # about either end of the short edge at which something is seen
    assert rows.tolist() == [0, 0, 1, 1, 2, 2]
    for way in ways:
        assert np.linalg.norm(way[1] - way[0]) == pytest.approx(COLUMNS)
        assert np.linalg.norm(way[3] - way[0]) == pytest.approx(ROWS)
        assert min(np.linalg.norm(way - corner, axis=1).min() for corner in quad) < 1e-6


def test_where_the_table_is_seen_at_a_slant_it_is_turned_on_the_table() -> None:
    back = np.linalg.inv(SLANT)
    flat = np.array([[60, 60], [123, 60], [123, 148], [60, 148.0]])
    quad = apply(back, flat)
    mask = np.zeros((400, 400), bool)
    y, x = np.mgrid[:400, :400] + 0.5
    at = apply(SLANT, np.column_stack([x.ravel(), y.ravel()])).reshape(400, 400, 2)
    mask[((at > 60) & (at < 85)).all(axis=2)] = True
    rows, ways = other_ways(quad[None], mask[None], 1, SLANT)
    turned = apply(back, np.array([[60, 123], [60, 60], [148, 60], [148, 123.0]]))
    assert corners_apart(ways, turned[None]).min() < 1e-3
    assert set(rows.tolist()) == {0}


def test_faces_and_backs_that_lie_by_themselves_are_not_turned() -> None:
    heap = Heap(True, False)
    none = np.zeros(WHOLE + 2, bool)
    turn(heap.cards, *Namer(None, 1).weigh_ways(heap.image, heap.layout(), heap.masks, 1, none))
    assert not heap.right()


def test_table_and_what_lies_beneath_are_amiss_where_a_card_would_hide_them() -> None:
    quads = np.stack([upright_at(20, 100), upright_at(20, 160), lying_at(20, 300)])
    masks = np.zeros((3, 400, 400), bool)
    # the first shows a corner, and lies on the second, of which it hides a part; the third hides what is left of both
    masks[0, 100:200, 20:60] = True
    masks[1, 200:212, 60:132] = masks[1, 262:300, 20:132] = True
    masks[2, 300:400, 20:180] = True
    way = lying_at(20, 100)
    (share,) = amiss(quads, masks, 1, np.array([0]), way[None])
    shown = np.zeros((400, 400), bool)
    shown[100:212, 20:180] = True
    beneath = shown & (~masks.any(axis=0) | masks[1])
    assert share == pytest.approx(beneath.sum() / shown.sum(), abs=0.02)
    # of a card that lies on nothing what others show may hide it
    (share,) = amiss(quads[::2], masks[::2], 1, np.array([1]), way[None])
    assert share == pytest.approx((shown & ~masks[::2].any(axis=0)).sum() / shown.sum(), abs=0.02)


def ways_of(**told: float) -> dict[int, int]:
    """Of eight cards the first may lie in two other ways; the second suits the others by `gain`."""
    odds = np.full((10, 10), 1.0)
    # the card in question suits itself, turned or not, which tells nothing
    odds[np.arange(10), np.arange(10)] = 50
    odds[8:, 0] = 50
    odds[9, 1:8] = 1 + told.get("gain", 0.0)
    odds[8, 1:8] = 1 + told.get("gain", 0.0) - 0.5
    wrong = np.array([0.0, told.get("wrong", 0.0)])
    sure = np.full(8, told.get("sure", 0.7))
    rows = np.array([0, 0])
    return better_ways(rows, weighed(odds, rows, np.full(8, told.get("shown", 0.5)), sure, wrong))


def test_only_what_suits_far_better_is_turned_and_the_best_way_counts() -> None:
    assert ways_of() == {}
    assert ways_of(gain=2.5) == {0: 1}
    assert ways_of(gain=2.5, sure=0.999) == {}
    assert ways_of(gain=2.5, wrong=0.2) == {0: 0}
    # too little is seen of the others to tell by
    assert ways_of(gain=2.5, shown=0.05) == {}
    none = np.zeros(0, dtype=np.intp)
    nothing = weighed(np.zeros((1, 1)), none, np.ones(1), np.ones(1), np.zeros(0))
    assert nothing.shape == (0, 3) and better_ways(none, nothing) == {}


def test_of_one_card_found_both_ways_the_surer_is_left() -> None:
    quads = np.stack([upright_at(20, 100), lying_at(22, 101), lying_at(60, 140), upright_at(300, 100)])
    assert found_twice(quads, np.array([0.9, 0.6, 0.6, 0.6]), None).tolist() == [1]
    assert found_twice(quads, np.array([0.6, 0.8, 0.6, 0.6]), None).tolist() == [0]
    # two cards may lie so, if either is as sure as cards are
    assert found_twice(quads, np.array([0.97, 0.95, 0.6, 0.6]), None).tolist() == []
    assert found_twice(quads[:0], np.zeros(0), None).tolist() == []
    slant = np.linalg.inv(SLANT)
    seen = np.stack([apply(slant, quad / 2) for quad in quads])
    assert found_twice(seen, np.array([0.9, 0.6, 0.6, 0.6]), SLANT).tolist() == [1]
