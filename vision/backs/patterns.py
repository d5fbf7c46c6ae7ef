"""How alike the patterns of backs are where both can be seen: correlation, whatever the light.

Two red backs with white flowers and with white waves differ little in colour, and much in what is light where. So the
patches are compared less their own mean colour (zero-mean normalised cross-correlation), a little moved, both ways round.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.backs.similarity import GRID, LIGHT, Patches, moves, shifted

#: Patterns are compared at half the patches' size, and may lie this many places off.
COARSE, REACH = (GRID[0] // 2 + 1, GRID[1] // 2 + 1), 2
#: A place is seen if so much of it is; places that two backs must share to be compared at all.
SEEN, LEAST_SHARED = 0.4, 6
#: So many shared places make a comparison that counts in full.
FULL = 75.0
#: Lab units of contrast below which a back is as good as plain, and correlates with nothing.
CONTRAST = 4.0


def correlations(a: Patches) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(n, n) greatest correlation of every two backs, -1 where they share too little, and how much that counts, 0..1."""
    count = len(a.lab)
    if not count:
        return np.zeros((0, 0)), np.zeros((0, 0))
    pattern, seen = _patterns(a)
    mine, own = pattern.reshape(count, -1), seen.reshape(count, -1)
    square = (pattern**2).sum(axis=3).reshape(count, -1)
    best, shared = np.full((count, count), -1.0), np.zeros((count, count))
    for turn, down, right in moves(REACH):
        other = shifted(pattern[:, turn, turn], down, right)
        theirs = shifted(seen[:, turn, turn], down, right).reshape(count, -1)
        both = own @ theirs.T
        energy = (square @ theirs.T) * (own @ (other**2).sum(axis=3).reshape(count, -1).T)
        plain = (CONTRAST * np.maximum(both, 1)) ** 2
        alike = mine @ other.reshape(count, -1).T / np.sqrt(energy + plain)
        told = np.where(both >= LEAST_SHARED, alike, -1.0)
        closer = told > best
        best, shared = np.where(closer, told, best), np.where(closer, both, shared)
    nearer = best >= best.T
    return np.where(nearer, best, best.T), np.minimum(np.where(nearer, shared, shared.T) / FULL, 1.0)


def _patterns(a: Patches) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """(n, rows, columns, 3) Lab less each back's mean, 0 where it is not seen; (n, rows, columns) 1 where it is."""
    shape = (len(a.lab), *COARSE)
    pattern, seen = np.zeros((*shape, 3), np.float32), np.zeros(shape, np.float32)
    for number, (lab, weight) in enumerate(zip(a.lab, a.seen, strict=True)):
        shown = (weight > 0).astype(np.float32)
        share = cv2.resize(shown, COARSE[::-1], interpolation=cv2.INTER_AREA)
        colour = cv2.resize(
            lab.astype(np.float32) * shown[..., None], COARSE[::-1], interpolation=cv2.INTER_AREA
        )
        colour *= np.array((LIGHT, 1.0, 1.0), np.float32) / np.maximum(share, 1e-3)[..., None]
        seen[number] = share > SEEN
        mean = colour[share > SEEN].mean(axis=0) if seen[number].any() else 0.0
        pattern[number] = (colour - mean) * seen[number][..., None]
    return pattern, seen
