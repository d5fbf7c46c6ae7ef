"""Frames of films of strangers by number, decoded apart; same results and errors as `FrameReader` and `frame_times`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from vision.capture.apart.beside import ApartError
from vision.capture.apart.limits import for_film
from vision.capture.apart.opening import sentence
from vision.capture.apart.process import Apart, Done
from vision.capture.frame_reader import FrameReader
from vision.capture.frame_times import frame_times
from vision.capture.frames import Image, VideoError

#: Which reader: whose, of which file, as it was at which moment (ns).
Key = tuple[str, str, int]
#: Readers that the process keeps open.
_MOST_OPEN = 3
_AGAIN = "record or copy it again"
_ELSEWHERE = "copy the recording again, or look at another moment"


class ApartReader:
    """Gives any frame of a stranger's film by its number, see `FrameReader`; the process that decodes it keeps it open.

    A process that was ended meanwhile opens the film again. `name`: the user's file, which errors tell of. For one
    thread at a time; raises VideoError.
    """

    def __init__(self, apart: Apart, path: Path, name: str) -> None:
        self._apart, self._path, self._name = apart, path, name
        self._key: Key = uuid4().hex, str(path), _changed_at(path)
        done = self._asked(_times, _AGAIN, ("open", "opened"))
        #: When each frame is shown, s from the first.
        self.times: NDArray[np.float64] = done.data.view(np.float64)

    def __len__(self) -> int:
        return len(self.times)

    def frame(self, index: int) -> Image:
        """(height, width, 3) uint8 BGR, upright. Raises IndexError beyond the end, VideoError where it is damaged."""
        if not 0 <= index < len(self):
            raise IndexError(f"{self._name} has no frame {index}: it has {len(self)}, from 0 on")
        at = f"at frame {index}"
        done = self._asked(_frame, _ELSEWHERE, (f"read {at}", f"read {at}"), index)
        height, width = done.told["size"]
        return done.data.reshape(height, width, 3)

    def close(self) -> None:
        """Let go of the file."""
        if self._apart.is_running:
            with suppress(ApartError):
                self._apart.do(_let_go, self._key)

    def _asked(self, work: Callable[..., Done], remedy: str, doing: tuple[str, str], *given: object) -> Done:
        try:
            done = self._apart.do(work, self._key, *given, limits=for_film(self._path))
        except ApartError as why:
            raise VideoError(sentence(why, self._name, remedy, doing)) from why
        return _whole(done, self._path, self._name)


def times_around(apart: Apart, path: Path, name: str, around: float) -> list[float]:
    """When the frames of a stranger's film near a moment are shown, see `frame_times`. Raises VideoError."""
    try:
        done = apart.do(_around, str(path), around, limits=for_film(path))
    except ApartError as why:
        raise VideoError(sentence(why, name, _AGAIN)) from why
    return [float(time) for time in _whole(done, path, name).data.view(np.float64)]


def _whole(done: Done, path: Path, name: str) -> Done:
    if "error" in done.told:
        raise VideoError(str(done.told["error"]).replace(str(path), name))
    return done


def _changed_at(path: Path) -> int:
    """When the file was changed last, ns; 0 where there is none."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


# In the process apart

_open: OrderedDict[Key, FrameReader] = OrderedDict()


def _times(key: Key) -> Done:
    return _told(key[1], lambda: Done({}, _reader(key).times.view(np.uint8)))


def _frame(key: Key, index: int) -> Done:
    def shown() -> Done:
        image = _reader(key).frame(index)
        return Done({"size": image.shape[:2]}, image)

    return _told(key[1], shown)


def _let_go(key: Key) -> Done:
    reader = _open.pop(key, None)
    if reader is not None:
        reader.close()
    return Done()


def _around(path: str, around: float) -> Done:
    return _told(path, lambda: Done({}, np.array(frame_times(path, around), np.float64).view(np.uint8)))


def _told(path: str, work: Callable[[], Done]) -> Done:
    try:
        return work()
    except VideoError as why:
        return Done({"error": str(why)})
    except MemoryError:
        return Done({"error": f"{path} needs more memory than there is: record it smaller"})


def _reader(key: Key) -> FrameReader:
    """The film of a key: as it was left, or opened (again)."""
    if key not in _open:
        _, path, changed_at = key
        reader = FrameReader(path)
        if _changed_at(Path(path)) != changed_at:
            reader.close()
            raise VideoError(f"{path} is another film by now: open the recording again")
        _open[key] = reader
        while len(_open) > _MOST_OPEN:
            _open.popitem(last=False)[1].close()
    _open.move_to_end(key)
    return _open[key]
