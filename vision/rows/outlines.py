"""Rows of backs by their outline: where a bold pattern misleads the finder, the whole of what shows backs does not.

Stripes and diamonds on a back look like edges of cards that lie askew, and votes for such cards contradict each other.
But cells that show a back are told from the table all the same, and cards that lie side by side make a long shape of
one height. Its middle line and its height are the row; the row reader then reads the edges in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.found import Found
from vision.layout import CARD_WIDTH_MM
from vision.rows.band import LONG_MM
from vision.rows.reader import Row

Floats = NDArray[np.float64]
Index = NDArray[np.intp]
Reads = list[tuple[Index, Row]]

#: Least number of cells of a shape; the share of its length over which it must be about as high as on the whole, and
#: what is about as high, as a share of the height.
LEAST_CELLS, EVEN, UNEVEN = 60, 0.7, 0.12
#: A shape is a row from this length on, and may be bent from that one on (heights).
LONG_ENOUGH, BENDS = 0.5, 1.4
#: How far apart stand-ins for cards are put along a row (heights).
EVERY = 0.25
#: Share of a shape that a row must explain, and how far the size of its cards may be from what the votes say (factor).
EXPLAINED, LIKE = 0.8, 1.3


def with_outlines(
    found: Found, reads: Reads, read: Callable[[Found, Index], Row | None]
) -> tuple[Found, Reads]:
    """`found` and the rows read in it (as for `with_rows`), with rows of which only the outline tells.

    `read` reads the row that some cards of a `Found` make, as `RowReader.read` does.
    """
    cells, owner = _back_cells(found)
    gone = np.zeros(len(found), dtype=bool)
    fresh: list[tuple[Found, Row]] = []
    for shape in _shapes(cells, found.cell_px):
        inside = _mostly(owner[shape], owner, len(found))
        if any(inside[cards].any() and not inside[cards].all() for cards, _ in reads):
            continue
        known = [(cards, row) for cards, row in reads if inside[cards].all()]
        explained = _explained([row for _, row in known], cells[shape])
        if explained >= EXPLAINED and int(inside.sum()) == sum(len(cards) for cards, _ in known):
            continue
        again = [
            (stand_in, row)
            for stand_in in stand_ins(cells[shape], found.cell_px)
            if 1 / LIKE < stand_in.width() / found.width() < LIKE
            and (row := read(stand_in, np.arange(len(stand_in)))) is not None
            and len(row) >= sum(len(row) for _, row in known)
            and _explained([row], cells[shape]) >= max(EXPLAINED, explained)
        ]
        if again:
            fresh.append(max(again, key=lambda one: float(one[1].sure.mean())))
            gone |= inside
    if not fresh:
        return found, reads
    kept = np.flatnonzero(~gone)
    number = np.cumsum(~gone) - 1
    reads = [(number[cards], row) for cards, row in reads if not gone[cards].any()]
    first = len(kept)
    for stand_in, row in fresh:
        reads.append((np.arange(first, first + len(stand_in)), row))
        first += len(stand_in)
    return found.only(kept).joined([stand_in for stand_in, _ in fresh]), reads


def stand_ins(cells: Floats, cell_px: float) -> Iterator[Found]:
    """Cards put side by side along the shape that cells (n, 2) px make, if it is a row; for both ways it may run."""
    axes = np.linalg.svd(cells - cells.mean(axis=0), full_matrices=False)[2]
    for run in axes:
        row = _along(cells, run, cell_px)
        if row is not None:
            yield row


def _back_cells(found: Found) -> tuple[Floats, Index]:
    """(n, 2) px: the cells that show a back; (n,) the card that each belongs to, -1 none."""
    of_back = found.back[found.cells_card] > 0.5 if len(found) else np.zeros(0, dtype=bool)
    return (
        np.concatenate([found.cells_at[of_back], found.loose]),
        np.concatenate([found.cells_card[of_back], np.full(len(found.loose), -1)]),
    )


def _shapes(cells: Floats, cell_px: float) -> Iterator[Index]:
    """The rows of `cells` that hang together, for every shape that is large enough."""
    if len(cells) < LEAST_CELLS:
        return
    place = np.floor(cells / cell_px).astype(np.intp)
    place -= place.min(axis=0)
    mask = np.zeros(place.max(axis=0)[::-1] + 1, np.uint8)
    mask[place[:, 1], place[:, 0]] = 1
    # rows may lie so near each other that corners of cells meet
    label = cv2.connectedComponents(mask, connectivity=4)[1][place[:, 1], place[:, 0]]
    for number in range(1, int(label.max()) + 1):
        shape = np.flatnonzero(label == number)
        if len(shape) >= LEAST_CELLS:
            yield shape


def _mostly(of_shape: Index, owner: Index, count: int) -> NDArray[np.bool_]:
    """(n,) whether most of a card's cells are among those of a shape."""
    here, all_over = (np.bincount(who[who >= 0], minlength=count) for who in (of_shape, owner))
    return np.asarray(2 * here > all_over)


def _explained(rows: Sequence[Row], cells: Floats) -> float:
    """Share of cells that cards of some rows show."""
    shown = np.zeros(len(cells), dtype=bool)
    for row in rows:
        shown |= row.owner(cells) >= 0
    return float(shown.mean())


def _along(cells: Floats, run: Floats, cell_px: float) -> Found | None:
    """The stand-ins along a row that runs roughly like `run` (2,)."""
    origin, down = cells.mean(axis=0), np.array([-run[1], run[0]])
    x, y = (cells - origin) @ run, (cells - origin) @ down
    at, middle, height = _profile(x, y, cell_px)
    length = float(np.ptp(x)) + cell_px
    if len(at) < 4 or length < LONG_ENOUGH * float(np.median(height)):
        return None
    bow = np.polynomial.Polynomial.fit(at, middle, 3 if length > BENDS * float(np.median(height)) else 1)
    across = height / np.sqrt(1 + bow.deriv()(at) ** 2)
    size = float(np.median(across))
    if np.mean(np.abs(across - size) < UNEVEN * size) < EVEN:
        return None
    spots = np.linspace(float(at[0]), float(at[-1]), max(2, round(length / (EVERY * size))))
    count = len(spots)
    owner = np.argmin(np.abs(x[:, None] - spots[None]), axis=1)
    tilt = bow.deriv()(spots)[:, None]
    long = (down - tilt * run) / np.sqrt(1 + tilt**2) * size / 2
    return Found(
        middle=origin + spots[:, None] * run + bow(spots)[:, None] * down,
        long=long,
        short=np.stack([long[:, 1], -long[:, 0]], axis=1) * (CARD_WIDTH_MM / LONG_MM),
        back=np.ones(count),
        confidence=np.ones(count),
        support=np.bincount(owner, minlength=count).astype(np.float64),
        evidence=np.tile((0.9, 0.05, 0.05), (count, 1)),
        cells_at=cells,
        cells_card=owner,
        hands=[],
        cell_px=cell_px,
    )


def _profile(x: Floats, y: Floats, step: float) -> tuple[Floats, Floats, Floats]:
    """Along a shape, `step` apart: where, the middle between its two sides, and how far these are apart."""
    column = np.floor((x - x.min()) / step).astype(np.intp)
    top, bottom = np.full(column.max() + 1, np.inf), np.full(column.max() + 1, -np.inf)
    np.minimum.at(top, column, y)
    np.maximum.at(bottom, column, y)
    height = bottom - top + step
    full = np.flatnonzero(height > 0.5 * np.median(height))
    return x.min() + (full + 0.5) * step, (top[full] + bottom[full]) / 2, height[full]
