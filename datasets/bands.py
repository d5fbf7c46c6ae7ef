"""Bands for the row reader: rows of drawn spreads straightened as the eye would, with the edges that can be seen.

The votes that a band is fitted to are the truth with a finder's errors: wrong along the row, nearly right across it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from datasets.stills import Still
from vision.geometry.polygons import within
from vision.rows.band import LONG_MM, Band, fit_band

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: mm by which an edge may be slanted, shifted and longer, or else its card belongs to no row of this band.
SLANTED, SHIFTED, LONGER = 35.0, 20.0, 16.0
#: An edge is labelled when this share of it can be seen.
EDGE_SEEN = 0.45
#: Points looked at along an edge, and how far inside the card they lie (shares of its width).
POINTS, INSIDE = 15, 0.03


@dataclass(frozen=True, slots=True)
class BandTruth:
    """A straightened row and the long edges seen in it."""

    #: (ROWS, n, 3).
    image: Pixels
    #: (m, 6): 0 = the card lies to the right of this edge, 1 = to the left; mm along the band of its middle; mm by
    #: which its lower end lies further along than its upper end; mm across of its middle; mm that it is longer than
    #: the band takes a card to be; number of the card's deck if its back is seen, else -1.
    edges: Floats


def bands_of(still: Still, rng: np.random.Generator, least: int = 2) -> list[BandTruth]:
    """The rows of a spread of at least so many cards, one at a time."""
    corners = np.array([card.corners for card in still.cards])
    piles = np.array([card.pile for card in still.cards])
    seen = visible_edges(corners)
    result = []
    for pile in np.unique(piles):
        rows = np.flatnonzero(piles == pile)
        if len(rows) < least:
            continue
        band = seen_band(corners, rows, rng)
        if band is not None:
            decks = np.array([-1 if still.cards[row].face_up else still.cards[row].deck for row in rows])
            edges = edges_in(band, corners[rows], seen[rows], decks)
            result.append(BandTruth(band.sample(still.image), edges))
    return result


def visible_edges(corners: Floats) -> NDArray[np.bool_]:
    """(n, 2) can the left and the right long edge of each card ((n, 4, 2) px, painted in order) be seen?"""
    seen = np.zeros((len(corners), 2), dtype=bool)
    share = np.linspace(0.06, 0.94, POINTS)[:, None]
    for card, quad in enumerate(corners):
        for side, (a, b, inwards) in enumerate(((0, 3, quad[1] - quad[0]), (1, 2, quad[0] - quad[1]))):
            points = quad[a] + share * (quad[b] - quad[a]) + INSIDE * inwards
            free = np.ones(POINTS, dtype=bool)
            for other in corners[card + 1 :]:
                free &= ~within(points, other)
            seen[card, side] = free.mean() >= EDGE_SEEN
    return seen


def seen_band(corners: Floats, rows: NDArray[np.intp], rng: np.random.Generator) -> Band | None:
    """The band that a finder's votes for some of the cards ((n, 4, 2) px, painted in order) would give."""
    quads = corners[rows]
    middle = quads.mean(axis=1)
    long = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]) / 4
    short = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]) / 4
    at, votes, longs, shorts = [], [], [], []
    width = 2 * float(np.median(np.linalg.norm(short, axis=1)))
    height = 2 * float(np.median(np.linalg.norm(long, axis=1)))
    common = rng.normal(0, (0.02, 0.07))
    for card in range(len(rows)):
        inside = rng.uniform(-0.95, 0.95, (40, 2))
        points = middle[card] + inside[:, :1] * short[card] + inside[:, 1:] * long[card]
        for other in corners[rows[card] + 1 :]:
            points = points[~within(points, other)]
        count = len(points)
        turn = common[0] + rng.normal(0, 0.02) + rng.normal(0, 0.02, count)
        stretch = np.exp(common[1] + rng.normal(0, 0.02, count))
        along = rng.normal(0, 0.1) + rng.normal(0, 0.06, count)
        over = rng.normal(0, 0.012) + rng.normal(0, 0.015, count)
        unit_short, unit_long = (
            short[card] / np.linalg.norm(short[card]),
            long[card] / np.linalg.norm(long[card]),
        )
        at.append(points)
        votes.append(
            middle[card] + (along * width)[:, None] * unit_short + (over * height)[:, None] * unit_long
        )
        longs.append(_turned(np.repeat(long[card][None], count, 0), turn) * stretch[:, None])
        shorts.append(_turned(np.repeat(short[card][None], count, 0), turn))
    return fit_band(*(np.concatenate(part) for part in (at, votes, longs, shorts)))


def _turned(vectors: Floats, angle: Floats) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * vectors[:, 0] - s * vectors[:, 1], s * vectors[:, 0] + c * vectors[:, 1]], axis=1)


def edges_in(band: Band, quads: Floats, seen: NDArray[np.bool_], decks: NDArray[np.intp]) -> Floats:
    """(m, 6) see `BandTruth.edges`: of all cards at `quads` (n, 4, 2) px that lie in the band as its row's do."""
    edges = []
    for quad, shown, deck in zip(quads, seen, decks, strict=True):
        middle = band.place(quad.mean(axis=0)[None])[0]
        if not shown.any() or abs(middle[1]) > 0.5 * LONG_MM:
            continue
        for (a, b), visible in zip(((0, 3), (1, 2)), shown, strict=True):
            if not visible:
                continue
            ends = band.place(np.array([quad[a], quad[b], (quad[a] + quad[b]) / 2]))
            upper, lower = ends[:2] if ends[0, 1] < ends[1, 1] else ends[[1, 0]]
            slant, shift, longer = lower[0] - upper[0], ends[2, 1], lower[1] - upper[1] - LONG_MM
            if abs(slant) > SLANTED or abs(shift) > SHIFTED or abs(longer) > LONGER:
                continue
            side = float(ends[2, 0] > middle[0])
            edges.append((side, ends[2, 0], slant, shift, longer, float(deck)))
    return np.array(edges, dtype=np.float64).reshape(-1, 6)
