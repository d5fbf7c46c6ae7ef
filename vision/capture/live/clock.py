"""A clock that nobody sets and that goes on while the machine sleeps."""

from __future__ import annotations

import sys
import time


def now() -> float:
    """Seconds from some moment. Setting the machine's date changes nothing; what it slept through is counted."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    if sys.platform == "darwin":  # whose time.monotonic() stands still in sleep
        return time.clock_gettime(time.CLOCK_MONOTONIC)
    return time.monotonic()
