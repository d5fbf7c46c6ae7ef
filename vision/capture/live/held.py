"""The newest frames, as many as fit into some time and some memory."""

from __future__ import annotations

from collections import deque

from vision.capture.live.lazy_frame import bytes_of
from vision.capture.video import Frame


class Held:
    """A ring of frames by number; one always stays."""

    def __init__(self, seconds: float, megabytes: float) -> None:
        self._seconds, self._bytes = seconds, megabytes * 1e6
        self._frames: deque[Frame] = deque()
        self._takes = 0

    def add(self, frame: Frame) -> None:
        """Keep the next frame; the oldest go."""
        self._frames.append(frame)
        self._takes += bytes_of(frame)
        while len(self._frames) > 1 and self._too_much(frame.time_s):
            self._takes -= bytes_of(self._frames.popleft())

    def newest(self, after_index: int) -> Frame | None:
        """The newest frame, if its number is beyond this one."""
        return self._frames[-1] if self._frames and self._frames[-1].index > after_index else None

    def since(self, after_index: int, limit: int) -> list[Frame]:
        """Those beyond this number that are still there, oldest first, the newest `limit` of them."""
        if limit < 1:
            return []
        found: deque[Frame] = deque()
        for frame in reversed(self._frames):
            if frame.index <= after_index or len(found) == limit:
                break
            found.appendleft(frame)
        return list(found)

    def _too_much(self, now_s: float) -> bool:
        return now_s - self._frames[0].time_s > self._seconds or self._takes > self._bytes
