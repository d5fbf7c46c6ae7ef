"""A hand as its photos are counted, by the seats of a match, and the matches that the page keeps of such hands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from json import dumps
from pathlib import Path
from typing import Any

from referee.errors import BadInputError
from referee.matches.match import MatchError
from referee.matches.names import unknown_name
from referee.matches.provenance import Likeness, Photographed
from referee.matches.scorebook import Count, Scorebook, Where, Written
from referee.service.alone import alone
from referee.service.matchfile import read_match, write_match
from referee.service.table import TableTerms

Json = dict[str, Any]
#: The name of a match that the page keeps, and of its file.
_NAME = re.compile(r"[^\W_](?:[\w ,.'-]{0,58}[\w])?")


def counted(report: Json, book: Scorebook) -> dict[str, Count]:
    """What photos show, by the seats of a match; a deck without a seat counts by its back's label.

    Raises MatchError where they do not tell the hand.
    """
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


class PartlyKeptError(MatchError):
    """Some of the photos belong to a hand that is in the match, and not all."""

    def __init__(self, hand: int) -> None:
        super().__init__(
            f"Some of these photos are of hand {hand} already: put this in its place, or count a hand more?"
        )
        self.hand = hand


@dataclass(frozen=True, slots=True)
class CountedMatches:
    """Matches in a folder, a file each, with the tagged pictures of their hands beside them."""

    folder: Path

    def to_json(self) -> list[Json]:
        """Their names, who plays and how they stand, the one that was written last first."""
        files = [
            path for path in self.folder.glob("*.json") if path.is_file() and not path.name.startswith(".")
        ]
        told = []
        for path in sorted(files, key=lambda path: path.stat().st_mtime, reverse=True):
            try:
                match = read_match(path).match
            except BadInputError:
                continue
            told.append(
                {
                    "name": path.stem,
                    "seats": match.seats,
                    "hands": len(match.hands),
                    "totals": match.totals,
                    "standing": match.standing,
                }
            )
        return told

    def path(self, name: str) -> Path:
        """The file of a match; BadInputError for what is no name."""
        if not _NAME.fullmatch(name):
            raise BadInputError(
                "A match is called by letters, digits and spaces, 60 at most: choose another name."
            )
        return self.folder / f"{name}.json"

    def penalty(self, name: str) -> int | None:
        """Points for a card left by the rules of a match; None where there is no such match yet."""
        path = self.path(name)
        return read_match(path).settings.count("penalty") if path.is_file() else None

    def keep(
        self,
        name: str,
        report: Json,
        call: str | None,
        photos: Sequence[str],
        terms: TableTerms,
        where: Where,
    ) -> tuple[Scorebook, Written]:
        """Write a hand into a match, which it begins with the `terms` agreed on where there is none.

        `photos`: the SHA-256 of each, in hex. Raises MatchError, of which PartlyKeptError is one, and BadInputError.
        """
        source = Photographed.known_by(photos)
        path = self.path(name)
        seats = _seats(report)
        with alone(path, "match"):
            book = read_match(path) if path.is_file() else _begun(seats, terms)
            missing = [seat for seat in book.match.seats if seat not in seats]
            if missing and not all(any(seat in seats for seat in side) for side in book.match.sides):
                raise MatchError(
                    f"{missing[0]} plays in {name}: type whose deck that is, also if none of it is there."
                )
            if where.edit is None and not where.again:
                for number, entry in enumerate(book.match.entries, 1):
                    if source.likeness(entry.about) is Likeness.PARTLY:
                        raise PartlyKeptError(number)
            written = book.add_counts(counted(report, book), call, source, where)
            write_match(path, book)
        return book, written

    def keep_evidence(self, name: str, hand: int, report: Json, pictures: Sequence[bytes]) -> None:
        """The tagged pictures (JPEG) of a hand of a match, and what was counted in them. Raises OSError."""
        from vision.wholefile import write_whole

        folder = self.path(name).with_suffix("") / f"hand-{hand}"
        for number, picture in enumerate(pictures, 1):
            write_whole(folder / f"{number}.jpg", picture)
        write_whole(folder / "count.json", dumps(report, indent=1).encode())


def _seats(report: Json) -> list[str]:
    """Who plays, by the names that were typed; MatchError for a deck that is nobody's."""
    nobodys = [str(deck["back"]) for deck in report["decks"] if not deck["seat"]]
    if nobodys:
        raise MatchError(f"Type who plays with {' and '.join(nobodys)}.")
    if report.get("total_by_backs") is None:
        raise MatchError("Whose cards they are shows on the backs: add a photo of them spread backs up.")
    return list(dict.fromkeys(deck["seat"] for deck in report["decks"]))


def _begun(seats: Sequence[str], terms: TableTerms) -> Scorebook:
    if len(seats) < 2:
        raise MatchError("A match needs two players or more: type who plays with which deck.")
    return Scorebook.start(terms.game, [(seat,) for seat in seats], dict(terms.settings))
