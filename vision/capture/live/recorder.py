"""Keeps every frame of a session in files that can be played while they grow."""

from __future__ import annotations

import errno
import os
import shutil
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Condition, Thread
from typing import BinaryIO

from vision.capture.live import segment
from vision.capture.live.frame_index import ROW, index_path, read_rows, row, segment_path
from vision.capture.live.lazy_frame import bytes_of
from vision.capture.live.notices import Notice
from vision.capture.video import Frame

#: How long a file goes on, s.
SEGMENT_S = 60.0
#: How many frames may wait to be written, by what they take (millions of bytes).
_WAITING_MB = 256
#: So much of the disk (millions of bytes) is left to the record; a recording that stopped goes on from twice that.
LEAST_FREE_MB = 200
#: How often (s of the session) the room on the disk is looked at; and tried again once it was full.
_LOOK_S, _AGAIN_S = 1.0, 5.0
#: How long closing waits for what is still to be written, s.
_CLOSE_S = 10.0


class RecorderError(Exception):
    """A folder that no recording can be kept in; one line with the remedy."""


def _new_file(path: Path) -> BinaryIO:
    return path.open("xb")


class Recorder:
    """Writes the frames that it is given into `folder`, in a thread of its own: SESSION-0001.mp4, -0002.mp4 and so on.

    A session that is there already is gone on with behind its last file: nothing is overwritten. `next_index` and
    `last_s` tell where its frames end. Raises RecorderError where the folder cannot be written to. `opener` opens the
    files that are new; `free_mb` tells how much room a folder has.
    """

    def __init__(
        self,
        folder: str | Path,
        session: str = "recording",
        *,
        segment_s: float = SEGMENT_S,
        opener: Callable[[Path], BinaryIO] = _new_file,
        free_mb: Callable[[Path], float] = lambda folder: shutil.disk_usage(folder).free / 1e6,
    ) -> None:
        self.folder, self.session = Path(folder), session
        #: How many frames are in the files by now: whole fragments.
        self.recorded = 0
        self.next_index, self.last_s = 0, 0.0
        self._segment_s, self._opener, self._free_mb = segment_s, opener, free_mb
        self._begin()
        self._segment: segment.Segment | None = None
        self._file: BinaryIO | None = None
        #: Rows of frames whose fragment is not in the file yet, and how long the file was when it was looked at last.
        self._rows: list[bytes] = []
        self._length = self._in_file = 0
        self._now_s = self.last_s
        self._stopped_s: float | None = None
        self._looked_s = float("-inf")
        self._behind = False
        self._news: list[Notice] = []
        self._waiting: deque[Frame] = deque()
        self._waits, self._closing = 0, False
        self._turn = Condition()
        self._thread = Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def push(self, frame: Frame) -> None:
        """Keep this frame, too. Waits only where more are waiting to be written than fit in memory."""
        with self._turn:
            if self._closing:
                return
            if self._waits > _WAITING_MB * 1e6:
                self._tell_behind(frame.time_s)
                self._turn.wait_for(lambda: self._waits <= _WAITING_MB * 1e6 or self._closing)
            self._waiting.append(frame)
            self._waits += bytes_of(frame)
            self._turn.notify_all()

    def notices(self) -> list[Notice]:
        """What happened to the recording since this was asked last."""
        with self._turn:
            told, self._news = self._news, []
            return told

    def close(self) -> None:
        """Write what is still waiting, and end; again is harmless."""
        with self._turn:
            self._closing = True
            self._turn.notify_all()
        self._thread.join(_CLOSE_S)

    def _begin(self) -> None:
        """Where the session goes on."""
        path = index_path(self.folder, self.session)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._index = path.open("ab", buffering=0)
            rows = read_rows(path)
            self._noted = len(rows) * ROW.itemsize
            self._index.truncate(self._noted)
        except OSError as why:
            raise RecorderError(
                f"{self.folder} cannot hold the recording ({why.strerror or why}): choose another folder"
            ) from why
        if len(rows):
            self.next_index, self.last_s = int(rows["index"][-1]) + 1, float(rows["time_us"][-1]) / 1e6
        self._number = 0
        while segment_path(self.folder, self.session, self._number + 1).exists():
            self._number += 1

    def _run(self) -> None:
        while (frame := self._next()) is not None:
            self._keep(frame)
        self._close_segment()
        self._index.close()

    def _next(self) -> Frame | None:
        with self._turn:
            self._turn.wait_for(lambda: self._waiting or self._closing)
            if not self._waiting:
                return None
            frame = self._waiting.popleft()
            self._waits -= bytes_of(frame)
            if self._behind and not self._waiting:
                self._behind = False
                self._news.append(Notice("caught-up", frame.time_s, "the recording has caught up"))
            self._turn.notify_all()
            return frame

    def _keep(self, frame: Frame) -> None:
        """Write a frame, unless the disk is full; what goes wrong is told and ends the file, nothing else."""
        self._now_s = frame.time_s
        try:
            if self._has_room():
                self._write(frame)
        except Exception as why:  # whatever it is: who plays must not notice
            self._stop(_words(why), failed=True)

    def _write(self, frame: Frame) -> None:
        if self._segment is not None and not self._goes_on(self._segment, frame):
            self._close_segment()
        if self._segment is None or self._file is None:
            self._file = self._opener(segment_path(self.folder, self.session, self._number + 1))
            self._number += 1
            self._length = self._in_file = 0
            self._segment = segment.begin(self._file, frame)
        pts = self._segment.write(frame)
        self._note(self._file)
        self._rows.append(row(frame.index, self._number, frame.time_s, pts))

    def _note(self, file: BinaryIO) -> None:
        """Once a fragment is in the file, note its frames: a process that is killed leaves none that are not there."""
        length = file.tell()
        if length == self._length:
            return
        file.flush()
        self._append(b"".join(self._rows))
        self._length = length
        self.recorded += len(self._rows)
        self._in_file += len(self._rows)
        self._rows = []
        if self._in_file and self._stopped_s is not None:
            self._tell(Notice("recorded-again", self._now_s, "the recording goes on", self._stopped_s))
            self._stopped_s = None

    def _append(self, rows: bytes) -> None:
        """Whole rows or none: a disk may have room for a part. Raises OSError."""
        try:
            if self._index.write(rows) < len(rows):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            self._index.truncate(self._noted)
            raise
        self._noted += len(rows)

    def _goes_on(self, current: segment.Segment, frame: Frame) -> bool:
        if not current.takes(frame):
            return False
        begins = isinstance(current, segment.EncodedSegment) or segment.can_be_copied(frame)
        return not (begins and frame.time_s - current.first_s >= self._segment_s)

    def _has_room(self) -> bool:
        """Looks at the disk now and then; tells once that it is full."""
        stopped = self._stopped_s is not None and self._segment is None
        if self._now_s - self._looked_s < (_AGAIN_S if stopped else _LOOK_S):
            return not stopped
        self._looked_s = self._now_s
        if self._free_mb(self.folder) >= LEAST_FREE_MB * (2 if stopped else 1):
            return True
        self._stop(_FULL)
        return False

    def _stop(self, why: str, *, failed: bool = False) -> None:
        self._looked_s = self._now_s
        self._close_segment(failed=failed)
        if self._stopped_s is None:
            self._stopped_s = self._now_s
            self._tell(Notice("not-recorded", self._now_s, why))

    def _close_segment(self, *, failed: bool = False) -> None:
        """End the file. After a failure it ends with its last whole fragment; one that has none is no file."""
        current, file, self._segment, self._file = self._segment, self._file, None, None
        if current is not None and file is not None:
            with suppress(Exception):
                current.close()
                if not failed:
                    self._note(file)
        self._rows = []
        if file is not None:
            with suppress(OSError):
                if failed:
                    file.truncate(self._length)
            with suppress(OSError):
                file.close()
            if not self._in_file:
                self._number -= 1
                segment_path(self.folder, self.session, self._number + 1).unlink(missing_ok=True)

    def _tell(self, notice: Notice) -> None:
        with self._turn:
            self._news.append(notice)

    def _tell_behind(self, now_s: float) -> None:
        if not self._behind:
            self._behind = True
            text = "this machine records more slowly than frames come: let the camera take smaller pictures"
            self._news.append(Notice("behind", now_s, text))


_FULL = "the recording stopped, the disk is full: make room, and it goes on by itself"


def _words(why: Exception) -> str:
    if isinstance(why, OSError) and why.errno in (errno.ENOSPC, errno.EDQUOT):
        return _FULL
    reason = getattr(why, "strerror", None) or str(why)
    return f"the recording stopped ({reason}): look at its disk; it is tried again"
