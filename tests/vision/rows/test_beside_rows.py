"""What the finder sees where a row was read is heard, too: as a row's partner, or as a rival that the row lacks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_rows import PX_MM, card, line, still
from numpy.typing import NDArray
from voted_cards import cards, grid

import vision.eye as eye_module
from vision.detect.placing import Placer
from vision.eye import Eye
from vision.found import Found
from vision.layout import Layout, SeenCard, Side
from vision.rows.beside_rows import (
    InPlace,
    doubles,
    each_once,
    found_again,
    partners,
    put,
    replaced,
    with_rivals,
)
from vision.rows.reader import Row, RowReader, rows_of, with_rows

Floats = NDArray[np.float64]


def only(row: Row, kept: NDArray[np.bool_]) -> Row:
    """A row as it is read when some edges are overlooked."""
    of_edges = {name: getattr(row, name)[kept] for name in ("at", "slant", "shift", "longer", "sure")}
    return replace(row, **of_edges)


def seen_by_a_finder(quads: Floats) -> Found:
    """Cards as they are, each with the cells that show it."""
    seen = [
        quad[:1] + (quad[3] - quad[0]) * np.linspace(0.1, 0.9, 12)[:, None] + (6.0, 0.0) for quad in quads
    ]
    found = cards([tuple(quad.mean(axis=0)) for quad in quads], [s.tolist() for s in seen])
    found.long = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]) / 4
    found.short = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]) / 4
    found.back[:], found.evidence[:], found.of_spread = 0.98, (0.9, 0.1, 0.1), True
    return found


def test_each_card_has_one_partner_at_most_turned_by_half_or_not() -> None:
    row = line(4, 20.0)
    own = np.stack([np.roll(row[2], 2, axis=0) + 4.0, row[0] - 5.0, row[2] + 30.0, card(400, 80)])
    mine, theirs = partners(row, own)
    assert sorted(zip(mine.tolist(), theirs.tolist(), strict=True)) == [(0, 1), (2, 0), (3, 2)]


def test_what_lies_straight_on_a_card_of_a_row_and_is_less_sure_is_no_card() -> None:
    row = line(3, 20.0)
    shifted, askew = row[1] + (0.1 * PX_MM * 63, 0.0), card(*row[1].mean(axis=0) / PX_MM, np.radians(12))
    corners = np.stack([*row, shifted, askew, row[1] + (0.5 * PX_MM * 63, 0.0)])
    given = np.array([1.0, 1.0, 1.0, *[np.nan] * 3])
    assert found_again(corners, given, np.full(6, 0.9)).tolist() == [3]
    # a card that is sure of itself, or one beside a row that is not
    assert not len(found_again(corners, given, np.array([1, 1, 1, 0.99, 0.9, 0.9])))
    assert not len(found_again(corners, np.where(given == 1, 0.9, given), np.full(6, 0.9)))


def test_the_eye_believes_no_line_of_a_row_and_faces_whatever_they_lie_on() -> None:
    row = line(2, 20.0)
    quads = [*row, row[1] + 4.0, row[0] + 4.0]
    sides: list[Side] = ["back", "back", "back", "face"]
    seen = [SeenCard(quad, side, quad, 0.2, 0.9) for quad, side in zip(quads, sides, strict=True)]
    sure = np.full(4, 0.9)
    eye_module._doubt_found_again(Layout(900, 600, PX_MM, seen), sure, np.array([1.0, 1.0, np.nan, np.nan]))
    assert sure.tolist() == [0.9, 0.9, 0.0, 0.9]


def test_what_lies_across_a_card_is_no_partner() -> None:
    mine, _ = partners(card(100, 100)[None], card(100, 100, np.pi / 2)[None])
    assert not len(mine)


def test_what_rows_took_the_place_of_is_known() -> None:
    quads = line(6, 14.0)
    found = seen_by_a_finder(np.concatenate([[card(60, 260)], quads, [card(200, 260)]]))
    (row,) = rows_of(found)
    read = RowReader(threads=1).read(still(quads).image, found, row)
    assert read is not None
    assert replaced(found, with_rows(found, [(row, read)])).tolist() == row.tolist() == [1, 2, 3, 4, 5, 6]
    assert not len(replaced(found, found))


@pytest.fixture(scope="module")
def lame() -> tuple[InPlace, Floats]:
    """A row of eight of which the fourth card was overlooked, with rivals; and where the cards lie."""
    quads, placer = line(8, 16.0), Placer(threads=1)
    image, found = still(quads).image, seen_by_a_finder(quads)
    (row,) = rows_of(found)
    read = RowReader(threads=1).read(image, found, row)
    assert read is not None
    apart = np.linalg.norm(read.cards()[0] - quads[3].mean(axis=0), axis=1)
    rowed = with_rows(found, [(row, only(read, (apart > apart.min()) & (read.sure > 0.5)))])
    return with_rivals(placer, image, found, replaced(found, rowed), put(placer, image, rowed)[0]), quads


def test_a_card_that_a_row_lacks_is_its_rival(lame: tuple[InPlace, Floats]) -> None:
    placed, quads = lame
    in_row = np.isfinite(placed.found.given)
    assert in_row.sum() == 7 and (~in_row).sum() == 1
    (middle,) = placed.found.middle[~in_row]
    assert np.linalg.norm(middle - quads[3].mean(axis=0)) < 3 * PX_MM
    assert len(placed.before) == len(placed.cuts) == len(placed.fraction) == len(placed.alone) == 8


def test_the_finder_is_as_sure_of_a_row_s_card_as_of_its_partner(lame: tuple[InPlace, Floats]) -> None:
    placed, quads = lame
    assert (placed.alone > 0.02).all()
    far, (row,) = seen_by_a_finder(quads), rows_of(seen_by_a_finder(quads))
    far.middle = far.middle + np.array([0.0, 60.0 * PX_MM])
    placer, image = Placer(threads=1), still(quads).image
    read = RowReader(threads=1).read(image, seen_by_a_finder(quads), row)
    assert read is not None
    rowed = with_rows(seen_by_a_finder(quads), [(row, read)])
    told = with_rivals(placer, image, far, row, put(placer, image, rowed)[0])
    # what it saw lies elsewhere: no partners, all rivals
    assert len(told.found) == len(read) + 8 and (told.alone[np.isfinite(told.found.given)] == 0).all()


def test_without_rows_there_are_no_rivals() -> None:
    found, none = seen_by_a_finder(line(3, 70.0)), np.array([], dtype=np.intp)
    placed = InPlace(found, found.corners, np.zeros((3, 128, 96, 5), np.uint8), np.ones(3), np.ones(3))
    assert with_rivals(Placer(threads=1), still(line(3)).image, found, none, placed) is placed


def test_what_the_finder_sees_in_the_place_of_a_row_s_card_is_that_card() -> None:
    width = 63.0 * PX_MM
    row = line(4, 20.0)
    near, between = row[1] + (0.03 * width, 0.02 * width), row[2] + (0.16 * width, 0.0)
    found = seen_by_a_finder(np.concatenate([row, [np.roll(near, 2, axis=0), between]]))
    assert not doubles(found).any()
    found.given[:4] = 0.9
    assert doubles(found).tolist() == [False] * 4 + [True, False]
    # a row's card that is hardly believed proves nothing
    found.given[1] = 0.3
    assert not doubles(found).any()


@pytest.mark.parametrize("card_of_row", [0, 1, 2])
def test_a_card_that_is_found_once_more_in_its_row_is_not_lost(
    card_of_row: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the two took cells from the other, and both were given up."""
    rivals = eye_module.with_rivals

    def twice(*told: object) -> InPlace:
        placed = rivals(*told)  # type: ignore[arg-type]
        again = placed.only(np.array([card_of_row]))
        again.found.given[:] = np.nan
        again.found.middle = again.found.middle + 0.02 * 2 * again.found.short
        return placed.joined(again)

    monkeypatch.setattr(eye_module, "with_rivals", twice)
    assert len(Eye(threads=1).see(still(line(9, 22.0)).image).cards) == 9


def test_a_cell_counts_for_the_last_that_claims_it() -> None:
    first, both = grid(100, 100, 40, 40), grid(100, 160, 40, 40)
    found = cards([(100, 100), (120, 150)], [first + both, both])
    once = each_once(found)
    assert np.bincount(once.cells_card).tolist() == [len(first), len(both)]
    assert each_once(once) is once


def test_the_eye_counts_a_card_that_its_row_reader_overlooks(monkeypatch: pytest.MonkeyPatch) -> None:
    image, read = still(line(9, 22.0)).image, RowReader.read
    eye = Eye(threads=1)
    assert len(eye.see(image).cards) == 9

    def overlooking(self: RowReader, *told: object, **more: object) -> Row | None:
        row = read(self, *told, **more)  # type: ignore[arg-type]
        return row if row is None or len(row) < 9 else only(row, np.arange(len(row)) != 4)

    monkeypatch.setattr(RowReader, "read", overlooking)
    assert len(eye.see(image).cards) == 9
