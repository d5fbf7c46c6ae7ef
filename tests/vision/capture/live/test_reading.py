"""Things are stamped when they come, in a thread of their own, which holds nobody up."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from pretend_phone import PATIENCE_S, wait_for

from vision.capture.live.camera.reading import StalledError, stamped


def nothing() -> None:
    pass


def test_things_are_stamped_when_they_come_not_when_they_are_used() -> None:
    def things() -> Iterator[int]:
        for number in range(3):
            yield number
            time.sleep(0.05)

    coming = stamped(things(), PATIENCE_S, nothing)
    first = next(coming)
    time.sleep(0.5)
    rest = list(coming)
    assert [thing for _, thing in [first, *rest]] == [0, 1, 2]
    assert rest[1][0] - first[0] < 0.45


def test_an_error_comes_where_it_occurred() -> None:
    def things() -> Iterator[int]:
        yield 1
        raise OSError("unplugged")

    coming = stamped(things(), PATIENCE_S, nothing)
    assert next(coming)[1] == 1
    with pytest.raises(OSError, match="unplugged"):
        next(coming)


def test_a_device_that_tells_nothing_holds_nobody_up() -> None:
    tells = threading.Event()
    over = threading.Event()

    def things() -> Iterator[int]:
        try:
            yield 1
            tells.wait(PATIENCE_S)  # as a driver that never answers
        finally:
            over.set()

    coming = stamped(things(), 0.2, nothing)
    assert next(coming)[1] == 1
    with pytest.raises(StalledError):
        next(coming)
    assert not over.is_set()
    # its thread ends by itself once the device answers
    tells.set()
    assert over.wait(PATIENCE_S)


def test_what_waits_is_woken() -> None:
    woken = threading.Event()

    def things() -> Iterator[int]:
        yield 1
        woken.wait(PATIENCE_S)

    coming = stamped(things(), PATIENCE_S, woken.set)
    assert next(coming)[1] == 1
    coming.close()
    assert woken.is_set()
    wait_for(lambda: not any(thread.name == "camera" for thread in threading.enumerate()))


def test_only_so_many_wait() -> None:
    taken: list[int] = []

    def things() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    coming = stamped(things(), PATIENCE_S, nothing)
    next(coming)
    time.sleep(0.2)
    assert len(taken) < 100
    assert sum(1 for _ in coming) == 999
