"""Tells backs apart without knowing any: rectified patches are compared where both can be seen.

Backs are an open set, so there is no list of classes. Two backs are of one design when their patches agree in
colour and pattern, in one of the two ways round. Cards of one picture are grouped by that; a group is a deck.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: Patches are compared at this size (rows, columns): fine enough for colour and coarse pattern, coarse enough to
#: forgive a misplacement of 2 mm.
GRID = (22, 16)
#: Distance above which two backs are two designs (Lab units).
APART = 9.0

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
        sure = cv2.erode(mask, np.ones((5, 5), np.uint8)).astype(np.float32) / 255
        colour = cv2.cvtColor(crop.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
        weight = cv2.resize(sure, GRID[::-1], interpolation=cv2.INTER_AREA)
        summed = cv2.resize(colour * sure[..., None], GRID[::-1], interpolation=cv2.INTER_AREA)
        lab.append(summed / np.maximum(weight, 1e-3)[..., None])
        seen.append(np.where(weight > 0.3, weight, 0))
    count = len(lab)
    return Patches(
        np.array(lab, dtype=np.float64).reshape(count, *GRID, 3),
        np.array(seen, dtype=np.float64).reshape(count, *GRID),
    )


def distances(a: Patches) -> Floats:
    """(n, n) distance of every two backs in Lab units; where they share nothing visible, of their mean colours."""
    count = len(a.lab)
    lab, seen = a.lab.reshape(count, -1, 3), a.seen.reshape(count, -1)
    # light varies more than paint: lightness counts half
    lab = lab * (0.5, 1.0, 1.0)
    turned, turned_seen = lab[:, ::-1], seen[:, ::-1]
    mean = np.einsum("nk,nkc->nc", seen, lab) / np.maximum(seen.sum(axis=1), 1e-6)[:, None]
    by_mean = np.linalg.norm(mean[:, None] - mean[None], axis=2)
    straight = _compare(lab, seen, lab, seen, by_mean)
    upside_down = _compare(lab, seen, turned, turned_seen, by_mean)
    result = np.minimum(straight, upside_down)
    np.fill_diagonal(result, 0.0)
    return np.asarray((result + result.T) / 2)


def _compare(lab: Floats, seen: Floats, other: Floats, other_seen: Floats, by_mean: Floats) -> Floats:
    """Root mean square difference where both are seen; leans on mean colours where little is shared."""
    shared = np.einsum("nk,mk->nm", seen, other_seen)
    squares = np.einsum("nk,mk,nk->nm", seen, other_seen, (lab**2).sum(axis=2))
    squares += np.einsum("nk,mk,mk->nm", seen, other_seen, (other**2).sum(axis=2))
    cross = sum(
        np.einsum("nk,mk->nm", seen * lab[..., c], other_seen * other[..., c]) for c in range(lab.shape[2])
    )
    rms = np.sqrt(np.maximum(squares - 2 * cross, 0) / np.maximum(shared, 1e-6))
    trust = np.clip(shared / 12.0, 0, 1)
    return np.asarray(trust * rms + (1 - trust) * by_mean)


def group(a: Patches, apart: float = APART) -> NDArray[np.intp]:
    """(n,) number of the design of each back, the commonest design first."""
    count = len(a.lab)
    if count < 2:
        return np.zeros(count, dtype=np.intp)
    labels = fcluster(linkage(squareform(distances(a), checks=False), "average"), apart, "distance")
    order = np.argsort(-np.bincount(labels)[1:], kind="stable") + 1
    rank = {int(label): i for i, label in enumerate(order)}
    return np.array([rank[int(label)] for label in labels], dtype=np.intp)


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


def embedding(a: Patches, row: int) -> Floats:
    """Unit vector for matching one back between pictures: mean colours of a coarse grid, symmetrised."""
    seen = a.seen[row] + a.seen[row][::-1, ::-1] + 1e-6
    lab = a.lab[row] * a.seen[row][..., None] + (a.lab[row] * a.seen[row][..., None])[::-1, ::-1]
    flat = (lab / seen[..., None]).ravel()
    return np.asarray(flat / max(float(np.linalg.norm(flat)), 1e-9))
