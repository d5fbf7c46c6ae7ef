"""Work that goes wrong, done in a process apart by tests of it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from vision.capture.apart.process import Done
from vision.capture.video import Stored, Video


def echo(*given: Any) -> Done:
    """What it is given, and its process."""
    return Done({"given": list(given), "process": os.getpid()})


def counted(upto: int) -> Done:
    return Done({"size": upto}, np.arange(upto, dtype=np.uint8))


def sleep(seconds: float, *_: Any) -> Done:
    time.sleep(seconds)
    return Done()


def hang(*_: Any) -> Done:
    return sleep(600)


def spin(*_: Any) -> Done:
    while True:
        pass


def leave(*_: Any) -> Done:
    os._exit(3)


def crash(*_: Any) -> Done:
    os.kill(os.getpid(), signal.SIGSEGV)
    return sleep(600)


def fail(*_: Any) -> Done:
    raise ZeroDivisionError("on purpose")


def tell_much(*_: Any) -> Done:
    return Done({"much": "x" * 1_000_000})


def take(megabytes: int) -> Done:
    """Takes so much memory, and uses it."""
    return Done({"sum": int(np.ones(megabytes * 1_000_000, np.uint8)[::4096].sum())})


def write(path: str) -> Done:
    Path(path).write_bytes(b"x" * 100)
    return Done()


class _Breaking(Video):
    """A film that goes well for a while."""

    #: Frames that go well.
    good = 5

    def as_stored(self, since_s: float = 0.0) -> Iterator[Stored]:
        for frame in super().as_stored(since_s):
            if frame.index == self.good:
                self.wrong()
            yield frame

    def wrong(self) -> None:
        crash()


class CrashingVideo(_Breaking):
    """Breaks its process midway."""


class HangingVideo(_Breaking):
    """Does not come to its next frame."""

    def wrong(self) -> None:
        hang()


class SpinningVideo(_Breaking):
    """Computes for ever at its next frame."""

    def wrong(self) -> None:
        spin()


class FailingVideo(_Breaking):
    """Fails by a fault of the program."""

    def wrong(self) -> None:
        fail()


class HungryVideo(_Breaking):
    """Needs very much memory for its next frame."""

    def wrong(self) -> None:
        take(3_000)


def is_gone(process: int) -> bool:
    """Whether a process ends within a while."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False
