"""Things that come from outside, each with the moment at which it came, however long what is done with them takes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import TypeVar

from vision.capture.live import clock

T = TypeVar("T")

#: How many may wait; more wait where they come from.
_MOST = 64
#: How often (s) a thread that waits for room looks whether anybody is still there.
_PATIENCE_S = 0.1
#: How long ending waits for a thread that waits for a device that tells nothing, s; it ends by itself when that does.
_LEAVE_S = 0.3


class StalledError(Exception):
    """Nothing came for too long."""


def stamped(things: Iterable[T], stall_s: float, wake: Callable[[], None]) -> Generator[tuple[float, T]]:
    """(moment by the clock, thing) as they come, taken in a thread of its own; errors come where they occurred.

    `wake` lets a thread that waits for the next thing go on, if anything can. Raises StalledError after `stall_s`
    seconds without any.
    """
    # a thing with its moment, the error that ended them, or None behind the last one
    waiting: Queue[tuple[float, T] | BaseException | None] = Queue(_MOST)
    left = Event()

    def put(item: tuple[float, T] | BaseException | None) -> bool:
        while not left.is_set():
            try:
                waiting.put(item, timeout=_PATIENCE_S)
            except Full:
                continue
            return True
        return False

    def take() -> None:
        try:
            for thing in things:
                if not put((clock.now(), thing)):
                    return
        except BaseException as error:
            # raised again where the things are used
            put(error)
        else:
            put(None)

    thread = Thread(target=take, name="camera", daemon=True)
    thread.start()
    try:
        while True:
            try:
                item = waiting.get(timeout=stall_s)
            except Empty:
                raise StalledError from None
            if item is None:
                return
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        left.set()
        wake()
        thread.join(_LEAVE_S)
