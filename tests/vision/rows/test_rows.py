"""Rows of backs: the band follows them, edges become the cards that they belong to, the weights count drawn rows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from drawn_rows import PX_MM, arc, card, found_of, line, still, votes
from numpy.typing import NDArray
from voted_cards import cards, grid

from datasets.bands import bands_of, seen_band, visible_edges
from vision.found import Found
from vision.rows.band import COLUMN_MM, LONG_MM, ROWS, fit_band
from vision.rows.choice import agrees
from vision.rows.reader import STEP_MM, Row, RowReader, _forwards, _upright, decode, rows_of, with_rows

Floats = NDArray[np.float64]


@pytest.mark.parametrize("quads", [line(9), line(14, 9.0, -1), arc(10)], ids=["line", "leftwards", "arc"])
def test_band_follows_the_row_though_votes_are_off_along_it(quads: Floats) -> None:
    band = fit_band(*votes(quads, np.random.default_rng(3)))
    assert band is not None
    assert band.width_mm == pytest.approx(63, abs=2)
    placed = band.place(quads.mean(axis=1))
    assert np.abs(placed[:, 1]).max() < 3
    ends = [band.place(quads[:, corner])[:, 1] for corner in range(4)]
    assert np.abs(np.abs(np.array(ends)) - LONG_MM / 2).max() < 5
    assert band.sample(np.zeros((400, 700, 3), np.uint8)).shape == (ROWS, len(band), 3)
    back = band.at(placed[:, 0], placed[:, 1])
    assert np.abs(back - quads.mean(axis=1)).max() < 1


def test_no_band_from_a_handful_of_cells() -> None:
    some = np.random.default_rng(0).normal(0, 1, (5, 2))
    assert fit_band(some, some, some, some) is None


def test_no_band_along_a_curve_that_runs_away() -> None:
    rng = np.random.default_rng(1)
    for _ in range(30):
        at = rng.uniform(0, 600, (12, 2))
        long = rng.normal(0, 1, (12, 2)) * rng.choice((0.5, 5.0, 60.0), (12, 1))
        band = fit_band(at, at + rng.normal(0, 300, (12, 2)), long, long[:, ::-1] * (1, -1) * 0.7)
        assert band is None or len(band) * COLUMN_MM < 1500
        if band is not None:
            assert band.sample(np.zeros((600, 600, 3), np.uint8)).shape == (ROWS, len(band), 3)


def test_visible_edges_are_those_that_no_later_card_covers() -> None:
    seen = visible_edges(line(6))
    assert seen[:, 0].all()
    assert seen[:, 1].tolist() == [False] * 5 + [True]
    assert visible_edges(line(6, sense=-1))[:, 1].all()


@pytest.mark.parametrize("quads", [line(8), line(8, sense=-1), arc(9)], ids=["line", "leftwards", "arc"])
def test_edges_give_the_cards_back(quads: Floats) -> None:
    (truth,) = bands_of(still(quads), np.random.default_rng(5))
    side = int(np.bincount(truth.edges[:, 0].astype(int)).argmax())
    edges = truth.edges[truth.edges[:, 0] == side]
    edges = edges[np.argsort(edges[:, 1])]
    assert len(edges) == len(quads)
    # the same band as `bands_of` fitted it
    band = seen_band(quads, np.arange(len(quads)), np.random.default_rng(5))
    assert band is not None
    row = Row(band, side == 0, *edges[:, 1:5].T, np.ones(len(edges)))
    middle, _, _ = row.cards()
    wanted = quads.mean(axis=1)
    wanted = wanted[np.argsort(band.place(wanted)[:, 0])]
    assert np.linalg.norm(middle - wanted, axis=1).max() < 3.5 * PX_MM
    owner = row.owner(middle + np.array((0, 5)))
    top = len(quads) - 1 if row.rightwards else 0
    assert owner[top] == top


def test_decoding_keeps_the_surest_of_near_edges_and_the_side_with_more() -> None:
    band = fit_band(*votes(line(9), np.random.default_rng(3)))
    assert band is not None
    output = np.zeros((10, len(band) // 2))
    output[:2] = -9
    output[1, [20, 22, 40, 60]] = (3, 2, 3, 3)
    output[0, 80] = 4
    row = decode(output, band)
    assert not row.rightwards
    assert row.at == pytest.approx((np.array([20, 40, 60]) + 0.5) * STEP_MM - COLUMN_MM / 2)


def test_cards_side_by_side_are_a_row_and_a_column_or_few_faces_are_none() -> None:
    rng = np.random.default_rng(2)
    row = found_of(line(11), rng)
    assert [len(r) for r in rows_of(row)] == [len(row)]
    column = found_of(np.array([card(60, 60 + 15 * k) for k in range(8)]), rng)
    assert rows_of(column) == []
    faces = row.only(np.arange(3))
    faces.back[:] = 0
    assert rows_of(faces) == []


@pytest.mark.parametrize("count", [4, 9, 15])
@pytest.mark.parametrize("sense", [1, -1])
def test_the_weights_count_rows_that_another_hand_drew(count: int, sense: int) -> None:
    quads = line(count, 12.0, sense)
    shot = still(quads, [(150, 60, 40), (40, 40, 160)])
    found = found_of(quads, np.random.default_rng(4))
    (cards,) = rows_of(found)
    read = RowReader(threads=1).read(shot.image, found, cards)
    assert read is not None
    assert len(read) == count
    # the band itself may run to the left
    assert read.rightwards == (sense * read.band.along[0, 0] > 0)
    done = with_rows(found, [(cards, read)])
    assert len(done) == count
    assert not np.isnan(done.given).any()
    lefts = sorted(float(m[0]) for m in done.middle)
    wanted = sorted(float(q.mean(axis=0)[0]) for q in quads)
    assert np.abs(np.array(lefts) - wanted).max() < 3 * PX_MM
    assert all(b > a for a, b in pairwise(lefts))


def piles_in_a_line(strip: float, count: int = 5, step: float = 60.0) -> Found:
    """Backs of 100 x 140 px beside each other, of which a strip is seen, and the whole of the last one."""
    middles = [(200.0 + step * k, 300.0) for k in range(count)]
    seen = [grid(x - 50 + strip / 2, 300, strip, 140, 4.0) for x, _ in middles[:-1]]
    found = cards(middles, [*seen, grid(*middles[-1], 100, 140, 4.0)])
    found.back[:] = 1.0
    return found


def test_strips_make_a_row_and_piles_that_are_mostly_seen_do_not() -> None:
    (row,) = rows_of(piles_in_a_line(25.0))
    assert row.tolist() == [0, 1, 2, 3, 4]
    assert rows_of(piles_in_a_line(60.0)) == []


def read_row() -> Row:
    """Five cards side by side as a perfect reading has them."""
    quads = line(5)
    band = seen_band(quads, np.arange(len(quads)), np.random.default_rng(5))
    assert band is not None
    at = np.sort(band.place(quads.mean(axis=1))[:, 0]) - band.width_mm / 2
    return Row(band, True, at, *np.zeros((3, len(at))), np.ones(len(at)))


def test_a_row_without_the_card_that_the_finder_sees_whole_is_none() -> None:
    row = read_row()
    middle, long, short = row.cards()
    found = cards([tuple(middle[-1])], [grid(*middle[-1], 2 * short[-1, 0], 2 * long[-1, 1], 4.0)])
    found.short, found.long = np.abs(short[-1:]), np.abs(long[-1:])
    assert agrees(found, np.array([0]), row)
    found.middle = found.middle + 0.5 * found.short
    assert not agrees(found, np.array([0]), row)


@pytest.mark.parametrize(
    ("sure", "beside", "kept"), [(0.99, 0.4, False), (0.5, 0.4, True), (0.99, 0.1, True)]
)
def test_a_row_may_not_lose_a_strip_of_which_the_finder_is_sure(
    sure: float, beside: float, kept: bool
) -> None:
    row = read_row()
    middle, long, short = row.cards()
    seen = grid(*middle[-1], 2 * short[-1, 0], 2 * long[-1, 1], 4.0)
    found = cards([tuple(middle[-1])], [seen[: len(seen) // 4]])
    found.short, found.long = np.abs(short[-1:]), np.abs(long[-1:])
    found.middle = found.middle + 2 * beside * found.short
    found.evidence[:, 0] = sure
    assert agrees(found, np.array([0]), row) is kept


def test_an_edge_is_the_same_from_whichever_end_and_side_its_band_is_seen() -> None:
    """What the network would say of the band itself, upside down and from its other end."""
    plain = np.full((10, 40), -8.0)
    plain[2:] = 0.0
    # a card to the right of its edge, 0.3 mm past the column's middle, slanted, shifted and longer than usual
    plain[[0, 2, 3, 4, 5], 12] = (6.0, 0.3, 0.5, -0.25, 0.125)
    upside_down, backwards = plain.copy(), np.full((10, 40), -8.0)
    upside_down[[3, 4], 12] = (-0.5, 0.25)
    backwards[2:] = 0.0
    backwards[[1, 6, 7, 8, 9], 27] = (6.0, -0.3, -0.5, -0.25, 0.125)
    assert np.array_equal(_upright(upside_down), plain)
    assert np.array_equal(_forwards(backwards), plain)
