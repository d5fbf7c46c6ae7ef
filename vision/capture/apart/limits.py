"""How much a process may take, set by the process itself; where the system has no such limits it goes without."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

if sys.platform != "win32":
    import resource

#: How much longer a piece of work lasts when who would end it is gone, s.
_ORPHANED_S = 5
#: A film may take as much memory as one of 8K does.
FILM_MB = 2_000
#: What a long film has to be read through for at times, as one without a clock is up to any frame: MB in a second.
_FILM_MB_PER_S = 10.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What one piece of work may take."""

    #: Millions of bytes beside what the process has before its first piece of work.
    memory_mb: float = 1_200
    #: Seconds of computing, and seconds by the clock: a decoder may also wait for ever.
    cpu_s: float = 30
    wall_s: float = 60


def for_film(path: Path) -> Limits:
    """For a piece of work at a film, as a frame of it: more time for a larger file."""
    try:
        more_s = path.stat().st_size / 1e6 / _FILM_MB_PER_S
    except OSError:
        more_s = 0.0
    usual = Limits()
    return Limits(FILM_MB, usual.cpu_s + more_s, usual.wall_s + more_s)


def bind_for_good(limits: Limits) -> None:
    """Bind this process: memory, no files written, no picture of it left behind when it breaks down."""
    if sys.platform == "win32":
        return
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    taken = _addresses()
    if taken is None:  # a limit that does not know what libraries have taken would be a guess
        return
    most = taken + int(limits.memory_mb * 1e6)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def bind_next(limits: Limits) -> None:
    """Bind the next piece of work of this process, which the system ends beyond that: how long it computes.

    And how long it lasts, in case that nobody is left who would end it.
    """
    if sys.platform == "win32":
        return
    usage = resource.getrusage(resource.RUSAGE_SELF)
    most = int(usage.ru_utime + usage.ru_stime + limits.cpu_s) + 1
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    signal.alarm(int(limits.wall_s) + _ORPHANED_S)


def free() -> None:
    """The piece of work is done: waiting for the next one may last."""
    if sys.platform != "win32":
        signal.alarm(0)


def was_too_long(exit_code: int | None) -> bool:
    """Whether the system ended a process because it computed for too long."""
    return sys.platform != "win32" and exit_code == -signal.SIGXCPU


def _addresses() -> int | None:
    """Bytes of addresses that this process has taken; None where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return None
    return pages * resource.getpagesize()
