"""The file that says what is played at a table: names, decks, house rules."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from referee.errors import BadInputError
from referee.textfiles import read_text

EXAMPLE = 'game = "nerts", [settings] target = 200, [names] north = "Anna", [decks] north = "blue"'
_KNOWN = ("game", "settings", "names", "decks")


def read_table(path: Path) -> dict[str, Any]:
    """`game`, `names` and `decks` by seat, and `set`: house rules as typed behind --set; each where it is told.

    BadInputError for what is no such file.
    """
    try:
        data = tomllib.loads(read_text(path, "table", f"write one like: {EXAMPLE}").decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path} is no table file ({error}): write it like {EXAMPLE}") from None
    unknown = next((key for key in data if key not in _KNOWN), None)
    if unknown is not None:
        raise BadInputError(f"{path}: {unknown!r} means nothing here: it may hold {', '.join(_KNOWN)}")
    found: dict[str, Any] = {}
    if "game" in data:
        found["game"] = _text(path, "game", data["game"])
    for key in ("names", "decks"):
        table = _table(path, key, data.get(key, {}))
        found[key] = {seat: _text(path, f"{key}.{seat}", value) for seat, value in table.items()}
    settings = _table(path, "settings", data.get("settings", {}))
    found["set"] = [f"{key}={_written(value)}" for key, value in settings.items()]
    return found


def _table(path: Path, key: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadInputError(f"{path}: {key!r} is no table: write [{key}] on a line of its own")
    return value


def _text(path: Path, key: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadInputError(f"{path}: {key!r} is no text: write it in quotes")
    return value


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
