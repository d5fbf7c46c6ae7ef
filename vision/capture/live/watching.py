"""Whether frames come as a camera's do: fast enough, without gaps, with pictures that live, in one size."""

from __future__ import annotations

from collections import deque

import numpy as np

from vision.capture.frames import Image
from vision.capture.live.lazy_frame import brightness, size_of
from vision.capture.live.notices import Notice
from vision.capture.video import Frame

#: Nothing came for so long (s): the machine slept, or the camera did.
GAP_S = 2.0
#: A picture of which fewer than this share of the px differ at all from one before it stands still; told after so
#: long (s). Longer than streams repeat a picture whole.
STILL_SHARE, FROZEN_S = 0.01, 5.0
#: Fewer frames a second than this, over so long (s), are too few for quick plays.
LEAST_FPS, RATE_OVER_S = 10.0, 4.0
#: Told over again only beyond this (frames a second), so that it is not told to and fro.
STEADY_FPS = 12.0
#: Every so many px are compared.
_EVERY = 8


class Watch:
    """Push every frame; told is what began or is over with it."""

    def __init__(self) -> None:
        self._size: tuple[int, int] | None = None
        self._look: Image | None = None
        self._still_since: float | None = None
        self._times: deque[float] = deque()
        self._frozen = self._slow = False

    @property
    def fps(self) -> float:
        """Frames a second of late; 0 before there are two."""
        spent = self._times[-1] - self._times[0] if len(self._times) > 1 else 0.0
        return (len(self._times) - 1) / spent if spent > 0 else 0.0

    def push(self, frame: Frame) -> list[Notice]:
        """Take the next frame."""
        told = [
            *self._gap(frame.time_s),
            *self._rate(frame.time_s),
            *self._resized(frame),
            *self._still(frame),
        ]
        return told

    def interrupted(self) -> None:
        """The camera is gone: what comes next is not measured against what came before."""
        self._times.clear()
        self._look = self._still_since = None

    def _gap(self, now_s: float) -> list[Notice]:
        last_s = self._times[-1] if self._times else now_s
        if now_s - last_s <= GAP_S:
            return []
        self.interrupted()
        text = f"no picture came for {now_s - last_s:.0f} s: what was played then is not known"
        return [Notice("gap", now_s, text, last_s)]

    def _rate(self, now_s: float) -> list[Notice]:
        times = self._times
        times.append(now_s)
        while now_s - times[0] > RATE_OVER_S and len(times) > 2:
            times.popleft()
        if now_s - times[0] < RATE_OVER_S * 0.75:
            return []
        if not self._slow and self.fps < LEAST_FPS:
            self._slow = True
            text = f"only {self.fps:.1f} frames a second: give it more light, or let it take smaller pictures"
            return [Notice("slow", now_s, text, times[0])]
        if self._slow and self.fps >= STEADY_FPS:
            self._slow = False
            return [Notice("steady", now_s, f"{self.fps:.0f} frames a second again")]
        return []

    def _resized(self, frame: Frame) -> list[Notice]:
        before, self._size = self._size, size_of(frame)
        if before is None or before == self._size:
            return []
        (was, high), (now, tall) = before, self._size
        self._look = None
        return [
            Notice("resized", frame.time_s, f"the picture is {now} × {tall} px now, it was {was} × {high}")
        ]

    def _still(self, frame: Frame) -> list[Notice]:
        before, self._look = self._look, brightness(frame, _EVERY)
        now_s = frame.time_s
        if before is None or before.shape != self._look.shape or _differ(before, self._look):
            self._still_since = None
            if self._frozen and before is not None:
                self._frozen = False
                return [Notice("moving", now_s, "the picture moves again")]
            return []
        if self._still_since is None:
            self._still_since = self._times[-2] if len(self._times) > 1 else now_s
        if self._frozen or now_s - self._still_since < FROZEN_S:
            return []
        self._frozen = True
        text = "the picture stands still: wake the camera or its phone, or plug it in again"
        return [Notice("frozen", now_s, text, self._still_since)]


def _differ(before: Image, after: Image) -> bool:
    return float(np.mean(before != after)) > STILL_SHARE
