"""Work ahead: a thread of its own takes the next things from an iterator while the last one is being used."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from queue import Full, Queue
from threading import Event, Thread
from typing import TypeVar

T = TypeVar("T")

#: How often (s) a thread that waits for room looks whether anybody is still there.
_PATIENCE_S = 0.2


def ahead(things: Iterable[T], most: int = 4) -> Generator[T]:
    """The same things in the same order, up to `most` of them taken in advance; errors come where they occurred.

    For frames of a video: decoding needs no Python and so runs beside whatever is done with the frames.
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

    thread = Thread(target=take, name="ahead", daemon=True)
    thread.start()
    try:
        while True:
            item = waiting.get()
            if item is None:
                return
            if isinstance(item, BaseException):
                raise item
            yield item[0]
    finally:
        left.set()
        thread.join()
