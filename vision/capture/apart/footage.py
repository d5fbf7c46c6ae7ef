"""Films of strangers gone through, decoded in a process of their own; same frames and errors as `Video`."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from vision.capture.apart.beside import (
    ApartError,
    Beside,
    Json,
    TookTooLongError,
    WorkFailedError,
    begin,
    hear,
    receive,
    send,
    tell,
)
from vision.capture.apart.limits import Limits, bind_next, for_film, free
from vision.capture.apart.opening import sentence
from vision.capture.frames import CutOffError, VideoError
from vision.capture.video import Frame, Span, Video

_AGAIN = "record or copy it again"


class ApartVideo:
    """A stranger's film, which can be gone through as a `Video`; the process that decodes it ends with this.

    Memory is bound, and how long opening it and each of its frames may take; how long it is used, is not. `name`: the
    user's file, which errors tell of. Raises VideoError, also where the film breaks that process.
    """

    def __init__(self, path: str | Path, name: str, limits: Limits | None = None) -> None:
        self.path, self._name = Path(path), name
        self._limits = limits or for_film(self.path)
        #: See `Video.unreadable_end`.
        self.unreadable_end: Span | None = None
        self._stopped = False
        self._beside: Beside | None = None
        facts = self._opened()
        self.width, self.height = (int(px) for px in facts["size"])
        self.fps, self.duration_s = float(facts["fps"]), float(facts["duration_s"])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __str__(self) -> str:
        return self._name

    def close(self) -> None:
        """End the process."""
        beside, self._beside = self._beside, None
        if beside is not None:
            beside.end()

    def stop(self) -> None:
        """From any thread: who goes through it, or waits for a frame, hears of an error at once."""
        self._stopped = True
        beside = self._beside
        if beside is not None:
            beside.kill()

    def __iter__(self) -> Iterator[Frame]:
        """Every frame in the order shown; see `Video`."""
        if self._beside is None:
            self._opened()
        reached_s = 0.0
        try:
            while True:
                told = self._heard(("decode", f"read beyond {reached_s:.1f} s"))
                if "index" not in told:
                    break
                frame = self._frame(told, reached_s)
                reached_s = frame.time_s
                yield frame
        finally:
            self.close()
        self.unreadable_end = _span(told["unreadable_end"])
        if "error" in told:
            raise self._error(told)

    def _opened(self) -> Json:
        """Start the process; what the film states."""
        doing = "open", "opened"
        try:
            self._beside = Beside(_play, self._limits, Video, str(self.path), only_tells=True)
        except ApartError as why:
            raise VideoError(sentence(why, self._name, _AGAIN, doing)) from why
        if self._stopped:
            self.stop()
        told = self._heard(doing)
        if "error" in told:
            self.close()
            raise self._error(told)
        return told

    def _frame(self, told: Json, reached_s: float) -> Frame:
        """The frame of which was told, with the picture that follows."""
        image = np.empty((self.height, self.width, 3), np.uint8)

        def picture(line: Connection) -> None:
            receive(line, image.reshape(-1).data, self._limits.wall_s)

        self._listen(picture, ("decode", f"read beyond {reached_s:.1f} s"))
        return Frame(int(told["index"]), float(told["time_s"]), image, _span(told["unreadable"]))

    def _heard(self, doing: tuple[str, str]) -> Json:
        """What is told next."""

        def listen(line: Connection) -> Json:
            if not line.poll(self._limits.wall_s):
                raise TookTooLongError("it took too long")
            told = hear(line)
            if "fault" in told:
                raise WorkFailedError(str(told["fault"]))
            return told

        told: Json = self._listen(listen, doing)
        return told

    def _listen(self, to: Callable[[Connection], Any], doing: tuple[str, str]) -> Any:
        """What `to` makes of the line; VideoError where that breaks, or nothing comes for too long."""
        beside = self._beside
        assert beside is not None
        try:
            try:
                return to(beside.line)
            except (OSError, EOFError, ValueError) as why:
                self._beside = None
                raise beside.fault() from why
        except ApartError as why:
            self.close()
            raise VideoError(sentence(why, self._name, _AGAIN, doing)) from why

    def _error(self, told: Json) -> VideoError:
        kind = CutOffError if told["cut_off"] else VideoError
        return kind(str(told["error"]).replace(str(self.path), self._name))


def _span(told: Any) -> Span | None:
    return None if told is None else (float(told[0]), float(told[1]))


# In the process apart


def _play(line: Connection, limits: Limits, opens: Callable[[str], Video], path: str) -> None:
    """The process: tells what the film states, then its frames, each as soon as the one before is taken."""
    begin(line, limits)
    try:
        try:
            _show_all(line, limits, opens, path)
        except BrokenPipeError:
            raise
        except MemoryError:
            _fail(line, f"{path} needs more memory than there is: record it smaller")
        except BaseException:
            tell(line, {"fault": traceback.format_exc()[-4000:]})
    except OSError:  # nobody listens any more
        return


def _show_all(line: Connection, limits: Limits, opens: Callable[[str], Video], path: str) -> None:
    bind_next(limits)
    try:
        video = opens(path)
    except VideoError as why:
        return _fail(line, str(why))
    with video:
        free()
        size = video.width, video.height
        tell(line, {"size": size, "fps": video.fps, "duration_s": video.duration_s})
        try:
            _show_frames(line, limits, video)
        except VideoError as why:
            return _fail(line, str(why), video.unreadable_end, cut_off=isinstance(why, CutOffError))
        tell(line, {"unreadable_end": video.unreadable_end})


def _show_frames(line: Connection, limits: Limits, video: Video) -> None:
    frames = iter(video)
    while True:
        bind_next(limits)
        frame = next(frames, None)
        free()
        if frame is None:
            return
        tell(line, {"index": frame.index, "time_s": frame.time_s, "unreadable": frame.unreadable})
        send(line, frame.image.reshape(-1).data)


def _fail(line: Connection, error: str, unreadable_end: Span | None = None, *, cut_off: bool = False) -> None:
    tell(line, {"error": error, "cut_off": cut_off, "unreadable_end": unreadable_end})
