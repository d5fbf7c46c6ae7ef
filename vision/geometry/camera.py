"""Where a camera stands above a table, from rectangles of known size that lie there.

The camera has square pixels and its axis in the middle of the picture; what is unknown of it is its tilt (two
numbers), its height, its focal length, and, where that is asked for, how its lens bends lines (one number). That is
why the shape of a card tells its format: nothing but a tilt that shows elsewhere, too, makes a card narrower.
Method: the lengths of the rectangles' sides and diagonals on the table are fitted to the known ones by least squares
with Cauchy's loss (Levenberg and Marquardt's steps, weights anew in each), held back by what is usual.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: The numbers that are fitted: tangents of the tilt to the right and down, logarithms of mm in a picture's longer
#: side and of the focal length in such sides, the lens's bend, and the logarithm of how large what is free in size
#: is seen.
TILT, SIZE, FOCAL, BEND, SEEN = slice(0, 2), 2, 3, 4, 5
#: What is usual, and by how much it differs; the size in the picture can be anything.
USUAL = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
SPREAD = np.array([0.35, 0.35, np.inf, 0.3, 0.02, 0.008])
#: Residuals of so many standard deviations begin to count less.
TOLERANT = 2.0
#: Steps at most; a step that gains less than this share is the last; what a number is changed by to see what happens.
STEPS, GAIN, NUDGE = 14, 1e-4, 1e-5
#: Corners at the ends of a rectangle's four sides and two diagonals.
ENDS = ((0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3))
#: Tangent of the steepest tilt that is thought of.
STEEPEST = 2.5


@dataclass(frozen=True, slots=True)
class Rectangles:
    """Things of known size, one row each."""

    #: (n, 4, 2) px: corners in their order around.
    corners: Floats
    #: (n, 2) mm: length of the first side and of the second.
    sizes: Floats
    #: (n,) trust, 0 to 1.
    weights: Floats
    #: (n, 6) mm by which its lengths (`lengths`) are usually off.
    spread: Floats
    #: (n,) are they seen a little larger or smaller than they are, all by the same share?
    free: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.corners)

    def and_(self, other: Rectangles) -> Rectangles:
        """These and others."""
        both = ((getattr(self, name), getattr(other, name)) for name in self.__slots__)
        return Rectangles(*(np.concatenate(pair) for pair in both))


@dataclass(frozen=True, slots=True)
class Camera:
    """A camera as it was fitted."""

    #: (3, 3) from px in which straight lines are straight to mm.
    matrix: Floats
    #: See `straightened`.
    bend: float
    #: Cost, for comparing what the rectangles may be.
    cost: float
    #: Share by which what is free in size is seen larger.
    seen: float


def fit_camera(
    rectangles: Rectangles, width: int, height: int, *, lens: bool = False, seen: float = 0.0
) -> Camera:
    """The camera that took a picture of this size (px); at least one rectangle is needed.

    `lens`: does it bend lines? `seen`: logarithm of how large what is free in size is usually seen.
    """
    points = centred(rectangles.corners.reshape(-1, 2), width, height).reshape(rectangles.corners.shape)
    usual = USUAL.copy()
    usual[SEEN] = seen
    usual[SIZE] = _first_size(points, rectangles.sizes)
    fixed = np.ones(len(usual), dtype=bool)
    fixed[: FOCAL + 1] = False
    fixed[BEND] = not lens
    # without something of certain size the two sizes cannot be told apart
    fixed[SEEN] = bool(rectangles.free.all() or not rectangles.free.any())
    fitting = _Fitting(points, rectangles, usual, np.flatnonzero(~fixed))
    numbers, cost = fitting.solved()
    return Camera(
        _matrix(numbers[None])[0] @ _centring(width, height),
        float(numbers[BEND]),
        cost,
        float(np.exp(numbers[SEEN]) - 1),
    )


def centred(points: Floats, width: int, height: int) -> Floats:
    """(n, 2) px counted from the picture's middle in units of its longer side."""
    return np.asarray((points - (width / 2, height / 2)) / max(width, height), dtype=np.float64)


def straightened(points: Floats, bend: Floats | float) -> Floats:
    """(..., n, 2) centred points as a lens that bends no lines would show them.

    Further out by `bend` in the middle of the ends of the picture's longer side, less by the square further in.
    """
    square = 4 * (points**2).sum(axis=-1, keepdims=True)
    return np.asarray(points * (1 + np.asarray(bend)[..., None, None] * square), dtype=np.float64)


def lengths(quads: Floats) -> Floats:
    """(..., 6) four sides and two diagonals of (..., 4, 2)."""
    around = quads - quads[..., [1, 2, 3, 0], :]
    across = quads[..., :2, :] - quads[..., 2:, :]
    return np.asarray(np.sqrt((np.concatenate([around, across], axis=-2) ** 2).sum(axis=-1)))


def length_spread(off: Floats) -> Floats:
    """(n, 6) how far lengths (`lengths`) are off whose ends are off by (n, 4)."""
    return np.sqrt(np.stack([off[:, a] ** 2 + off[:, b] ** 2 for a, b in ENDS], axis=1))


class _Fitting:
    """Least squares for some (`moving`) of the six numbers."""

    def __init__(
        self, points: Floats, rectangles: Rectangles, usual: Floats, moving: NDArray[np.intp]
    ) -> None:
        self._points, self._usual, self._moving = points, usual, moving
        wide, high = rectangles.sizes.T
        self._wanted = np.stack([wide, high, wide, high, *2 * [np.hypot(wide, high)]], axis=1)
        self._spread, self._free = rectangles.spread, rectangles.free[:, None]
        self._weights = rectangles.weights[:, None]
        self._held = 1 / SPREAD[moving]

    def solved(self) -> tuple[Floats, float]:
        """The six numbers and their cost."""
        numbers, damping = self._usual, 1e-3
        off = self._off(numbers[None])[0]
        cost = self._cost(off, numbers)
        for _ in range(STEPS):
            normal, right = self._normal(numbers, off)
            while True:
                step = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), right)
                trial = numbers.copy()
                trial[self._moving] += step
                if np.abs(trial[TILT]).max() < STEEPEST:
                    trial_off = self._off(trial[None])[0]
                    trial_cost = self._cost(trial_off, trial)
                    if trial_cost <= cost:
                        break
                damping *= 10
                if damping > 1e6:
                    return numbers, cost
            gained = cost - trial_cost
            numbers, off, cost, damping = trial, trial_off, trial_cost, damping / 10
            if gained < GAIN * cost:
                break
        return numbers, cost

    def _normal(self, numbers: Floats, off: Floats) -> tuple[Floats, Floats]:
        """Gauss's normal equations, unusual residuals counting less."""
        nudged = np.repeat(numbers[None], len(self._moving), axis=0)
        nudged[np.arange(len(nudged)), self._moving] += NUDGE
        trust = np.sqrt(self._weights / (1 + (off / TOLERANT) ** 2))
        slopes = ((self._off(nudged) - off) * trust / NUDGE).reshape(len(nudged), -1)
        pulled = (self._usual - numbers)[self._moving] * self._held**2
        normal = slopes @ slopes.T + np.diag(self._held**2)
        return normal, pulled - slopes @ (off * trust).ravel()

    def _cost(self, off: Floats, numbers: Floats) -> float:
        robust = self._weights * TOLERANT**2 * np.log1p((off / TOLERANT) ** 2)
        unusual = ((numbers - self._usual)[self._moving] * self._held) ** 2
        return float(robust.sum() + unusual.sum()) / 2

    def _off(self, numbers: Floats) -> Floats:
        """(m, n, 6) standard deviations by which lengths are off, for (m, 6) numbers."""
        flat = straightened(self._points.reshape(-1, 2), numbers[:, BEND])
        mapped = np.concatenate([flat, np.ones((*flat.shape[:2], 1))], axis=2) @ _matrix(numbers).swapaxes(
            1, 2
        )
        quads = (mapped[..., :2] / mapped[..., 2:]).reshape(len(numbers), *self._points.shape)
        seen = np.where(self._free, np.exp(numbers[:, SEEN])[:, None, None], 1.0)
        return np.asarray((lengths(quads) - self._wanted * seen) / self._spread)


def _first_size(points: Floats, sizes: Floats) -> float:
    """Logarithm of the mm in a picture's longer side, if it were taken from straight above."""
    sides = lengths(points)
    area = np.maximum(sides[:, 0] * sides[:, 1], 1e-12)
    return float(np.log(np.median(np.sqrt(sizes.prod(axis=1) / area))))


def _matrix(numbers: Floats) -> Floats:
    """(m, 3, 3) from centred points to mm, for (m, 6) numbers: the picture's rays, turned upright, cut the table."""
    right, down = numbers[:, 0], numbers[:, 1]
    long = np.sqrt(right**2 + down**2 + 1)
    normal = np.stack([right, down, np.ones_like(right)], axis=1) / long[:, None]
    # the least turn that takes the camera's axis to the table's (Rodrigues)
    across = np.zeros((len(numbers), 3, 3))
    across[:, 0, 2], across[:, 2, 0] = normal[:, 0], -normal[:, 0]
    across[:, 1, 2], across[:, 2, 1] = normal[:, 1], -normal[:, 1]
    turn = np.eye(3) + across + across @ across / (1 + normal[:, 2])[:, None, None]
    focal = np.exp(numbers[:, FOCAL])
    scale = np.exp(numbers[:, SIZE]) * focal
    matrix = turn.swapaxes(1, 2).copy()
    matrix[:, :2] *= scale[:, None, None]
    matrix[:, :, 2] *= focal[:, None]
    return matrix


def _centring(width: int, height: int) -> Floats:
    size = max(width, height)
    return np.array([[1 / size, 0, -width / 2 / size], [0, 1 / size, -height / 2 / size], [0, 0, 1]])
