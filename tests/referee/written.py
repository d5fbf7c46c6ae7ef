"""A record as the umpire writes it when all is told at once."""

from __future__ import annotations

from typing import Any

from referee.live import scribe
from referee.record.book import Book

Line = dict[str, Any]


def written(lines: list[Line]) -> list[Line]:
    """Header and believed events in; the record with rulings and score out."""
    book = Book(lines[0], rulings=False)
    book.tell(lines[1:])
    return [*book.lines, *scribe.ruled(book.lines)]
