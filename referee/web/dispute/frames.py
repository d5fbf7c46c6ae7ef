"""Moments of recordings: the very frame of a number, with what is known of the time around it."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from threading import Lock

from referee.web.errors import NotHereError
from vision.capture.frame_reader import FrameReader
from vision.capture.frames import as_jpeg

#: Films that are kept open, and JPEGs that are kept.
_OPEN, _KEPT = 2, 120
#: The longer side of a frame as it is sent, px at most.
MAX_PX = 4096


class Frames:
    """Frames of films as JPEG, one at a time; any thread may ask."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: OrderedDict[tuple[Path, int], FrameReader] = OrderedDict()
        self._kept: OrderedDict[tuple[Path, int, int, int], bytes] = OrderedDict()

    def times(self, film: Path) -> list[float]:
        """When each frame is shown, s from the first. Raises VideoError."""
        with self._lock:
            return [round(float(time), 4) for time in self._reader(film).times]

    def jpeg(self, film: Path, number: int, width: int = MAX_PX) -> bytes:
        """The frame of a number, `width` px long at most. Raises NotHereError, VideoError."""
        with self._lock:
            key = (*_of(film), number, width)
            if key not in self._kept:
                reader = self._reader(film)
                if not 0 <= number < len(reader):
                    raise NotHereError(
                        f"The recording has no frame {number}: it has {len(reader)}, from 0 on."
                    )
                self._kept[key] = as_jpeg(reader.frame(number), width)
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]

    def close(self) -> None:
        """Let go of the films."""
        with self._lock:
            for reader in self._open.values():
                reader.close()
            self._open.clear()

    def _reader(self, film: Path) -> FrameReader:
        """The film as it is now: one that has changed is opened anew."""
        key = _of(film)
        if key not in self._open:
            self._open[key] = FrameReader(film)
            while len(self._open) > _OPEN:
                self._open.popitem(last=False)[1].close()
        self._open.move_to_end(key)
        return self._open[key]


def _of(film: Path) -> tuple[Path, int]:
    try:
        return film, film.stat().st_mtime_ns
    except OSError:
        raise NotHereError("The video is no longer here: choose another recording.") from None
