"""A film that plays as if a camera took it now."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event

from vision.capture.frames import UnreadableError
from vision.capture.live import clock
from vision.capture.live.errors import SourceError
from vision.capture.live.lazy_frame import lazy
from vision.capture.video import Frame, Video

#: Of a film that is gone on with at least so much is shown (s).
LAST_S = 0.5


class FilmAsLive:
    """The frames of a film, each when its time has come; all of them, however slowly they are taken.

    `speed`: how many seconds of the film pass in one of ours. Times are those of the film, s from its beginning.
    Raises SourceError where there is no film.
    """

    def __init__(self, path: str | Path, speed: float = 1.0) -> None:
        if not speed > 0:
            raise SourceError(f"a film cannot play at {speed:g} times its speed: give a number above 0")
        try:
            self._video = Video(path)
        except UnreadableError as why:
            raise SourceError(str(why)) from why
        self.name = Path(path).name
        self.width, self.height = self._video.width, self._video.height
        self.fps = self._video.fps
        self._speed = speed
        self._since_s = 0.0
        self._began: float | None = None
        self._closed = Event()

    def now(self) -> float:
        """Where a camera would be now, s from the beginning of the film."""
        return self._since_s if self._began is None else (clock.now() - self._began) * self._speed

    def go_on_from(self, since_s: float) -> None:
        """Begin at this second (to be said before `frames`), or with what is last of it, where it is that short."""
        self._since_s = max(0.0, min(since_s, self._video.duration_s - LAST_S))

    def frames(self) -> Iterator[Frame]:
        """Every frame once, from the beginning or from where it goes on; the time runs from the first one on."""
        try:
            for stored in self._video.as_stored(self._since_s):
                if self._began is None:
                    self._began = clock.now() - stored.time_s / self._speed
                if self._closed.wait(max(0.0, (stored.time_s - self.now()) / self._speed)):
                    return
                yield lazy(self._video, stored)
        except UnreadableError as why:
            raise SourceError(str(why)) from why
        finally:
            self._video.close()

    def close(self) -> None:
        """No further frame comes, from any thread."""
        self._closed.set()
