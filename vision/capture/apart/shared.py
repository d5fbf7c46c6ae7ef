"""Memory that two processes share: large frames go from one to the other with one copy at each end."""

from __future__ import annotations

import mmap
import os
import sys
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

if sys.platform == "linux":
    import fcntl
    from multiprocessing.reduction import DupFd

#: So many frames wait at most for whoever takes them.
SLOTS = 3


class Shared:
    """Room for a few pieces of data of one size, put there by one process and taken by another in turn.

    Given to a process as it is started. Whoever takes calls `make_room`, and then whoever puts `find_room`.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._room: NDArray[np.uint8] = np.empty((SLOTS, 0), np.uint8)

    @classmethod
    def made(cls) -> Self | None:
        """Without any room yet; None where the system has no such memory."""
        if sys.platform != "linux":
            return None
        try:
            return cls(os.memfd_create("frames", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING))
        except OSError:
            return None

    def __getstate__(self) -> Any:
        return DupFd(self._fd)

    def __setstate__(self, given: Any) -> None:
        self.__init__(given.detach())  # type: ignore[misc]

    def make_room(self, size: int) -> None:
        """For pieces of so many bytes; the other process can make it neither larger nor smaller. Raises OSError."""
        if sys.platform == "linux":
            os.ftruncate(self._fd, SLOTS * size)
            seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
            fcntl.fcntl(self._fd, fcntl.F_ADD_SEALS, seals)
        self._map(size, mmap.ACCESS_READ)

    def find_room(self, size: int) -> None:
        """What the other process made. Raises MemoryError."""
        try:
            self._map(size, mmap.ACCESS_WRITE)
        except OSError as why:
            raise MemoryError from why

    def piece(self, number: int) -> NDArray[np.uint8]:
        """Where the piece of a number is, or comes when the one `SLOTS` before it has been taken."""
        room: NDArray[np.uint8] = self._room[number % SLOTS]
        return room

    def close(self) -> None:
        """Let go of it; it is gone when both have."""
        self._room = np.empty((SLOTS, 0), np.uint8)
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1

    def _map(self, size: int, access: int) -> None:
        mapped = mmap.mmap(self._fd, SLOTS * size, access=access)
        self._room = np.frombuffer(mapped, np.uint8).reshape(SLOTS, size)
