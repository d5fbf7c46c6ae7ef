"""A file that several programs may change is changed by one at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from referee.errors import BadInputError

#: How long a program waits for another one that writes the same file, s, and how often it asks.
PATIENCE_S, ASK_EACH_S = 10.0, 0.01


@contextmanager
def alone(path: Path, wanted: str) -> Iterator[None]:
    """No other program writes this file meanwhile: read it, change it and write it in here. `wanted`: what it holds.

    The lock is the system's on an empty file beside it, and ends with the program that has it, however that ends.
    """
    # late: numpy comes in with it, which commands load only when it is needed
    from vision.wholefile import folder_for

    if path.is_dir():
        raise BadInputError(f"{path} is a folder: name the {wanted} in it")
    real = Path(os.path.realpath(path))
    held = real.with_name(f".{real.name[:40]}.lock")
    lock = FileLock(held, timeout=PATIENCE_S, mode=0o666, fallback_to_soft=False)
    with ExitStack() as opened:
        try:
            opened.enter_context(folder_for(real))
            lock.acquire(poll_interval=ASK_EACH_S)
        except Timeout:
            raise BadInputError(
                f"{path} is being written by another program for {PATIENCE_S:.0f} s: nothing is kept, try again"
            ) from None
        except (OSError, NotImplementedError) as error:
            raise unwritable(path, error) from error
        try:
            yield
        finally:
            with suppress(OSError):
                # whoever waits for a file that is gone takes a new one: the library looks for its name
                held.unlink()
            lock.release()


def unwritable(path: Path, error: Exception) -> BadInputError:
    """What is told of a file that cannot be written."""
    why = error.strerror if isinstance(error, OSError) else "no lock can be had there"
    return BadInputError(f"{path} cannot be written ({why}): choose another place")
