"""Files that people keep, written whole or not at all, however the writing ends."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4


@contextmanager
def folder_for(path: Path) -> Iterator[None]:
    """The folder of a file that may be written in here, made if need be, and not left empty. Raises OSError."""
    made = [folder for folder in path.parents if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    finally:
        for folder in made:
            with suppress(OSError):  # it holds something
                folder.rmdir()


def write_whole(path: Path, data: bytes) -> None:
    """Puts a file in the place of what `path` held, which stays until the new one is on the disk; folders are made.

    A link stays a link, and who may read the file stays so; a device or a pipe, which has no place beside it, is
    written to. Raises OSError.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name[:40]}.{uuid4().hex}.part")
    try:
        with beside.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with suppress(OSError):
            shutil.copymode(path, beside)
        beside.replace(path)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
