"""The place around every card that landed, as it was before the arm came with it and after it had gone.

Kept finer than the copy that tells what changed: the edge of a second card may be a mm wide.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from vision.capture.frames import Image
from vision.dealt.canvas import Canvas, Mask, Pixels
from vision.dealt.landings import Landing
from vision.layout import Floats

#: mm around a card that are kept; an arm is gone when it covers no more of a card and so many mm around it than a share.
AROUND_MM, NEAR_MM, FREE = 16.0, 5.0, 0.01
#: px of the copy around an arm that are no picture of the table.
ARM_PX = 4
#: So long pictures are kept (s), one in so long.
BACK_S, STEP_S = 1.4, 0.03
#: So long after a card was seen its place is taken as it stays, unless an arm comes sooner (s).
AFTER_S = 0.2
#: px: width of the pictures that are kept, at most; of those of the whole table.
WIDTH, SMALL = 1440, 480


@dataclass(slots=True)
class Around:
    """The place around a card that landed."""

    landing: Landing
    #: Of the copy: first column and row, and which px are the card or near to it (height, width).
    x: int
    y: int
    near: Mask = field(repr=False)
    #: How it looked (height, width, 3) before and after, and px of these per px of the copy.
    before: Pixels = field(repr=False)
    after: Pixels = field(repr=False)
    finer: float = 1.0
    #: An arm came again, or the moment is over.
    settled: bool = False

    def corners(self, scale: float) -> Floats:
        """(4, 2) px of `before` and `after`: where the eye had the card; `scale`: of the copy to the picture."""
        copy: Floats = (self.landing.corners + 0.5) * scale - np.array([self.x, self.y])
        return copy * self.finer - 0.5


class Alone:
    """Push after every frame of the canvas."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        #: (s, what was seen last where no arm is, arms), these of the copy.
        self._kept: deque[tuple[float, Pixels, Mask]] = deque()
        #: What was seen last where no arm is: finely, and of the copy.
        self._fine: Pixels | None = None
        self._clear: Pixels | None = None
        self._known = 0
        self.around: list[Around] = []

    @property
    def clear(self) -> Pixels:
        """(height, width, 3) of the copy: what was seen last where no arm is."""
        assert self._clear is not None
        return self._clear

    def push(self, image: Image, landings: Sequence[Landing], arms: Mask, px_per_mm: float | None) -> None:
        """`image`: the frame; `landings`: all so far; `arms`: (height, width) of the copy; px of the picture a mm."""
        self._look(image, arms)
        if px_per_mm is None:
            return
        for one in reversed(self.around):
            if self._canvas.now - one.landing.at > 2 * AFTER_S:
                break
            self._follow(one, arms)
        for landing in landings[self._known :]:
            size = SMALL, round(SMALL * self.clear.shape[0] / self.clear.shape[1])
            small = cv2.resize(self.clear, size, interpolation=cv2.INTER_AREA)
            landing.table = np.asarray(small, dtype=np.uint8)
            self.around.append(self._add(landing, px_per_mm * self._canvas.scale))
        self._known = len(landings)

    def _look(self, image: Image, arms: Mask) -> None:
        seen = self._canvas.seen
        assert seen is not None
        side = 2 * ARM_PX + 1
        near = cv2.dilate(arms.astype(np.uint8), np.ones((side, side), np.uint8))
        free = np.asarray(1 - near, dtype=np.uint8)
        self._clear = _seen_where(free, seen, self._clear)
        fine = image
        if image.shape[1] > WIDTH:
            size = WIDTH, round(image.shape[0] * WIDTH / image.shape[1])
            fine = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        finely = cv2.resize(free, fine.shape[1::-1], interpolation=cv2.INTER_NEAREST)
        self._fine = _seen_where(np.asarray(finely, dtype=np.uint8), fine, self._fine)
        now = self._canvas.now
        if not self._kept or now - self._kept[-1][0] >= STEP_S:
            self._kept.append((now, self._fine, arms))
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
            assert self._fine is not None
            one.after = self._part(self._fine, box)

    def _add(self, landing: Landing, px: float) -> Around:
        corners = landing.corners * self._canvas.scale
        low, high = corners.min(axis=0) - AROUND_MM * px, corners.max(axis=0) + AROUND_MM * px
        x, y = (max(0, int(v)) for v in low)
        box = slice(y, int(high[1]) + 1), slice(x, int(high[0]) + 1)
        near = self._canvas.area_of(landing.corners, NEAR_MM * px)[box]
        box = slice(y, y + near.shape[0]), slice(x, x + near.shape[1])
        assert self._fine is not None
        finer = self._fine.shape[1] / self._canvas.size[0]
        return Around(
            landing, x, y, near, self._before(landing, box, near), self._part(self._fine, box), finer
        )

    def _part(self, fine: Pixels, box: tuple[slice, slice]) -> Pixels:
        """A box of the copy, finely."""
        finer = fine.shape[1] / self._canvas.size[0]
        rows, columns = (slice(round(one.start * finer), round(one.stop * finer)) for one in box)
        return fine[rows, columns].copy()

    def _before(self, landing: Landing, box: tuple[slice, slice], near: Mask) -> Pixels:
        """How a place looked before the arm that brought a card was there."""
        came = False
        for _, fine, arms in reversed(self._kept):
            covered = float(arms[box][near].mean()) > FREE
            if came and not covered:
                return self._part(fine, box)
            came = came or covered
        # no arm was seen there: what lay there, where the card changed it
        assert self._fine is not None
        before = self._part(self._fine, box)
        finer = self._fine.shape[1] / self._canvas.size[0]
        lay = cv2.resize(landing.before, None, fx=finer, fy=finer, interpolation=cv2.INTER_LINEAR)
        top, left = (round(v * finer) for v in (landing.y - box[0].start, landing.x - box[1].start))
        own = slice(max(top, 0), top + lay.shape[0]), slice(max(left, 0), left + lay.shape[1])
        part = before[own]
        part[:] = lay[-min(top, 0) :, -min(left, 0) :][: part.shape[0], : part.shape[1]]
        return before


def _seen_where(free: Pixels, seen: Pixels, clear: Pixels | None) -> Pixels:
    """What is seen at these px (height, width: 1, else 0), and what was clear elsewhere."""
    return np.asarray(cv2.copyTo(seen, free, seen.copy() if clear is None else clear.copy()), dtype=np.uint8)
