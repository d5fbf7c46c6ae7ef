"""A short record, a huge picture, and what a command said."""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

import pytest

HEADER = {
    "record": 1,
    "game": "nerts",
    "seats": [{"seat": "north", "deck": "blue"}, {"seat": "south", "deck": "red"}],
}
PILES = {
    "nerts": ["??"] * 12 + ["KD"],
    "work 1": ["AH"],
    "work 2": ["9S"],
    "work 3": ["8S"],
    "work 4": ["5C"],
}
RECORD_LINES = [
    (json.dumps(line) + "\n").encode()
    for line in (
        HEADER,
        {"event": "deal", "at": 0, "seat": "north", "piles": {**PILES, "stock": 35}},
        {"event": "play", "at": 1, "seat": "north", "cards": ["AH"], "from": "work 1", "to": "foundation 1"},
        {"event": "play", "at": 2.5, "seat": "north", "cards": ["9S"], "from": "work 2", "to": "work 3"},
    )
]


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def huge_png() -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    header = struct.pack(">IIBBBBB", 20_000, 10_000, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


def complaint(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line on standard error."""
    said = capsys.readouterr().err
    assert said.count("\n") == 1, said
    assert said.startswith("nerts-referee: ")
    assert "Traceback" not in said
    return said.removeprefix("nerts-referee: ").strip()
