"""Moments of hands: the very frame of a number, with what is known of the time around it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.web.errors import NotHereError
from referee.web.shelf import Film, KeptHand, Opened
from vision.capture.frames import VideoError, as_jpeg

#: Films that are kept open, and JPEGs that are kept.
_OPEN, _KEPT = 2, 120
#: The longer side of a frame as it is sent, px at most.
MAX_PX = 4096
#: That of a still.
STILL_PX = 1600


@dataclass(frozen=True, slots=True)
class Numbered:
    """The frames of a hand: their numbers, ascending, and when each is shown, s."""

    numbers: NDArray[np.int64]
    times: NDArray[np.float64]

    @classmethod
    def none(cls) -> Numbered:
        """No frame at all."""
        return cls(np.zeros(0, np.int64), np.zeros(0))

    def time_of(self, number: int) -> float | None:
        """When the frame of a number is shown, s; None where it is not there."""
        place = int(np.searchsorted(self.numbers, number))
        there = place < len(self.numbers) and self.numbers[place] == number
        return float(self.times[place]) if there else None

    def at(self, seconds: float) -> int:
        """The number of the frame that is shown at a moment; the first or the last one beyond the ends."""
        place = int(np.searchsorted(self.times, seconds + 1e-6, "right")) - 1
        return int(self.numbers[max(0, place)])

    def runs(self) -> list[list[int]]:
        """[number, how many from it on without a hole], in order."""
        starts = np.flatnonzero(np.diff(self.numbers, prepend=self.numbers[:1] - 2) != 1)
        counts = np.diff(starts, append=len(self.numbers))
        return [[int(self.numbers[at]), int(count)] for at, count in zip(starts, counts, strict=True)]

    def to_json(self) -> dict[str, Any]:
        """For the page."""
        return {"times": [round(float(time), 4) for time in self.times], "numbers": self.runs()}


class Frames:
    """Frames of films as JPEG, one at a time; any thread may ask."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: OrderedDict[Hashable, Opened] = OrderedDict()
        self._kept: OrderedDict[tuple[Hashable, int, int], bytes] = OrderedDict()

    def numbered(self, film: Film, after: int = -1) -> Numbered:
        """The frames of a film that are there by now, of those behind a number. Raises NotHereError, VideoError."""
        with self._lock:
            numbers, times = self._opened(film).numbered()
        first, last = np.searchsorted(times, [film.from_s, film.to_s])
        first = max(first, int(np.searchsorted(numbers, after, "right")))
        return Numbered(numbers[first:last], times[first:last])

    def jpeg(self, film: Film, number: int, width: int = MAX_PX) -> bytes:
        """The frame of a number, `width` px long at most. Raises NotHereError, VideoError."""
        with self._lock:
            key = (film.key(), number, width)
            if key not in self._kept:
                opened = self._opened(film)
                _must_have(opened.numbered()[0], number)
                self._kept[key] = as_jpeg(opened.frame(number), width)
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]

    def close(self) -> None:
        """Let go of the films."""
        with self._lock:
            for opened in self._open.values():
                opened.close()
            self._open.clear()

    def _opened(self, film: Film) -> Opened:
        """The film as it is now."""
        key = film.key()
        if key not in self._open:
            self._open[key] = film.open()
            while len(self._open) > _OPEN:
                self._open.popitem(last=False)[1].close()
        self._open.move_to_end(key)
        return self._open[key]


def still_of(hand: KeptHand, frames: Frames, index: int) -> tuple[int, bytes] | None:
    """The number and the picture of the frame in which what a line of a hand tells of came to rest.

    None where the line tells no moment, or that is not recorded, or not yet.
    """
    lines = hand.lines()
    at = lines[index].get("at") if 0 < index < len(lines) else None
    if not isinstance(at, int | float):
        return None
    try:
        numbered = frames.numbered(hand.film)
        if not len(numbered.times) or not numbered.times[0] <= at <= numbered.times[-1]:
            return None
        number = numbered.at(at)
        return number, frames.jpeg(hand.film, number, STILL_PX)
    except (NotHereError, VideoError):
        return None


def _must_have(numbers: Sequence[int] | NDArray[np.int64], number: int) -> None:
    """NotHereError for a number that no frame has."""
    first, last = int(numbers[0]), int(numbers[-1])
    if not first <= number <= last or numbers[int(np.searchsorted(numbers, number))] != number:
        raise NotHereError(f"The recording has no frame {number}: it has those from {first} to {last}.")
