"""The file that `replay` and `demo` write a record to: what people wrote into the one before is not lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from glob import escape
from pathlib import Path

from referee.record.account import UMPIRE
from referee.service import BadInputError
from vision.wholefile import folder_for


class RecordFile:
    """The file that a record is written to. What it held before is kept until there is a line to put in its place."""

    def __init__(self, path: Path) -> None:
        self.path = self._first = path
        self._file = path.open("ab", buffering=0)
        self._begun = False
        self._hand = 1

    def next_hand(self) -> None:
        """Another hand begins: its record goes to a file of its own, beside the first one's. A pipe takes them all."""
        if not self.path.is_file():
            return
        self._hand += 1
        self.path = numbered(self._first, self._hand)
        self._file.close()
        try:
            self._file, self._begun = self.path.open("ab", buffering=0), False
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def write(self, line: bytes) -> None:
        """Add a line, without its line end, so that it is there whatever happens next."""
        try:
            if not self._begun and self.path.is_file():  # a pipe has no beginning to go back to
                self._file.truncate(0)
            self._begun = True
            rest = memoryview(line + b"\n")
            while rest:  # what is not buffered may be taken in parts
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def numbered(path: Path, hand: int) -> Path:
    """The file of a later hand: `hand.2.jsonl` beside `hand.jsonl`."""
    return path.with_name(f"{path.stem}.{hand}{path.suffix}")


def _unwritable(path: Path, error: OSError) -> BadInputError:
    return BadInputError(f"{path} cannot be written ({error.strerror}): choose another place")


def _later_hands(path: Path) -> list[Path]:
    """What lies where records of later hands would be written, by `numbered`."""
    beside = path.parent.glob(f"{escape(path.stem)}.*{escape(path.suffix)}")
    return [
        other
        for other in beside
        if other.name.removeprefix(path.stem).removesuffix(path.suffix)[1:].isdecimal()
    ]


@contextmanager
def open_record(path: Path) -> Iterator[RecordFile]:
    """The file that a record is written to; its folder is made. A file in which nothing came to stand is not left.

    BadInputError for one that cannot be written, and for one that holds what only people can write again: it, or that
    of a later hand.
    """
    if path.is_dir():
        raise BadInputError(f"{path} is a folder: name a file in it")
    for there in (path, *_later_hands(path)):
        keep_what_people_wrote(there)
    fresh = not path.exists()
    with ExitStack() as opened:
        try:
            opened.enter_context(folder_for(path))
            file = RecordFile(path)
        except OSError as error:
            raise _unwritable(path, error) from error
        try:
            yield file
        finally:
            file.close()
            if fresh and path.is_file() and not path.stat().st_size:
                path.unlink()


def keep_what_people_wrote(path: Path) -> None:
    """BadInputError for a file that is no record, or one that people corrected: a recording gives back neither."""
    if not path.is_file():
        return
    try:
        lines = [_read(line) for line in path.read_bytes().splitlines()]
    except OSError as error:
        raise _unwritable(path, error) from error
    if not lines:
        return
    if "record" not in lines[0]:
        raise BadInputError(f"{path} is there and is no record: choose another name")
    by = {str(line.get("by") or "somebody") for line in lines if line.get("event") == "correct"} - {UMPIRE}
    if by:
        names = " and ".join(sorted(by))
        raise BadInputError(f"{path} holds corrections by {names}: choose another name, or move it away")


def _read(line: bytes) -> dict[str, object]:
    """The object of a line; of one that cannot be read, as of a record that was cut off, an empty one."""
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
