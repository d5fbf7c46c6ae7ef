"""The frames of hands: of a video file, and of the recording that a session keeps of its table."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from math import inf
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from referee.web.errors import NotHereError
from referee.web.film import open_reader
from referee.web.shelf.kept import Opened
from vision.capture.apart.by_number import ApartReader
from vision.capture.frames import Image
from vision.capture.live.frame_index import index_path
from vision.capture.live.recording import Recording

#: What a session calls its recording.
SESSION_FILM = "film"


@dataclass(frozen=True, slots=True)
class VideoFilm:
    """A video file, decoded apart: frames are counted from 0, moments from its first frame on.

    `name`: what the user calls it.
    """

    path: Path
    name: str
    from_s: float = 0.0
    to_s: float = inf

    def key(self) -> Hashable:
        """The file as it is now: one that has changed is another film."""
        try:
            return self.path, self.path.stat().st_mtime_ns
        except OSError:
            raise NotHereError("The video is no longer here: choose another recording.") from None

    def open(self) -> Opened:
        """Open the file."""
        return _OpenVideo(open_reader(self.path, self.name))


class _OpenVideo:
    def __init__(self, reader: ApartReader) -> None:
        self._reader = reader

    def numbered(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """All frames."""
        return np.arange(len(self._reader), dtype=np.int64), self._reader.times

    def frame(self, number: int) -> Image:
        """The very frame."""
        return self._reader.frame(number)

    def close(self) -> None:
        """Let go of the file."""
        self._reader.close()


@dataclass(frozen=True, slots=True)
class SessionFilm:
    """A hand in the recording of its session, also while that grows: numbers and moments are the session's."""

    folder: Path
    from_s: float = 0.0
    to_s: float = inf

    def key(self) -> Hashable:
        """The session: what comes into its recording later is found by whoever has it open."""
        if not index_path(self.folder, SESSION_FILM).is_file():
            raise NotHereError("No recording of this hand was kept: only what was told of it is here.")
        return self.folder

    def open(self) -> Opened:
        """Open the recording."""
        return _OpenSession(self.folder)


class _OpenSession:
    def __init__(self, folder: Path) -> None:
        self._recording = Recording.open(folder, SESSION_FILM)

    def numbered(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """All frames that are recorded by now."""
        self._recording.refresh()
        return self._recording.indices, self._recording.times

    def frame(self, number: int) -> Image:
        """The very frame."""
        return self._recording.frame(number)

    def close(self) -> None:
        """Let go of the files."""
        self._recording.close()
