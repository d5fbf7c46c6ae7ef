"""`nerts-referee match`: keeps a match, with no camera."""

from __future__ import annotations

import json as json_format
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from referee.commands.console import (
    BadInputError,
    JsonOption,
    is_file,
    pairs,
    print_json,
    repeated,
    say,
    settings_of,
    whole_number,
)
from referee.commands.matchfile import read_match, write_match
from referee.header import HeaderError, parse_header
from referee.match import MatchError
from referee.scorebook import Count, Scorebook

_TYPED = "north=15 by points, or north=23/4 for 23 in the centre and 4 left"


def match(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The match's file; or records, to add up without keeping.")
    ],
    hands: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME=POINTS|NAME=CENTRE/LEFT|RECORD]...",
            help="A hand as typed (one entry a seat or side), or records of hands.",
        ),
    ] = None,
    seats: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Start a match of these seats; partners as north+east,south+west."),
    ] = None,
    game: Annotated[
        str | None, typer.Option(metavar="G", help="The game of a new match; else nerts.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="K=V", help="A house rule from now on, like target=200."),
    ] = None,
    call: Annotated[
        str | None, typer.Option(metavar="SEAT", help="Who called, or nobody, where the caller has a bonus.")
    ] = None,
    as_: Annotated[
        list[str] | None,
        typer.Option("--as", metavar="SEAT=NAME", help="What a record's seat is called in this match."),
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take the last hand back.")] = False,
    redo: Annotated[bool, typer.Option("--redo", help="Put back the hand that was taken back last.")] = False,
    json: JsonOption = False,
) -> int:
    """Keep a match: add hands as typed or recorded, take them back, see who leads and who has won."""
    given, names = hands or [], pairs(as_ or [], "--as", "north=anna")
    if undo + redo + bool(given) > 1:
        raise BadInputError("one thing at a time: a hand, --undo or --redo")
    try:
        if _is_record(file):
            if seats or game or set_ or call or undo or redo:
                raise BadInputError(f"{file} is the record of a hand: name the match's file before it")
            book = _add_records(None, [file, *map(Path, given)], names)
        else:
            book = _add(_open(file, seats, game, set_ or []), file, given, names, call)
            taken = _take(book, undo, redo)
            if taken and not json:
                say(taken)
            if given or seats or set_ or undo or redo:
                write_match(file, book)
    except MatchError as error:
        raise BadInputError(f"{file}: {error}") from error
    print_json(book.report()) if json else say(book.match)
    return 0


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(match)


def _open(file: Path, seats: str | None, game: str | None, set_: Sequence[str]) -> Scorebook | None:
    """The match of a file, or a new one; None when its first record has to say who plays."""
    if not file.exists():
        if seats is None:
            return None
        sides = [[name.strip() for name in side.split("+")] for side in seats.split(",")]
        if not all(name for side in sides for name in side):
            raise BadInputError(f"--seats {seats!r} leaves a seat without a name: write it like north,south")
        settings = settings_of(game or "nerts", set_)
        return Scorebook.start(game or "nerts", sides, settings.changed)
    book = read_match(file)
    if seats or game:
        raise BadInputError(f"{file} keeps a match already: choose another file for a new one")
    book.change(settings_of(book.settings.preset.name, set_).changed)
    return book


def _add(
    book: Scorebook | None, file: Path, given: Sequence[str], names: Mapping[str, str], call: str | None
) -> Scorebook:
    """The match with the hands that were given."""
    typed = [one for one in given if _is_typed(one)]
    if book is None and (typed or not given):
        return read_match(file)  # It is not there: the error says how to start one.
    if call and not typed:
        raise BadInputError(f"--call {call} belongs to a typed hand: {_TYPED}")
    if not typed:
        return _add_records(book, list(map(Path, given)), names)
    if len(typed) < len(given):
        raise BadInputError("a typed hand and records: add them one after the other")
    assert book is not None
    _add_typed(book, pairs(typed, "hand", "north=15"), call)
    return book


def _add_typed(book: Scorebook, typed: Mapping[str, str], call: str | None) -> None:
    counts = {name: _numbers(name, text) for name, text in typed.items()}
    if all(len(count) == 1 for count in counts.values()):
        if call:
            raise BadInputError(
                f"--call {call} is for hands typed as CENTRE/LEFT: points hold the bonus already"
            )
        book.add_points({name: count[0] for name, count in counts.items()}, {"from": "typed"})
    elif all(len(count) > 1 for count in counts.values()):
        book.add_counts({name: Count(*count) for name, count in counts.items()}, call)
    else:
        raise BadInputError(f"the whole hand as points or the whole hand as CENTRE/LEFT: {_TYPED}")


def _numbers(name: str, text: str) -> list[int]:
    """Points alone, or cards in the centre, cards left and perhaps kings."""
    read = [whole_number(part) for part in text.split("/")]
    numbers = [part for part in read if part is not None]
    odd = len(numbers) < len(read) or len(numbers) > 3 or max(map(abs, numbers)) > 9999
    if odd or (len(numbers) > 1 and min(numbers) < 0):
        raise BadInputError(f"{name}={repeated(text)} is no score: {_TYPED}")
    return numbers


def _add_records(book: Scorebook | None, records: Sequence[Path], names: Mapping[str, str]) -> Scorebook:
    for path in records:
        record = _read(path)
        if book is None:
            book = _begin(path, record, names)
        book.add_record(record, str(path), names)
    assert book is not None
    return book


def _begin(path: Path, record: bytes, names: Mapping[str, str]) -> Scorebook:
    """The match that a record's header tells of."""
    try:
        line = json_format.loads(record.split(b"\n", 1)[0])
        return Scorebook.of(parse_header(line if isinstance(line, dict) else {}), names)
    except (ValueError, HeaderError, RecursionError) as error:
        why = error if isinstance(error, HeaderError | MatchError) else "its first line is no JSON"
        raise BadInputError(f"{path} is no record of a hand ({why})") from error


def _take(book: Scorebook, undo: bool, redo: bool) -> str:
    """Take the last hand back, or put it back; a sentence about it."""
    if not undo and not redo:
        return ""
    points = book.match.undo() if undo else book.match.redo()
    told = ", ".join(f"{'+'.join(side)} {points[side[0]]:g}" for side in book.match.sides)
    return f"{'taken back' if undo else 'put back'}: {told}"


def _is_typed(one: str) -> bool:
    return "=" in one and not is_file(one)


def _is_record(file: Path) -> bool:
    """Whether a file begins with the header of a hand's record."""
    try:
        with file.open("rb") as lines:
            line = json_format.loads(lines.readline(100_000))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(line, dict) and "record" in line


def _read(path: Path) -> bytes:
    if path.is_dir():
        raise BadInputError(f"{path} is a folder: name the record in it")
    try:
        return path.read_bytes()
    except OSError as error:
        remedy = f"name a record, or type the hand: {_TYPED}"
        raise BadInputError(f"{path} cannot be read ({error.strerror}): {remedy}") from error
