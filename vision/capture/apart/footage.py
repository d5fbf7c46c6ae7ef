"""Films of strangers gone through, decoded in a process of their own; same frames and errors as `Video`."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from itertools import count
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
from vision.capture.apart.shared import SLOTS, Shared
from vision.capture.frames import CutOffError, VideoError
from vision.capture.video import Frame, Span, Video

_AGAIN = "record or copy it again"
#: What the process hears for each frame, and for what it tells first.
_TAKEN = b"taken"


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
        self._shared: Shared | None = None
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
        shared, self._shared = self._shared, None
        if shared is not None:
            shared.close()

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
            for number in count():
                told = self._heard(_beyond(reached_s))
                if "index" not in told:
                    break
                frame = self._frame(number, told, reached_s)
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
        self._shared = Shared.made()
        try:
            self._beside = Beside(_play, self._limits, Video, str(self.path), self._shared)
        except ApartError as why:
            raise VideoError(sentence(why, self._name, _AGAIN, doing)) from why
        if self._stopped:
            self.stop()
        told = self._heard(doing)
        if "error" in told:
            self.close()
            raise self._error(told)
        width, height = told["size"]

        def make_room(line: Connection) -> None:
            if self._shared is not None:
                self._shared.make_room(3 * int(width) * int(height))
            line.send_bytes(_TAKEN)

        self._listen(make_room, doing)
        return told

    def _frame(self, number: int, told: Json, reached_s: float) -> Frame:
        """The frame of which was told, with its picture."""
        image = np.empty((self.height, self.width, 3), np.uint8)

        def take(line: Connection) -> None:
            if self._shared is None:
                receive(line, image.reshape(-1).data, self._limits.wall_s)
            else:
                image.reshape(-1)[:] = self._shared.piece(number)
            line.send_bytes(_TAKEN)

        self._listen(take, _beyond(reached_s))
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


def _beyond(reached_s: float) -> tuple[str, str]:
    return "decode", f"read beyond {reached_s:.1f} s"


def _span(told: Any) -> Span | None:
    return None if told is None else (float(told[0]), float(told[1]))


# In the process apart


def _play(
    line: Connection, limits: Limits, opens: Callable[[str], Video], path: str, shared: Shared | None
) -> None:
    """The process: tells what the film states, then its frames, some before they are taken."""
    begin(line, limits)
    try:
        try:
            _show_all(line, limits, opens, path, shared)
        except (BrokenPipeError, ConnectionResetError, EOFError):
            raise
        except MemoryError:
            _fail(line, f"{path} needs more memory than there is: record it smaller")
        except BaseException:
            tell(line, {"fault": traceback.format_exc()[-4000:]})
    except (OSError, EOFError):  # nobody listens any more
        return


def _show_all(
    line: Connection, limits: Limits, opens: Callable[[str], Video], path: str, shared: Shared | None
) -> None:
    bind_next(limits)
    try:
        video = opens(path)
    except VideoError as why:
        return _fail(line, str(why))
    with video:
        free()
        size = video.width, video.height
        tell(line, {"size": size, "fps": video.fps, "duration_s": video.duration_s})
        line.recv_bytes(len(_TAKEN))
        if shared is not None:
            shared.find_room(3 * video.width * video.height)
        try:
            _show_frames(line, limits, video, shared)
        except VideoError as why:
            return _fail(line, str(why), video.unreadable_end, cut_off=isinstance(why, CutOffError))
        tell(line, {"unreadable_end": video.unreadable_end})


def _show_frames(line: Connection, limits: Limits, video: Video, shared: Shared | None) -> None:
    """Tell of all frames; done when all have been taken."""
    size, waiting = (video.height, video.width, 3), 0
    alone = np.empty(size, np.uint8)
    frames = video.as_stored()
    try:
        for number in count():
            bind_next(limits)
            frame = next(frames, None)
            free()
            if frame is None:
                return
            if waiting == (1 if shared is None else SLOTS):
                line.recv_bytes(len(_TAKEN))
                waiting -= 1
            bind_next(limits)
            image = alone if shared is None else shared.piece(number).reshape(size)
            video.draw(frame.picture, image)
            free()
            tell(line, {"index": frame.index, "time_s": frame.time_s, "unreadable": frame.unreadable})
            if shared is None:
                send(line, alone.reshape(-1).data)
            waiting += 1
    finally:
        free()
        for _ in range(waiting):
            line.recv_bytes(len(_TAKEN))


def _fail(line: Connection, error: str, unreadable_end: Span | None = None, *, cut_off: bool = False) -> None:
    tell(line, {"error": error, "cut_off": cut_off, "unreadable_end": unreadable_end})
