"""Reads rows of overlapping cards: which long edges lie where in the straightened row, and so how many cards it has.

Where cards lie side by side in narrow strips, the finder's votes for their middles run together along the row, but
row, direction and size of the cards are well known. So each such row is straightened (`vision/rows/band.py`), and a
network of its own (models/rows.md) looks for the long edges in it, as one looks for letters in a line of text.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.found import Found
from vision.geometry.groups import connected
from vision.rows.band import COLUMN_MM, LONG_MM, Band, fit_band
from vision.trained import open_model

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: mm of a column of the network's output, and units of its slants and shifts, mm (models/row_net.py).
STEP_MM = 2 * COLUMN_MM
SCALES = (1.0, 4.0, 4.0, 4.0)
#: Where places, slants and shifts are among the network's channels, for both sides.
PLACES, SLANTS, SHIFTS = ([2 + k, 2 + k + len(SCALES)] for k in range(3))
#: An edge: its least probability, and the least distance of two, mm.
LEAST, APART_MM = 0.3, 3.5
#: A row is one when its edges are this sure on average: what merely looks like one has weak edges.
TRUSTED = 0.62
#: Cards of one row: how far their middles may lie apart along it (widths) and across it (heights), and turned (rad).
BESIDE, ACROSS, TURNED = 0.75, 0.17, 0.5
#: What is a row: its least length from middle to middle (widths), and for faces its least number of cards found.
LONG_ENOUGH, LEAST_FACES = 0.3, 4
#: Cards that are mostly seen (median share) need no reading as a row: piles side by side on a table.
PLAIN = 0.45
#: Strips of a column show more than this of their cards' length.
TIGHT = 0.15
#: How often, at most, a row is read again because it goes on where it seemed to end.
GROWS = 6


@dataclass(slots=True)
class Row:
    """The edges read in a row, all of cards that lie on the same side of theirs; along the row."""

    band: Band
    #: Do the cards lie to the right of their edges (and each on top of the one before)?
    rightwards: bool
    #: (n,) mm along the band, mm that the lower end lies further along, mm across of the edge's middle, mm that the
    #: edge is longer than the band takes a card to be, probability.
    at: Floats
    slant: Floats
    shift: Floats
    longer: Floats
    sure: Floats
    #: Do the cards lie one behind the other, so that the edges are their short ones?
    lengthwise: bool = field(default=False, kw_only=True)

    def __len__(self) -> int:
        return len(self.at)

    def cards(self) -> tuple[Floats, Floats, Floats]:
        """(n, 2) middles and half axes (long, short) of the cards, px."""
        half = (LONG_MM + self.longest()) / 2
        upper = self.band.at(self.at - self.slant / 2, self.shift - half)
        lower = self.band.at(self.at + self.slant / 2, self.shift + half)
        long = (lower - upper) / 2
        share = self.band.width_mm / LONG_MM
        c, s = np.cos(self.band.skew) * share, np.sin(self.band.skew) * share
        short = np.stack([c * long[:, 0] - s * long[:, 1], s * long[:, 0] + c * long[:, 1]], axis=1)
        middle = (upper + lower) / 2 + short * (1 if self.rightwards else -1)
        return (middle, short, -long) if self.lengthwise else (middle, long, short)

    def turned(self, width_mm: float) -> Row:
        """The same edges taken for short ones if they were taken for long ones, and the other way round; `width_mm`: how
        far, in the band's mm, its cards then reach along it."""
        return replace(self, band=replace(self.band, width_mm=width_mm), lengthwise=not self.lengthwise)

    def as_long_as(self, cards: Found) -> Row:
        """The same of cards that lie one behind the other, as long beside their width as these are, which lie there: only
        their short edges are read, and of what is hidden of them the finder's votes tell too little."""
        share = np.linalg.norm(cards.long, axis=1) / np.maximum(np.linalg.norm(cards.short, axis=1), 1e-6)
        return replace(self, band=replace(self.band, width_mm=LONG_MM * float(np.median(share))))

    def longest(self) -> float:
        """mm that the row's cards are longer than the band takes them to be."""
        order = np.argsort(self.longer)
        weight = np.cumsum(self.sure[order])
        return float(self.longer[order][np.searchsorted(weight, weight[-1] / 2)]) if len(self) else 0.0

    def owner(self, points: Floats) -> NDArray[np.intp]:
        """(m,) which card is seen at points of the picture (px); -1 none."""
        if not len(points):
            return np.zeros(0, dtype=np.intp)
        placed = self.band.place(points)
        edge = self.at[None] + self.slant[None] * (placed[:, 1:] - self.shift[None]) / LONG_MM
        past = placed[:, :1] - edge if self.rightwards else edge - placed[:, :1]
        past = np.where((past >= 0) & (past <= self.band.width_mm), past, np.inf)
        nearest = np.argmin(past, axis=1)
        beyond = np.abs(placed[:, 1] - self.shift[nearest]) > (LONG_MM + self.longest()) / 2
        return np.where(np.isfinite(past[np.arange(len(past)), nearest]) & ~beyond, nearest, -1)


class RowReader:
    """The row reader's network with its decoding."""

    def __init__(self, model: Path | None = None, threads: int = 2) -> None:
        self._session = open_model("rows.onnx", model, threads)

    def read(
        self, image: Pixels, found: Found, cards: NDArray[np.intp], *, lengthwise: bool = False
    ) -> Row | None:
        """The row that some cards of `found` lie in, in `image` ((H, W, 3) BGR); None if it is none.

        `lengthwise`: the cards lie one behind the other rather than side by side.

        Read twice: the first time tells how long the cards are and where exactly they lie. Then again as long as more of
        it comes to light at its ends.
        """
        found = found.turned() if lengthwise else found
        row = self._read(image, found, cards)
        row = row if row is None else self._read(image, _as_found(found, cards, row))
        if row is None or float(row.sure.mean()) < TRUSTED:
            return None
        cells = np.concatenate([found.cells_at, found.loose])
        for _ in range(GROWS):
            longer = self._read(image, _as_found(found, cards, row, cells))
            if longer is None or len(longer) <= len(row) or float(longer.sure.mean()) < TRUSTED:
                break
            row = longer
        return replace(row, lengthwise=lengthwise)

    def _read(self, image: Pixels, found: Found, cards: NDArray[np.intp] | None = None) -> Row | None:
        """One reading; `cards`: of those of `found`, else of all."""
        band = band_of(found, np.arange(len(found)) if cards is None else cards)
        row = self._edges(image, band) if band is not None else None
        return row if row is not None and len(row) > 1 else None

    def _edges(self, image: Pixels, band: Band) -> Row:
        picture = band.sample(image).transpose(2, 0, 1).astype(np.float32) / 255
        ways = np.stack([picture, picture[:, ::-1], picture[..., ::-1], picture[:, ::-1, ::-1]])
        (told,) = self._session.run(None, {"band": ways})
        plain, upside_down, backwards, both = np.asarray(told, dtype=np.float64)
        alike = [plain, _upright(upside_down), _forwards(backwards), _forwards(_upright(both))]
        return decode(np.mean(alike, axis=0), band)


def _upright(output: Floats) -> Floats:
    """What the network's (10, n) of a band that is seen upside down says of the band."""
    mirrored = output.copy()
    mirrored[SLANTS + SHIFTS] *= -1
    return mirrored


def _forwards(output: Floats) -> Floats:
    """What the network's (10, n) of a band that is seen from its end says of the band: right is left."""
    each = len(SCALES)
    swapped = [1, 0, *range(2 + each, 2 + 2 * each), *range(2, 2 + each)]
    mirrored = output[swapped, ::-1]
    mirrored[PLACES + SLANTS] *= -1
    return mirrored


def decode(output: Floats, band: Band) -> Row:
    """The edges that the network's (10, n) tells of: those of the side that more of them are seen of."""
    each = len(SCALES)
    sides = [_peaks(output[side], output[2 + each * side : 2 + each * (side + 1)]) for side in (0, 1)]
    side = int(sides[1][-1].sum() > sides[0][-1].sum())
    return Row(band, side == 0, *sides[side])


def _peaks(logits: Floats, shape: Floats) -> tuple[Floats, ...]:
    """Where edges lie, surest first taken, none too near another: see `Row`."""
    chance = 1 / (1 + np.exp(-logits))
    at = (np.arange(len(chance)) + 0.5) * STEP_MM - COLUMN_MM / 2 + np.clip(shape[0], -2, 2) * SCALES[0]
    kept: list[int] = []
    for column in np.argsort(-chance, kind="stable"):
        if chance[column] < LEAST:
            break
        if all(abs(at[column] - at[other]) >= APART_MM for other in kept):
            kept.append(int(column))
    rows = np.array(sorted(kept, key=lambda column: at[column]), dtype=np.intp)
    return at[rows], *(shape[k, rows] * SCALES[k] for k in range(1, len(SCALES))), chance[rows]


def rows_of(found: Found) -> list[NDArray[np.intp]]:
    """Cards of `found` that lie side by side in rows."""
    count = len(found)
    if count < 2:
        return []
    length, width = np.linalg.norm(found.long, axis=1), np.linalg.norm(found.short, axis=1)
    unit = found.long / np.maximum(length, 1e-6)[:, None]
    away = found.middle[:, None] - found.middle[None]
    over = np.abs((away * unit[:, None]).sum(axis=2)) / (2 * length[:, None])
    beside = np.abs(away[..., 0] * unit[:, None, 1] - away[..., 1] * unit[:, None, 0]) / (2 * width[:, None])
    angle = np.arctan2(found.long[:, 1], found.long[:, 0])
    turned = np.abs((angle[:, None] - angle[None] + np.pi / 2) % np.pi - np.pi / 2)
    near = (over < ACROSS) & (beside < BESIDE) & (turned < TURNED)
    near &= near.T
    labels = connected(near)
    rows = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    along = 2 * length[:, None] * over - 2 * width[:, None] * beside
    return [row for row in rows if len(row) > 1 and _is_row(found, row) and _side_by_side(near, along, row)]


def _side_by_side(near: NDArray[np.bool_], along: Floats, row: NDArray[np.intp]) -> bool:
    """Do neighbours lie beside each other rather than below, as those of a column do?

    `near` (n, n): which cards are neighbours; `along`: how much further (px) they lie apart lengthwise than sideways.
    """
    pairs = np.ix_(row, row)
    apart = near[pairs] & ~np.eye(len(row), dtype=bool)
    return bool(np.median(along[pairs][apart]) < 0)


def _is_row(found: Found, row: NDArray[np.intp]) -> bool:
    if float(np.median(shown_shares(found, row))) > PLAIN:
        return False
    if len(row) < LEAST_FACES and float(np.average(found.back[row], weights=found.support[row])) < 0.5:
        return False
    return bool(
        _extent(found.middle[row]) > LONG_ENOUGH * 2 * np.median(np.linalg.norm(found.short[row], axis=1))
    )


def _extent(middle: Floats) -> float:
    """How far the (n, 2) middles of a row's cards reach."""
    away = middle - middle.mean(axis=0)
    return float(np.ptp(away @ np.linalg.svd(away, full_matrices=False)[2][0]))


def tight(middle: Floats, long: Floats) -> bool:
    """Do cards that lie one behind the other, (n, 2) middles and half lengths, show less than those of a column do?"""
    return _extent(middle) / (len(middle) - 1) < TIGHT * 2 * float(np.median(np.linalg.norm(long, axis=1)))


def shown_shares(found: Found, row: NDArray[np.intp]) -> Floats:
    """(n,) which share of these cards is seen."""
    area = 4 * np.linalg.norm(found.long[row], axis=1) * np.linalg.norm(found.short[row], axis=1)
    return np.asarray(found.support[row] * found.cell_px**2 / np.maximum(area, 1.0))


def band_of(found: Found, row: NDArray[np.intp]) -> Band | None:
    """The band that the cells of these cards give."""
    cells = np.flatnonzero(np.isin(found.cells_card, row))
    card = found.cells_card[cells]
    return fit_band(found.cells_at[cells], found.middle[card], found.long[card], found.short[card])


def with_rows(found: Found, reads: list[tuple[NDArray[np.intp], Row]]) -> Found:
    """`found` with the cards of rows replaced by those that were read there."""
    if not reads:
        return found
    replaced = np.concatenate([row for row, _ in reads])
    rest = found.only(np.setdiff1d(np.arange(len(found)), replaced))
    return rest.joined([_as_found(found, row, read) for row, read in reads])


def _as_found(found: Found, row: NDArray[np.intp], read: Row, cells: Floats | None = None) -> Found:
    """The cards read in a row; backs and evidence are the finder's for the whole row.

    `cells` (n, 2) px: which may be theirs, the row's own if not given.
    """
    cells = found.cells_at[np.isin(found.cells_card, row)] if cells is None else cells
    owner = read.owner(cells)
    middle, long, short = read.cards()
    weight = found.support[row]
    return Found(
        middle=middle,
        long=long,
        short=short,
        back=np.full(len(read), np.average(found.back[row], weights=weight)),
        confidence=read.sure,
        support=np.bincount(owner[owner >= 0], minlength=len(read)).astype(np.float64),
        evidence=np.repeat(np.average(found.evidence[row], axis=0, weights=weight)[None], len(read), axis=0),
        cells_at=cells[owner >= 0],
        cells_card=owner[owner >= 0],
        hands=[],
        given=read.sure,
    )
