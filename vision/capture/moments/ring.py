"""The last seconds of a fixed camera, grey and small, to look back into."""

from __future__ import annotations

from collections import deque
from threading import Lock

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.steady import laid, scaled
from vision.layout import Floats

Grey = NDArray[np.uint8]

#: Frames are kept so many times smaller, for so long (s), and in no more memory than this (bytes).
SMALLER, MEMORY_S, MOST_BYTES = 2, 8.0, 160_000_000


class FrameRing:
    """`push` every frame from one thread; any other may ask for a part of those that are kept."""

    def __init__(self, width: int, height: int, *, memory_s: float = MEMORY_S) -> None:
        self.size = max(1, width // SMALLER), max(1, height // SMALLER)
        #: px of the picture -> px of what is kept.
        self.scale = self.size[0] / width
        self.memory_s = memory_s
        self._most = max(2, MOST_BYTES // (self.size[0] * self.size[1]))
        self._kept: deque[tuple[float, Grey]] = deque()
        self._lock = Lock()

    def shrunk(self, grey: Grey) -> Grey:
        """What is kept of the grey levels (height, width) of a frame."""
        return np.asarray(cv2.resize(grey, self.size, interpolation=cv2.INTER_AREA), dtype=np.uint8)

    def push(self, at: float, small: Grey, to_first: Floats | None = None) -> None:
        """Take the frame shown at `at` (s) as `shrunk` gave it; `to_first`: (3, 3), px of the picture -> px of the first
        one, where the camera was moved since.
        """
        if to_first is not None:
            small = laid(small, scaled(to_first, self.scale))
        with self._lock:
            self._kept.append((at, small))
            while self._kept[0][0] < at - self.memory_s or len(self._kept) > self._most:
                self._kept.popleft()

    def part(
        self, corners: Floats, size: tuple[int, int], since: float, until: float
    ) -> tuple[Floats, NDArray[np.float32]]:
        """What lies within `corners` ((4, 2) px of the picture) in every frame kept from `since` to `until` (s).

        Returns (n,) s and (n, height, width): each laid upright in `size` (width, height).
        """
        with self._lock:
            kept = [one for one in self._kept if since <= one[0] <= until]
        width, height = size
        upright = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
        to_upright = cv2.getPerspectiveTransform((corners * self.scale).astype(np.float32), upright)
        parts = [cv2.warpPerspective(small, to_upright, size, flags=cv2.INTER_LINEAR) for _, small in kept]
        times = np.array([at for at, _ in kept], dtype=np.float64)
        return times, np.array(parts, dtype=np.float32).reshape(-1, height, width)
