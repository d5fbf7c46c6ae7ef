"""What C libraries print by themselves (libtiff, libpng, OpenCV's cameras) is kept off the user's terminal."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

#: The descriptor of standard error, which such libraries write to past `sys.stderr`.
_STDERR = 2


class _Quiet:
    """How many want quiet now, in all threads, and where standard error led before the first of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wanted = 0
        self._kept: int | None = None

    def begin(self) -> None:
        with self._lock:
            self._wanted += 1
            if self._wanted > 1:
                return
            try:
                self._kept = os.dup(_STDERR)
            except OSError:  # there is none
                return
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, _STDERR)
            os.close(nowhere)

    def end(self) -> None:
        with self._lock:
            self._wanted -= 1
            if self._wanted or self._kept is None:
                return
            os.dup2(self._kept, _STDERR)
            os.close(self._kept)
            self._kept = None


_quiet = _Quiet()


@contextmanager
def quiet() -> Iterator[None]:
    """Nothing reaches standard error meanwhile, from any thread: for calls that tell their faults by themselves."""
    _quiet.begin()
    try:
        yield
    finally:
        _quiet.end()
