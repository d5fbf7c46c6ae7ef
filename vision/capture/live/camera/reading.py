"""Things that come from outside, each with the moment at which it came, however long what is done with them takes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import TypeVar

from vision.capture.ahead import StalledError as StalledError
from vision.capture.ahead import ahead
from vision.capture.live import clock

T = TypeVar("T")

#: How many may wait; more wait where they come from.
_MOST = 64
#: How long ending waits for a thread that waits for a device that tells nothing, s; it ends by itself when that does.
_LEAVE_S = 0.3


def stamped(things: Iterable[T], stall_s: float, wake: Callable[[], None]) -> Generator[tuple[float, T]]:
    """(moment by the clock, thing) as they come, taken in a thread of its own; errors come where they occurred.

    `wake` lets a thread that waits for the next thing go on, if anything can. Raises StalledError after `stall_s`
    seconds without any.
    """
    # stamped by the thread that takes them: this runs there
    came = ((clock.now(), thing) for thing in things)
    yield from ahead(came, _MOST, stall_s=stall_s, wake=wake, leave_s=_LEAVE_S, name="camera")
