"""A hand that was watched at the table, or is being played there now: its record grows in the folder of its evening."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from io import BytesIO
from math import inf
from pathlib import Path
from threading import Lock

from referee.errors import BadInputError
from referee.record.account import Account, give_account
from referee.record.lines import read_lines
from referee.service import Said, correct_file, unwatched
from referee.service.kept_match import KeptMatch
from referee.textfiles import read_text
from referee.web.desk import told_of
from referee.web.live.table import LiveTable
from referee.web.shelf.films import SESSION_FILM, SessionFilm
from referee.web.shelf.kept import Json
from vision.capture.live.frame_index import index_path

#: What is shown of the table before a hand is dealt and behind its end, s.
BEFORE_S, BEHIND_S = 3.0, 5.0
#: A recording to which nothing was added for so long (s) has stopped.
_GROWS_S = 30.0


class Read:
    """A record's lines and their account, made again only where there is something new."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: object = None
        self._lines: list[Json] = []
        self._account: Account | None = None

    def lines(self, path: Path) -> list[Json]:
        """The lines of a file, as far as they can be read."""
        with self._lock:
            try:
                stat = path.stat()
                known = stat.st_mtime_ns, stat.st_size
                if known != self._known:
                    lines = read_lines(BytesIO(read_text(path, "record"))).objects
                    self._known, self._lines, self._account = known, list(lines), None
            except (OSError, BadInputError):
                self._known, self._lines, self._account = None, [], None
            return self._lines

    def told(self, lines: list[Json]) -> list[Json]:
        """The lines of a hand that is played: they only grow."""
        with self._lock:
            if self._known != len(lines):
                self._known, self._lines, self._account = len(lines), lines, None
            return self._lines

    def account(self) -> Account | None:
        """Of the lines that were read last."""
        with self._lock:
            if self._account is None and self._lines:
                self._account = give_account(self._lines)
            return self._account


@dataclass(frozen=True, slots=True)
class WatchedHand:
    """See `KeptHand`. `table`: where its session is watched here, by this very program."""

    folder: Path
    number: int
    title: str
    #: The match that it is counted in.
    match: Path
    #: What is known of a record by now.
    reading: Callable[[Path], Read]
    table: LiveTable | None = None

    @property
    def read(self) -> Read:
        """What is known of its record by now."""
        return self.reading(self.record)

    @property
    def id(self) -> str:
        """Evening and number."""
        return f"{self.folder.name}.{self.number}"

    @property
    def name(self) -> str:
        """Hand 3 of an evening."""
        return f"Hand {self.number}, {self.title}"

    @property
    def record(self) -> Path:
        """As the session writes it."""
        return self.folder / f"hand-{self.number}.jsonl"

    @property
    def challenges(self) -> Path:
        """Beside the record; no file of the session's."""
        return self.folder / f"challenges-{self.number}.json"

    @property
    def is_played(self) -> bool:
        """Whether it is being played here, now: its session has its record then, and corrects it."""
        return self.table is not None and self.table.session.hand == self.number and bool(self._told())

    def _told(self) -> list[Json]:
        return [] if self.table is None else list(self.table.session.lines)

    @property
    def is_over(self) -> bool:
        """Whether its score was told, and nothing more will be."""
        return any(line.get("event") == "score" for line in self.lines())

    @property
    def film(self) -> SessionFilm:
        """From shortly before the deal to shortly behind the last that was told."""
        moments = [line["at"] for line in self.lines() if isinstance(line.get("at"), int | float)]
        if not moments:
            return SessionFilm(self.folder)
        goes_on = not self.is_over and not self._next.exists()
        return SessionFilm(
            self.folder, max(0.0, min(moments) - BEFORE_S), inf if goes_on else max(moments) + BEHIND_S
        )

    @property
    def _next(self) -> Path:
        return self.folder / f"hand-{self.number + 1}.jsonl"

    @property
    def account(self) -> Account | None:
        """Rulings and score made afresh."""
        self.lines()
        return self.read.account()

    def lines(self) -> list[Json]:
        """From whoever plays it, else from the disk."""
        told = self._told() if self.is_played else []
        return self.read.told(told) if told else self.read.lines(self.record)

    def correct(self, said: Said, by: str, *, insist: bool = False) -> str:
        """Through the session that has it, else in its file: the match counts it anew then."""
        if self.is_played and self.table is not None:
            self.table.session.correct(said, by, insist=insist)
            return ""
        with nullcontext() if self.is_over or self.table is not None else unwatched(self.folder):
            correct_file(self.record, said, by, insist=insist)
        return KeptMatch(self.match).count_again(self.record)

    def briefly(self) -> Json:
        """For the shelf, without a look into its record."""
        told = {"id": self.id, "name": self.name, "number": self.number}
        return {**told, "state": "done", "plays": None, "illegal": None}

    def summary(self) -> Json:
        """For the shelf, with how it went."""
        account = self.account
        if account is None:
            return {**self.briefly(), "state": self._state}
        plays, illegal = len(account.plays), len(account.illegal)
        return {**self.briefly(), "state": self._state, "plays": plays, "illegal": illegal}

    @property
    def _state(self) -> str:
        if self.is_over:
            return "done"
        return "playing" if self.is_played or self._is_growing else "open"

    @property
    def _is_growing(self) -> bool:
        """Whether another program watches it: its recording grows twice a second."""
        try:
            grew = index_path(self.folder, SESSION_FILM).stat().st_mtime
        except OSError:
            return False
        return not self._next.exists() and time.time() - grew < _GROWS_S

    def to_json(self) -> Json:
        """Everything the page shows."""
        told = told_of(self.account)
        return {**self.summary(), "share": 1.0, "doing": "", "error": None, **told}
