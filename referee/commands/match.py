"""`nerts-referee match`: keeps a match, with no camera."""

from __future__ import annotations

import json as json_format
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from referee.commands.console import JsonOption, is_file, pairs, print_json, say, settings_of
from referee.commands.givenhands import AgainOption, EditOption, Hands, RecordedHands, hands_of
from referee.commands.terminal import one_line
from referee.matches.book_json import report
from referee.matches.match import MatchError
from referee.matches.scorebook import Scorebook, Where
from referee.service import BadInputError
from referee.service.alone import alone
from referee.service.matchfile import read_match, write_match


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
    edit: EditOption = None,
    again: AgainOption = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take back what was written last.")] = False,
    redo: Annotated[bool, typer.Option("--redo", help="Put back what was taken back last.")] = False,
    json: JsonOption = False,
) -> int:
    """Keep a match: add hands as typed or recorded, mend them, take them back, see who leads and who has won."""
    given, names, where = hands or [], pairs(as_ or [], "--as", "north=anna"), Where(edit, again)
    if undo + redo + bool(given) > 1:
        raise BadInputError("one thing at a time: a hand, --undo or --redo")
    try:
        if _is_record(file):
            if seats or game or set_ or call or undo or redo or edit:
                raise BadInputError(f"{file} is the record of a hand: name the match's file before it")
            book, told = RecordedHands.of([file, *map(Path, given)], names, where).add_to(None)
        else:
            what = hands_of(given, names, call, where)
            book, told = _keep(file, what, _begun(seats, game, set_ or []), game, set_ or [], undo, redo)
    except MatchError as error:
        raise BadInputError(f"{file}: {error}") from error
    if json:
        print_json(report(book) | {"told": told})
    else:
        for sentence in told:
            say(one_line(sentence))
        say(book.match)
    return 0


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(match)


def _keep(
    file: Path,
    hands: Hands | None,
    begun: Scorebook | None,
    game: str | None,
    set_: Sequence[str],
    undo: bool,
    redo: bool,
) -> tuple[Scorebook, list[str]]:
    """The match of a file with what was asked for done to it and kept, and what is to be told of that."""
    if begun is None and not isinstance(hands, RecordedHands):
        # what is wrong with the file, or how to start one, is said before anything is locked
        book = read_match(file)
        if not (hands or game or set_ or undo or redo):
            return book, []
    with alone(file, "match"):
        found = _found(file, begun, game, set_)
        kept, told = hands.add_to(found) if hands else (found, [])
        assert kept is not None
        told += _take_back(kept, undo, redo)
        write_match(file, kept)
    return kept, told


def _begun(seats: str | None, game: str | None, set_: Sequence[str]) -> Scorebook | None:
    """The match that --seats begins; None without it."""
    if seats is None:
        return None
    sides = [[name.strip() for name in side.split("+")] for side in seats.split(",")]
    if not all(name for side in sides for name in side):
        raise BadInputError(f"--seats {seats!r} leaves a seat without a name: write it like north,south")
    settings = settings_of(game or "nerts", set_)
    return Scorebook.start(settings.preset.name, sides, settings.changed)


def _found(file: Path, begun: Scorebook | None, game: str | None, set_: Sequence[str]) -> Scorebook | None:
    """The match of a file, or the one that begins there; None when its first record has to say who plays."""
    if not file.exists():
        if begun is None and (game or set_):
            raise BadInputError(
                f"{file} is no match yet, and its first record brings its rules: add --seats too"
            )
        return begun
    if begun or game:
        raise BadInputError(f"{file} keeps a match already: choose another file for a new one")
    book = read_match(file)
    book.change(settings_of(book.settings.preset.name, set_).changed)
    return book


def _take_back(book: Scorebook, undo: bool, redo: bool) -> list[str]:
    """Take the last step back, or put it back; a sentence about it."""
    if not undo and not redo:
        return []
    change, told = book.match.undo() if undo else book.match.redo(), book.match.told
    if change.was is not None and change.now is not None:
        return [f"hand {change.hand} is {told(change.now)} again (it was {told(change.was)})"]
    points = change.was if undo else change.now
    assert points is not None
    return [f"{'taken back' if undo else 'put back'}: {told(points)}"]


def _is_record(file: Path) -> bool:
    """Whether a file begins with the header of a hand's record."""
    if not is_file(str(file)):
        return False
    try:
        with file.open("rb") as lines:
            line = json_format.loads(lines.readline(100_000))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(line, dict) and "record" in line
