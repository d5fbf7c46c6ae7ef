"""The rows of figures that are there already: a line of JSON each, known by its sources and what it is of."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from datasets.files import put
from scripts.building import BuildError

Row = Mapping[str, Any]


class Rows:
    """A file of rows: a row is added as soon as its film or hand is measured, and none is added twice.

    `named`: under what name a row tells which film or hand that is.

    Raises `BuildError` for a line that is no row, but for a last one that was cut off.
    """

    def __init__(self, path: Path, named: str = "film") -> None:
        self.path, self.named = path, named
        self._rows: dict[tuple[str, str], Row] = {}
        self._end = 0
        for number, line in enumerate(self._lines(), 1):
            self._keep(line, number)

    def _lines(self) -> list[bytes]:
        """The whole lines; where they end is remembered, so that the rest of a line cut off is written over."""
        if not self.path.exists():
            return []
        *lines, rest = self.path.read_bytes().split(b"\n")
        if rest.strip() and self._is_row(rest):
            lines.append(rest)
        self._end = sum(len(line) + 1 for line in lines)
        return lines

    def _keep(self, line: bytes, number: int) -> None:
        if not line.strip():
            return
        if not self._is_row(line):
            raise BuildError(
                f"{self.path}, line {number}: this is no row of figures; take the line out, or name another --rows"
            )
        row = json.loads(line)
        self._rows[row["sources"], row[self.named]] = row

    def __len__(self) -> int:
        return len(self._rows)

    def has(self, sources: str, name: str) -> bool:
        """Whether a film or hand was measured with these sources."""
        return (sources, name) in self._rows

    def of(self, sources: str) -> list[Row]:
        """The rows of these sources, in the order in which they were made."""
        return [row for (made_of, _), row in self._rows.items() if made_of == sources]

    @property
    def newest(self) -> str | None:
        """The sources of the row that was made last."""
        return next((made_of for made_of, _ in reversed(self._rows)), None)

    def add(self, row: Row) -> None:
        """One more row, on the disk before this returns."""
        if self.has(row["sources"], row[self.named]):
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        with self.path.open("r+b" if self.path.exists() else "w+b") as file:
            size = file.seek(0, os.SEEK_END)
            if size < self._end:
                file.write(b"\n" * (self._end - size))
            file.seek(self._end)
            file.write(line)
            file.truncate()
            file.flush()
            os.fsync(file.fileno())
        self._end += len(line)
        self._rows[row["sources"], row[self.named]] = row

    def forget(self, but: Iterable[str]) -> int:
        """Drop the rows of other sources than these; how many."""
        kept = set(but)
        others = [key for key in self._rows if key[0] not in kept]
        for key in others:
            del self._rows[key]
        text = "".join(
            json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in self._rows.values()
        )
        put(self.path, text)
        self._end = len(text.encode())
        return len(others)

    def _is_row(self, line: bytes) -> bool:
        try:
            row = json.loads(line)
        except ValueError:
            return False
        return isinstance(row, dict) and all(isinstance(row.get(key), str) for key in ("sources", self.named))


def files_of(patterns: Iterable[str], root: Path) -> list[Path]:
    """All files that these patterns find."""
    return sorted({file for pattern in patterns for file in root.glob(pattern)})


def digest_of(files: Iterable[Path], root: Path) -> str:
    """A digest of files and where they lie."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.relative_to(root).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:12]
