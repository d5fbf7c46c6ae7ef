"""Training windows cut out of whole pictures: tables of every game, the end of a hand, hands laid open.

A picture is dear and a window shows little of it, so several are cut out of each, at different scales.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render import HAND, NOTHING
from datasets.room import ArtRoom
from datasets.scene import Scene
from datasets.sets import PictureSet, draw_still
from datasets.stills import Still
from datasets.windows import CARD_COLUMNS, CELL, MAX_CARDS, Window, card_row

#: What is drawn, and how often: phones see hands' ends at slants to 45 degrees. Endings have from few to very many cards.
KINDS = {"layouts": 0.32, "endings": 0.3, "leftovers": 0.16, "tops": 0.12, "fans": 0.1}
#: px of a card's short side in a window, and how much larger than in its picture it may be shown.
CARD_PX, ENLARGED = (38.0, 145.0), 1.7
#: px/mm of tables.
SCALE = (1.1, 2.6)


def draw_cuts(
    rng: np.random.Generator, room: ArtRoom, size: int, count: int, kind: str | None = None
) -> Iterator[Window]:
    """One picture of a kind, any of `KINDS` unless it is given, and `count` windows out of it."""
    still = draw_picture(rng, room, kind)
    for _ in range(count):
        window = cut_window(rng, still, size)
        if window is not None:
            yield window


def draw_picture(rng: np.random.Generator, room: ArtRoom, kind: str | None = None) -> Still:
    """A picture of a kind, any of `KINDS` unless it is given."""
    what = kind or str(rng.choice(list(KINDS), p=list(KINDS.values())))
    cards = (10, int(rng.choice([40, 80, 110])))
    wanted = PictureSet.model_validate(
        {"what": what, "pictures": 1, "seed": 0, "px_per_mm": SCALE, "cards": cards, "progress": (0.0, 0.95)}
    )
    return draw_still(wanted, rng, room)


def cut_window(rng: np.random.Generator, still: Still, size: int) -> Window | None:
    """A window about one of the cards of a picture with its ids; None where it would hold too many cards."""
    scene, ids = still.scene, still.ids
    assert scene is not None and ids is not None
    corners = shown_card(rng, still)
    if corners is None:
        return None
    width = float(np.linalg.norm(corners[1] - corners[0]))
    zoom = float(np.exp(rng.uniform(*np.log(CARD_PX)))) / width
    zoom = max(min(zoom, ENLARGED), size / min(scene.width, scene.height))
    side = size / zoom
    middle = corners.mean(axis=0) + rng.normal(0, 0.3 * side, 2)
    left, top = (
        float(np.clip(m - side / 2, 0, room - side))
        for m, room in zip(middle, (scene.width, scene.height), strict=True)
    )
    image = _resampled(still.image, left, top, zoom, size)
    at = (np.arange(size // CELL) + 0.5) * CELL / zoom
    columns = np.minimum((left + at).astype(int), scene.width - 1)
    rows = np.minimum((top + at).astype(int), scene.height - 1)
    seen = ids[np.ix_(rows, columns)]
    return window_of(image, seen, scene, lambda points: (points - (left, top)) * zoom)


def shown_card(rng: np.random.Generator, still: Still) -> NDArray[np.float64] | None:
    """(4, 2) px: corners of any card of a picture of which something is seen; None where there is none."""
    shown = [number for number, card in enumerate(still.cards) if card.visible_fraction > 0.03]
    return np.array(still.cards[int(rng.choice(shown))].corners) if shown else None


def smoothed(image: NDArray[np.uint8], zoom: float) -> NDArray[np.uint8]:
    """A picture ready to be sampled when it is shown larger by `zoom`: what is shown smaller is smoothed."""
    if zoom >= 0.8:
        return image
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 0.42 / zoom), dtype=np.uint8)


def _resampled(
    image: NDArray[np.uint8], left: float, top: float, zoom: float, size: int
) -> NDArray[np.uint8]:
    """(size, size, 3): the part of a picture from (left, top) on, enlarged by `zoom`."""
    image = smoothed(image, zoom)
    matrix = np.array([[zoom, 0, 0.5 * zoom - 0.5 - left * zoom], [0, zoom, 0.5 * zoom - 0.5 - top * zoom]])
    return np.asarray(cv2.warpAffine(image, matrix, (size, size), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def window_of(
    image: NDArray[np.uint8],
    seen: NDArray[np.int16],
    scene: Scene,
    place: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> Window | None:
    """A window with its targets; None where it holds too many cards.

    `seen`: (h, w) ids at the middles of the cells; `place`: (n, 2) px of the picture to px of the window.
    """
    present = np.unique(seen[seen >= 0])
    if len(present) > MAX_CARDS:
        return None
    cells = np.full(seen.shape, -1, dtype=np.int16)
    cells[seen == HAND] = -2
    cells[seen == NOTHING] = -1
    table = np.zeros((len(present), CARD_COLUMNS), dtype=np.float32)
    for row, number in enumerate(present):
        mine = seen == number
        cells[mine] = row
        card, count = scene.cards[int(number)], int(mine.sum())
        corners, middle = place(scene.corners(card)), place(scene.middle(card)[None])[0]
        table[row], enough = card_row(corners, middle, not card.face_up, count)
        if not enough:
            cells[mine] = -3
    return Window(image, cells, table)
