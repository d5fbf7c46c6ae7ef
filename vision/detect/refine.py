"""Puts found cards exactly in place: their visible edges are drawn to the edges in the picture.

The finder places a card from what its whole surface looks like, to a few percent of its width. Its edges say more: along
every edge that can be seen, the picture is searched a little way inwards and outwards for the strongest change of
light, and the card is moved, turned and stretched to meet what was found, held back by how far off the finder
usually is and by the size that all cards of the picture share. (Contour tracking after Harris and Stennett's RAPiD, 1990,
with priors on the pose.)
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.shrink import shrunk
from vision.found import Found
from vision.geometry.plane import apply
from vision.scene.stacking import Stacking

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]
Grey = NDArray[np.float32]

#: Edges are looked for at this card width, px, or at the picture's own if that is less.
LOOK_PX = 120.0
#: Samples along an edge; how far inside an edge its card must be seen, as a share of the width.
SAMPLES, INSIDE = 20, 0.05
#: How far to search to either side in every round, as shares of the card's width.
ROUNDS: tuple[float, ...] = (0.12, 0.07, 0.04, 0.03)
#: The same where time is short.
FEW_ROUNDS: tuple[float, ...] = (0.1, 0.04)
#: How far off a placed card usually is: position (widths), turn (radians), lengths (shares of what is expected).
USUAL = (0.02, 0.01, 0.02, 0.02)
#: How exactly an edge is seen, widths; an edge further off than twice that counts less and less.
EXACT = 0.012
#: What a sample counts: neighbouring ones see the same piece of edge.
COUNTS = 0.5
#: OpenCV looks up no more rows than this in one go.
MOST_ROWS = 30_000
#: Change of light that makes an edge certain, grey levels a pixel.
CERTAIN = 12.0


def refine(
    found: Found,
    image: Pixels,
    stacking: Stacking,
    to_table: Floats | None,
    rounds: tuple[float, ...] = ROUNDS,
) -> None:
    """Moves the cards of `found` to the edges in `image` ((H, W, 3) BGR), in place.

    `stacking` says which part of each card is seen, `to_table` (3, 3) maps px to mm and makes sizes comparable.
    """
    if not len(found):
        return
    zoom = min(1.0, LOOK_PX / max(found.width(), 1.0))
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    if zoom < 1:
        size = (max(1, round(image.shape[1] * zoom)), max(1, round(image.shape[0] * zoom)))
        grey = shrunk(np.asarray(grey, dtype=np.uint8), size)
    smooth: Grey = cv2.GaussianBlur(grey, (0, 0), 0.9).astype(np.float32)
    expected = _expected(found, to_table)
    pose = _Pose.of(found)
    start = _Pose.of(found)
    for reach in rounds:
        edges = _edges(pose, smooth, zoom, stacking, reach)
        pose = _fit(pose, start, expected, edges)
    # what was put in place by something surer stays there
    free = np.isnan(found.given)[:, None]
    for name, moved in zip(("middle", "long", "short"), (pose.middle, *pose.axes()), strict=True):
        setattr(found, name, np.where(free, moved, getattr(found, name)))
    found.edged = _edges(_Pose.of(found), smooth, zoom, stacking, ROUNDS[-1]).met()


class _Pose:
    """Cards as middles, turns and half lengths; arrays with one row a card. Tilted cards keep their skew."""

    def __init__(self, middle: Floats, turn: Floats, skew: Floats, half: Floats) -> None:
        self.middle, self.turn, self.skew, self.half = middle, turn, skew, half

    @classmethod
    def of(cls, found: Found) -> _Pose:
        """The finder's rectangles."""
        turn = np.arctan2(found.long[:, 1], found.long[:, 0])
        other = np.arctan2(found.short[:, 1], found.short[:, 0])
        half = np.stack([np.linalg.norm(found.long, axis=1), np.linalg.norm(found.short, axis=1)], axis=1)
        return cls(found.middle.copy(), turn, other - turn, np.maximum(half, 1.0))

    def axes(self) -> tuple[Floats, Floats]:
        """(n, 2), (n, 2) half axes, px."""
        long = np.stack([np.cos(self.turn), np.sin(self.turn)], axis=1) * self.half[:, :1]
        other = self.turn + self.skew
        short = np.stack([np.cos(other), np.sin(other)], axis=1) * self.half[:, 1:]
        return long, short


def _expected(found: Found, to_table: Floats | None) -> Floats:
    """(n, 2) half lengths that the cards should have, px: the found ones, brought into line with each other."""
    half = np.stack([np.linalg.norm(found.long, axis=1), np.linalg.norm(found.short, axis=1)], axis=1)
    if to_table is None or len(found) < 3:
        return half
    lengths = []
    middle = apply(to_table, found.middle)
    for axis in (found.long, found.short):
        lengths.append(np.linalg.norm(apply(to_table, found.middle + axis) - middle, axis=1))
    mm = np.stack(lengths, axis=1)
    usual = np.median(mm, axis=0)
    return np.asarray(half * np.clip(usual / np.maximum(mm, 1e-6), 0.85, 1.18))


@dataclass(frozen=True, slots=True)
class _Edges:
    """What was found along the sides of (n) cards at (m) points each."""

    #: (n, m, 2) px, (n, m, 2) unit vectors: the points, and which way is outwards.
    at: Floats
    out: Floats
    #: (n, m): 0 and 1 short sides, 2 and 3 long ones.
    kinds: NDArray[np.intp]
    #: (n, m) px: how far outwards the edge lies; how sure that is, 0..1; 1 where the card is what is seen.
    offset: Floats
    weight: Floats
    seen: Floats
    #: (n,) px.
    width: Floats

    def met(self) -> Floats:
        """(n,) share of each card's visible edges that lies on edges of the picture."""
        met = self.weight * np.exp(-0.5 * (self.offset / (2 * EXACT * self.width[:, None])) ** 2)
        return np.asarray((met * self.seen).sum(axis=1) / np.maximum(self.seen.sum(axis=1), 1.0))


def _edges(pose: _Pose, grey: Grey, zoom: float, stacking: Stacking, reach: float) -> _Edges:
    """One search along all visible edges, `reach` widths to either side."""
    long, short = pose.axes()
    along = np.linspace(-0.92, 0.92, SAMPLES)
    width = 2 * np.linalg.norm(short, axis=1)
    points, outwards, rows = [], [], []
    for axis, other, kind in ((long, short, 0), (-long, short, 1), (short, long, 2), (-short, long, 3)):
        unit = _normals(axis, other)
        points.append(pose.middle[:, None] + axis[:, None] + along[None, :, None] * other[:, None])
        outwards.append(np.repeat(unit[:, None], SAMPLES, axis=1))
        rows.append(np.full((len(axis), SAMPLES), kind))
    at, out = np.concatenate(points, axis=1), np.concatenate(outwards, axis=1)
    seen = _seen(at - out * (INSIDE * width)[:, None, None], stacking)
    offset, weight = _search(grey, at, out, width, zoom, reach)
    return _Edges(at, out, np.concatenate(rows, axis=1), offset, weight, seen, width)


def _normals(axis: Floats, other: Floats) -> Floats:
    """(n, 2) unit vectors across the sides that run along `other`, pointing the way of `axis`."""
    normal = np.stack([-other[:, 1], other[:, 0]], axis=1)
    normal *= np.sign((normal * axis).sum(axis=1) + 1e-12)[:, None]
    return np.asarray(normal / np.maximum(np.linalg.norm(normal, axis=1), 1e-9)[:, None])


def _seen(at: Floats, stacking: Stacking) -> Floats:
    """(n, m) 1 where card n is what is seen at its point m."""
    column = np.floor(at[..., 0] / stacking.step).astype(int)
    row = np.floor(at[..., 1] / stacking.step).astype(int)
    rows, columns = stacking.shown.shape
    inside = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
    label = stacking.shown[np.clip(row, 0, rows - 1), np.clip(column, 0, columns - 1)]
    return np.asarray((label == np.arange(len(at))[:, None]) & inside, dtype=np.float64)


def _search(
    grey: Grey, at: Floats, out: Floats, width: Floats, zoom: float, reach: float
) -> tuple[Floats, Floats]:
    """(n, m) how far outwards the strongest change of light lies, px, and how sure that is, 0..1."""
    steps = max(3, int(np.ceil(reach * float(np.median(width)) * zoom)))
    offsets = np.linspace(-1, 1, 2 * steps + 1)
    way = offsets[None, None, :, None] * (reach * width)[:, None, None, None] * out[:, :, None]
    where = ((at[:, :, None] + way) * zoom + (zoom - 1) / 2).astype(np.float32)
    flat = where.reshape(len(at) * at.shape[1], -1, 2)
    light = np.concatenate(
        [
            cv2.remap(grey, part[..., 0], part[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            for part in np.array_split(flat, -(-len(flat) // MOST_ROWS))
        ]
    ).reshape(where.shape[:3])
    change = np.gradient(light, axis=2)
    change /= (reach * width * zoom / steps)[:, None, None]
    # a card is mostly lighter than what lies beside it
    strength = np.where(change < 0, -change, 0.6 * change) * np.exp(-0.5 * (offsets / 0.6) ** 2)
    best = np.argmax(strength[:, :, 1:-1], axis=2) + 1
    left, top, right = (np.take_along_axis(strength, (best + d)[..., None], 2)[..., 0] for d in (-1, 0, 1))
    bend = left - 2 * top + right
    fine = np.where(np.abs(bend) > 1e-9, 0.5 * (left - right) / np.minimum(bend, -1e-9), 0.0)
    fine = np.clip(fine, -0.5, 0.5)
    offset = (offsets[best] + fine / steps) * (reach * width)[:, None]
    return offset, np.clip(top / CERTAIN, 0, 1)


def _fit(pose: _Pose, start: _Pose, expected: Floats, edges: _Edges) -> _Pose:
    """Weighted least squares for a shift, a turn and two lengths a card, with the priors of `USUAL`."""
    at, out, kinds, offset = edges.at, edges.out, edges.kinds, edges.offset
    weight = edges.weight * edges.seen
    count = len(at)
    width = 2 * pose.half[:, 1]
    arm = at - pose.middle[:, None]
    turning = out[..., 1] * arm[..., 0] - out[..., 0] * arm[..., 1]
    stretch = (out * arm).sum(axis=2)
    columns = np.stack(
        [
            out[..., 0],
            out[..., 1],
            turning,
            np.where(kinds < 2, stretch, 0.0),
            np.where(kinds >= 2, stretch, 0.0),
        ],
        axis=2,
    )
    place, turn, long, short = USUAL
    spread = np.stack(
        [place * width, place * width, *(np.full(count, s) for s in (turn, long, short))], axis=1
    )
    pulled = np.column_stack(
        [
            start.middle - pose.middle,
            start.turn - pose.turn,
            np.log(expected / pose.half),
        ]
    )
    exact = EXACT * width[:, None]
    held = np.eye(5) / (spread**2)[:, None]
    change = np.zeros((count, 5))
    for _ in range(4):
        miss = offset - (columns @ change[..., None])[..., 0]
        trust = weight / (1 + (miss / (2 * exact)) ** 2) / exact**2 * COUNTS
        weighed = (columns * trust[..., None]).transpose(0, 2, 1)
        normal = weighed @ columns + held
        right = (weighed @ offset[..., None])[..., 0]
        right += pulled / spread**2
        change = np.linalg.solve(normal, right[..., None])[..., 0]
    return _Pose(
        pose.middle + change[:, :2],
        pose.turn + change[:, 2],
        pose.skew,
        pose.half * np.exp(np.clip(change[:, 3:], -0.1, 0.1)),
    )
