"""What pictures took goes back to the system: the C library keeps it in pieces between what is still in use."""

from __future__ import annotations

import ctypes
import gc
import sys
from functools import cache


def give_back() -> None:
    """Give back what is free, where the C library can (glibc); some 0.1 s, so not while cards are played."""
    gc.collect()  # what followed a hand refers to itself: its last seconds of frames would wait for long
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> ctypes._NamedFuncPointer | None:
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
