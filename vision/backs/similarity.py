"""Tells backs apart without knowing any: rectified patches are compared where both can be seen.

Backs are an open set, so there is no list of classes. Two backs are of one design when their patches agree in
colour and pattern, in one of the two ways round. Cards of one picture are grouped by that; a group is a deck.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
Pixels = NDArray[np.uint8]

#: Patches are compared at this size (rows, columns): about 1.6 mm a place.
GRID = (55, 39)
#: A patch may lie this many places off: cards are found to a few mm.
REACH = 3
#: Places that two backs must share to be compared at all, and to be trusted in full.
LEAST_SHARED, FULLY_SHARED = 20.0, 300.0
#: How much the mean colours of two backs count against a comparison that is trusted in full.
MEAN_COUNTS = 0.003
#: Lightness counts less than colour: light varies more than paint.
LIGHT = 0.45
#: Lab units that paint and light vary by on a plain back.
PLAIN = 8.0
#: Distance above which two groups of backs are two designs; chosen on drawn spreads of the tuning backs
#: (models/backs.md).
APART = 0.7
#: A design of one card joins the nearest one up to this distance: nobody brings one card.
ALONE = 0.9
#: How little a pair counts of which hardly anything is shared.
HARDLY = 0.1
#: The distance that even odds count as, log odds that count as much as a distance of one, and beyond which odds say no
#: more.
EVEN, ODDS, CLEAR = 0.88, 6.0, 8.0

_NAMES = {
    "red": (0, 12),
    "orange": (12, 24),
    "yellow": (24, 42),
    "green": (42, 85),
    "turquoise": (85, 100),
    "blue": (100, 132),
    "purple": (132, 155),
    "pink": (155, 172),
}


@dataclass(slots=True)
class Patches:
    """Backs of one picture on a common grid."""

    #: (n, rows, columns, 3) Lab, L 0..100.
    lab: Floats
    #: (n, rows, columns) weight of each place, 0 = hidden.
    seen: Floats


def patches(crops: Pixels, masks: Pixels) -> Patches:
    """From rectified (n, H, W, 3) BGR crops and (n, H, W) masks (255 = visible part of this card)."""
    lab, seen = [], []
    for crop, mask in zip(crops, masks, strict=True):
        # the ragged edge of a mask shows the neighbour: leave it out
        sure = cv2.erode(mask, np.ones((7, 7), np.uint8)).astype(np.float32) / 255
        colour = cv2.cvtColor(crop.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
        weight = cv2.resize(sure, GRID[::-1], interpolation=cv2.INTER_AREA)
        summed = cv2.resize(colour * sure[..., None], GRID[::-1], interpolation=cv2.INTER_AREA)
        lab.append(summed / np.maximum(weight, 1e-3)[..., None])
        seen.append(np.where(weight > 0.5, weight, 0))
    count = len(lab)
    return Patches(
        np.array(lab, dtype=np.float32).reshape(count, *GRID, 3),
        np.array(seen, dtype=np.float32).reshape(count, *GRID),
    )


def distances(a: Patches) -> tuple[Floats, Floats]:
    """(n, n) distance of every two backs, and how far it can be trusted, 0..1.

    The distance is the least root mean square difference over small shifts and both ways round, of the places that
    both show, in units of how much the two backs vary in themselves: a bold pattern differs more from itself, when
    it is a little off, than a quiet one. Backs that share nothing are told apart by their mean colours, barely trusted.
    """
    lab = a.lab * np.array((LIGHT, 1.0, 1.0), np.float32)
    mean, vary = _mean_and_variance(lab, a.seen)
    unit = np.sqrt(PLAIN**2 + np.sqrt(vary[:, None] * vary[None]))
    by_mean = np.linalg.norm(mean[:, None] - mean[None], axis=2)
    square, shared = _least_square(lab, a.seen)
    nearer = square <= square.T
    square, shared = np.where(nearer, square, square.T), np.where(nearer, shared, shared.T)
    trust = np.where(np.isfinite(square), np.minimum(shared / FULLY_SHARED, 1.0), 0.0)
    direct = np.sqrt(np.where(np.isfinite(square), square, 0.0))
    total = (direct * trust + by_mean * MEAN_COUNTS) / (trust + MEAN_COUNTS) / unit
    np.fill_diagonal(total, 0.0)
    return total, trust + MEAN_COUNTS


def _mean_and_variance(lab: Floats, seen: Floats) -> tuple[Floats, Floats]:
    """(n, 3) mean colour and (n,) variance (of all channels together) of what is visible of each back."""
    weight = seen.reshape(len(seen), -1).astype(np.float64)
    colour = lab.reshape(len(lab), -1, 3).astype(np.float64)
    total = np.maximum(weight.sum(axis=1), 1e-6)
    mean = np.einsum("nk,nkc->nc", weight, colour) / total[:, None]
    square = np.einsum("nk,nk->n", weight, (colour**2).sum(axis=2)) / total
    return mean, np.maximum(square - (mean**2).sum(axis=1), 0.0)


def _least_square(lab: Floats, seen: Floats) -> tuple[Floats, Floats]:
    """(n, n) least mean square difference over shifts and turns (inf where nothing is shared); places shared then."""
    count = len(lab)
    # what is weighed and squared first and moved then is the same for a third of the work
    parts = lab * seen[..., None], seen, (lab**2).sum(axis=-1) * seen
    mine, mine_seen, mine_square = (part.reshape(count, -1) for part in parts)
    best = np.full((count, count), np.inf)
    shared = np.zeros((count, count))
    for turn, down, right in moves(REACH):
        yours, yours_seen, yours_square = (
            shifted(part[:, turn, turn], down, right).reshape(count, -1) for part in parts
        )
        both = mine_seen @ yours_seen.T
        sums = mine_square @ yours_seen.T + mine_seen @ yours_square.T - 2 * mine @ yours.T
        square = np.where(both < LEAST_SHARED, np.inf, np.maximum(sums, 0) / np.maximum(both, 1e-3))
        closer = square < best
        best, shared = np.where(closer, square, best), np.where(closer, both, shared)
    return best, shared


def moves(reach: int) -> Iterator[tuple[slice, int, int]]:
    """Both ways round, and every small move down and to the right (`shifted`): how one back may lie on another."""
    steps = range(-reach, reach + 1)
    return product((slice(None), slice(None, None, -1)), steps, steps)


def shifted(a: Floats, down: int, right: int) -> Floats:
    """`a` (n, rows, columns, ...) moved by whole places, zeros where nothing comes from."""
    rows, columns = a.shape[1:3]
    result = np.zeros_like(a)
    result[:, max(down, 0) : rows + min(down, 0), max(right, 0) : columns + min(right, 0)] = a[
        :, max(-down, 0) : rows + min(-down, 0), max(-right, 0) : columns + min(-right, 0)
    ]
    return result


def group(odds: Floats, trust: Floats, apart: float = APART) -> NDArray[np.intp]:
    """(n,) number of the design of each back, the commonest design first.

    `odds` (n, n): log odds of being one design (`vision/backs/one_design.py`); `trust` (n, n): how much each pair counts;
    `apart`: up to which distance backs are of one design.

    Average linkage in which every pair counts as far as it can be trusted: two strips from opposite sides of their
    cards say little of each other, whole cards that can be compared with each other do.
    """
    nothing = np.zeros((len(odds), 0))
    return group_with(odds, trust, nothing, np.zeros(0, dtype=np.intp), apart)[0]


def group_with(
    odds: Floats, trust: Floats, known: Floats, decks: NDArray[np.intp], apart: float = APART
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The same beside views of backs that are known: (n,) designs, and (n,) whose they are, -1 of none that is known.

    `known` (n, m): log odds that backs and views are of one design; `decks` (m,): whose the views are. Views of a deck
    are of one design, and two decks' are of two.
    """
    count, views = known.shape
    if not count:
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    every, counts = np.zeros((2, count + views, count + views))
    every[:count, :count], counts[:count, :count] = odds, trust
    every[:count, count:], every[count:, :count] = known, known.T
    counts[:count, count:] = counts[count:, :count] = 1.0
    between = EVEN - np.clip(every, -CLEAR, CLEAR) / ODDS
    one_deck = decks[:, None] == decks[None]
    between[count:, count:] = np.where(one_deck, -CLEAR, 0.0)
    barred = np.eye(count + views, dtype=bool)
    barred[count:, count:] |= ~one_deck
    merging = _Merging(between, HARDLY + counts, barred, count)
    while merging.step(apart):
        pass
    while merging.step(ALONE, strays_only=True):
        pass
    member = merging.member[:count]
    whose = np.full(count + views, -1)
    whose[merging.member[count:]] = decks
    kept, labels = np.unique(member, return_inverse=True)
    order = np.argsort(-np.bincount(labels, minlength=len(kept)), kind="stable")
    rank = np.empty(len(kept), dtype=np.intp)
    rank[order] = np.arange(len(kept))
    return np.asarray(rank[labels]), np.asarray(whose[member], dtype=np.intp)


class _Merging:
    """Average linkage of weighted pairs, one merger at a time; the first `cards` of the backs are cards, others views."""

    def __init__(self, between: Floats, trust: Floats, barred: NDArray[np.bool_], cards: int) -> None:
        self._sums, self._trust = between * trust, trust.copy()
        #: (n,) cluster of each back, named by one of its backs.
        self.member = np.arange(len(between))
        self._barred, self._cards = barred, cards

    def step(self, bound: float, strays_only: bool = False) -> bool:
        """Merges the two nearest clusters within `bound` (one of them of a single card); False if there are none."""
        far = np.where(self._barred, np.inf, self._sums / self._trust)
        if strays_only:
            single = np.bincount(self.member, minlength=len(far)) == 1
            single[self._cards :] = False
            far[~(single[:, None] | single[None])] = np.inf
        one, two = np.unravel_index(int(np.argmin(far)), far.shape)
        if not far[one, two] <= bound:
            return False
        for sums in (self._sums, self._trust):
            sums[one] += sums[two]
            sums[:, one] += sums[:, two]
        self._barred[one] |= self._barred[two]
        self._barred[:, one] |= self._barred[:, two]
        self._barred[two] = self._barred[:, two] = True
        self.member[self.member == two] = one
        return True


def name_designs(a: Patches, designs: NDArray[np.intp]) -> list[str]:
    """A label for each design, by its colour: "red", "blue", "blue 2"."""
    names: list[str] = []
    for design in range(int(designs.max()) + 1 if len(designs) else 0):
        rows = designs == design
        weight = a.seen[rows].ravel()
        lab = a.lab[rows].reshape(-1, 3)[weight > 0]
        name = _colour_name(lab)
        same = sum(other == name or other.startswith(name + " ") for other in names)
        names.append(name if not same else f"{name} {same + 1}")
    return names


def _colour_name(lab: Floats) -> str:
    if not len(lab):
        return "unknown"
    chroma = np.hypot(lab[:, 1], lab[:, 2])
    strong = lab[chroma >= np.quantile(chroma, 0.6)]
    middle = np.median(strong, axis=0)
    if np.hypot(middle[1], middle[2]) < 12:
        light = float(np.median(lab[:, 0]))
        return "black" if light < 35 else "grey" if light < 75 else "white"
    bgr = cv2.cvtColor(middle.astype(np.float32)[None, None], cv2.COLOR_LAB2BGR)
    dot = np.clip(bgr * 255, 0, 255).astype(np.uint8)
    hue = float(cv2.cvtColor(dot, cv2.COLOR_BGR2HSV)[0, 0, 0])
    return next((name for name, (low, high) in _NAMES.items() if low <= hue < high), "red")


def embedding(a: Patches, row: int) -> NDArray[np.float64]:
    """Unit vector for matching one back between pictures: mean colours of a coarse grid, symmetrised."""
    seen = (a.seen[row] + a.seen[row][::-1, ::-1])[..., None]
    lab = a.lab[row] * a.seen[row][..., None]
    coarse = (16, 22)
    colour = cv2.resize(lab + lab[::-1, ::-1], coarse, interpolation=cv2.INTER_AREA)
    weight = cv2.resize(seen, coarse, interpolation=cv2.INTER_AREA)[..., None]
    flat = (colour / (weight + 1e-6)).astype(np.float64).ravel()
    return np.asarray(flat / max(float(np.linalg.norm(flat)), 1e-9), dtype=np.float64)
