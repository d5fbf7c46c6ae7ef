"""A record in a file that people correct: a line is added behind what stands there, which is never rewritten."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from filelock import FileLock, Timeout

from referee.errors import BadInputError
from referee.record.amend import Corrected, correct
from referee.record.lines import Lines, dump, read_lines
from referee.record.said import RefusedError, Said
from referee.service.alone import alone, unwritable
from referee.textfiles import read_text


def correct_file(path: Path, said: Said, by: str, *, insist: bool = False) -> Corrected:
    """Add to the record in a file what a person says, as `referee.record.amend.correct` makes it: one line, on the disk.

    A last line that was cut off by a crash is no line, and makes room. RefusedError and BadInputError leave the file as
    it was. Whoever keeps a record open to write it (a table that is watched) corrects it by `correct` instead.
    """
    with alone(path, "record"):
        data = read_text(path, "record")
        read = _read(path, data)
        corrected = correct(read.objects, said, by, insist=insist)
        whole = data if read.cut_off is None else data[: data.rfind(b"\n") + 1]
        between = b"" if whole.endswith(b"\n") else b"\n"
        try:
            _add(path, len(whole), between + dump(corrected.line) + b"\n")
        except OSError as error:
            raise unwritable(path, error) from error
        return corrected


@contextmanager
def unwatched(folder: Path) -> Iterator[None]:
    """No program watches the table of the session in this folder meanwhile: whoever does writes its records.

    RefusedError where one does.
    """
    lock = FileLock(folder / ".lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise RefusedError(
            "this hand is being played: correct it on the page of the `watch` that follows it, or when it is over"
        ) from None
    except OSError as error:
        raise unwritable(folder, error) from error
    try:
        yield
    finally:
        lock.release()


def _read(path: Path, data: bytes) -> Lines:
    read = read_lines(BytesIO(data))
    if read.error is not None:
        raise BadInputError(f"{path} cannot be corrected ({read.error}): mend that line first")
    return read


def _add(path: Path, at: int, data: bytes) -> None:
    """Write behind the first `at` bytes, wholly or not at all, and wait until the disk has it. Raises OSError."""
    with path.open("r+b", buffering=0) as file:
        file.truncate(at)
        file.seek(at)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())
        except OSError:
            file.truncate(at)
            raise
