"""A hand as `score` counts it, written into the match of a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from referee.commands.console import complain, print_json, say
from referee.commands.terminal import one_line
from referee.matches.book_json import report as match_report
from referee.matches.match import MatchError
from referee.matches.provenance import Photographed
from referee.matches.scorebook import Scorebook, Where
from referee.service import BadInputError
from referee.service.alone import alone
from referee.service.counted import counted
from referee.service.matchfile import read_match, write_match

Json = dict[str, Any]


def match_for(path: Path | None, call: str | None, where: Where) -> Scorebook | None:
    """The match that a hand is counted for, None without one; BadInputError if it cannot go where it is told to."""
    if path is None:
        option = f"--call {call}" if call else f"--edit {where.edit}" if where.edit else "--again"
        if call or where.edit or where.again:
            raise BadInputError(f"{option} is for a match: add --match FILE")
        return None
    book = read_match(path)
    try:
        if where.edit:
            book.match.check_hand(where.edit)
    except MatchError as error:
        raise BadInputError(f"{path}: {error}") from error
    return book


def keep_counted(
    path: Path, report: Json, call: str | None, photos: Sequence[Path], where: Where
) -> tuple[Scorebook, str]:
    """The match with the hand of a report on photos, and what is to be told if it is no hand more.

    Raises MatchError or BadInputError where it cannot be written down; the file is then as it was.
    """
    try:
        source = Photographed.of(photo.read_bytes() for photo in photos)
    except OSError as error:
        raise BadInputError(f"{error.filename} cannot be read any more ({error.strerror})") from error
    with alone(path, "match"):
        book = read_match(path)
        written = book.add_counts(counted(report, book), call, source, where)
        write_match(path, book)
    return book, written.told


def keep_and_tell(
    match: Path | None,
    report: Json,
    call: str | None,
    files: Sequence[Path],
    where: Where,
    book: Scorebook | None,
    tell: Callable[[Json], None],
    *,
    json: bool,
) -> int:
    """Write the hand of a report into the match, if there is one, and tell of both; the exit status."""
    refused, kept = None, ""
    if match:
        try:
            book, kept = keep_counted(match, report, call, files, where)
        except (MatchError, BadInputError) as error:
            refused = f"the hand is not added to {match}: {error}"
        else:
            in_match = match_report(book)
            report |= {"match": in_match["totals"], "match_winner": in_match["winner"], "match_told": kept}
    print_json(report) if json else tell(report)
    if book and not json and not refused:
        if kept:
            say(one_line(kept))
        say(book.match)
    return complain(refused) if refused else 0
