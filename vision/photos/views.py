"""What a photo shows of a spot on the table, and where a place of one photo lies in another one."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.plane import apply
from vision.layout import Layout, SeenCard

Floats = NDArray[np.float64]

#: What is laid on another photo is pushed as so many of the nearest cards that both show are.
NEAREST = 3


def shown_at(card: SeenCard) -> Floats:
    """(2,) px: the middle of what is seen of a card."""
    return np.asarray(card.visible.mean(axis=0) if len(card.visible) else card.centre, dtype=np.float64)


def in_view(layout: Layout, at: Floats) -> bool:
    """Does a photo show this spot, (2,) px: within its frame and under no hand?"""
    x, y = float(at[0]), float(at[1])
    if not (0 <= x < layout.width and 0 <= y < layout.height):
        return False
    return not any(
        len(hand.corners) >= 3 and cv2.pointPolygonTest(hand.corners.astype(np.float32), (x, y), False) >= 0
        for hand in layout.hands
    )


def laid_on(
    corners: Floats, onto: Floats, onto_other: Floats, both: Sequence[tuple[SeenCard, SeenCard]]
) -> Floats:
    """(4, 2) px in another photo of what has these (4, 2) px corners in a first one.

    `onto`, `onto_other` (3, 3): px of each on mm of one table; `both`: cards as either photo shows them, which tell how
    far the two are apart about there.
    """
    flat = apply(onto, corners)
    if both:
        first = apply(onto, np.array([mine.centre for mine, _ in both]))
        other = apply(onto_other, np.array([its.centre for _, its in both]))
        near = np.argsort(np.linalg.norm(first - flat.mean(axis=0), axis=1), kind="stable")[:NEAREST]
        flat = flat + np.median((other - first)[near], axis=0)
    return apply(np.asarray(np.linalg.inv(onto_other), dtype=np.float64), flat)
