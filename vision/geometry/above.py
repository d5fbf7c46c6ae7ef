"""A photo taken at a slant, seen from straight above.

Cards in a slanted picture are no rectangles, and the near ones are larger than the far ones: by 3 mm a corner and by half
in size at 45 degrees. Once a glance has told the table's plane (`vision/geometry/plane.py`), the picture is drawn anew
as a camera above the table would see it; everything else looks at that, and what is seen is carried back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.found import Found
from vision.geometry.plane import apply, fit_plane, scale_at
from vision.layout import CARD_WIDTH_MM, Doubted, Layout, Plane, SeenHand

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: Fewer cards do not tell a plane.
LEAST_CARDS = 2
#: By how much sizes in a picture, or the two directions of one place, must differ to be worth it: in photos, whose
#: strips are counted, and on tables of many cards, for which there is less time.
WORTH_OF_PHOTO, WORTH = 1.04, 1.08
#: Share of the cards, of what is seen of them, that must come out as long and wide as cards are, and how exactly.
AGREE, EXACT = 0.5, 0.15
#: Parts of the table that are seen this much smaller than the cards are left out: they lie near the horizon.
FAR = 0.4
#: Most px of the new picture.
MOST_PX = 10_000_000


@dataclass(frozen=True, slots=True)
class Above:
    """A picture from straight above."""

    #: (h, w, 3) BGR.
    image: Pixels
    #: (3, 3) px of the picture as it was taken to px of this one.
    matrix: Floats
    #: Width of a card in it, px.
    card_px: float

    def carried_back(self, layout: Layout, width: int, height: int) -> Layout:
        """What was seen in `image`, in px of the picture as it was taken (of this size)."""
        back = np.asarray(np.linalg.inv(self.matrix), dtype=np.float64)
        for card in layout.cards:
            card.corners = upright(apply(back, card.corners)[None])[0]
            if len(card.visible):
                card.visible = apply(back, card.visible)
        hands = [SeenHand(apply(back, hand.corners), hand.confidence) for hand in layout.hands]
        doubted = [Doubted(apply(back, one.corners), one.chance) for one in layout.doubted]
        to_table = None if layout.to_table is None else layout.to_table @ self.matrix
        scale = 0.0 if to_table is None else float(scale_at(to_table, width / 2, height / 2))
        return replace(
            layout,
            width=width,
            height=height,
            hands=hands,
            doubted=doubted,
            to_table=to_table,
            px_per_mm=scale,
        )


def from_above(
    image: Pixels, glance: Found, before: Above | None = None, worth: float = WORTH
) -> Above | None:
    """The picture from above by the plane of the cards of a glance; None where it is, as good as, or cannot be told.

    `before`: the picture as drawn already, of which the glance is; what is slanted in it still is made good. `worth`: as
    `WORTH`.
    """
    if len(glance) < LEAST_CARDS:
        return None
    height, width = image.shape[:2]
    drawn = np.eye(3) if before is None else before.matrix
    # the camera took the picture as it is; what is drawn from above no camera has taken
    back = np.asarray(np.linalg.inv(drawn), dtype=np.float64)
    corners = apply(back, glance.corners.reshape(-1, 2)).reshape(-1, 4, 2)
    order = _upright_order(corners)
    corners = np.take_along_axis(corners, order[:, :, None], axis=1)
    off = np.take_along_axis(glance.off, order, axis=1)
    trust = np.minimum(glance.support, 40.0) / 40.0
    told = fit_plane(corners, trust, width, height, off=off)
    if told is None or not _fits(told, corners, trust):
        return None
    stretch, scales = _stretch(np.asarray(told.matrix @ back), glance.middle)
    if max(np.median(stretch), np.percentile(scales, 90) / np.percentile(scales, 10)) < worth:
        return None
    _, scales = _stretch(told.matrix, apply(back, glance.middle))
    return _drawn(image, told.matrix, float(np.percentile(scales, 80)))


def _fits(plane: Plane, corners: Floats, trust: Floats) -> bool:
    """Do the cards, by (n,) `trust` in each, come out in the size of cards? What is at infinity does not."""
    assert plane.card_mm is not None
    mapped = apply(plane.matrix, corners.reshape(-1, 2)).reshape(corners.shape)
    wide = np.linalg.norm(mapped[:, 1] - mapped[:, 0], axis=1) / plane.card_mm[0]
    high = np.linalg.norm(mapped[:, 3] - mapped[:, 0], axis=1) / plane.card_mm[1]
    right = (np.abs(wide - 1) < EXACT) & (np.abs(high - 1) < EXACT)
    return float(right @ trust / trust.sum()) >= AGREE


def _stretch(plane: Floats, points: Floats) -> tuple[Floats, Floats]:
    """(n,) how much longer a mm is in one direction than in the other; (n,) px a mm."""
    here = apply(plane, points)
    across, down = (apply(plane, points + step) - here for step in (np.array([1.0, 0]), np.array([0, 1.0])))
    singular = np.linalg.svd(np.stack([across, down], axis=2), compute_uv=False)
    return singular[:, 0] / singular[:, 1], 1 / np.sqrt(singular.prod(axis=1))


def part_from_above(
    image: Pixels, to_table: Floats, area: Floats, card_px: float, most_px: int
) -> Above | None:
    """A part of a picture from above whose plane is known, (3, 3) px -> mm: the box on the table around `area`, (n, 2)
    px, as far as it is in view, with cards so many px wide, less where it has more px than `most_px`; None where nothing
    of it is.
    """
    height, width = image.shape[:2]
    near = _near(to_table, width, height, 0.0)
    if near is None:
        return None
    mm, all_mm = apply(to_table, area), apply(to_table, near)
    low, high = np.maximum(mm.min(axis=0), all_mm.min(axis=0)), np.minimum(mm.max(axis=0), all_mm.max(axis=0))
    if (high - low < CARD_WIDTH_MM / 4).any():
        return None
    return _of_box(image, to_table, low, high, card_px / CARD_WIDTH_MM, most_px)


def _drawn(image: Pixels, plane: Floats, scale: float) -> Above | None:
    height, width = image.shape[:2]
    near = _near(plane, width, height, FAR * scale)
    if near is None:
        return None
    mm = apply(plane, near)
    return _of_box(image, plane, mm.min(axis=0), mm.max(axis=0), scale, MOST_PX)


def _of_box(image: Pixels, plane: Floats, low: Floats, high: Floats, scale: float, most_px: int) -> Above:
    """The box from `low` to `high` (mm) at so many px a mm, fewer where that makes more px than `most_px`."""
    scale = min(scale, float(np.sqrt(most_px / np.prod(high - low))))
    size = (int(np.ceil((high[0] - low[0]) * scale)), int(np.ceil((high[1] - low[1]) * scale)))
    # a px is where its middle is, in either picture
    place = np.array([[scale, 0, -low[0] * scale], [0, scale, -low[1] * scale], [0, 0, 1]])
    matrix = place @ plane
    half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    onto = np.linalg.inv(half) @ matrix @ half
    drawn = cv2.warpPerspective(image, onto, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
    return Above(np.asarray(drawn, dtype=np.uint8), matrix, CARD_WIDTH_MM * scale)


def _near(plane: Floats, width: int, height: int, least: float) -> Floats | None:
    """(n, 2) px: the outline of that part of the picture in which a mm is at least `least` px."""
    columns, rows = (np.linspace(0, side, 33) for side in (width, height))
    grid = np.stack(np.meshgrid(columns, rows), axis=2).reshape(-1, 2)
    depth = np.column_stack([grid, np.ones(len(grid))]) @ plane[2]
    middle = float(np.array([width / 2, height / 2, 1]) @ plane[2])
    ahead = depth * np.sign(middle) > 1e-6 * abs(middle)
    _, scales = _stretch(plane, grid)
    seen = grid[ahead & (scales >= least)]
    if len(seen) < 4:
        return None
    return np.asarray(cv2.convexHull(seen.astype(np.float32))[:, 0], dtype=np.float64)


def upright(corners: Floats) -> Floats:
    """(n, 4, 2) corners turned by half a turn where needed, so that the first two lie further up."""
    return np.take_along_axis(corners, _upright_order(corners)[:, :, None], axis=1)


def _upright_order(corners: Floats) -> NDArray[np.intp]:
    """(n, 4) the numbers of the corners (n, 4, 2) of cards whose first two shall lie further up."""
    flipped = corners[:, :2, 1].mean(axis=1) > corners[:, 2:, 1].mean(axis=1)
    return np.where(flipped[:, None], (2, 3, 0, 1), (0, 1, 2, 3)).astype(np.intp)
