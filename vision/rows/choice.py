"""Which of the rows that were read are rows.

A heap has cards in it that happen to lie side by side, and a row of cards that lie one behind the other can be read the
wrong way round. Where the finder's own cards lie as the row's do, a sure reading is believed; a long and very sure one
even against the finder, which bold patterns mislead.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.found import Found
from vision.layout import CARD_WIDTH_MM
from vision.rows.band import LONG_MM
from vision.rows.reader import PLAIN, TURNED, Row, shown_shares

Floats = NDArray[np.float64]
Index = NDArray[np.intp]
#: Rows with the cards of a `Found` that they stand for.
Reads = list[tuple[Index, Row]]

#: How far from a whole card's middle that of a row's card may lie and be the same (widths).
WHOLE_APART = 0.15
#: A strip that shows so much of its card and of which the finder is so sure; how far off (widths) a row's card may lie.
STRIP_SHOWN, STRIP_SURE, STRIP_APART = 0.12, 0.95, 0.18
#: A card is part of a row in which this share of what is seen of it lies.
SWALLOWED = 0.7
#: Least sureness of a row, by share of its cells whose cards lie as the row's do (from this share on); of a long row (so
#: many cards), of one that has fewer cards than the finder sees there, and of one that is short.
PARALLEL, LONG_ROW = 0.6, 6
SURE, SURE_ALONE, SURE_FEWER, SURE_SHORT = 0.68, 0.8, 0.75, 0.74
#: Cards of one picture are about as long (factor); so many cards of rows count as one that is seen whole.
ALIKE, A_WHOLE_ONE = 1.2, 3
#: A short row has at least this share of the cards that the finder sees there; a long one that has so many times as many
#: must be sure.
NO_FEWER, MORE = 0.75, 1.9
#: So many cards with less than this share of their cells where a row was read are another row's.
ANOTHER, ELSEWHERE = 2, 0.25


@dataclass(frozen=True, slots=True)
class Size:
    """Half a card's length (px), and its width as a share of that."""

    half: float
    aspect: float

    @classmethod
    def of(cls, found: Found, reads: Reads) -> Size:
        """By the whole cards of a picture and the rows read there, right or wrong."""
        whole = shown_shares(found, np.arange(len(found))) > PLAIN
        long, short = (np.linalg.norm(axis[whole], axis=1) for axis in (found.long, found.short))
        told = [float(np.median(np.linalg.norm(row.cards()[1], axis=1))) for _, row in reads]
        sizes = np.concatenate(
            [np.repeat(long, A_WHOLE_ONE), *([h] * len(r) for h, (_, r) in zip(told, reads, strict=True))]
        )
        half = float(np.median(sizes)) if len(sizes) else np.nan
        aspect = float(np.median(short / long)) if len(long) else CARD_WIDTH_MM / LONG_MM
        return cls(half, aspect)

    def right(self, row: Row) -> Row | None:
        """The row with its edges taken for what they are by their length; None if they are no card's."""
        share = float(np.median(np.linalg.norm(row.cards()[1], axis=1))) / self.half
        wide = LONG_MM * (self.aspect if row.lengthwise else 1 / self.aspect)
        if share < 1 / ALIKE or share > ALIKE:
            row = row.turned(wide)
            share = float(np.median(np.linalg.norm(row.cards()[1], axis=1))) / self.half
        return row if 1 / ALIKE <= share <= ALIKE else None


def agrees(found: Found, row: Index, read: Row) -> bool:
    """Does a row that was read have a card wherever the finder sees a whole one, or surely sees a strip of one?

    Without this columns of two cards are taken for rows of one.
    """
    shares = shown_shares(found, row)
    whole = shares > PLAIN
    plain = whole | ((shares > STRIP_SHOWN) & (found.evidence[row, 0] > STRIP_SURE))
    apart = np.linalg.norm(found.middle[row][:, None] - read.cards()[0][None], axis=2).min(axis=1)
    near = np.where(whole, WHOLE_APART, STRIP_APART) * 2 * np.linalg.norm(found.short[row], axis=1)
    return bool((apart < near)[plain].all())


def lie_in(found: Found, read: Row) -> tuple[NDArray[np.bool_], float]:
    """(n,) which cards of `found` are seen, mostly, where a row is, and lie as its cards do; and the share of the cells
    there whose cards do so."""
    owner = read.owner(found.cells_at)
    inside = owner >= 0
    long = read.cards()[1]
    turns = np.arctan2(long[:, 1], long[:, 0])[owner]
    turned = np.arctan2(found.long[:, 1], found.long[:, 0])[found.cells_card] - turns
    parallel = (np.abs((turned + np.pi / 2) % np.pi - np.pi / 2) < TURNED) & inside
    cells, there, alike = (
        np.bincount(found.cells_card[some], minlength=len(found)) for some in (slice(None), inside, parallel)
    )
    # where a row is sure, cards that lie askew there are none
    askew = len(read) < LONG_ROW or float(read.sure.mean()) < SURE_ALONE
    mine = (there >= SWALLOWED * cells) & ((2 * alike > there) | (not askew))
    return mine, float(parallel.sum() / max(inside.sum(), 1))


def _shares_in(found: Found, read: Row) -> Floats:
    """(n,) share of the cells of each card of `found` that lie where a row is; 1 for cards without cells."""
    cells, there = (
        np.bincount(found.cells_card[some], minlength=len(found))
        for some in (slice(None), read.owner(found.cells_at) >= 0)
    )
    return np.asarray(np.where(cells > 0, there / np.maximum(cells, 1), 1.0))


def beyond(found: Found, cards: Index, read: Row) -> Index:
    """Those of the cards in which a row was read that are seen elsewhere: where two rows meet, only one is read."""
    elsewhere = cards[_shares_in(found, read)[cards] < ELSEWHERE]
    return elsewhere if len(elsewhere) >= ANOTHER else elsewhere[:0]


def worth(found: Found, cards: Index, read: Row) -> float:
    """How much a row that was read in some cards of `found` is worth; 0: it is none."""
    parallel = lie_in(found, read)[1]
    sure = float(read.sure.mean())
    if len(read) >= LONG_ROW:
        told = parallel >= PARALLEL and (len(cards) == 1 or len(read) < MORE * len(cards))
        fewer = len(read) < len(cards)
        believed = sure >= (SURE_ALONE if not told else SURE_FEWER if fewer else SURE)
    else:
        believed = parallel >= PARALLEL and sure >= SURE_SHORT and len(read) >= NO_FEWER * len(cards)
    return believed * len(read) * sure * max(parallel, 0.1)


def chosen(found: Found, reads: Reads, size: Size, before: Reads) -> Reads:
    """The rows chosen `before`, and of the others those worth most, each with all the cards that lie in it."""
    reads = [(cards, right) for cards, row in reads if (right := size.right(row)) is not None]
    taken = np.zeros(len(found), dtype=bool)
    kept = list(before)
    for cards, _ in kept:
        taken[cards] = True
    valued = sorted(((worth(found, *read), number, read) for number, read in enumerate(reads)), key=_order)
    for value, _, (cards, read) in valued:
        inside = lie_in(found, read)[0]
        # a row that crosses this one may have been taken for a part of it
        inside[cards] |= _shares_in(found, read)[cards] >= SWALLOWED
        if not value or 2 * taken[inside].sum() >= inside.sum():
            continue
        kept.append((np.flatnonzero(inside & ~taken), read))
        taken |= inside
    return kept


def _order(valued: tuple[float, int, tuple[Index, Row]]) -> tuple[float, int]:
    return (-valued[0], valued[1])
