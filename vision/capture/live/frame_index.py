"""Which frame of a session stands where in its recording: a row a frame, appended as frames are written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

#: One row, little-endian: the frame's number, its segment's number, its time in millionths of a second, and its time
#: stamp in the segment by the segment's own clock.
ROW = np.dtype([("index", "<u4"), ("segment", "<u4"), ("time_us", "<i8"), ("pts", "<i8")])
Rows = NDArray[np.void]


def index_path(folder: Path, session: str) -> Path:
    """Where the rows of a session stand."""
    return folder / f"{session}.frames"


def segment_path(folder: Path, session: str, number: int) -> Path:
    """Where a segment of a session stands; `number` from 1 on."""
    return folder / f"{session}-{number:04d}.mp4"


def row(index: int, segment: int, time_s: float, pts: int) -> bytes:
    """One row as it is written."""
    return np.array([(index, segment, round(time_s * 1e6), pts)], ROW).tobytes()


def read_rows(path: Path) -> Rows:
    """All whole rows: a process that was killed may leave part of one. Raises OSError."""
    data = path.read_bytes()
    return np.frombuffer(data[: len(data) // ROW.itemsize * ROW.itemsize], ROW)
