"""Moments as films of their own: cut once, kept for whoever asks again."""

from __future__ import annotations

import tempfile
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from pathlib import Path
from threading import Lock
from uuid import uuid4

import numpy as np

from referee.web.dispute.frames import Numbered
from referee.web.errors import BusyError, NotHereError, OddError
from referee.web.shelf import Film, Opened
from vision.capture.clip import write_clip
from vision.capture.frames import Image, fitted

#: The longer side of a clip, px at most.
LARGEST_PX = 1920
#: The longest clip, s; clips that are kept; and how many may wait to be cut.
LONGEST_S, _KEPT, _MOST_WAIT = 20.0, 24, 6

Key = tuple[Hashable, float, float, int]


class Clips:
    """Cuts one clip at a time, into a folder that goes with this."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._lock, self._cutting = Lock(), Lock()
        self._kept: OrderedDict[Key, Path] = OrderedDict()
        self._waiting = 0

    def clip(self, film: Film, frames: Numbered, from_s: float, to_s: float, width: int = LARGEST_PX) -> Path:
        """What `film`, of which these frames are there, shows from one moment to another (s), as an MP4.

        `width`: its longer side, px at most; a small one is there sooner.

        Raises OddError, NotHereError, BusyError, VideoError.
        """
        if not 0 < to_s - from_s <= LONGEST_S:
            raise OddError(
                f"A clip lasts up to {LONGEST_S:.0f} s: let it begin before it ends, and not long."
            )
        if not len(frames.times):
            raise NotHereError("Nothing is recorded of this hand yet: wait a moment.")
        first, last = float(frames.times[0]), float(frames.times[-1])
        if to_s < first or from_s > last:
            raise NotHereError("Nothing of this moment is recorded: choose another one.")
        key = film.key(), round(max(from_s, first), 3), round(min(to_s, last), 3), width
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            if self._waiting >= _MOST_WAIT:
                raise BusyError("Too many clips are being cut: try again in a moment.")
            self._waiting += 1
        try:
            return self._cut(film, key)
        finally:
            with self._lock:
                self._waiting -= 1

    def _cut(self, film: Film, key: Key) -> Path:
        with self._cutting:
            if key in self._kept:  # by who came before
                return self._kept[key]
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="nerts-referee-clips-")
            out = Path(self._folder.name) / f"{uuid4().hex}.mp4"
            opened = film.open()  # one of its own: frames are asked for meanwhile
            try:
                write_clip(_between(opened, *key[1:]), out)
            finally:
                opened.close()
            with self._lock:
                self._kept[key] = out
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)[1].unlink(missing_ok=True)
            return out

    def close(self) -> None:
        """Throw all clips away."""
        if self._folder is not None:
            self._folder.cleanup()


def _between(opened: Opened, from_s: float, to_s: float, width: int) -> Iterator[tuple[float, Image]]:
    """The frames from the one that is shown at a moment to the one that is shown at another."""
    numbers, times = opened.numbered()
    first = max(0, int(np.searchsorted(times, from_s + 1e-6, "right")) - 1)
    last = int(np.searchsorted(times, to_s + 1e-6, "right"))
    for place in range(first, max(last, first + 1)):
        yield float(times[place]), fitted(opened.frame(int(numbers[place])), width)
