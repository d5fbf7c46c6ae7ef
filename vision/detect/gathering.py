"""Groups cells into cards: cells whose rectangles agree are one card, and what they cover is its visible part.

So a strip of 6 mm is enough, and nothing has to be suppressed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vision.detect.cells import CELL, Cells
from vision.detect.hands import outlines
from vision.found import Found

Floats = NDArray[np.float64]

#: How far two cells' rectangles may differ and still be one card, as shares of the card's width: for cells that are
#: sure of themselves, and for those that are not.
AGREE, AGREE_MOST = 0.045, 0.22
#: Least visible part, as a share of a card's area, that makes a card.
LEAST_AREA = 0.018
#: More cards than this are not on a table: it is a chequered cloth. The surest come first.
MOST_CARDS = 300


def gather(cells: Cells, hands: Floats) -> Found:
    """Groups cells into cards: the surest cell first, with all that agree with it."""
    votes = _Votes.of(cells)
    width = votes.width
    free = np.ones(len(cells), dtype=bool)
    centres: list[Floats] = []
    reaches: list[float] = []
    order = np.argsort(cells.spread / np.maximum(width, 8))
    for seed in order:
        if not free[seed]:
            continue
        centre, members = _settle(votes, free, int(seed))
        free[seed] = False
        # cells that do not make a card together do not make several either
        free[members] = False
        if len(members) < 3 or len(members) * CELL**2 < LEAST_AREA * 1.4 * width[seed] ** 2:
            continue
        centres.append(centre)
        reaches.append(_reach(width[seed], _median(cells.spread[members])))
        if len(centres) == MOST_CARDS:
            break
    return _cards(cells, votes, _distinct(centres, reaches), hands)


def _median(values: Floats) -> float:
    """The median; for a few numbers many times faster than numpy's own."""
    ordered = np.sort(values)
    return float(ordered[(len(values) - 1) // 2] + ordered[len(values) // 2]) / 2


def _reach(width: float, spread: float) -> float:
    """px: how far apart cells of one card may be, given how sure they are."""
    return float(max(min(max(2.5 * spread, AGREE * width), AGREE_MOST * width), 2.2))


@dataclass(frozen=True, slots=True)
class _Votes:
    """The cells' votes, kept so that those near a place are soon found."""

    #: (n, 6): numbers in px whose distance says how far two rectangles differ.
    signature: Floats
    #: (n,) px: of the card, and how far off the vote is expected to be; (n,) what the vote counts.
    width: Floats
    spread: Floats
    weight: Floats
    #: (n,) cells from the left to the right by their votes for the middle, and these votes' x.
    by_x: NDArray[np.intp]
    x: Floats

    @classmethod
    def of(cls, cells: Cells) -> _Votes:
        """Of some cells."""
        signature = np.column_stack([cells.middle, cells.long * 0.5, cells.short * 0.5])
        width = 2 * np.hypot(cells.short[:, 0], cells.short[:, 1])
        by_x = np.argsort(signature[:, 0], kind="stable")
        weight = 1 / (cells.spread + 0.5) ** 2
        return cls(signature, width, cells.spread, weight, by_x, signature[by_x, 0])

    def near(self, x: float, reach: float) -> NDArray[np.intp]:
        """Cells whose votes for the middle lie at most `reach` px to the left or right of `x`."""
        return self.by_x[self.x.searchsorted(x - reach) : self.x.searchsorted(x + reach, side="right")]


def _settle(votes: _Votes, free: NDArray[np.bool_], seed: int) -> tuple[Floats, NDArray[np.intp]]:
    """Mean shift from one cell: (6,) mean of the free cells that agree, and which these are."""
    centre = votes.signature[seed]
    reach = _reach(float(votes.width[seed]), float(votes.spread[seed]))
    near = votes.near(float(centre[0]), 2.5 * reach)
    near = near[free[near]]
    theirs = votes.signature[near]
    away = np.abs(theirs[:, :2] - centre[:2]) <= 2.5 * reach
    inside = np.flatnonzero(away[:, 0] & away[:, 1])
    near, theirs = near[inside], theirs[inside]
    weights = votes.weight[near]
    chosen = np.ones(len(near), dtype=bool)
    for _ in range(4):
        apart = theirs - centre
        chosen = np.einsum("ij,ij->i", apart, apart) < reach**2
        if not chosen.any():
            break
        weight = weights[chosen]
        centre = weight @ theirs[chosen] / weight.sum()
    return centre, near[chosen]


def _distinct(centres: list[Floats], reaches: list[float]) -> Floats:
    """Drops a card that is as good as the same as an earlier one."""
    kept = np.zeros((len(centres), 6))
    count = 0
    for centre, reach in zip(centres, reaches, strict=True):
        if (np.linalg.norm(kept[:count] - centre, axis=1) > reach).all():
            kept[count] = centre
            count += 1
    return kept[:count]


def _cards(cells: Cells, votes: _Votes, centres: Floats, hands: Floats) -> Found:
    owner = _owners(votes, centres)
    middle: list[Floats] = []
    long: list[Floats] = []
    short: list[Floats] = []
    back: list[float] = []
    evidence: list[tuple[float, float, float]] = []
    support: list[float] = []
    renumber = np.full(len(centres), -1)
    for number, rows in enumerate(_of_each(owner, len(centres))):
        card_width = _median(votes.width[rows]) if len(rows) else np.inf
        if len(rows) < 3 or len(rows) * CELL**2 < LEAST_AREA * 1.4 * card_width**2:
            continue
        weight = votes.weight[rows] / votes.weight[rows].sum()
        mean = weight @ votes.signature[rows]
        off = float(np.sqrt(weight @ ((votes.signature[rows, :2] - mean[:2]) ** 2).sum(axis=1)))
        renumber[number] = len(middle)
        middle.append(mean[:2])
        long.append(_halved(mean[2:4] * 2))
        short.append(_halved(mean[4:6] * 2))
        back.append(float(cells.back[rows].mean()))
        doubt = _median(cells.spread[rows]) / card_width
        evidence.append((float(cells.card[rows].mean()), off / card_width, doubt))
        support.append(float(len(rows)))
    shown = np.where(owner >= 0, renumber[owner], -1) if len(centres) else np.full(len(cells), -1)
    return Found(
        middle=np.array(middle).reshape(-1, 2),
        long=np.array(long).reshape(-1, 2),
        short=_facing(np.array(long).reshape(-1, 2), np.array(short).reshape(-1, 2)),
        back=np.array(back),
        confidence=np.array([e[0] for e in evidence]),
        evidence=np.array(evidence).reshape(-1, 3),
        support=np.array(support),
        cells_at=cells.at[shown >= 0],
        cells_card=shown[shown >= 0],
        loose=cells.at[(shown < 0) & (cells.back > 0.5)],
        hands=outlines(hands, CELL),
    )


def _owners(votes: _Votes, centres: Floats) -> NDArray[np.intp]:
    """(n,) number of the card that each cell is nearest to, -1 where none is near."""
    owner = np.full(len(votes.width), -1)
    best = np.maximum(0.7 * AGREE_MOST * votes.width, 4.0) ** 2
    most = float(np.sqrt(best.max(initial=0.0)))
    for number, centre in enumerate(centres):
        near = votes.near(float(centre[0]), most)
        apart = votes.signature[near] - centre
        square = np.einsum("ij,ij->i", apart, apart)
        nearer = square < best[near]
        owner[near[nearer]], best[near[nearer]] = number, square[nearer]
    return owner


def _of_each(owner: NDArray[np.intp], count: int) -> list[NDArray[np.intp]]:
    """The cells of each of `count` cards, in order."""
    ordered = np.argsort(owner, kind="stable")
    first = np.searchsorted(owner[ordered], np.arange(count + 1))
    return [ordered[a:b] for a, b in pairwise(first)]


def _halved(doubled: Floats) -> Floats:
    """(2,) vector with half the angle."""
    length, angle = float(np.hypot(*doubled)), float(np.arctan2(doubled[1], doubled[0])) / 2
    return np.array([length * np.cos(angle), length * np.sin(angle)])


def _facing(long: Floats, short: Floats) -> Floats:
    """Short axes turned so that the corners run clockwise in the picture."""
    cross = long[:, 0] * short[:, 1] - long[:, 1] * short[:, 0]
    return np.asarray(short * np.where(cross > 0, -1.0, 1.0)[:, None])
