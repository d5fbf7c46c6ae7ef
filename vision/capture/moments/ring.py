"""The last seconds of a fixed camera, grey and small, and how blue they are, smaller still, to look back into."""

from __future__ import annotations

from collections import deque
from threading import Lock

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.steady import laid, scaled
from vision.layout import Floats

Grey = NDArray[np.uint8]

#: Frames are kept so many times smaller, their blue so many times, for so long (s), and in no more memory than this
#: (bytes).
SMALLER, BLUE_SMALLER, MEMORY_S, MOST_BYTES = 2, 4, 8.0, 200_000_000
#: Colours differ less, and with less noise, than grey levels do: steps of blue are told so many times larger.
BLUE_GAIN = 3.0
#: A light is switched where half of the picture is brighter, or darker, than a frame before by more than this (grey
#: levels); each so many px are asked.
SWITCHED, EACH_PX = 4.0, 8


class FrameRing:
    """`push` every frame from one thread; any other may ask for a part of those that are kept."""

    def __init__(self, width: int, height: int, *, memory_s: float = MEMORY_S) -> None:
        self.size = max(1, width // SMALLER), max(1, height // SMALLER)
        #: px of the picture -> px of what is kept.
        self.scale = self.size[0] / width
        self.memory_s = memory_s
        self._blue_size = max(1, width // BLUE_SMALLER), max(1, height // BLUE_SMALLER)
        pixels = self.size[0] * self.size[1] + self._blue_size[0] * self._blue_size[1]
        self._most = max(2, MOST_BYTES // pixels)
        self._kept: deque[tuple[float, Grey, Grey | None]] = deque()
        self._lock = Lock()
        self._before: Grey | None = None
        #: When (s) frames first showed another light.
        self._lit: deque[float] = deque(maxlen=64)

    def shrunk(self, grey: Grey) -> Grey:
        """What is kept of the grey levels (height, width) of a frame."""
        return np.asarray(cv2.resize(grey, self.size, interpolation=cv2.INTER_AREA), dtype=np.uint8)

    def push(self, at: float, small: Grey, to_first: Floats | None = None, blue: Grey | None = None) -> None:
        """Take the frame shown at `at` (s) as `shrunk` gave it; `blue`: how blue it is, (height, width) of any size.

        `to_first`: (3, 3), px of the picture -> px of the first one, where the camera was moved since.
        """
        if blue is not None:
            blue = np.asarray(cv2.resize(blue, self._blue_size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        if to_first is not None:
            small = laid(small, scaled(to_first, self.scale))
            blue = None if blue is None else laid(blue, scaled(to_first, 1.0 / BLUE_SMALLER))
        seen, before = small[::EACH_PX, ::EACH_PX], self._before
        switched = before is not None and abs(np.median(seen.astype(np.int16) - before)) > SWITCHED
        self._before = seen
        with self._lock:
            if switched:
                self._lit.append(at)
            self._kept.append((at, small, blue))
            while self._kept[0][0] < at - self.memory_s or len(self._kept) > self._most:
                self._kept.popleft()

    def lit_since(self, since: float, until: float) -> float:
        """From which moment (s) on the table is seen in the light of `until`; `since` where that is no later."""
        with self._lock:
            return max((at for at in self._lit if since < at <= until), default=since)

    def part(
        self, corners: Floats, size: tuple[int, int], since: float, until: float, *, blue: bool = False
    ) -> tuple[Floats, NDArray[np.float32]]:
        """What lies within `corners` ((4, 2) px of the picture) in every frame kept from `since` to `until` (s).

        Returns (n,) s and (n, height, width): each laid upright in `size` (width, height). `blue`: how blue it is, steps
        told `BLUE_GAIN` times larger, of the frames of which that was kept.
        """
        with self._lock:
            between = [one for one in self._kept if since <= one[0] <= until]
        chosen = ((at, bluish if blue else small) for at, small, bluish in between)
        kept = [(at, plane) for at, plane in chosen if plane is not None]
        scale = 1.0 / BLUE_SMALLER if blue else self.scale
        width, height = size
        upright = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
        to_upright = cv2.getPerspectiveTransform((corners * scale).astype(np.float32), upright)
        parts = [cv2.warpPerspective(small, to_upright, size, flags=cv2.INTER_LINEAR) for _, small in kept]
        times = np.array([at for at, _ in kept], dtype=np.float64)
        gain = BLUE_GAIN if blue else 1.0
        return times, gain * np.array(parts, dtype=np.float32).reshape(-1, height, width)
