"""A camera as a source of frames: opened, lost, opened again, with one clock and one count through it all."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from av.error import FFmpegError

from vision.capture.live import clock
from vision.capture.live.camera.connections import Came, Connection
from vision.capture.live.camera.devices import OneSession
from vision.capture.live.camera.reading import StalledError
from vision.capture.live.errors import SourceError, SourceLostError
from vision.capture.live.lazy_frame import LazyFrame
from vision.capture.video import Frame


class CameraSource:
    """See `Source`. `connect` opens the camera, and may be called again; `key` tells cameras apart.

    Opens it at once: raises SourceError, also where no picture comes or another session has it.
    """

    def __init__(self, name: str, key: str, connect: Callable[[], Connection]) -> None:
        self.name, self.fps = name, 0.0
        self._connect = connect
        self._began = clock.now()
        self._count = 0
        self._closed = False
        self._connection: Connection | None = None
        self._came: Iterator[Came] = iter(())
        self._first: Came | None = None
        self._held = OneSession(key, name)
        try:
            self._open()
            assert self._first is not None
            self._began = self._first.moment
            self.width, self.height = self._first.raw.width, self._first.raw.height
        except BaseException:
            self._held.release()
            raise

    def now(self) -> float:
        """See `Source`."""
        return clock.now() - self._began

    def frames(self) -> Iterator[Frame]:
        """See `Source`."""
        if self._first is None:
            try:
                self._open()
            except SourceError as why:
                raise SourceLostError(str(why)) from why
        try:
            while self._first is not None and not self._closed:
                came, self._first = self._first, None
                yield LazyFrame(self._count, came.moment - self._began, came.raw, packets=came.packets)
                self._count += 1
                self._first = self._next()
        except SourceError as why:
            raise SourceLostError(str(why)) from why
        finally:
            self._let_go()
        if not self._closed:
            raise SourceLostError(
                f"{self.name} sends nothing any more: plug it in again, or start its stream again"
            )

    def close(self) -> None:
        """See `Source`."""
        self._closed = True
        if self._connection is not None:
            self._connection.wake()
        self._held.release()

    def _open(self) -> None:
        """Up to the first picture."""
        self._connection = self._connect()
        self.fps = self._connection.fps
        self._came = self._connection.frames()
        try:
            self._first = self._next()
        except SourceError:
            self._let_go()
            raise
        if self._first is None:
            self._let_go()
            raise SourceError(f"{self.name} answers but sends no picture: start its stream, or restart it")

    def _next(self) -> Came | None:
        """The next frame; None behind the last one. Raises SourceLostError."""
        try:
            return next(self._came, None)
        except (StalledError, TimeoutError):
            raise SourceLostError(
                f"{self.name} sends no picture any more: wake the camera or its phone, or plug it in again"
            ) from None
        except (FFmpegError, OSError, ValueError):
            if self._closed:
                return None
            raise SourceLostError(
                f"{self.name} is gone: plug it in again, or start its stream again"
            ) from None

    def _let_go(self) -> None:
        """End what is open; its thread ends with the generator."""
        self._first, came, self._came, self._connection = None, self._came, iter(()), None
        close = getattr(came, "close", None)
        if close is not None:
            close()
