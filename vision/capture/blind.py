"""Whether a fixed camera's picture tells anything: it may be too dark, the lens covered, the camera moved.

It works on the small grey copies that `ChangeMap.shrunk` makes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from vision.capture.change import Grey
from vision.capture.steady import Steady
from vision.layout import Floats

Blindness = Literal["dark", "covered", "moved"]

#: A picture is dark whose brightest share is no brighter than this (of 255).
BRIGHTEST, DARK = 0.01, 30
#: It is covered when this share of it changed by more than so much at once, and it shows less of its detail than this.
CHANGED_SHARE, CHANGED_BY, DETAIL_LEFT = 0.8, 12, 0.5
#: A picture is compared with one this old (s) at least.
REFERENCE_S = 1.0


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
        #: The picture pushed last, as it would look if the camera had never moved; None while there is something amiss.
        self.shown: Grey | None = None
        self._steady = Steady()
        self._latest: tuple[float, Grey] | None = None
        self._seen: _Seen | None = None
        self._next: _Seen | None = None

    def push(self, at: float, small: Grey) -> Blindness | None:
        """Take the picture shown at `at` (s): what is amiss with it."""
        now = _Seen(at, small, _detail(small))
        self._latest = at, small
        why = self._judged(now)
        if why != self.why:
            moving = self._steady.moving_since
            self.since_s = at if moving is None else moving
            self.why = why
        if why is None:
            self._remember(now)
        return why

    def settled(self) -> None:
        """Where the camera stands now is where it is to stand."""
        if self._latest is not None:
            self._steady.begin(*self._latest)
        self.why = None

    def unmoved(self) -> None:
        """The camera stands where it stood, whatever the picture shows."""
        if self._latest is not None:
            self._steady.stay(*self._latest)
        self.why = None

    def to_first(self, at: float) -> Floats:
        """(3, 3): px of a small copy taken at `at` (s) -> px of the first one: the camera may have been moved since."""
        return self._steady.to_first(at)

    def _judged(self, now: _Seen) -> Blindness | None:
        self.shown = None
        some = now.small[::4, ::4]
        if np.count_nonzero(some >= DARK) < BRIGHTEST * some.size:
            return "dark"
        if self._is_covered(now):
            return "covered"
        self.shown = self._steady.push(now.at, now.small)
        return "moved" if self.shown is None else None

    def _is_covered(self, now: _Seen) -> bool:
        before = self._seen
        if before is None or now.detail >= DETAIL_LEFT * before.detail:
            return False
        step = np.abs(now.small[::4, ::4].astype(np.int16) - before.small[::4, ::4])
        return float((step > CHANGED_BY).mean()) > CHANGED_SHARE

    def _remember(self, now: _Seen) -> None:
        if self._next is None or now.at - self._next.at >= REFERENCE_S:
            self._seen, self._next = self._next or now, now


def _detail(small: Grey) -> float:
    return float(np.abs(cv2.Laplacian(small[::2, ::2], cv2.CV_16S)).mean())
