"""The files of an evening: a folder with a record a hand, and what is needed to go on after a crash."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from filelock import FileLock, Timeout

from referee.errors import BadInputError
from referee.live.session.taken_up import NotTakenUpError, Spots
from referee.record.lines import dump
from vision.wholefile import write_whole

Line = dict[str, Any]

#: A session whose program ended without saying so is gone on with for so long (s) after its last sign of life.
GONE_ON_WITH_S = 900.0


@dataclass(slots=True)
class Keeper:
    """Writes the records of one session. What cannot be written is kept in mind and written as soon as it can be."""

    folder: Path
    session: str
    #: When the session began (s since 1970), and what it looks at.
    began: float
    source: str
    #: The number of the present hand, from 1; 0 before the first.
    hand: int = 0
    #: The file of the match that its hands are counted in, where that is not its own.
    match: Path | None = None
    #: Why lines wait to be written, "" if none do.
    trouble: str = ""
    #: By file: the lines that could not be written yet.
    _waiting: dict[Path, list[bytes]] = field(default_factory=dict)
    _lock: FileLock | None = None

    # -- sessions ------------------------------------------------------------------------------------------

    @classmethod
    def open(cls, recordings: Path, source: str, *, resume: bool = True) -> Keeper:
        """The session in this folder whose program ended without saying so, if it looked at the same source not long
        ago; else a new one. BadInputError where nothing can be written.
        """
        if recordings.exists() and not recordings.is_dir():
            raise BadInputError(f"{recordings} is a file: name a folder for the recordings")
        try:
            recordings.mkdir(parents=True, exist_ok=True)
            for folder in sorted(recordings.glob("session-*"), reverse=True) if resume else ():
                keeper = cls._unfinished(folder, source)
                if keeper is not None:
                    return keeper
            return cls._new(recordings, source)
        except OSError as error:
            raise BadInputError(
                f"{recordings} cannot be written ({error.strerror}): choose another folder"
            ) from error

    @classmethod
    def _new(cls, recordings: Path, source: str) -> Keeper:
        name = f"session-{time.strftime('%Y%m%d-%H%M%S')}"
        for more in ("", *(f"-{n}" for n in range(2, 1000))):
            folder = recordings / f"{name}{more}"
            with suppress(FileExistsError):
                folder.mkdir()
                break
        keeper = cls(folder, str(uuid4()), time.time(), source)
        keeper._take_lock()
        keeper._write_about(ended=False)
        return keeper

    @classmethod
    def _unfinished(cls, folder: Path, source: str) -> Keeper | None:
        about_file = folder / "session.json"
        try:
            about = json.loads(about_file.read_bytes())
            keeper = cls(folder, str(about["session"]), float(about["began"]), str(about["source"]))
            ended, match = about["ended"], about.get("match")
        except (OSError, ValueError, KeyError, TypeError):
            return None
        alive = max(file.stat().st_mtime for file in [about_file, *folder.glob("hand-*")])
        if ended or keeper.source != source or time.time() - alive > GONE_ON_WITH_S:
            return None
        if not keeper._take_lock():
            return None
        keeper.match = Path(str(match)) if match else None
        numbers = [int(file.stem[5:]) for file in folder.glob("hand-*.jsonl") if file.stem[5:].isdigit()]
        keeper.hand = max(numbers, default=0)
        return keeper

    def age(self) -> float:
        """How long ago the session began (s); by a clock that people may set."""
        return max(0.0, time.time() - self.began)

    def count_in(self, match: Path) -> None:
        """Hands are counted in this match: who corrects a record later finds it by that. Raises OSError."""
        self.match = match.absolute()
        self._write_about(ended=False)

    def _take_lock(self) -> bool:
        """No other program writes this session."""
        self._lock = FileLock(self.folder / ".lock", timeout=0)
        try:
            self._lock.acquire()
        except Timeout:
            return False
        return True

    def _write_about(self, *, ended: bool) -> None:
        about = {
            "session": self.session,
            "began": self.began,
            "source": self.source,
            "ended": ended,
            **({"match": str(self.match)} if self.match is not None else {}),
        }
        write_whole(self.folder / "session.json", json.dumps(about).encode() + b"\n")

    def close(self) -> None:
        """The session has ended."""
        self.end_hand()
        with suppress(OSError):
            self._write_about(ended=True)
        if self._lock is not None:
            self._lock.release()

    # -- hands ---------------------------------------------------------------------------------------------

    def record(self, hand: int | None = None) -> Path:
        """The record of a hand; of the present one for None."""
        return self.folder / f"hand-{self.hand if hand is None else hand}.jsonl"

    def next_hand(self) -> int:
        """A new hand begins: its number."""
        self.end_hand()
        self.hand += 1
        return self.hand

    def end_hand(self) -> None:
        """Nothing more comes into the present record."""
        self.append([])
        with suppress(OSError):
            self._spots().unlink(missing_ok=True)

    def append(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Write lines to the present record: on the disk when this returns, unless there is `trouble`."""
        if lines:
            self._waiting.setdefault(self.record(), []).extend(dump(line) + b"\n" for line in lines)
        for path in list(self._waiting):
            try:
                _add_to(path, b"".join(self._waiting[path]))
            except OSError as error:
                self.trouble = f"{path} cannot be written ({error.strerror}): make room on the disk"
                return
            del self._waiting[path]
        self.trouble = ""

    def keep_spots(self, spots: Spots) -> None:
        """What is needed beside the record to go on after a crash: written often, it may be older than the record."""
        path = self._spots()
        beside = path.with_suffix(".part")
        with suppress(OSError):
            beside.write_bytes(json.dumps(spots.to_json()).encode() + b"\n")
            beside.replace(path)

    def _spots(self) -> Path:
        return self.folder / f"hand-{self.hand}.spots.json"

    def interrupted(self) -> tuple[list[Line], Spots] | None:
        """The present hand as a crash left it: its lines and spots; None if it had ended, or there is none.

        A last line that is cut off goes aside, into a file of its own. NotTakenUpError where it cannot be gone on
        with; its files stay.
        """
        path = self.record()
        if not self.hand or not path.exists():
            return None
        lines = self._whole_lines(path)
        if lines and lines[-1].get("event") == "score":
            return None
        try:
            spots = json.loads(self._spots().read_bytes())
        except (OSError, ValueError):
            raise NotTakenUpError("it is not known where its places lie") from None
        if not lines:
            raise NotTakenUpError("its record is empty")
        return lines, Spots.from_json(spots)

    def kept(self, hand: int) -> list[Line]:
        """The whole lines of a hand's record; empty where it cannot be read."""
        try:
            lines = self.record(hand).read_bytes().split(b"\n")[:-1]
            return [json.loads(line) for line in lines]
        except (OSError, ValueError):
            return []

    def lines(self) -> list[Line]:
        """The lines of the present hand's record, as far as they are whole. Raises NotTakenUpError."""
        return self._whole_lines(self.record())

    def _whole_lines(self, path: Path) -> list[Line]:
        data = path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            with path.with_suffix(".torn").open("ab") as torn:
                torn.write(data[whole:] + b"\n")
            os.truncate(path, whole)
        try:
            return [json.loads(line) for line in data[:whole].splitlines()]
        except ValueError:
            raise NotTakenUpError("its record cannot be read") from None


def _add_to(path: Path, data: bytes) -> None:
    """Add to a file, all or nothing: when this returns it is on the disk. Raises OSError."""
    with path.open("ab", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())
        except OSError:
            with suppress(OSError):
                file.truncate(size)
            raise
