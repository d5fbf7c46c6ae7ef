"""Spread backs of which a corner shows: along which of its edges they lie.

Where nothing but a corner of a card is seen, its edges do not tell which of them is the long one. It may be found both
ways, as two cards, of which one is turned by a quarter about the corner that they share; two cards hardly ever lie so.
Or it is found the wrong way only. The pattern is another one then: such a card is compared with the other backs of the
picture as it lies and turned, and is turned where that suits them far better.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.above import upright
from vision.geometry.plane import apply
from vision.geometry.polygons import oriented_iou, within
from vision.layout import SeenCard

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Index = NDArray[np.intp]
Singles = NDArray[np.float32]

#: Two cards are one, found both ways, from this IoU of the one, turned, and the other on, where the less sure one is no
#: surer than this: two true cards hardly ever lie so, and are both surer.
BOTH_WAYS, NO_SURER = 0.85, 0.85
#: Their middles are no further apart than this then (widths).
NEAR = 0.2
#: A card may lie turned where this share of what is seen of it would still be a part of it.
STILL_SEEN = 0.8
#: So many of the others, those that suit a card best, tell how well it lies, of those that show this share; log odds
#: beyond the last say no more.
TELL, SHOWN, MOST = 5, 0.1, 12.0
#: Weights of `weighed`, and the constant, fitted by `scripts/calibrate/turned.py`.
WEIGHTS, CONSTANT = np.array([1.157, -0.508, -11.462]), -0.436
#: What suits better or worse than this says no more, nor does more that is amiss, nor whoever is surer.
CLEARLY, AMISS, SURE = 4.0, 0.4, 0.995
#: A card lies on another where this share of what is seen of it lies within the other.
ON_IT = 0.1


def found_twice(corners: Floats, sure: Floats, to_table: Floats | None) -> Index:
    """Rows of the less sure of every two cards that are one, found both ways, if it is not sure.

    `corners` (n, 4, 2) px, `sure` (n,): that it is a card; `to_table`: see `other_ways`.
    """
    flat = [apply(_plane(to_table), quad) for quad in corners]
    middles = np.array([quad.mean(axis=0) for quad in flat]).reshape(-1, 2)
    gone: list[int] = []
    left = np.ones(len(flat), dtype=bool)
    for row in np.argsort(-sure, kind="stable"):
        if not left[row]:
            continue
        left[row] = False
        for way in (_turned(flat[row], corner) for corner in range(4)):
            near = np.linalg.norm(middles - way.mean(axis=0), axis=1) < NEAR * np.linalg.norm(way[1] - way[0])
            twice = [
                other
                for other in np.flatnonzero(left & near & (sure <= NO_SURER))
                if oriented_iou(way, flat[other]) > BOTH_WAYS
            ]
            left[twice] = False
            gone += [int(other) for other in twice]
    return np.array(sorted(gone), dtype=np.intp)


def other_ways(corners: Floats, masks: Flags, step: float, to_table: Floats | None) -> tuple[Index, Floats]:
    """(m,) rows of cards that may lie otherwise, and (m, 4, 2) px how: turned about one of their corners.

    `corners` (n, 4, 2) px; `masks` (n, H / step, W / step): where each is seen; `to_table` (3, 3): px to mm, or None
    where the picture shows the table as from above.
    """
    there = _plane(to_table)
    back = np.asarray(np.linalg.inv(there), dtype=np.float64)
    rows, ways = [], []
    for row, (quad, mask) in enumerate(zip(corners, masks, strict=True)):
        seen = np.asarray((np.argwhere(mask)[:, ::-1] + 0.5) * step, dtype=np.float64)
        flat = apply(there, quad)
        for corner in range(4):
            way = apply(back, _turned(flat, corner))
            if len(seen) and within(seen, way).mean() >= STILL_SEEN:
                rows.append(row)
                ways.append(way)
    return np.array(rows, dtype=np.intp), np.array(ways, dtype=np.float64).reshape(-1, 4, 2)


def amiss(corners: Floats, masks: Flags, step: float, rows: Index, ways: Floats) -> Floats:
    """(m,) share of each other way's place where the table is seen, or what the card surely lies on.

    `corners`, `masks`, `step`: as in `other_ways`, of all cards; `rows`, `ways`: what it says.
    """
    place, seen = _places(corners, masks.shape[1:], step), _flat(masks)
    cells = np.maximum(seen.sum(axis=1), 1)
    #: (n, n) cells of the one that lie within the other.
    within_other = seen @ place.T
    lies_on = (within_other > within_other.T) & (within_other >= ON_IT * cells[:, None])
    table = ~masks.any(axis=0).ravel()
    shares = np.zeros(len(rows))
    for way, (row, there) in enumerate(zip(rows, _places(ways, masks.shape[1:], step), strict=True)):
        wrong = table | (seen[lies_on[row]] > 0).any(axis=0)
        shares[way] = (there * wrong).sum() / max(float(there.sum()), 1.0)
    return shares


def weighed(odds: Floats, rows: Index, shown: Floats, sure: Floats, wrong: Floats) -> Floats:
    """(m, 3) what tells of every other way: by how much it suits the others better, the card's log odds as it was found,
    what is amiss.

    `odds` (n + m, n + m): log odds that two are of one design, of n cards and then of these m turned, whose `rows` these
    are; `shown` (n,): shares of the cards that are seen; `sure` (n,): that each is a card, where it was found; `wrong`
    (m,): `amiss`.
    """
    count = len(shown)
    gain = np.full(len(rows), -CLEARLY)
    if (shown > SHOWN).sum() > TELL:
        owner = np.concatenate([np.arange(count), rows])
        others = np.clip(odds[:, :count], -MOST, MOST)
        others[:, shown <= SHOWN] = -np.inf
        others[np.arange(len(odds)), owner] = -np.inf
        suits = np.sort(others, axis=1)[:, -TELL:].mean(axis=1)
        gain = np.clip(suits[count:] - suits[rows], -CLEARLY, CLEARLY)
    kept = np.clip(sure[rows], 0.01, SURE)
    return np.column_stack([gain, np.log(kept / (1 - kept)), np.minimum(wrong, AMISS)])


def better_ways(rows: Index, told: Floats) -> dict[int, int]:
    """Which other way, by its number, a card rather lies; by the `rows` of the cards and `weighed`, (m,) and (m, 3)."""
    odds = told @ WEIGHTS + CONSTANT
    return {int(rows[way]): int(way) for way in np.argsort(odds, kind="stable") if odds[way] > 0}


def turn(cards: Sequence[SeenCard], rows: Index, ways: Floats, told: Floats) -> None:
    """Turns, in place, the cards that rather lie another way: `ways` (m, 4, 2) px, the others as in `better_ways`."""
    for row, way in better_ways(rows, told).items():
        cards[row].corners = upright(ways[way : way + 1])[0]


def _places(corners: Floats, size: tuple[int, ...], step: float) -> Singles:
    """(n, h * w) where quadrilaterals (n, 4, 2) px lie, on a grid of `size` (h, w) whose places are `step` px large."""
    places = np.zeros((len(corners), *size), np.uint8)
    for place, quad in zip(places, corners, strict=True):
        # a place is filled by its middle
        cv2.fillConvexPoly(place, np.round((quad / step - 0.5) * 16).astype(np.int32), 1, shift=4)
    return _flat(places)


def _flat(masks: NDArray[Any]) -> Singles:
    return np.asarray(masks.reshape(len(masks), -1), dtype=np.float32)


def _plane(to_table: Floats | None) -> Floats:
    return np.eye(3) if to_table is None else to_table


def _turned(quad: Floats, corner: int) -> Floats:
    """(4, 2): a card turned by a quarter about one of its corners, so that it still lies between the same edges."""
    here = quad[corner]
    ahead, behind = quad[(corner + 1) % 4] - here, quad[(corner - 1) % 4] - here
    far, near = float(np.linalg.norm(ahead)), float(np.linalg.norm(behind))
    ahead, behind = ahead * near / far, behind * far / near
    turned = np.array([here, here + ahead, here + ahead + behind, here + behind])
    return np.roll(turned, -1, axis=0) if near > far else turned
