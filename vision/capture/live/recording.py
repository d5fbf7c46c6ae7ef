"""A session's recording, read by the numbers of its frames; also while it goes on."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from vision.capture.clip import write_clip
from vision.capture.frame_reader import FrameReader
from vision.capture.frames import Image, VideoError
from vision.capture.live.frame_index import Rows, index_path, read_rows, segment_path
from vision.capture.live.segment import CLOCK

#: So many files are held open: stepping over the end of one costs nothing.
_OPEN = 2


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a recording: the numbers and times (s of the session) of its first and last frame."""

    number: int
    path: Path
    first_index: int
    last_index: int
    first_s: float
    last_s: float


class Recording:
    """The frames of a session by the numbers and times that they were taken with.

    with Recording.open(folder, "evening") as recording:
        image = recording.frame(recording.index_at(2710.4))

    Raises VideoError, one line with the remedy. For one thread at a time.
    """

    def __init__(self, folder: Path, session: str, rows: Rows) -> None:
        self.folder, self.session = folder, session
        self._rows = rows
        self._open: OrderedDict[int, FrameReader] = OrderedDict()

    @classmethod
    def open(cls, folder: str | Path, session: str = "recording") -> Self:
        """What there is of a session by now. Raises VideoError where there is nothing."""
        folder = Path(folder)
        return cls(folder, session, _rows_of(folder, session))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the files."""
        while self._open:
            self._open.popitem()[1].close()

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def indices(self) -> NDArray[np.int64]:
        """The numbers of the frames that are there, ascending."""
        return self._rows["index"].astype(np.int64)

    @property
    def times(self) -> NDArray[np.float64]:
        """When each of them was taken, s of the session."""
        return np.asarray(self._rows["time_us"] / 1e6, np.float64)

    @property
    def segments(self) -> list[Part]:
        """The files, in order."""
        found = []
        for number in np.unique(self._rows["segment"]):
            rows = self._rows[self._rows["segment"] == number]
            first, last = rows[0], rows[-1]
            path = segment_path(self.folder, self.session, int(number))
            indices = int(first["index"]), int(last["index"])
            found.append(
                Part(int(number), path, *indices, float(first["time_us"]) / 1e6, float(last["time_us"]) / 1e6)
            )
        return found

    def refresh(self) -> None:
        """Take in what was recorded since."""
        self._rows = _rows_of(self.folder, self.session)

    def index_at(self, time_s: float) -> int:
        """The number of the frame that stood at this time; the first or the last one beyond the ends."""
        at = bisect_right(self._rows["time_us"], round(time_s * 1e6)) - 1
        return int(self._rows["index"][max(0, at)])

    def frame(self, index: int) -> Image:
        """(height, width, 3) uint8 BGR. Raises VideoError where it is not recorded, or not any more."""
        if index > self._rows["index"][-1]:
            self.refresh()
        at = int(np.searchsorted(self._rows["index"], index))
        if at == len(self._rows) or self._rows["index"][at] != index:
            raise VideoError(
                f"frame {index} of {self.session} is not in the recording: choose another moment"
            )
        return self._read(at)

    def clip(self, from_s: float, to_s: float, out: str | Path) -> int:
        """Write what was seen from one moment to another (s of the session) as an MP4; see `vision.capture.clip`."""
        times = self._rows["time_us"]
        first = max(0, bisect_right(times, round(from_s * 1e6)) - 1)
        last = bisect_right(times, round(to_s * 1e6))
        if from_s >= to_s or first >= last:
            raise VideoError(f"nothing is recorded from {from_s:g} to {to_s:g} s: choose another moment")
        return write_clip(self._between(first, last), out)

    def _between(self, first: int, last: int) -> Iterator[tuple[float, Image]]:
        for at in range(first, last):
            yield float(self._rows["time_us"][at]) / 1e6, self._read(at)

    def _read(self, at: int) -> Image:
        number, pts = int(self._rows["segment"][at]), int(self._rows["pts"][at])
        for again in (False, True):
            reader = self._reader(number, again=again)
            stamps = np.round(reader.stamps * (reader.clock * CLOCK)).astype(np.int64)
            place = int(np.searchsorted(stamps, pts))
            if place < len(stamps) and stamps[place] == pts:
                return reader.frame(place)
        raise VideoError(f"{reader.path} lacks a frame that was in it: copy the recording again")

    def _reader(self, number: int, *, again: bool) -> FrameReader:
        """What reads a segment; opened `again` where it may have grown."""
        if again and number in self._open:
            self._open.pop(number).close()
        if number not in self._open:
            self._open[number] = FrameReader(segment_path(self.folder, self.session, number))
        self._open.move_to_end(number)
        while len(self._open) > _OPEN:
            self._open.popitem(last=False)[1].close()
        return self._open[number]


def _rows_of(folder: Path, session: str) -> Rows:
    path = index_path(folder, session)
    try:
        rows = read_rows(path)
    except OSError as why:
        raise VideoError(
            f"{path} cannot be read ({why.strerror or why}): name the folder of the recording"
        ) from why
    if not len(rows):
        raise VideoError(f"{path} names no frame: nothing was recorded")
    return rows
