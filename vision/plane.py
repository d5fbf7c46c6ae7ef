"""The table plane from the cards themselves: every card is the same rectangle of known size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from vision.layout import CARD_HEIGHT_MM, CARD_WIDTH_MM

Floats = NDArray[np.float64]


def fit_plane(corners: Floats, weights: Floats, width: int, height: int) -> Floats | None:
    """Homography px -> mm under which the cards come out 63 x 88 mm, or None without cards.

    `corners` (n, 4, 2) px (TL, TR, BR, BL), `weights` (n,) trust in each card. The origin is the picture's middle
    and the x axis stays the picture's. Method: the vanishing line, the affine stretch and the scale (five
    numbers) are fitted to the lengths of sides and diagonals with a robust loss.
    """
    if not len(corners):
        return None
    size = float(max(width, height))
    points = (corners - (width / 2, height / 2)) / size
    sides = np.linalg.norm(np.diff(points[:, [0, 1, 2]], axis=1), axis=2)
    start_scale = np.median(np.sqrt(CARD_WIDTH_MM * CARD_HEIGHT_MM / np.maximum(sides.prod(axis=1), 1e-9)))
    wanted = _lengths(_rectangle()[None])
    trust = np.sqrt(weights / max(float(weights.sum()), 1e-9))[:, None]
    # a single card says little of the camera's tilt: the fewer the cards, the stronger the pull to "from above"
    pull = 2.0 / max(len(corners), 1)

    def misfit(p: Floats) -> Floats:
        mapped = _map(points, _matrix(p, start_scale))
        return np.concatenate(
            [(trust * (_lengths(mapped) - wanted)).ravel(), pull * p[:2] * 4, pull * p[2:4]]
        )

    fitted = least_squares(misfit, np.zeros(5), loss="soft_l1", f_scale=1.0)
    to_unit = np.array([[1 / size, 0, -width / 2 / size], [0, 1 / size, -height / 2 / size], [0, 0, 1]])
    return np.asarray(_matrix(fitted.x, start_scale) @ to_unit, dtype=np.float64)


def scale_at(to_table: Floats, x: float, y: float) -> float:
    """px a mm of the table at a point of the picture (square root of the area scale)."""
    here = apply(to_table, np.array([[x, y], [x + 1, y], [x, y + 1]]))
    area = abs(float(np.linalg.det(np.array([here[1] - here[0], here[2] - here[0]]))))
    return 1 / np.sqrt(area) if area > 0 else 0.0


def apply(homography: Floats, points: Floats) -> Floats:
    """(n, 2) points mapped by a (3, 3) homography."""
    mapped = np.column_stack([points, np.ones(len(points))]) @ homography.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:], dtype=np.float64)


def _matrix(p: Floats, scale: float) -> Floats:
    s = scale * np.exp(p[4])
    affine = np.array([[s * np.exp(p[2]), s * p[3], 0], [0, s * np.exp(-p[2]), 0], [0, 0, 1]])
    lean = np.array([[1, 0, 0], [0, 1, 0], [p[0], p[1], 1]])
    return np.asarray(affine @ lean, dtype=np.float64)


def _map(points: Floats, matrix: Floats) -> Floats:
    return apply(matrix, points.reshape(-1, 2)).reshape(points.shape)


def _rectangle() -> Floats:
    w, h = CARD_WIDTH_MM / 2, CARD_HEIGHT_MM / 2
    return np.array([[-w, -h], [w, -h], [w, h], [-w, h]])


def _lengths(quads: Floats) -> Floats:
    """(n, 6) four sides and two diagonals of (n, 4, 2)."""
    around = np.linalg.norm(quads - np.roll(quads, -1, axis=1), axis=2)
    across = np.linalg.norm(quads[:, :2] - quads[:, 2:], axis=2)
    return np.concatenate([around, across], axis=1)
