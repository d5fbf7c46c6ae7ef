"""Frames that were noticed and wait to be looked at: whoever looks may fall behind without missing what was shown."""

from __future__ import annotations

from collections import deque
from math import inf
from threading import Lock

from vision.capture.live.lazy_frame import bytes_of
from vision.capture.video import Frame

#: So far (s) looking may fall behind, with frames of so much memory (millions of bytes); then the oldest are let go.
BEHIND_S, BEHIND_MB = 5.0, 384
#: Those that wait are at least so far apart (s), but for the newest: a card that is laid rests for longer.
APART_S = 0.09
#: Behind by more than this (s), looking goes on by so long steps (s): else it looks more often at what it has fallen
#: behind with than at what is shown now, and stays behind.
STEPS = (1.5, 0.3), (0.4, 0.2)
_EPSILON = 1e-6


class Waiting:
    """`add` frames from one thread, take the `next` or see the `newest` from another."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._frames: deque[Frame] = deque()
        self._takes = 0

    def add(self, frame: Frame) -> None:
        """This frame was noticed."""
        with self._lock:
            frames = self._frames
            if len(frames) > 1 and frames[-1].time_s - frames[-2].time_s < APART_S:
                self._takes -= bytes_of(frames.pop())
            frames.append(frame)
            self._takes += bytes_of(frame)
            while len(frames) > 1 and self._too_much():
                self._takes -= bytes_of(frames.popleft())

    def _too_much(self) -> bool:
        return self.behind_s > BEHIND_S or self._takes > BEHIND_MB * 1e6

    @property
    def behind_s(self) -> float:
        """The time (s) between the oldest frame that waits and the newest; 0 where none waits."""
        return self._frames[-1].time_s - self._frames[0].time_s if self._frames else 0.0

    def newest(self) -> Frame | None:
        """The newest frame; it and those before it go on waiting."""
        with self._lock:
            return self._frames[-1] if self._frames else None

    def next(self, after_s: float, newest_from_s: float = inf) -> Frame | None:
        """The oldest frame beyond a moment (s), or one some steps later where many wait; beyond `newest_from_s` the
        newest. None up to it waits any more.
        """
        with self._lock:
            if self._frames:
                latest_s = self._frames[-1].time_s
                after_s = min(after_s + _step(latest_s - after_s), max(after_s, latest_s - _EPSILON))
            while self._frames:
                frame = self._frames.popleft()
                self._takes -= bytes_of(frame)
                if frame.time_s > after_s and (frame.time_s <= newest_from_s or not self._frames):
                    return frame
            return None


def _step(behind_s: float) -> float:
    return next((step for behind, step in STEPS if behind_s > behind), 0.0)
