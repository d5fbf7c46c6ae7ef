"""The file that keeps a match: read whole, written whole, so that it is never half a match."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from referee.commands.console import BadInputError
from referee.match import MatchError
from referee.scorebook import Scorebook, parse_book
from vision.wholefile import write_whole

START = "start one with: nerts-referee match {} --seats north,south"


def read_match(path: Path) -> Scorebook:
    """The match that a file keeps: one written by this program, or plain totals like {"north": 40}."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise BadInputError(f"{path} cannot be read (no such file): {START.format(path)}") from None
    except IsADirectoryError:
        raise BadInputError(f"{path} is a folder: name the file with the match") from None
    except OSError as error:
        raise BadInputError(f"{path} cannot be read ({error.strerror}): check its name") from error
    except (ValueError, RecursionError):
        raise BadInputError(f"{path} is no match file (no JSON): {START.format('FILE')}") from None
    try:
        return parse_book(value)
    except MatchError as error:
        raise BadInputError(f"{path} is no match file ({error}): {START.format('FILE')}") from error


def write_match(path: Path, book: Scorebook) -> None:
    """Put the match in the place of what the file held: whoever reads it finds the old or the new one."""
    try:
        write_whole(path, _text(book).encode())
    except OSError as error:
        raise BadInputError(f"{path} cannot be written ({error.strerror}): choose another place") from error


def _text(book: Scorebook) -> str:
    """JSON with a line for each hand, so that people can read it, too."""
    fields = [f" {_json(key)}: {_value(value)}" for key, value in book.to_json().items()]
    return "{\n" + ",\n".join(fields) + "\n}\n"


def _value(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n  " + ",\n  ".join(_json(item) for item in value) + "\n ]"
    return _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
