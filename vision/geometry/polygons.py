"""Points and the quadrilaterals that cards are."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def within(points: Floats, quad: Floats) -> NDArray[np.bool_]:
    """(m,) which points (m, 2) lie in a convex (4, 2) quadrilateral, either way round."""
    ahead = np.roll(quad, -1, axis=0) - quad
    away = points[:, None] - quad[None]
    cross = ahead[None, :, 0] * away[..., 1] - ahead[None, :, 1] * away[..., 0]
    return np.asarray((cross > 0).all(axis=1) | (cross < 0).all(axis=1))


def oriented_iou(one: Floats, other: Floats) -> float:
    """What two convex quadrilaterals (4, 2) have in common, as a share of what both cover (IoU)."""
    first, second = one.astype(np.float32), other.astype(np.float32)
    if (first.max(axis=0) < second.min(axis=0)).any() or (second.max(axis=0) < first.min(axis=0)).any():
        return 0.0
    common, _ = cv2.intersectConvexConvex(first, second)
    union = cv2.contourArea(first) + cv2.contourArea(second) - common
    return float(common / union) if union > 0 else 0.0


def overlap(one: Floats, other: Floats) -> float:
    """What the hulls of two outlines (n, 2) and (m, 2) have in common, as a share of what both cover (IoU)."""
    hulls = [np.asarray(cv2.convexHull(part.astype(np.float32)), np.float64)[:, 0] for part in (one, other)]
    return oriented_iou(*hulls)


def corners_apart(one: Floats, other: Floats) -> Floats:
    """(n, m) px that the corners of cards at (n, 4, 2) and (m, 4, 2) px are apart on average, the better way round."""
    turned = np.stack([other, np.roll(other, 2, axis=1)])
    each = np.linalg.norm(one[:, None, None] - turned[None], axis=4)
    return np.asarray(each.mean(axis=3).min(axis=1))
