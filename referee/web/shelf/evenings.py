"""The evenings in the folder of recordings: a folder each, with the records of the hands that were watched."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from threading import Lock

from referee.errors import BadInputError
from referee.record.strictjson import JsonError, load_json
from referee.textfiles import read_text
from referee.web.live.table import LiveTable
from referee.web.shelf.kept import Json
from referee.web.shelf.watched import Read, WatchedHand

_ID = re.compile(r"(session-[\w-]{1,80})\.([1-9][0-9]{0,3})")
_RECORD = re.compile(r"hand-([1-9][0-9]{0,3})\.jsonl")
#: Records that are kept in memory, and hands of which the shelf tells how they went: there may be years of others.
_KEPT, _TOLD = 64, 24


class Evenings:
    """Those in a folder. `table`: the one that is watched by this program, whose evening is among them."""

    def __init__(self, folder: Path, table: LiveTable | None = None) -> None:
        self.folder, self._table = folder, table
        self._lock = Lock()
        self._read: OrderedDict[Path, Read] = OrderedDict()

    def __iter__(self) -> Iterator[Path]:
        """The folders, the latest first."""
        return iter(sorted(self.folder.glob("session-*"), reverse=True))

    def hand(self, id: str) -> WatchedHand | None:
        """The hand of this id; None where there is none."""
        found = _ID.fullmatch(id)
        if found is None:
            return None
        folder, number = self.folder / found[1], int(found[2])
        return self._hand(folder, number, _about(folder)) if self._is_there(folder, number) else None

    def played(self, number: int) -> WatchedHand | None:
        """A hand of the evening that is watched by this program."""
        return None if self._table is None else self.hand(f"{self._table.kept}.{number}")

    def to_json(self) -> list[Json]:
        """For the shelf: evenings with their hands, the latest first; how the latest hands went, too."""
        evenings, told = [], _TOLD
        for folder in self:
            about, hands = _about(folder), []
            for number in sorted(_numbers(folder), reverse=True):
                hand = self._hand(folder, number, about)
                hands.append(hand.summary() if told else hand.briefly())
                told -= bool(told)
            if hands:
                evenings.append({"id": folder.name, "name": _title(folder, about), "hands": hands[::-1]})
        return evenings

    def _is_there(self, folder: Path, number: int) -> bool:
        if (folder / f"hand-{number}.jsonl").is_file():
            return True
        return self._is_own(folder) and self._table is not None and self._table.session.hand == number

    def _is_own(self, folder: Path) -> bool:
        """Whether this evening is watched by this program."""
        return self._table is not None and folder.name == self._table.kept

    def _hand(self, folder: Path, number: int, about: Json) -> WatchedHand:
        table = self._table if self._is_own(folder) else None
        return WatchedHand(folder, number, _title(folder, about), _match(folder, about), self._reading, table)

    def _reading(self, record: Path) -> Read:
        """What is known of a record, while it is among those that were asked for last."""
        with self._lock:
            read = self._read.setdefault(record, Read())
            self._read.move_to_end(record)
            while len(self._read) > _KEPT:
                self._read.popitem(last=False)
            return read


def _numbers(folder: Path) -> list[int]:
    found = (_RECORD.fullmatch(path.name) for path in folder.glob("hand-*.jsonl"))
    return [int(each[1]) for each in found if each]


def _about(folder: Path) -> Json:
    """What a session wrote of itself; empty for a folder of something else."""
    try:
        about = load_json(read_text(folder / "session.json", "session"))
    except (BadInputError, JsonError):
        return {}
    return about if isinstance(about, dict) else {}


def _match(folder: Path, about: Json) -> Path:
    """The match that an evening's hands are counted in: one that `watch` was given, or its own."""
    named = about.get("match")
    return Path(named) if isinstance(named, str) and named else folder / "match.json"


def _title(folder: Path, about: Json) -> str:
    """When an evening began, as people say it."""
    try:
        return f"{datetime.fromtimestamp(float(about['began'])):%d %B %Y, %H:%M}".removeprefix("0")
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return folder.name.removeprefix("session-")
