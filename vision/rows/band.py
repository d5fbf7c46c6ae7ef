"""A row of overlapping cards as a straight band: the curve along which they lie, and the picture along it.

Cards laid or fanned out side by side lie along a line or an arc. Every cell that shows one of them votes for the
card's axis; what is sure of such a vote is across the row (both short sides are seen), what is not is along it. So
the votes give the band well, and the band is what the row reader (`vision/rows/reader.py`) counts the cards in.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: Size of a band's picture: rows, and mm of a column. The card's height (88 mm) fills `FILL` of the rows.
ROWS, COLUMN_MM = 64, 0.5
FILL = 0.84
#: mm that a card's long side stands for in a band, whatever the card.
LONG_MM = 88.0
#: mm of the picture that a band shows beyond its ends.
MARGIN_MM = 22.0
#: Longest row that is read, mm.
MOST_MM = 1400.0


@dataclass(slots=True)
class Band:
    """The straightened row: one entry a column, `COLUMN_MM` apart."""

    #: (n, 2) px: the middle of the row at every column.
    middle: Floats
    #: (n, 2) px a mm: which way the cards' long axis points there (down the band's rows).
    across: Floats
    #: (n, 2) px a mm: which way the row runs there.
    along: Floats
    #: What turns a card's long axis into its short one (radians), and its width, mm.
    skew: float
    width_mm: float

    def __len__(self) -> int:
        return len(self.middle)

    def sample(self, image: Pixels) -> Pixels:
        """(ROWS, n, 3): the picture along the row."""
        y = ((np.arange(ROWS) + 0.5) / ROWS - 0.5) * LONG_MM / FILL
        where = (self.middle[None] + y[:, None, None] * self.across[None] - 0.5).astype(np.float32)
        low = np.maximum(np.floor(where.min(axis=(0, 1))).astype(int) - 8, 0)
        high = np.minimum(np.ceil(where.max(axis=(0, 1))).astype(int) + 9, image.shape[1::-1])
        part = image[low[1] : max(high[1], low[1] + 1), low[0] : max(high[0], low[0] + 1)]
        if not part.size:
            return np.zeros((ROWS, len(self), 3), np.uint8)
        # what the camera shows finer than the band is smoothed before it is sampled
        fine = float(np.median(np.linalg.norm(self.along, axis=1))) * COLUMN_MM
        if fine > 1.2:
            part = np.asarray(cv2.GaussianBlur(part, (0, 0), 0.42 * fine), dtype=np.uint8)
        where -= low.astype(np.float32)
        return np.asarray(
            cv2.remap(part, where[..., 0], where[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
            dtype=np.uint8,
        )

    def at(self, x: Floats, y: Floats) -> Floats:
        """(m, 2) px of points `x` mm along the band (from its first column's middle) and `y` mm across."""
        column = np.asarray(x) / COLUMN_MM
        number = np.arange(len(self))
        middle, across, along = (
            np.stack([np.interp(column, number, part[:, k]) for k in (0, 1)], axis=1)
            for part in (self.middle, self.across, self.along)
        )
        beyond = (column - np.clip(column, 0, len(self) - 1)) * COLUMN_MM
        return np.asarray(middle + np.asarray(y)[:, None] * across + beyond[:, None] * along)

    def place(self, points: Floats) -> Floats:
        """(m, 2) mm along and across the band (from its first column's middle) of points in px."""
        # how far points lie beside the line across each column, mm: one product of matrices
        length = np.linalg.norm(self.across, axis=1) * np.linalg.norm(self.along, axis=1)
        aside = np.stack([-self.across[:, 1], self.across[:, 0]]) / length
        side = points @ aside
        side -= (self.middle * aside.T).sum(axis=1)
        column = np.argmin(np.abs(side), axis=1)
        rest = side[np.arange(len(points)), column]
        sign = np.sign(
            self.across[column, 0] * self.along[column, 1] - self.across[column, 1] * self.along[column, 0]
        )
        near = points - self.middle[column]
        y = (near * self.across[column]).sum(axis=1) / (self.across[column] ** 2).sum(axis=1)
        return np.column_stack([column * COLUMN_MM + rest * sign, y])


def fit_band(at: Floats, middle: Floats, long: Floats, short: Floats) -> Band | None:
    """The band of a row from (n, 2) px cells with their votes: the card's middle and its half axes.

    The axes' signs do not matter. None where the votes do not form a row side by side.
    """
    if len(at) < 6:
        return None
    unit, length = _units(long)
    across, thickness = _units(short)
    # the foot of each cell on its card's middle line: not touched by votes being off along the row
    foot = middle + ((at - middle) * across).sum(axis=1)[:, None] * across
    mean_long = _mean_axis(unit)
    run = np.array([mean_long[1], -mean_long[0]])
    x, y = (foot - foot.mean(axis=0)) @ run, (foot - foot.mean(axis=0)) @ mean_long
    px_mm = float(np.median(length)) * 2 / LONG_MM
    low, high = np.quantile(x, (0.005, 0.995))
    if not px_mm > 0 or not 0 < (high - low) / px_mm < MOST_MM:
        return None
    turn = _turns(unit, mean_long)
    degree = 3 if (high - low) / px_mm > 120 else 1
    bow = _robust_fit(x, y, degree, 0.03 * LONG_MM * px_mm)
    lean = _robust_fit(x, turn, min(degree, 2), 0.05)
    size = _robust_fit(x, length * 2 / LONG_MM, 1, 0.06 * px_mm)
    margin = MARGIN_MM * px_mm
    line = _Line(foot.mean(axis=0), run, mean_long, (float(low), float(high)), bow, lean, size)
    walked = _walk(line, margin)
    if walked is None:
        return None
    middle, along_row, down = walked
    skew = _turns(across, np.array([mean_long[1], -mean_long[0]])) - turn
    width = LONG_MM * float(np.median(thickness / length))
    return Band(middle, down, along_row, float(np.median(skew)) - np.pi / 2, width)


def _units(axes: Floats) -> tuple[Floats, Floats]:
    length = np.maximum(np.linalg.norm(axes, axis=1), 1e-6)
    return axes / length[:, None], length


def _mean_axis(unit: Floats) -> Floats:
    """(2,) mean direction of axes whose signs do not matter."""
    angle = np.arctan2(unit[:, 1], unit[:, 0]) * 2
    half = np.arctan2(np.median(np.sin(angle)), np.median(np.cos(angle))) / 2
    return np.array([np.cos(half), np.sin(half)])


def _turns(unit: Floats, mean: Floats) -> Floats:
    """(n,) radians by which axes are turned from the mean one, -pi/2 .. pi/2."""
    turn = np.arctan2(unit[:, 1], unit[:, 0]) - np.arctan2(mean[1], mean[0])
    return np.asarray((turn + np.pi / 2) % np.pi - np.pi / 2)


def _robust_fit(x: Floats, y: Floats, degree: int, scale: float) -> np.polynomial.Polynomial:
    """A polynomial through points of which some are far off; `scale` is what counts as far."""
    weight = np.ones(len(x))
    fit = np.polynomial.Polynomial([0.0])
    for _ in range(5):
        fit = np.polynomial.Polynomial.fit(x, y, degree, w=np.sqrt(weight))
        weight = 1 / (1 + ((y - fit(x)) / scale) ** 2)
    return fit


@dataclass(frozen=True, slots=True)
class _Line:
    """The fitted curve: px along `run` from `origin` to px along `mean_long`, turn of the axes and px a mm."""

    origin: Floats
    run: Floats
    mean_long: Floats
    known: tuple[float, float]
    bow: np.polynomial.Polynomial
    lean: np.polynomial.Polynomial
    size: np.polynomial.Polynomial

    def at(self, x: Floats, curve: np.polynomial.Polynomial, straight: bool = False) -> Floats:
        """`curve` at x; beyond what is known as at the end, or straight on."""
        inside = np.clip(x, *self.known)
        return np.asarray(curve(inside) + (x - inside) * curve.deriv()(inside) * straight, dtype=np.float64)


def _walk(line: _Line, margin: float) -> tuple[Floats, Floats, Floats] | None:
    """`middle`, `along` and `across` of a band: columns `COLUMN_MM` apart along the curve; None if it is too long."""
    dense = np.linspace(line.known[0] - margin, line.known[1] + margin, 2000)
    mm = np.maximum(line.at(dense, line.size, True), 0.2 * float(np.median(line.at(dense, line.size))))
    slope = line.at(dense, line.bow.deriv())
    length = np.concatenate([[0], np.cumsum(np.diff(dense) * np.sqrt(1 + slope[1:] ** 2) / mm[1:])])
    if not length[-1] < MOST_MM:
        return None
    columns = int(np.ceil(length[-1] / COLUMN_MM / 8)) * 8
    x = np.interp(np.arange(columns) * COLUMN_MM, length, dense)
    middle = line.origin + x[:, None] * line.run + line.at(x, line.bow, True)[:, None] * line.mean_long
    scale = np.interp(x, dense, mm)[:, None]
    turn = np.arctan2(line.mean_long[1], line.mean_long[0]) + line.at(x, line.lean)
    along = line.run + line.at(x, line.bow.deriv())[:, None] * line.mean_long
    along /= np.linalg.norm(along, axis=1)[:, None]
    return middle, along * scale, np.stack([np.cos(turn), np.sin(turn)], axis=1) * scale
