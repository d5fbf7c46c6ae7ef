"""The table's plane: px to mm, from the cards themselves, from printed markers or from given corners.

Every card of a picture has one of two known sizes, so that cards tell scale, tilt and lens (`vision/geometry/camera.py`).
What is known better, four printed markers (`vision/geometry/markers.py`) or a rectangle whose corners somebody pointed
at, weighs more; the cards then tell the tilt only.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.camera import Camera, Rectangles, centred, fit_camera, length_spread, straightened
from vision.layout import CARD_HEIGHT_MM, CARD_WIDTH_MM, Layout, Plane, PlaneSource

Floats = NDArray[np.float64]

#: mm of the cards that there are: poker and bridge size.
FORMATS = ((CARD_WIDTH_MM, CARD_HEIGHT_MM), (57.0, 88.0))
#: By format: how much larger cards are seen than they are (logarithm); most cards that the networks know are wider than
#: bridge cards.
SEEN = (0.001, 0.003)
#: mm by which a length of a card is usually off where it was seen, and by how much at least where the placer tells.
CARD_SPREAD, LEAST_SPREAD = 0.7, 0.5
#: Fewer cards, or less sharp rectangles, do not tell how a lens bends lines.
LENS_CARDS = 25
#: A lens bends lines if that makes the plane so much likelier (logarithm).
WORTH_A_LENS = 6.0
#: A plane is given as one matrix, too: the one that is nearest at this many points along each side of the picture.
NEAREST = 7


def fit_plane(
    corners: Floats,
    weights: Floats,
    width: int,
    height: int,
    *,
    off: Floats | None = None,
    known: Rectangles | None = None,
    source: PlaneSource = "cards",
    lens: bool = False,
    seen: tuple[float, float] = SEEN,
) -> Plane | None:
    """The plane on which the cards come out in the size of cards, or None without cards and `known` things.

    `corners` (n, 4, 2) px (TL, TR, BR, BL), `weights` (n,) trust in each card, `off` (n, 4) shares of a card's width by
    which its corners may be off (NaN: as usual); `known`: rectangles whose size is certain, and what they are, `source`.
    `lens`: may it bend lines? `seen`: as `SEEN`. The origin is the middle of the picture, or of what lies straight before
    it, and the x axis nearly the picture's.
    """
    if not len(corners) and known is None:
        return None
    fits = []
    for size, larger in list(zip(FORMATS, seen, strict=True))[: 2 if len(corners) else 1]:
        cards = _cards(corners, weights, size, off)
        every = cards if known is None else cards.and_(known)
        fits.append((fit_camera(every, width, height, seen=larger), size, every, larger))
    camera, size, every, larger = min(fits, key=lambda fit: fit[0].cost)
    if lens:
        bent = fit_camera(every, width, height, seen=larger, lens=True)
        camera = bent if bent.cost < camera.cost - WORTH_A_LENS else camera
    plane = Plane(camera.matrix, camera.bend, (width, height), source, size if len(corners) else None)
    plane.residual_mm = _residual(plane, camera, every)
    return plane


def table_plane(
    layout: Layout, known: Rectangles | None = None, source: PlaneSource = "cards"
) -> Plane | None:
    """The plane of everything that was seen in a picture, with its lens; None where nothing tells it."""
    corners = np.array([card.corners for card in layout.cards], dtype=np.float64).reshape(-1, 4, 2)
    weights = np.array([card.confidence * min(1.0, 0.05 + card.visible_fraction) for card in layout.cards])
    lens = len(layout.cards) >= LENS_CARDS or source == "markers"
    return fit_plane(corners, weights, layout.width, layout.height, known=known, source=source, lens=lens)


def lay_plane(layout: Layout, known: Rectangles | None = None, source: PlaneSource = "cards") -> None:
    """Gives a layout its plane, in place."""
    plane = table_plane(layout, known, source)
    layout.plane = plane
    layout.to_table = None if plane is None else nearest_matrix(plane)
    middle = (layout.width / 2, layout.height / 2)
    layout.px_per_mm = 0.0 if layout.to_table is None else float(scale_at(layout.to_table, *middle))


def given_corners(corners: Sequence[tuple[float, float]], size: tuple[float, float]) -> Rectangles:
    """A rectangle of this `size` (mm) whose corners (four, px, in their order around) somebody pointed at."""
    return known_rectangles(np.array([corners], dtype=np.float64), size, spread=1.5)


def known_rectangles(corners: Floats, size: tuple[float, float], spread: float) -> Rectangles:
    """(n, 4, 2) px of things of one `size` (mm), whose lengths are seen with this `spread` (mm)."""
    number = len(corners)
    return Rectangles(
        corners,
        np.tile(np.array(size, dtype=np.float64), (number, 1)),
        np.ones(number),
        np.full((number, 6), spread),
        np.zeros(number, dtype=bool),
    )


def on_table(plane: Plane, points: Floats) -> Floats:
    """(n, 2) px to mm, the lens's bending undone."""
    width, height = plane.size
    straight = straightened(centred(points, width, height), plane.bend)
    return apply(plane.matrix, straight * max(width, height) + (width / 2, height / 2))


def nearest_matrix(plane: Plane) -> Floats:
    """(3, 3) px to mm: the plane as if the lens bent no lines, as near as that goes."""
    if not plane.bend:
        return plane.matrix
    width, height = plane.size
    columns, rows = np.meshgrid(np.linspace(0, width, NEAREST), np.linspace(0, height, NEAREST))
    points = np.stack([columns.ravel(), rows.ravel()], axis=1)
    return np.asarray(cv2.findHomography(points, on_table(plane, points))[0], dtype=np.float64)


def scale_at(to_table: Floats, x: float, y: float) -> float:
    """px a mm of the table at a point of the picture (square root of the area scale)."""
    here = apply(to_table, np.array([[x, y], [x + 1, y], [x, y + 1]]))
    area = abs(float(np.linalg.det(np.array([here[1] - here[0], here[2] - here[0]]))))
    return 1 / np.sqrt(area) if area > 0 else 0.0


def tilt_of(layout: Layout) -> float:
    """By how much the camera looks at the middle of its picture aslant, radians: 0 from straight above; 0 if unknown."""
    if layout.to_table is None:
        return 0.0
    middle = np.array([layout.width / 2, layout.height / 2])
    here, right, down = apply(layout.to_table, middle + np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]]))
    shorter = np.linalg.svd(np.column_stack([right - here, down - here]), compute_uv=False)
    return float(np.arccos(np.clip(shorter[1] / max(float(shorter[0]), 1e-12), 0.0, 1.0)))


def apply(homography: Floats, points: Floats) -> Floats:
    """(n, 2) points mapped by a (3, 3) homography."""
    mapped = np.column_stack([points, np.ones(len(points))]) @ homography.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:], dtype=np.float64)


def _cards(
    corners: Floats, weights: Floats, size: tuple[float, float], off: Floats | None = None
) -> Rectangles:
    number = len(corners)
    spread = np.full((number, 6), CARD_SPREAD)
    if off is not None:
        told = np.hypot(LEAST_SPREAD, CARD_WIDTH_MM * length_spread(off))
        spread = np.where(np.isnan(told), spread, told)
    return Rectangles(
        np.asarray(corners, dtype=np.float64).reshape(-1, 4, 2),
        np.tile(np.array(size), (number, 1)),
        np.asarray(weights, dtype=np.float64),
        spread,
        np.ones(number, dtype=bool),
    )


def _residual(plane: Plane, camera: Camera, rectangles: Rectangles) -> float:
    """Median distance (mm) of corners from where rigid rectangles, laid as well as can be, would have them."""
    quads = on_table(plane, rectangles.corners.reshape(-1, 2)).reshape(-1, 4, 2)
    half = rectangles.sizes * np.where(rectangles.free, 1 + camera.seen, 1.0)[:, None] / 2
    corners = half[:, None] * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    seen = (quads - quads.mean(axis=1, keepdims=True)) @ (1.0, 1.0j)
    wanted = corners @ (1.0, 1.0j)
    turn = (seen * wanted.conj()).sum(axis=1, keepdims=True)
    off = np.abs(seen - wanted * turn / np.maximum(np.abs(turn), 1e-9))
    return float(np.median(off[rectangles.weights >= np.median(rectangles.weights)]))
