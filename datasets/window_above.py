"""Training windows as the eye looks at photos: drawn from above, at the finder's scale.

Of backs that lie spread heaps are what is hardest, so there are more of them than people make.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.glimpses import told_plane
from datasets.photos.endings import draw_ending
from datasets.render import NOTHING
from datasets.room import ArtRoom
from datasets.sets import PLAYERS, decks_of
from datasets.stills import Still
from datasets.window_cuts import ENLARGED, draw_picture, shown_card, smoothed, window_of
from datasets.windows import CELL, Window
from vision.geometry.plane import apply

Floats = NDArray[np.float64]

#: How often cards mainly lie so.
WAYS = {"row": 0.2, "arc": 0.1, "heap": 0.4, "column": 0.3}
#: Most cards of a picture, each as often as the others; least.
MOST_CARDS, LEAST_CARDS = (25, 40, 80, 110), 10
#: px/mm of a window: what the eye looks at photos with, and somewhat more and less.
SCALE = (1.1, 2.1)
#: How far beside the middle of a window the card lies that it was chosen for (standard deviation, shares of its side).
BESIDE = 0.15

_MIDDLES = np.array([[1.0, 0.0, -0.5], [0.0, 1.0, -0.5], [0.0, 0.0, 1.0]])


def draw_spread_windows(rng: np.random.Generator, room: ArtRoom, size: int, count: int) -> Iterator[Window]:
    """One photo of spread backs, and `count` windows of `size` px out of it."""
    decks = decks_of(room, rng, 2, PLAYERS)
    cards = (LEAST_CARDS, int(rng.choice(MOST_CARDS)))
    yield from windows_from_above(rng, draw_ending(rng, decks, room.surface, cards, WAYS), size, count)


def draw_windows_from_above(
    rng: np.random.Generator, room: ArtRoom, size: int, count: int, kind: str | None = None
) -> Iterator[Window]:
    """One picture of a kind of `datasets.window_cuts`, any unless it is given, and `count` windows out of it."""
    yield from windows_from_above(rng, draw_picture(rng, room, kind), size, count)


def windows_from_above(rng: np.random.Generator, still: Still, size: int, count: int) -> Iterator[Window]:
    """`count` windows of `size` px out of a picture with its ids, less those that would hold too many cards."""
    for _ in range(count):
        window = window_from_above(rng, still, size)
        if window is not None:
            yield window


def window_from_above(rng: np.random.Generator, still: Still, size: int) -> Window | None:
    """A window about one of the cards of a picture with its ids; None where it would hold too many cards."""
    scene, ids = still.scene, still.ids
    assert scene is not None and ids is not None
    quad = shown_card(rng, still)
    if quad is None:
        return None
    plane = told_plane(still, scene, rng)
    scale, enlarged = _scale(rng, quad, apply(plane, quad))
    at = apply(plane, quad).mean(axis=0) + rng.normal(0, BESIDE * size / scale, 2)
    matrix = _window_of_table(at, float(rng.uniform(0, 2 * np.pi)), scale, size) @ plane
    image = smoothed(still.image, enlarged)
    # OpenCV counts from the middle of the first px, all else from its corner
    counted = _MIDDLES @ matrix @ np.linalg.inv(_MIDDLES)
    drawn = cv2.warpPerspective(image, counted, (size, size), borderMode=cv2.BORDER_REPLICATE)
    seen = _ids_at_cells(ids, matrix, size)
    return window_of(np.asarray(drawn, dtype=np.uint8), seen, scene, lambda points: apply(matrix, points))


def _scale(rng: np.random.Generator, quad: Floats, on_table: Floats) -> tuple[float, float]:
    """px/mm of a window, and how much larger it shows the card at `quad` (4, 2) px, `on_table` mm, than the picture."""
    there = float(np.sqrt(_area(quad) / _area(on_table)))
    scale = min(float(np.exp(rng.uniform(*np.log(SCALE)))), ENLARGED * there)
    return scale, scale / there


def _area(quad: Floats) -> float:
    return max(float(cv2.contourArea(quad.astype(np.float32))), 1e-6)


def _window_of_table(at: Floats, turn: float, scale: float, size: int) -> Floats:
    """(3, 3) mm -> px of a window that has `at` (mm) in its middle."""
    c, s = scale * np.cos(turn), scale * np.sin(turn)
    turned = np.array([[c, -s], [s, c]])
    matrix: Floats = np.eye(3)
    matrix[:2, :2] = turned
    matrix[:2, 2] = size / 2 - turned @ at
    return matrix


def _ids_at_cells(ids: NDArray[np.int16], matrix: Floats, size: int) -> NDArray[np.int16]:
    """(h, w) ids at the middles of a window's cells; `matrix`: px of the picture -> px of the window."""
    middles = (np.arange(size // CELL) + 0.5) * CELL
    columns, rows = np.meshgrid(middles, middles)
    points = np.stack([columns.ravel(), rows.ravel()], axis=1)
    there = apply(np.asarray(np.linalg.inv(matrix), dtype=np.float64), points)
    x, y = (np.floor(there[:, axis]).astype(int) for axis in (0, 1))
    height, width = ids.shape
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    seen = np.full(len(points), NOTHING, dtype=np.int16)
    seen[inside] = ids[y[inside], x[inside]]
    return seen.reshape(len(middles), len(middles))
