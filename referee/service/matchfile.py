"""The file that keeps a match: read whole, written whole, by one program at a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from referee.errors import BadInputError
from referee.matches.book_json import book_to_json, parse_book
from referee.matches.match import MatchError
from referee.matches.scorebook import Scorebook
from referee.record.strictjson import JsonError, load_json
from referee.service.alone import unwritable
from referee.textfiles import read_text

START = "start one with: nerts-referee match {} --seats north,south"


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


def write_match(path: Path, book: Scorebook) -> None:
    """Put the match in the place of what the file held: whoever reads it finds the old or the new one.

    For a command that has the file `alone`.
    """
    # late: numpy comes in with it, which commands load only when it is needed
    from vision.wholefile import write_whole

    text = _text(book)
    try:
        if not (path.is_file() and path.read_bytes() == text):
            write_whole(path, text)
    except OSError as error:
        raise unwritable(path, error) from error


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
