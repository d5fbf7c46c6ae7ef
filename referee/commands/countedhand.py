"""A hand as `score` counts it, written into the match of a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from referee.matches.match import MatchError
from referee.matches.names import unknown_name
from referee.matches.provenance import Photographed
from referee.matches.scorebook import Count, Scorebook, Where
from referee.service import BadInputError
from referee.service.alone import alone
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


def counted(report: Json, book: Scorebook) -> dict[str, Count]:
    """What photos show, by the seats of a match; a deck without a seat counts by its back's label."""
    if book.settings.count("king_points"):
        raise MatchError("kings bring points, and backs do not show kings: type the hand (match --help)")
    if report.get("total_by_backs") is None:
        raise MatchError("whose cards they are shows on the backs: add a photo of them spread backs up")
    counts: dict[str, Count] = {}
    for deck in report["decks"]:
        name = _player(deck, book)
        so_far = counts.get(name, Count(0))
        # a player's deck may be told by two labels
        counts[name] = Count(so_far.centre + deck["centre"], so_far.left + deck["left"])
    for side in book.match.sides:
        if not any(seat in counts for seat in side):
            raise MatchError(f"no card of {side[0]} is in the photos: add --left {side[0]}=N")
    return counts


def _player(deck: Json, book: Scorebook) -> str:
    """Whose deck it is; MatchError for nobody's, and for a name that nobody has."""
    seats, name = book.match.seats, str(deck["seat"] or deck["back"])
    if name in seats:
        return name
    if deck["seat"]:
        raise MatchError(unknown_name(name, seats))
    raise MatchError(f"the {name} deck is nobody's: add --deck {name}=SEAT (playing: {', '.join(seats)})")
