"""A process beside this one that does one piece of work after the other, within limits.

It is kept for the next piece, as it takes a second to start. One that breaks down or takes too long is ended, and another
started in its place. What it answers is plain data: nothing of it is ever run here.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import ProcessError
from multiprocessing.connection import Connection
from threading import Lock, Thread, Timer

import numpy as np
from numpy.typing import NDArray

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
)
from vision.capture.apart.limits import Limits, bind_next, free

_NOTHING = np.empty(0, np.uint8)


@dataclass(frozen=True, slots=True)
class Done:
    """What a piece of work tells (as JSON), and the data that it made."""

    told: Json = field(default_factory=dict)
    data: NDArray[np.uint8] = field(default_factory=lambda: _NOTHING)


#: A function of a module, which is given plain values.
Work = Callable[..., Done]


class Apart:
    """Does work in a process of its own, one piece at a time; who asks meanwhile waits. Any thread may ask."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._lock = Lock()
        self._beside: Beside | None = None
        self._interrupted = False

    def warm(self) -> None:
        """Have the process started by the time that it is needed; returns at once."""
        if self._beside is None:
            Thread(target=self._start_ahead, name="apart", daemon=True).start()

    def do(self, work: Work, *given: object, data: bytes | None = None, limits: Limits | None = None) -> Done:
        """What `work(*given)`, or with data `work(data, *given)`, answers there. Raises ApartError.

        `limits`: how long this piece may take, where that is not as usual; its memory was bound at the start.
        """
        limits = limits or self.limits
        with self._lock:
            self._interrupted = False
            beside = self._started()
            with _ended_after(limits.wall_s, beside) as late:
                try:
                    beside.line.send((work, given, None if data is None else len(data), limits))
                    send(beside.line, data or b"")
                    told = hear(beside.line)
                    made = np.empty(told["bytes"], np.uint8)  # not filled with noughts first
                    receive(beside.line, made.data)
                except (OSError, EOFError, ValueError, KeyError, TypeError, MemoryError, ProcessError) as why:
                    self._beside = None
                    fault = beside.fault()
                    if not self._interrupted:
                        self.warm()
                    raise (TookTooLongError("it took too long") if late else fault) from why
            if "fault" in told:
                raise WorkFailedError(str(told["fault"]))
            return Done(told["told"], made)

    def interrupt(self) -> None:
        """End what is being done, if anything is, at once: who waits for it hears that its process broke down."""
        beside = self._beside
        if beside is not None and self._lock.locked():
            self._interrupted = True
            beside.kill()

    @property
    def is_running(self) -> bool:
        """Whether there is a process."""
        return self._beside is not None

    def close(self) -> None:
        """End the process; it is started again when there is more to do."""
        with self._lock:
            self._end()

    def _start_ahead(self) -> None:
        with suppress(OSError, ApartError), self._lock:
            self._started()

    def _started(self) -> Beside:
        if self._beside is None or not self._beside.is_alive:
            self._end()
            self._beside = Beside(_work, self.limits)
        return self._beside

    def _end(self) -> None:
        beside, self._beside = self._beside, None
        if beside is not None:
            beside.end()


@contextmanager
def _ended_after(limit_s: float, beside: Beside) -> Iterator[list[bool]]:
    """The process is ended when this is still open after so long; the list is not empty then."""
    late: list[bool] = []

    def end() -> None:
        late.append(True)
        beside.kill()

    timer = Timer(limit_s, end)
    timer.daemon = True
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()


def _work(line: Connection, limits: Limits) -> None:
    """The process: does what it is sent until nobody sends any more."""
    from vision.capture.apart import by_number, opening  # noqa: F401  with all that they need, before memory is bound

    begin(line, limits)
    while True:
        try:
            work, given, size, within = line.recv()
            if size is not None:
                room = bytearray(size)
                receive(line, memoryview(room))
                given = (bytes(room), *given)  # what some decoders look things up by
                del room
        except (EOFError, OSError):
            return
        bind_next(within)
        try:
            done = work(*given)
            told, data = json.dumps({"told": done.told, "bytes": done.data.size}), done.data
        except BaseException:
            told, data = json.dumps({"fault": traceback.format_exc()[-4000:], "bytes": 0}), _NOTHING
        free()
        del given
        with suppress(OSError):
            line.send_bytes(told.encode())
            send(line, np.ascontiguousarray(data).reshape(-1).data)
        del data
