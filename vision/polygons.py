"""Points and the quadrilaterals that cards are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def within(points: Floats, quad: Floats) -> NDArray[np.bool_]:
    """(m,) which points (m, 2) lie in a convex (4, 2) quadrilateral, either way round."""
    ahead = np.roll(quad, -1, axis=0) - quad
    away = points[:, None] - quad[None]
    cross = ahead[None, :, 0] * away[..., 1] - ahead[None, :, 1] * away[..., 0]
    return np.asarray((cross > 0).all(axis=1) | (cross < 0).all(axis=1))
