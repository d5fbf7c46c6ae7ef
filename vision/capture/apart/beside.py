"""A process beside this one and the line to it: started, listened to, ended.

What comes over the line is plain data: nothing of it is ever run here.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from vision.capture.apart.limits import Limits, bind_for_good, was_too_long

Json = dict[str, Any]
#: How long a process that is ended is waited for, s.
_ENDS_S = 5.0
#: What a process says when it has started, and how long that may take on a busy machine, s.
_READY, _STARTS_S = b"ready", 60.0
#: The longest that is told beside the data, bytes.
_MOST_TOLD = 1 << 16
#: Data is sent in parts, bytes: where a connection takes them, it gathers each in a buffer first.
_PART = 1 << 20


class ApartError(RuntimeError):
    """A piece of work did not come to its end."""


class TookTooLongError(ApartError):
    """It was ended, as it computed or waited for too long."""


class BrokeDownError(ApartError):
    """Its process ended over it."""


class WorkFailedError(ApartError):
    """It raised an exception; the message is its traceback."""


class Beside:
    """A process that runs `work(line, *given)`, where `begin` is called first, and this end of the line to it.

    Raises BrokeDownError where it does not start. For one thread at a time, but `kill` for any.
    """

    def __init__(self, work: Callable[..., None], *given: Any) -> None:
        context = get_context("spawn")
        try:
            self.line, theirs = context.Pipe()
            self._process = context.Process(target=work, args=(theirs, *given), daemon=True)
            self._process.start()
        except OSError as why:
            raise BrokeDownError(f"no process can be started ({why.strerror or why})") from why
        theirs.close()  # only the process holds it now: when that ends, so does the line
        try:
            if self.line.poll(_STARTS_S) and self.line.recv_bytes(len(_READY)) == _READY:
                return
        except (OSError, EOFError):
            pass
        raise BrokeDownError(f"its process did not start ({self.end()})")

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._process.is_alive()

    def kill(self) -> None:
        """End it at once; whoever listens to it hears that it broke down."""
        with suppress(OSError, ValueError):
            self._process.kill()

    def end(self) -> int | None:
        """End it; the status with which it ended, None where that is not known."""
        self.line.close()
        self._process.join(0.1)  # one that has broken down tells how
        if self._process.is_alive():
            self._process.kill()
        self._process.join(_ENDS_S)
        return self._process.exitcode

    def fault(self) -> ApartError:
        """End it, as the line to it broke: what that means."""
        code = self.end()
        if was_too_long(code):
            return TookTooLongError("it computed for too long")
        return BrokeDownError(f"its process ended ({code})")


def begin(line: Connection, limits: Limits) -> None:
    """In the process, once it has loaded all that it needs: bind it, and say that it is ready."""
    with suppress(ValueError, OSError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program, which ends this one, too
    bind_for_good(limits)
    with suppress(OSError):
        line.send_bytes(_READY)


def tell(line: Connection, what: Json) -> None:
    """Say something short."""
    line.send_bytes(json.dumps(what).encode())


def hear(line: Connection) -> Json:
    """What is told. Raises EOFError, OSError, and ValueError for what is no such thing."""
    told = json.loads(line.recv_bytes(_MOST_TOLD))
    if not isinstance(told, dict):
        raise ValueError("nothing that is told here")
    return told


def send(line: Connection, data: bytes | memoryview) -> None:
    """Send data whose length the other end knows."""
    view = memoryview(data)
    if sys.platform == "win32":
        for at in range(0, len(view), _PART):
            line.send_bytes(view[at : at + _PART])
        return
    while view:
        view = view[os.write(line.fileno(), view) :]


def receive(line: Connection, room: memoryview, within_s: float | None = None) -> None:
    """Fill the room with what is sent, straight into it where the system can.

    Raises TookTooLongError, EOFError, OSError.
    """
    until = None if within_s is None else time.monotonic() + within_s
    while room:
        if until is not None and not line.poll(max(0.0, until - time.monotonic())):
            raise TookTooLongError("it took too long to send")
        if sys.platform == "win32":
            room = room[line.recv_bytes_into(room[:_PART]) :]
            continue
        came = os.readv(line.fileno(), [room])
        if not came:
            raise EOFError
        room = room[came:]
