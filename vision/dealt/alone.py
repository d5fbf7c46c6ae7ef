"""Did every card land alone? Asked when all is done, for then the size of each deck's cards is known.

For each card the place around it is kept as it was before the arm came with it, and after it had gone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from vision.dealt.canvas import Canvas, Mask, Pixels
from vision.dealt.fit import Turned, changed_in
from vision.dealt.landings import Landing
from vision.dealt.sizes import usual_sizes
from vision.layout import Floats

#: mm around a card that are kept; an arm is gone when it covers no more of a card and so many mm around it than a share.
AROUND_MM, NEAR_MM, FREE = 16.0, 5.0, 0.01
#: px of the copy around an arm that are no picture of the table.
ARM_PX = 4
#: So long pictures are kept (s), one in so long.
BACK_S, STEP_S = 1.4, 0.03
#: So long after a card was seen its place is taken as it stays, unless an arm comes sooner (s).
AFTER_S = 0.2


@dataclass(slots=True)
class Around:
    """What changed around a card that landed."""

    landing: Landing
    #: First column and row on the copy, and how it looked (height, width, 3) before and after.
    x: int
    y: int
    before: Pixels = field(repr=False)
    after: Pixels = field(repr=False)
    #: The card and what is near to it (height, width).
    near: Mask = field(repr=False)
    #: An arm came again, or the moment is over.
    settled: bool = False


class Alone:
    """Push after every frame of the canvas."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        #: (s, what was seen last where no arm is, arms), of the copy.
        self._kept: deque[tuple[float, Pixels, Mask]] = deque()
        self._clear: Pixels | None = None
        self._known = 0
        self.around: list[Around] = []

    @property
    def clear(self) -> Pixels:
        """(height, width, 3): what was seen last where no arm is."""
        assert self._clear is not None
        return self._clear

    def push(self, landings: Sequence[Landing], arms: Mask, px_per_mm: float | None) -> None:
        """`landings`: all so far; `arms`: (height, width) of the copy; px of the picture a mm."""
        self._look(arms)
        if px_per_mm is None:
            return
        for one in reversed(self.around):
            if self._canvas.now - one.landing.at > 2 * AFTER_S:
                break
            self._follow(one, arms)
        for landing in landings[self._known :]:
            self.around.append(self._add(landing, px_per_mm * self._canvas.scale))
        self._known = len(landings)

    def _look(self, arms: Mask) -> None:
        seen = self._canvas.seen
        assert seen is not None
        side = 2 * ARM_PX + 1
        near = cv2.dilate(arms.astype(np.uint8), np.ones((side, side), np.uint8))
        clear = seen.copy() if self._clear is None else self._clear.copy()
        self._clear = np.asarray(cv2.copyTo(seen, 1 - near, clear), dtype=np.uint8)
        now = self._canvas.now
        if not self._kept or now - self._kept[-1][0] >= STEP_S:
            self._kept.append((now, self._clear, arms))
        while now - self._kept[0][0] > BACK_S:
            self._kept.popleft()

    def _follow(self, one: Around, arms: Mask) -> None:
        """The place of a card that landed just now, until an arm comes again."""
        if one.settled:
            return
        height, width = one.near.shape
        box = slice(one.y, one.y + height), slice(one.x, one.x + width)
        late = self._canvas.now - one.landing.at >= AFTER_S
        comes = (
            float(arms[box][one.near].mean()) > 10 * FREE and self._canvas.now - one.landing.at > AFTER_S / 2
        )
        one.settled = late or comes
        if not comes:
            one.after = self.clear[box].copy()

    def _add(self, landing: Landing, px: float) -> Around:
        corners = landing.corners * self._canvas.scale
        low, high = corners.min(axis=0) - AROUND_MM * px, corners.max(axis=0) + AROUND_MM * px
        x, y = (max(0, int(v)) for v in low)
        box = slice(y, int(high[1]) + 1), slice(x, int(high[0]) + 1)
        near = self._canvas.area_of(landing.corners, NEAR_MM * px)[box]
        return Around(landing, x, y, self._before(landing, box, near), self.clear[box].copy(), near)

    def _before(self, landing: Landing, box: tuple[slice, slice], near: Mask) -> Pixels:
        """How a place looked before the arm that brought a card was there."""
        assert self._canvas.seen is not None
        came = False
        for _, clear, arms in reversed(self._kept):
            covered = float(arms[box][near].mean()) > FREE
            if came and not covered:
                return clear[box].copy()
            came = came or covered
        # no arm was seen there: what lay there, where the card changed it
        before = self.clear[box].copy()
        rows, columns = landing.before.shape[:2]
        top, left = landing.y - box[0].start, landing.x - box[1].start
        own = slice(max(top, 0), top + rows), slice(max(left, 0), left + columns)
        part = before[own]
        part[:] = landing.before[-min(top, 0) :, -min(left, 0) :][: part.shape[0], : part.shape[1]]
        return before


def look_beside(
    around: Sequence[Around], labels: Sequence[str | None], scale: float, px_per_mm: float
) -> None:
    """Sets how much changed `beside` every card that landed, and its scene.

    `labels`: whose back each shows; `scale`: px of the copy per px of the picture, of which `px_per_mm` are.
    """
    turned = []
    for one in around:
        corners: Floats = one.landing.corners * scale - np.array([one.x, one.y])
        turned.append(Turned(changed_in(one.before, one.after), corners, px_per_mm * scale))
    places = np.array([one.landing.corners.mean(axis=0) / px_per_mm for one in around])
    sizes = usual_sizes([one.size() for one in turned], labels, places)
    for one, changed, size in zip(around, turned, sizes, strict=True):
        one.landing.beside, one.landing.scene = changed.beside(size), (one.before, one.after)
