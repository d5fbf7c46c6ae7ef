"""A row of backs is found by its outline where all votes are wrong, and nothing else is taken for one."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_rows import PX_MM, arc, line, still
from numpy.typing import NDArray

from vision.found import Found
from vision.rows.outlines import stand_ins, with_outlines
from vision.rows.reader import RowReader, with_rows

Floats = NDArray[np.float64]
CELL = 5.0


def cells_of(quads: Floats) -> Floats:
    """The cells that cards with corners (n, 4, 2) px cover."""
    low, high = quads.min(axis=(0, 1)), quads.max(axis=(0, 1))
    x, y = np.meshgrid(
        *(np.arange(np.floor(a / CELL), np.ceil(b / CELL)) for a, b in zip(low, high, strict=True))
    )
    at = (np.column_stack([x.ravel(), y.ravel()]) + 0.5) * CELL
    inside = np.zeros(len(at), dtype=bool)
    for quad in quads:
        sides = np.roll(quad, -1, axis=0) - quad
        away = at[:, None] - quad[None]
        inside |= ((sides[None, :, 0] * away[..., 1] - sides[None, :, 1] * away[..., 0]) > 0).all(axis=1)
    return np.asarray(at[inside])


def askew(quads: Floats) -> Found:
    """What a finder says that takes stripes for edges: three cards turned by 45 degrees, and loose cells."""
    cells = cells_of(quads)
    middle = quads.mean(axis=1)[:: max(1, len(quads) // 3)][:3]
    half = np.array([[44.0, 44.0]]) * PX_MM / np.sqrt(2)
    near = np.linalg.norm(cells[:, None] - middle[None], axis=2)
    mine = near.min(axis=1) < 30 * PX_MM
    return Found(
        middle=middle,
        long=np.repeat(half, len(middle), axis=0),
        short=np.repeat(half[:, ::-1] * (1, -1) * 63 / 88, len(middle), axis=0),
        back=np.ones(len(middle)),
        confidence=np.ones(len(middle)),
        support=np.full(len(middle), 40.0),
        evidence=np.tile((0.9, 0.1, 0.1), (len(middle), 1)),
        cells_at=cells[mine],
        cells_card=near[mine].argmin(axis=1),
        hands=[],
        cell_px=CELL,
        loose=cells[~mine],
    )


@pytest.mark.parametrize("quads", [line(12), arc(12)], ids=["line", "arc"])
def test_stand_ins_follow_the_shape(quads: Floats) -> None:
    first = next(iter(stand_ins(cells_of(quads), CELL)))
    assert 2 * np.median(np.linalg.norm(first.long, axis=1)) == pytest.approx(88 * PX_MM, rel=0.07)
    cards = quads.mean(axis=1)
    nearest = np.linalg.norm(cards[:, None] - first.middle[None], axis=2).argmin(axis=1)
    long = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]) / 4
    theirs = first.long[nearest]
    turned = np.abs(long[:, 0] * theirs[:, 1] - long[:, 1] * theirs[:, 0]) / (
        np.linalg.norm(long, axis=1) * np.linalg.norm(theirs, axis=1)
    )
    assert np.median(turned) < 0.07


def test_a_heap_is_no_row() -> None:
    rng = np.random.default_rng(2)
    heap = np.concatenate([line(2) + rng.uniform(-150, 150, 2) for _ in range(9)])
    assert not list(stand_ins(cells_of(heap), CELL))


@pytest.mark.parametrize("quads", [line(9), line(14, sense=-1), arc(10)], ids=["line", "leftwards", "arc"])
def test_a_row_is_read_though_every_vote_is_wrong(quads: Floats) -> None:
    image = still(quads).image
    reader = RowReader(threads=1)
    found, reads = with_outlines(askew(quads), [], lambda part, cards: reader.read(image, part, cards))
    assert len(reads) == 1
    done = with_rows(found, reads)
    assert len(done) == len(quads)
    apart = np.linalg.norm(done.middle[:, None] - quads.mean(axis=1)[None], axis=2)
    assert apart.min(axis=1).max() < 4 * PX_MM


def test_what_cannot_be_read_stays_as_it_was() -> None:
    before = askew(line(9))
    found, reads = with_outlines(before, [], lambda part, cards: None)
    assert found is before and reads == []
