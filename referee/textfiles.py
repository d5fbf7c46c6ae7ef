"""Text that people hand over in a file: a record, a match, facts; read whole, and never without end."""

from __future__ import annotations

import sys
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import BinaryIO

from referee.errors import BadInputError

#: No record, match or file of facts is larger, millions of bytes.
LARGEST_MB = 20
_LARGEST = LARGEST_MB * 1_000_000


def read_text(path: Path, wanted: str, remedy: str = "check its name") -> bytes:
    """The bytes of a file; `wanted` is what it should hold, like "record".

    BadInputError for a folder, for what is no file (a device or a pipe might never end), and for too much.
    """
    try:
        kind = path.stat()
        if S_ISDIR(kind.st_mode):
            raise BadInputError(f"{path} is a folder: name the {wanted} in it")
        if not S_ISREG(kind.st_mode):
            raise BadInputError(f"{path} is a device or a pipe: name a file with the {wanted}")
        with path.open("rb") as file:
            data = _bounded(file)
    except FileNotFoundError:
        raise BadInputError(f"{path} cannot be read (no such file): {remedy}") from None
    except OSError as error:
        raise BadInputError(f"{path} cannot be read ({error.strerror}): {remedy}") from error
    if data is None:
        size = kind.st_size / 1e6
        raise BadInputError(
            f"{path} is no {wanted} (it is too large: {size:.0f} MB, of {LARGEST_MB} at most)"
        )
    return data


def read_typed(wanted: str) -> bytes:
    """The bytes of standard input; BadInputError for too much, and where there is none."""
    if sys.stdin is None:
        raise BadInputError(f"there is no standard input: name the file with the {wanted}")
    data = _bounded(sys.stdin.buffer)
    if data is None:
        raise BadInputError(f"standard input is no {wanted}: it is larger than {LARGEST_MB} MB")
    return data


def _bounded(file: BinaryIO) -> bytes | None:
    """What is in a file up to its end; None if that is too much."""
    data = file.read(_LARGEST + 1)
    return None if len(data) > _LARGEST else data
