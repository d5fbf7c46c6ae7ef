"""Work ahead: a thread of its own takes the next things from an iterator while the last one is being used."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import TypeVar

T = TypeVar("T")

#: How often (s) a thread that waits for room looks whether anybody is still there.
_PATIENCE_S = 0.1


class StalledError(Exception):
    """Nothing came for too long."""


def ahead(
    things: Iterable[T],
    most: int = 4,
    *,
    stall_s: float | None = None,
    wake: Callable[[], None] | None = None,
    leave_s: float | None = None,
    name: str = "ahead",
) -> Generator[T]:
    """The same things in the same order, up to `most` of them taken in advance; errors come where they occurred.

    For frames of a video: decoding needs no Python and so runs beside whatever is done with the frames. For what may
    never come: raises StalledError after `stall_s` seconds without any; `wake` lets the thread go on that waits for the
    next thing, if anything can; ending waits for it no longer than `leave_s`. `name`: the thread's.
    """
    # a thing in a tuple, the error that ended them, or None behind the last one
    waiting: Queue[tuple[T] | BaseException | None] = Queue(most)
    left = Event()

    def put(item: tuple[T] | BaseException | None) -> bool:
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
                if not put((thing,)):
                    return
        except BaseException as error:
            # raised again where the things are used
            put(error)
        else:
            put(None)

    thread = Thread(target=take, name=name, daemon=True)
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
            yield item[0]
    finally:
        left.set()
        if wake is not None:
            wake()
        thread.join(leave_s)
