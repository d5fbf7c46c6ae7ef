"""Four printed markers on the table: squares of known size that tell its plane better than cards do.

ArUco markers (Garrido-Jurado et al., 2014) 0 to 3 of OpenCV's dictionary `DICT_4X4_50`, 60 mm wide unless said
otherwise, lie flat anywhere on the table, one towards each corner of the picture. `nerts-referee markers` writes a
sheet of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.camera import Rectangles
from vision.geometry.plane import known_rectangles
from vision.geometry.polygons import within

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: The markers that are looked for, their side (mm) and by how much of a mm a side is usually seen off.
IDS, SIDE_MM, SPREAD = (0, 1, 2, 3), 60.0, 0.05
#: Longer side of the picture in which they are looked for first, px, and the window in which black is told from
#: white there; where exactly their corners lie is then seen in the whole picture.
LOOK_PX, WINDOW_PX = 1280, 15
#: Squares one in another are told apart if their corners lie so much of their circumference apart.
APART = 0.02
#: Along each edge of a marker the light is read at so many points, at so many steps across.
EDGE_POINTS, EDGE_STEPS = 24, 25
#: So many steps at either end are black or white; so often the corners are drawn to the edges.
FLAT, ROUNDS = 5, 2
#: Sheet: A4 at this many px a mm, and mm of white around a marker at least.
SHEET_MM, SHEET_SCALE, QUIET = (210.0, 297.0), 8, 10.0
#: How wide the paper around a marker is taken to be, in widths of the marker.
PAPER = 1.45

_DICTIONARY = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)


def find_markers(image: Pixels, side_mm: float = SIDE_MM) -> Rectangles | None:
    """The four markers in a picture ((H, W, 3) BGR); None unless each is there once."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    scale = min(1.0, LOOK_PX / max(grey.shape))
    if scale * min(grey.shape) < 1:
        return None
    small = grey if scale == 1 else cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    corners, ids, _ = _detector().detectMarkers(small)
    found = {} if ids is None else _by_number(ids, corners)
    if any(number not in found for number in IDS):
        return None
    light = grey.astype(np.float32)
    # a px is where its middle is
    quads = np.stack([_sharp(light, (found[number] + 0.5) / scale - 0.5) for number in IDS])
    return known_rectangles(quads + 0.5, (side_mm, side_mm), SPREAD)


def lie_on(markers: Rectangles, points: Floats) -> NDArray[np.bool_]:
    """(m,) which points (m, 2) px lie on one of the markers or on the paper around it."""
    on = np.zeros(len(points), dtype=bool)
    for quad in markers.corners:
        middle = quad.mean(axis=0)
        on |= within(points, middle + PAPER * (quad - middle))
    return on


def _by_number(ids: NDArray[Any], corners: Sequence[NDArray[Any]]) -> dict[int, Floats]:
    """(4, 2) corners of every marker; one whose number is read at two places is none of them."""
    quads = [np.asarray(quad, dtype=np.float64).reshape(4, 2) for quad in corners]
    pairs = zip((int(number) for number in ids.ravel()), quads, strict=True)
    found: dict[int, Floats] = {}
    twice = set()
    for number, quad in sorted(pairs, key=lambda pair: -cv2.contourArea(pair[1].astype(np.float32))):
        if number not in found:
            found[number] = quad
        elif cv2.pointPolygonTest(found[number].astype(np.float32), quad.mean(axis=0).tolist(), False) < 0:
            # else it is the same once more: both edges of its black rim were taken for a marker's
            twice.add(number)
    return {number: quad for number, quad in found.items() if number not in twice}


def marker_sheet(side_mm: float = SIDE_MM) -> Pixels:
    """(H, W) the four markers on a sheet of A4 to print at its own size and to cut out with white around them.

    Raises ValueError for a size of which four do not fit.
    """
    width, height = SHEET_MM
    pitch = np.array([width, width]) / 2
    if not 5 <= side_mm <= pitch[0] - 2 * QUIET:
        raise ValueError(f"markers of {side_mm:g} mm: choose 5 to {pitch[0] - 2 * QUIET:g} mm")
    sheet = np.full((round(height * SHEET_SCALE), round(width * SHEET_SCALE)), 255, np.uint8)
    for number in IDS:
        marker = draw_marker(number, round(side_mm * SHEET_SCALE))
        row, column = divmod(number, 2)
        middle = (np.array([column, row]) + 0.5) * pitch * SHEET_SCALE
        left, top = np.round(middle - len(marker) / 2).astype(int)
        sheet[top : top + len(marker), left : left + len(marker)] = marker
    told = f"nerts-referee: ArUco DICT_4X4_50, 0 to 3. Print at 100 %: each is {side_mm:g} mm wide."
    at = (round(15 * SHEET_SCALE), round((2 * pitch[1] + 15) * SHEET_SCALE))
    cv2.putText(sheet, told, at, cv2.FONT_HERSHEY_SIMPLEX, 1.1, 90, 2, cv2.LINE_AA)
    return sheet


def draw_marker(number: int, side_px: int) -> Pixels:
    """(side, side) black and white picture of one marker."""
    return np.asarray(cv2.aruco.generateImageMarker(_DICTIONARY, number, side_px), dtype=np.uint8)


def _detector() -> cv2.aruco.ArucoDetector:
    how = cv2.aruco.DetectorParameters()
    how.adaptiveThreshWinSizeMin = how.adaptiveThreshWinSizeMax = WINDOW_PX
    # else the white paper about a marker is taken in its place
    how.minMarkerDistanceRate = APART
    return cv2.aruco.ArucoDetector(_DICTIONARY, how)


def _sharp(light: NDArray[np.float32], quad: Floats) -> Floats:
    """(4, 2) corners (px, counted from pixels' middles): where lines through the marker's edges in the picture
    meet.
    """
    reach = max(1.5, float(np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1).min()) / 14)
    for _ in range(ROUNDS):
        lines = [_edge(light, quad[k], quad[(k + 1) % 4], reach) for k in range(4)]
        quad = np.stack([np.linalg.solve(*_crossed(lines[k - 1], lines[k])) for k in range(4)])
    return quad


def _edge(light: NDArray[np.float32], start: Floats, end: Floats, reach: float) -> tuple[Floats, float]:
    """Unit normal (2,) and distance from the origin of the line along which black turns white, `reach` px about a
    side."""
    way = (end - start) / np.linalg.norm(end - start)
    normal = np.array([way[1], -way[0]])
    along = start + np.linspace(0.08, 0.92, EDGE_POINTS)[:, None] * (end - start)
    steps = np.linspace(-reach, reach, EDGE_STEPS)
    at = (along[:, None] + steps[:, None] * normal).astype(np.float32)
    read = cv2.remap(light, at[..., 0], at[..., 1], cv2.INTER_LINEAR)
    # as much white as there is on the way across tells where black ends, however blurred that is
    black, white = (read[:, part].mean(axis=1, keepdims=True) for part in (slice(FLAT), slice(-FLAT, None)))
    share = np.clip((read - black) / np.maximum(white - black, 1.0), 0, 1)
    off = reach * (1 - (share[:, 1:] + share[:, :-1]).mean(axis=1))
    points = along + off[:, None] * normal
    kept = points[np.abs(off - np.median(off)) < reach / 3]
    middle = kept.mean(axis=0)
    across = np.linalg.svd(kept - middle)[2][1]
    return across, float(across @ middle)


def _crossed(one: tuple[Floats, float], other: tuple[Floats, float]) -> tuple[Floats, Floats]:
    """Coefficients and right side of the equations of the point on two lines."""
    return np.stack([one[0], other[0]]), np.array([one[1], other[1]])
