"""Hands as they are given to `match`: typed, or by their records; read before a match is opened for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Protocol

import typer

from referee.commands.console import is_file, pairs, repeated, whole_number, whole_number_for
from referee.matches.scorebook import Count, Judged, Scorebook, Where
from referee.service import BadInputError
from referee.textfiles import read_text

TYPED = "north=15 by points, or north=23/4 for 23 in the centre and 4 left"
EditOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        parser=whole_number_for("--edit", 1, 9999, 1),
        help="Put the hand in the place of hand N, which stays in the file and can be put back with --undo.",
    ),
]
AgainOption = Annotated[
    bool, typer.Option("--again", help="Count as a hand more what is in the match already.")
]


class Hands(Protocol):
    """Hands that are ready to be written down."""

    def add_to(self, book: Scorebook | None) -> tuple[Scorebook, list[str]]:
        """The match with them (None: the one that they begin), and what is to be told of hands no more."""


@dataclass(frozen=True, slots=True)
class TypedHand:
    """One hand, as points or as cards, each with the name that it was typed for."""

    numbers: Mapping[str, Sequence[int]]
    call: str | None
    where: Where

    @classmethod
    def of(cls, typed: Sequence[str], call: str | None, where: Where) -> TypedHand:
        """Of NAME=POINTS or NAME=CENTRE/LEFT; BadInputError for what is neither, or both."""
        numbers = {name: _numbers(name, text) for name, text in pairs(typed, "hand", "north=15").items()}
        if len({len(count) > 1 for count in numbers.values()}) > 1:
            raise BadInputError(f"the whole hand as points or the whole hand as CENTRE/LEFT: {TYPED}")
        if call and len(next(iter(numbers.values()))) == 1:
            raise BadInputError(
                f"--call {call} is for hands typed as CENTRE/LEFT: points hold the bonus already"
            )
        return cls(numbers, call, where)

    def add_to(self, book: Scorebook | None) -> tuple[Scorebook, list[str]]:
        """The match with the hand."""
        assert book is not None
        if all(len(count) == 1 for count in self.numbers.values()):
            points = {name: count[0] for name, count in self.numbers.items()}
            written = book.add_points(points, where=self.where)
        else:
            counts = {name: Count(*count) for name, count in self.numbers.items()}
            written = book.add_counts(counts, self.call, where=self.where)
        return book, [written.told] if written.told else []


@dataclass(frozen=True, slots=True)
class RecordedHands:
    """Hands by their records. `names`: what their seats are called in the match."""

    hands: Sequence[Judged]
    names: Mapping[str, str]
    where: Where

    @classmethod
    def of(cls, records: Sequence[Path], names: Mapping[str, str], where: Where) -> RecordedHands:
        """Of files, each adjudicated; BadInputError or MatchError names the one that cannot be."""
        if where.edit is not None and len(records) > 1:
            raise BadInputError(f"--edit {where.edit} is one hand: give one record for it")
        return cls([Judged.of(_read(path), str(path)) for path in records], names, where)

    def add_to(self, book: Scorebook | None) -> tuple[Scorebook, list[str]]:
        """The match with the hands."""
        told = []
        for judged in self.hands:
            book = book or Scorebook.of(judged.header, self.names)
            told.append(book.add_record(judged, self.names, self.where).told)
        assert book is not None
        return book, [sentence for sentence in told if sentence]


def hands_of(
    given: Sequence[str], names: Mapping[str, str], call: str | None, where: Where
) -> TypedHand | RecordedHands | None:
    """The hands that were given; None where there is none. BadInputError for what is no hand."""
    typed = [one for one in given if _is_typed(one)]
    if call and not typed:
        raise BadInputError(f"--call {call} belongs to a typed hand: {TYPED}")
    if where.edit is not None and not given:
        raise BadInputError(
            f"--edit {where.edit} needs the hand as it should be: {TYPED}, or a record (--undo takes the last back)"
        )
    if where.again and (typed or not given):
        raise BadInputError("--again is for a record that is in the match: type a hand without it")
    if not typed:
        return RecordedHands.of(list(map(Path, given)), names, where) if given else None
    if len(typed) < len(given):
        raise BadInputError("a typed hand and records: add them one after the other")
    return TypedHand.of(typed, call, where)


def _numbers(name: str, text: str) -> list[int]:
    """Points alone, or cards in the centre, cards left and perhaps kings."""
    read = [whole_number(part) for part in text.split("/")]
    numbers = [part for part in read if part is not None]
    odd = len(numbers) < len(read) or len(numbers) > 3 or max(map(abs, numbers)) > 9999
    if odd or (len(numbers) > 1 and min(numbers) < 0):
        raise BadInputError(f"{name}={repeated(text)} is no score: {TYPED}")
    return numbers


def _is_typed(one: str) -> bool:
    return "=" in one and not is_file(one)


def _read(path: Path) -> bytes:
    return read_text(path, "record", f"name a record, or type the hand: {TYPED}")
