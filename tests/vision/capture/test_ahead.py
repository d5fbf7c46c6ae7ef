"""Things taken in advance: the same, in order, errors in their place, and nobody left behind."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from vision.capture.ahead import ahead


def test_the_same_things_come_in_the_same_order() -> None:
    assert list(ahead(range(100), 3)) == list(range(100))


def test_an_error_comes_behind_what_came_before_it() -> None:
    def broken() -> Iterator[int]:
        yield 1
        yield 2
        raise ValueError("here")

    got = []
    with pytest.raises(ValueError, match="here"):
        for thing in ahead(broken()):
            got.append(thing)
    assert got == [1, 2]


def test_no_more_is_taken_in_advance_than_asked() -> None:
    taken = []

    def told() -> Iterator[int]:
        for i in range(50):
            taken.append(i)
            yield i

    used = ahead(told(), 2)
    assert next(used) == 0
    threading.Event().wait(0.3)
    # one in use, two waiting, one in the hand of the thread
    assert len(taken) <= 4
    used.close()


def test_who_stops_early_leaves_no_thread() -> None:
    before = threading.active_count()
    used = ahead(iter(int, 1))
    next(used)
    used.close()
    assert threading.active_count() == before
