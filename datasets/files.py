"""Files that are whole or not there at all, however a program ends."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Where to write what shall be `path`: it takes that name when all is well, and goes when it is not.

    Raises OSError naming `path`, whatever part of the writing failed.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        yield part
        part.replace(path)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            why = error.strerror or str(error)
            raise OSError(error.errno or errno.EIO, why, str(path)) from error
        raise


def put(path: Path, content: bytes | str) -> None:
    """Writes a file whole or not at all; text as UTF-8."""
    with whole(path) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)


def put_array(path: Path, array: NDArray[np.generic]) -> None:
    """Writes a numpy file whole or not at all."""
    with whole(path) as part, part.open("wb") as file:
        np.save(_Plain(file), array)


class _Plain:
    """A file to numpy's eyes no file: into one of those it writes past Python, and a full disk can go unnoticed."""

    def __init__(self, file: IO[bytes]) -> None:
        self.write = file.write
