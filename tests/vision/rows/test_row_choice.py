"""Of the rows that were read those are kept that are rows, and edges are taken for what they are by their length."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_rows import PX_MM, card, found_of, line, still
from numpy.typing import NDArray

from datasets.bands import seen_band
from vision.found import Found
from vision.rows.choice import Size, beyond, chosen, worth
from vision.rows.reader import Row, RowReader, rows_of, with_rows

Floats = NDArray[np.float64]


def row_of(quads: Floats, sure: float = 0.9) -> Row:
    """A row as it is read when it is read rightly."""
    band = seen_band(quads, np.arange(len(quads)), np.random.default_rng(5))
    assert band is not None
    at = np.sort(band.place(quads.mean(axis=1))[:, 0]) - band.width_mm / 2
    return Row(band, True, at, *np.zeros((3, len(at))), np.full(len(at), sure))


def half(quads: Floats) -> float:
    return float(np.linalg.norm(quads[0, 3] - quads[0, 0])) / 2


@pytest.mark.parametrize("count", [6, 11])
def test_cards_one_behind_the_other_are_counted_by_their_short_edges(count: int) -> None:
    quads = np.array([card(120, 90 + 14.0 * PX_MM * k) for k in range(count)])
    shot = still(quads, [(150, 60, 40), (40, 40, 160)])
    found = found_of(quads, np.random.default_rng(4))
    (cards,) = rows_of(found.turned())
    read = RowReader(threads=1).read(shot.image, found, cards, lengthwise=True)
    assert read is not None
    assert len(read) == count
    (kept,) = chosen(found, [(cards, read)], Size(half(quads), 63 / 88), [])
    done = with_rows(found, [kept])
    assert np.abs(np.sort(done.middle[:, 1]) - np.sort(quads.mean(axis=1)[:, 1])).max() < 4 * PX_MM
    assert np.abs(done.long[:, 1]) == pytest.approx(half(quads), rel=0.08)


def test_edges_too_short_for_long_ones_are_short_ones() -> None:
    quads = line(9)
    row = row_of(quads)
    half_long = half(quads)
    assert Size(half_long, 63 / 88).right(row) is row
    turned = Size(half_long * 88 / 63, 63 / 88).right(row)
    assert turned is not None and turned.lengthwise
    middle, long, short = turned.cards()
    assert np.linalg.norm(short, axis=1) == pytest.approx(half_long, rel=0.1)
    assert np.linalg.norm(long, axis=1) == pytest.approx(half_long * 88 / 63, rel=0.1)
    # the edges stay where they are: the cards reach further from them
    edge = row.cards()[0] - row.cards()[2]
    assert np.abs(np.linalg.norm(middle - edge, axis=1) / (half_long * 88 / 63) - 1).max() < 0.1
    assert Size(half_long * 2, 63 / 88).right(row) is None


def askew(found: Found, angle: float) -> Found:
    """The same cards turned where they lie."""
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, s], [-s, c]])
    return replace(found, long=found.long @ turn, short=found.short @ turn)


def test_what_a_heap_lends_itself_to_is_no_row_but_a_long_sure_one_is() -> None:
    rng = np.random.default_rng(4)
    for count, sure, angle, is_row in (
        (9, 0.75, 0.0, True),
        (9, 0.75, 0.9, False),
        (9, 0.9, 0.9, True),
        (3, 0.7, 0.0, False),
        (3, 0.9, 0.0, True),
        (3, 0.9, 0.9, False),
    ):
        quads = line(count)
        found = askew(found_of(quads, rng), angle)
        row = row_of(quads, sure)
        kept = chosen(found, [(np.arange(len(found)), row)], Size(half(quads), 63 / 88), [])
        assert bool(kept) == is_row, (count, sure, angle)


def test_a_long_row_of_fewer_cards_than_the_finder_sees_must_be_surer() -> None:
    quads = line(9)
    found = found_of(quads, np.random.default_rng(4))
    more = found.joined([found, found])
    for sure, kept in ((0.72, False), (0.78, True)):
        row = row_of(quads, sure)
        assert bool(worth(found, np.arange(len(found)), row))
        assert bool(worth(more, np.arange(len(more)), row)) == kept


def test_of_two_readings_of_the_same_cards_one_is_kept() -> None:
    quads = line(9)
    found = found_of(quads, np.random.default_rng(4))
    row = row_of(quads)
    shorter = replace(
        row, **{name: getattr(row, name)[:7] for name in ("at", "slant", "shift", "longer", "sure")}
    )
    both = [(np.arange(7), shorter), (np.arange(len(found)), row)]
    ((cards, kept),) = chosen(found, both, Size(half(quads), 63 / 88), [])
    assert kept is row and len(cards) == len(found)
    assert worth(found, *both[1]) > worth(found, *both[0])
    assert chosen(found, both[:1], Size(half(quads), 63 / 88), [(cards, kept)]) == [(cards, kept)]


def test_cards_that_lie_askew_in_a_sure_row_are_part_of_it() -> None:
    quads = line(9)
    row = row_of(quads, 0.95)
    found = found_of(quads, np.random.default_rng(4))
    one = found.only(np.array([4]))
    wrong = replace(one, long=one.short * 88 / 63, short=-one.long * 63 / 88)
    both = found.joined([wrong])
    ((cards, _),) = chosen(both, [(np.arange(len(found)), row)], Size(half(quads), 63 / 88), [])
    assert len(both) - 1 in cards


def test_where_two_rows_meet_the_cards_of_the_other_are_left_for_it() -> None:
    """One row is read in the cards of both: what lies where it does not is no part of it, a single stray card is."""
    quads = np.concatenate([line(9), line(6) + np.array((200.0 * PX_MM, 6.0))])
    found = found_of(quads, np.random.default_rng(4))
    in_first = found.middle[:, 0] < 190 * PX_MM
    first, second = np.flatnonzero(in_first), np.flatnonzero(~in_first)
    row = row_of(line(9))
    every = np.arange(len(found))
    assert len(second) >= 2
    assert beyond(found, every, row).tolist() == second.tolist()
    assert not len(beyond(found, first, row))
    assert not len(beyond(found, np.append(first, second[0]), row))


def test_cards_of_a_row_that_lies_across_another_are_no_part_of_that() -> None:
    """The other row hides the lower half of this one: half of what is seen of its cards lies where this one is."""
    quads = np.concatenate([line(9), line(5) + np.array((20.0, 44.0)) * PX_MM])
    found = found_of(quads, np.random.default_rng(4))
    low = found.middle[:, 1] > quads[:9].mean(axis=(0, 1))[1] + 22 * PX_MM
    assert 2 <= low.sum() < len(found) - 2
    ((cards, _),) = chosen(found, [(np.arange(len(found)), row_of(line(9)))], Size(half(quads), 63 / 88), [])
    assert cards.tolist() == np.flatnonzero(~low).tolist()


def test_the_same_row_read_in_other_cards_is_not_kept_twice() -> None:
    quads = line(9)
    found = found_of(quads, np.random.default_rng(4))
    row = row_of(quads)
    half_of_them = np.arange(len(found) // 2)
    both = [
        (half_of_them, row),
        (np.setdiff1d(np.arange(len(found)), half_of_them), replace(row, sure=row.sure - 0.02)),
    ]
    assert [kept for _, kept in chosen(found, both, Size(half(quads), 63 / 88), [])] == [row]
