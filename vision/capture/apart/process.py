"""A process beside this one that does one piece of work after the other, within limits.

It is kept for the next piece, as it takes a second to start. One that breaks down or takes too long is ended, and another
started in its place. What it answers is plain data: nothing of it is ever run here.
"""

from __future__ import annotations

import json
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import ProcessError, get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from threading import Lock, Thread, Timer
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.capture.apart.limits import Limits, bind_for_good, bind_next, free, was_too_long

Json = dict[str, Any]
#: How long a process that is ended is waited for, s.
_ENDS_S = 5.0
#: The longest that is told beside the data, bytes.
_MOST_TOLD = 1 << 16
#: What a process says when it has started, and how long that may take on a busy machine, s.
_READY, _STARTS_S = b"ready", 60.0
#: Data is sent in parts, bytes: a connection gathers what it receives in a buffer that grows, and a photo would be in
#: memory twice.
_PART = 1 << 20
_NOTHING = np.empty(0, np.uint8)


@dataclass(frozen=True, slots=True)
class Done:
    """What a piece of work tells (as JSON), and the data that it made."""

    told: Json = field(default_factory=dict)
    data: NDArray[np.uint8] = field(default_factory=lambda: _NOTHING)


#: A function of a module, which is given plain values.
Work = Callable[..., Done]


class ApartError(RuntimeError):
    """A piece of work did not come to its end."""


class TookTooLongError(ApartError):
    """It was ended, as it computed or waited for too long."""


class BrokeDownError(ApartError):
    """Its process ended over it."""


class WorkFailedError(ApartError):
    """It raised an exception; the message is its traceback."""


class Apart:
    """Does work in a process of its own, one piece at a time; who asks meanwhile waits. Any thread may ask."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._lock = Lock()
        self._process: SpawnProcess | None = None
        self._line: Connection | None = None

    def warm(self) -> None:
        """Have the process started by the time that it is needed; returns at once."""
        if self._process is None:
            Thread(target=self._start_ahead, name="apart", daemon=True).start()

    def do(self, work: Work, *given: Any, data: bytes | None = None) -> Done:
        """What `work(*given)`, or with data `work(data, *given)`, answers there. Raises ApartError."""
        with self._lock:
            line, process = self._started()
            with _ended_after(self.limits.wall_s, process) as late:
                try:
                    line.send((work, given, None if data is None else len(data)))
                    _send(line, data or b"")
                    told = json.loads(line.recv_bytes(_MOST_TOLD))
                    made = np.empty(told["bytes"], np.uint8)  # not filled with noughts first
                    _receive(line, made.data)
                except (OSError, EOFError, ValueError, KeyError, TypeError, MemoryError, ProcessError) as why:
                    code = self._ended()
                    self.warm()
                    if late or was_too_long(code):
                        raise TookTooLongError("it took too long") from why
                    raise BrokeDownError(f"its process ended ({code})") from why
            if "fault" in told:
                raise WorkFailedError(str(told["fault"]))
            return Done(told["told"], made)

    def close(self) -> None:
        """End the process; it is started again when there is more to do."""
        with self._lock:
            self._ended()

    def _start_ahead(self) -> None:
        with suppress(OSError, ApartError), self._lock:
            self._started()

    def _started(self) -> tuple[Connection, SpawnProcess]:
        if self._line is None or self._process is None or not self._process.is_alive():
            self._ended()
            context = get_context("spawn")
            self._line, theirs = context.Pipe()
            self._process = context.Process(target=_work, args=(theirs, self.limits), daemon=True)
            self._process.start()
            theirs.close()  # only the process holds it now: when that ends, so does the line
            self._await_start(self._line)
        return self._line, self._process

    def _await_start(self, line: Connection) -> None:
        try:
            if line.poll(_STARTS_S) and line.recv_bytes(len(_READY)) == _READY:
                return
        except (OSError, EOFError):
            pass
        raise BrokeDownError(f"its process did not start ({self._ended()})")

    def _ended(self) -> int | None:
        """End the process; the status with which it ended, None where there is none."""
        process, line = self._process, self._line
        self._process = self._line = None
        if line is not None:
            line.close()
        if process is None:
            return None
        process.join(0.1)  # one that has broken down tells how
        if process.is_alive():
            process.kill()
        process.join(_ENDS_S)
        return process.exitcode


@contextmanager
def _ended_after(limit_s: float, process: SpawnProcess) -> Iterator[list[bool]]:
    """The process is ended when this is still open after so long; the list is not empty then."""
    late: list[bool] = []

    def end() -> None:
        late.append(True)
        process.kill()

    timer = Timer(limit_s, end)
    timer.daemon = True
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()


def _send(line: Connection, data: bytes | memoryview) -> None:
    view = memoryview(data)
    for at in range(0, len(view), _PART):
        line.send_bytes(view[at : at + _PART])


def _receive(line: Connection, room: memoryview) -> None:
    """Fill the room with what `_send` sends."""
    at = 0
    while at < len(room):
        at += line.recv_bytes_into(room[at : at + _PART])


def _work(line: Connection, limits: Limits) -> None:
    """The process: does what it is sent until nobody sends any more."""
    with suppress(ValueError, OSError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program, which ends this one, too
    from vision.capture.apart import opening  # noqa: F401  with all that it needs, before memory is bound

    bind_for_good(limits)
    with suppress(OSError):
        line.send_bytes(_READY)
    while True:
        try:
            work, given, size = line.recv()
            if size is not None:
                room = bytearray(size)
                _receive(line, memoryview(room))
                given = (bytes(room), *given)
                del room
        except (EOFError, OSError):
            return
        bind_next(limits)
        try:
            done = work(*given)
            told, data = json.dumps({"told": done.told, "bytes": done.data.size}), done.data
        except BaseException:
            told, data = json.dumps({"fault": traceback.format_exc()[-4000:], "bytes": 0}), _NOTHING
        free()
        del given
        with suppress(OSError):
            line.send_bytes(told.encode())
            _send(line, np.ascontiguousarray(data).reshape(-1).data)
        del data
