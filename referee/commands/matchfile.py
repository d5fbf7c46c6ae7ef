"""The file that keeps a match: read whole, written whole, by one program at a time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from referee.matches.book_json import book_to_json, parse_book
from referee.matches.match import MatchError
from referee.matches.scorebook import Scorebook
from referee.record.strictjson import JsonError, load_json
from referee.service import BadInputError
from referee.textfiles import read_text
from vision.wholefile import folder_for, write_whole

START = "start one with: nerts-referee match {} --seats north,south"
#: How long a command waits for another one that writes the same match, s, and how often it asks.
PATIENCE_S, ASK_EACH_S = 10.0, 0.01


def read_match(path: Path) -> Scorebook:
    """The match that a file keeps: one written by this program, or plain totals like {"north": 40}."""
    data = read_text(path, "match", START.format(path))
    try:
        return parse_book(load_json(data.decode("utf-8-sig")))
    except (JsonError, UnicodeDecodeError) as error:
        why = error if isinstance(error, JsonError) else "is not JSON in UTF-8"
        raise BadInputError(f"{path} is no match file (it {why}): {START.format('FILE')}") from None
    except MatchError as error:
        raise BadInputError(f"{path} is no match file ({error}): {START.format('FILE')}") from error


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """No other command writes the match of this file meanwhile: read it, change it and write it in here.

    The lock is the system's on an empty file beside it, and ends with the program that has it, however that ends.
    """
    if path.is_dir():
        raise BadInputError(f"{path} is a folder: name the match in it")
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
            raise _unwritable(path, error) from error
        try:
            yield
        finally:
            with suppress(OSError):
                # whoever waits for a file that is gone takes a new one: the library looks for its name
                held.unlink()
            lock.release()


def write_match(path: Path, book: Scorebook) -> None:
    """Put the match in the place of what the file held: whoever reads it finds the old or the new one.

    For a command that has the file `alone`.
    """
    text = _text(book)
    try:
        if not (path.is_file() and path.read_bytes() == text):
            write_whole(path, text)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: Exception) -> BadInputError:
    why = error.strerror if isinstance(error, OSError) else "no lock can be had there"
    return BadInputError(f"{path} cannot be written ({why}): choose another place")


def _text(book: Scorebook) -> bytes:
    """JSON with a line for each hand, so that people can read it, too."""
    try:
        return _lines(book, plain=False).encode()
    except UnicodeEncodeError:  # the name of a record that is no UTF-8
        return _lines(book, plain=True).encode()


def _lines(book: Scorebook, *, plain: bool) -> str:
    def written(value: Any) -> str:
        return json.dumps(value, ensure_ascii=plain)

    def each(value: Any) -> str:
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return "[\n  " + ",\n  ".join(map(written, value)) + "\n ]"
        return written(value)

    fields = [f" {written(key)}: {each(value)}" for key, value in book_to_json(book).items()]
    return "{\n" + ",\n".join(fields) + "\n}\n"
