"""The table that is kept for next time: one TOML file with who plays where, with which decks, by which rules.

It is read strictly: a fault is named with its file, its line and what to do. It is written whole, with the comments and
the order that people gave it. A bad file never keeps a table from playing (`open_table`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import platformdirs

from referee.errors import BadInputError
from referee.rules.settings import definitions
from referee.service.alone import alone, unwritable
from referee.service.table import TABLES, TEXTS, BadTermError, TableTerms
from referee.textfiles import read_text


@dataclass(frozen=True, slots=True)
class KeptTable:
    """A table's file and what it says; `trouble`: why it says nothing, in a line for people."""

    path: Path
    terms: TableTerms = field(default_factory=TableTerms)
    trouble: str = ""


def default_table() -> Path:
    """Where the table is kept if nobody says where: on Linux ~/.config/nerts-referee/table.toml."""
    return platformdirs.user_config_path("nerts-referee", appauthor=False) / "table.toml"


def open_table(path: Path | None = None) -> KeptTable:
    """The table that is kept, else a usual one; a file that cannot be used is named, and stops nothing."""
    path = path or default_table()
    try:
        return KeptTable(path, read_table(path))
    except BadInputError as error:
        there = path.exists() or path.is_symlink()
        return KeptTable(path, trouble=f"{error} (the usual rules are taken)" if there else "")


def read_table(path: Path) -> TableTerms:
    """What a table's file says; BadInputError names file, line and remedy."""
    data = read_text(path, "table", "keep one by choosing rules, or leave --table out")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadInputError(f"{path}, line {line}: not UTF-8: save it as UTF-8") from None
    return _read(path, text)


def keep_table(path: Path, terms: TableTerms, now: datetime | None = None) -> str:
    """Keep the table for next time, as used `now`; what people wrote beside it stays. BadInputError if it cannot be.

    A file that cannot be read is kept beside it as FILE.bad; the answer then says so, else it is "".
    """
    # late: numpy comes in with it, which commands load only when it is needed
    from vision.wholefile import write_whole

    terms = replace(terms, last_used=now or datetime.now().astimezone().replace(microsecond=0))
    TableTerms.of(terms.plain())
    said = ""
    with alone(path, "table"):
        try:
            text = path.read_bytes().decode("utf-8-sig") if path.exists() else _FRESH
            if path.exists():
                _read(path, text)
        except (BadInputError, UnicodeDecodeError):
            beside = path.with_name(f"{path.name}.bad")
            said = f"{path} could not be read and is kept as {beside.name}: take from it what you need"
            text = _FRESH
        except OSError as error:
            raise unwritable(path, error) from error
        data = _filled(text, terms).encode()
        try:
            if said:
                path.replace(path.with_name(f"{path.name}.bad"))
            write_whole(path, data)
        except OSError as error:
            raise unwritable(path, error) from error
    return said


# -- reading -----------------------------------------------------------------------------------------------


def _read(path: Path, text: str) -> TableTerms:
    try:
        return TableTerms.of(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        what, _, where = str(error).partition(" (at ")
        line = re.match(r"line (\d+)", where)
        number = int(line[1]) if line else text.count("\n") + 1
        raise BadInputError(f"{path}, line {number}: no TOML ({what}): write it like {_EXAMPLE}") from None
    except BadTermError as error:
        raise BadInputError(f"{path}, line {line_of(text, error.keys)}: {error}") from None


def line_of(text: str, keys: Sequence[str]) -> int:
    """The number of the line (from 1) on which a key of a TOML text stands; that of the nearest table else."""
    nearest, depth = 1, 0
    for number, path in _keys(text):
        shared = len(path) if path == tuple(keys[: len(path)]) else 0
        if shared > depth:
            nearest, depth = number, shared
    return nearest


def _keys(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The lines that have a key or open a table, with the whole key."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line)
        if header:
            table = _parts(header[1])
            yield number, table
        elif found := _KEY.match(line):
            yield number, (*table, *_parts(found[1]))


_PART = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_DOTTED = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER, _KEY = re.compile(rf"\s*\[+\s*({_DOTTED})\s*\]"), re.compile(rf"\s*({_DOTTED})\s*=")


def _parts(dotted: str) -> tuple[str, ...]:
    value: Any = tomllib.loads(f"{dotted} = 0")
    parts = []
    while isinstance(value, dict):
        (name, value), *_ = value.items()
        parts.append(name)
    return tuple(parts)


# -- writing -----------------------------------------------------------------------------------------------

_EXAMPLE = 'game = "nerts"'
#: A file that is begun: its comments stand below what they are about, where what is added later leaves them.
_FRESH = """\
# The table of nerts-referee: who plays here, with which decks and by which rules. It is read when a table is watched,
# and what is chosen there is kept here; comments and the order of lines stay.

# A game that `nerts-referee rules` lists.
game = "nerts"

[settings]
# House rules: what differs from the game's own.

[names]
# What the players are called, by the side on which the camera sees them: north is at the top of the picture.

[decks]
# The back of the cards that each plays with: its colour, or the name of an enrolled deck.
"""


def _filled(text: str, terms: TableTerms) -> str:
    """A TOML text that says what is agreed on, and else what it said."""
    import tomlkit  # a table is kept once an evening
    from tomlkit.container import OutOfOrderTableProxy

    document = tomlkit.parse(text)
    for key in TABLES:
        if isinstance(document.get(key), OutOfOrderTableProxy):
            # told in pieces here and there: the library loses its way where one is taken out
            document.remove(key)
    _fill(document, terms)
    return tomlkit.dumps(document)


def _fill(document: Any, terms: TableTerms) -> None:
    """Make a TOML document say what is agreed on, and change nothing that says so already."""
    new = terms.plain()
    for key in (*TEXTS, "last_used"):
        if key not in new:
            document.pop(key, None)
        elif document.get(key) != new[key]:
            document[key] = new[key]
    for key in TABLES:
        if key not in document and new[key]:
            document[key] = {}
        table = document.get(key, {})
        for name in [name for name in table if name not in new[key]]:
            del table[name]
        for name, value in new[key].items():
            if name in table and (table[name], type(_bare(table[name]))) == (value, type(value)):
                continue
            _put(table, name, value, definitions()[name].title if key == "settings" else "")


def _bare(item: Any) -> Any:
    return item.unwrap() if hasattr(item, "unwrap") else item


def _put(table: Any, name: str, value: Any, title: str) -> None:
    """Change a key of a table, or add it behind the last one with its title, before the blank lines."""
    from tomlkit import nl
    from tomlkit.items import Table, Whitespace

    fresh = name not in table
    if not fresh or not isinstance(table, Table):
        table[name] = value
        return
    blank = False
    while table.value.body and isinstance(table.value.body[-1][1], Whitespace):
        table.value.body.pop()
        blank = True
    table[name] = value
    if title:
        added: Any = table.value.item(name)
        added.comment(title)
    if blank:
        table.add(nl())
