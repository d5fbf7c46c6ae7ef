"""Whether a fixed camera's picture tells anything: it may be too dark, the lens covered, the camera moved.

It works on the small grey copies that `ChangeMap.shrunk` makes, a few of them a second are enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from vision.capture.change import Grey
from vision.layout import Floats

Blindness = Literal["dark", "covered", "moved"]

#: A picture is dark whose brightest hundredth is no brighter than this (of 255).
DARK = 30.0
#: It is covered when this share of it changed by more than so much at once, and it shows less of its detail than this.
CHANGED_SHARE, CHANGED_BY, DETAIL_LEFT = 0.8, 12, 0.5
#: The camera was moved when all of the picture has shifted by more than this (px of the small copy), as well as this
#: can be told, for so many looks in a row; it is compared so often (s).
SHIFT_PX, SHIFT_SURE, SHIFTED_LOOKS, COMPARE_S = 2.0, 0.25, 3, 0.5
#: A picture is compared with one this old (s) at least, and the camera's place with one no older than that.
REFERENCE_S, ANCHOR_S = 1.0, 8.0
#: What the picture shows through where it came from must agree so well with what was there before (correlation).
FITTED = 0.75


@dataclass(slots=True)
class _Seen:
    at: float
    small: Grey
    detail: float


class Blind:
    """Push small copies; `why` says what is amiss now, None where the picture can be read."""

    def __init__(self) -> None:
        self.why: Blindness | None = None
        #: Since when (s).
        self.since_s = 0.0
        self._latest: _Seen | None = None
        self._seen: _Seen | None = None
        self._next: _Seen | None = None
        self._anchor: _Seen | None = None
        self._shifted = 0
        self._first_shifted_s = 0.0
        self._compared_s = -np.inf

    def push(self, at: float, small: Grey) -> Blindness | None:
        """Take the picture shown at `at` (s): what is amiss with it."""
        now = self._latest = _Seen(at, small, _detail(small))
        why = self._judged(now)
        if why != self.why:
            self.since_s = self._first_shifted_s if why == "moved" else at
            self.why = why
        if why is None:
            self._remember(now)
        return why

    @property
    def latest(self) -> tuple[float, Grey]:
        """The picture pushed last, with its moment (s)."""
        assert self._latest is not None
        return self._latest.at, self._latest.small

    def settled(self, at: float, small: Grey) -> None:
        """Where the camera stands now is where it is to stand."""
        self._anchor = self._seen = self._next = _Seen(at, small, _detail(small))
        self._shifted, self.why = 0, None

    def shift(self, small: Grey) -> Floats | None:
        """(3, 3): points of the small copy now -> where they were before the camera moved; None if that is not seen."""
        if self._anchor is None:
            return None
        (dx, dy), _ = _shift(self._anchor.small, small)
        warp = np.array([[1.0, 0.0, dx], [0.0, 1.0, dy]], dtype=np.float32)
        mask = np.ones(small.shape, dtype=np.uint8)
        criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 60, 1e-4)
        try:
            # the map from the old picture's points to the new one's
            fit, there = cv2.findTransformECC(
                self._anchor.small, small, warp, cv2.MOTION_EUCLIDEAN, criteria, mask, 5
            )
        except cv2.error:
            return None
        if fit < FITTED:
            return None
        whole = np.vstack([np.asarray(there), [0.0, 0.0, 1.0]])
        return np.asarray(np.linalg.inv(whole), dtype=np.float64)

    def _judged(self, now: _Seen) -> Blindness | None:
        if float(np.percentile(now.small[::4, ::4], 99)) < DARK:
            return "dark"
        if self._is_covered(now):
            return "covered"
        return "moved" if self._has_moved(now) else None

    def _is_covered(self, now: _Seen) -> bool:
        before = self._seen
        if before is None or now.detail >= DETAIL_LEFT * before.detail:
            return False
        step = np.abs(now.small[::4, ::4].astype(np.int16) - before.small[::4, ::4])
        return float((step > CHANGED_BY).mean()) > CHANGED_SHARE

    def _has_moved(self, now: _Seen) -> bool:
        if self._anchor is None:
            return False
        if now.at - self._compared_s < COMPARE_S:
            return self.why == "moved"
        self._compared_s = now.at
        (dx, dy), sure = _shift(self._anchor.small, now.small)
        if sure < SHIFT_SURE or float(np.hypot(dx, dy)) < SHIFT_PX:
            self._shifted = 0
            return False
        if not self._shifted:
            self._first_shifted_s = now.at
        self._shifted += 1
        return self._shifted >= SHIFTED_LOOKS

    def _remember(self, now: _Seen) -> None:
        if self._next is None or now.at - self._next.at >= REFERENCE_S:
            self._seen, self._next = self._next or now, now
        if self._anchor is None or (now.at - self._anchor.at >= ANCHOR_S and not self._shifted):
            self._anchor = now


def _detail(small: Grey) -> float:
    return float(np.abs(cv2.Laplacian(small[::2, ::2], cv2.CV_16S)).mean())


def _shift(before: Grey, now: Grey) -> tuple[tuple[float, float], float]:
    """How far (x, y px) the picture as a whole has shifted, and how sure that is."""
    a, b = (one.astype(np.float32) for one in (before, now))
    shift, sure = cv2.phaseCorrelate(a, b, _window(a.shape))
    return (float(shift[0]), float(shift[1])), float(sure)


def _window(shape: tuple[int, ...]) -> Floats:
    return np.asarray(cv2.createHanningWindow((shape[1], shape[0]), cv2.CV_32F))
