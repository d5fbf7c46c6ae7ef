"""What tests of matches share: a record, what a command says, and what a file keeps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from referee.commands.program import run

PILES: dict[str, Any] = {
    "nerts": ["??"] * 12 + ["KD"],
    "work 1": ["AH"],
    "work 2": ["9S"],
    "work 3": ["8S"],
    "work 4": ["5C"],
    "stock": 35,
}


def record(path: Path, *, ended: bool = True, at: float = 1.0, **header: Any) -> Path:
    """A hand in which south plays an ace and both keep their thirteen cards: north -26, south -25."""
    seats = [{"seat": "north", "deck": "blue"}, {"seat": "south", "deck": "red"}]
    lines = [
        {"record": 1, "game": "nerts", "seats": seats, **header},
        {"event": "deal", "at": 0, "seat": "north", "piles": PILES},
        {"event": "deal", "at": 0, "seat": "south", "piles": PILES},
        {"event": "play", "at": at, "seat": "south", "cards": ["AH"], "from": "work 1", "to": "foundation 1"},
    ]
    lines += [{"event": "end", "at": 9, "why": "stuck"}] * ended
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """What a command that succeeds prints with --json."""
    assert run([*arguments, "--json"]) == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return report


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The first line that a command prints for people that succeeds."""
    assert run(list(arguments)) == 0
    return capsys.readouterr().out.splitlines()[0]


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that a command says that ends with status 2."""
    assert run(list(arguments)) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    return told.err


def points(book: str) -> list[list[float]]:
    """The points of each hand that a file keeps, in the order of its seats."""
    return [list(hand["points"].values()) for hand in json.loads(Path(book).read_text("utf-8"))["hands"]]


def files(folder: Path) -> list[str]:
    """What lies in a folder."""
    return sorted(path.name for path in folder.iterdir())
