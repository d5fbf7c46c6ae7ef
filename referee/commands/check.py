"""`nerts-referee check`: adjudicates a record without a camera."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from referee.account import account_of
from referee.check import CheckResult, check_lines
from referee.commands.console import JsonOption, complain, out, print_line
from referee.commands.tell import tell_account
from referee.service import BadInputError


def check(
    record: Annotated[Path, typer.Argument(help="The record (JSON Lines); - reads standard input.")],
    json: JsonOption = False,
) -> int:
    """Rule on a recorded or typed hand: name every infraction, decide ties, and keep the score."""
    with _open(record) as lines:
        result = check_lines(lines)
    if json:
        for line in result.output:
            print_line(line)
    elif result.output:
        _tell(result)
    for error in result.errors:
        complain(f"{record}: {error}", result.status)
    return result.status


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(check)


def _open(record: Path) -> BinaryIO:
    if str(record) == "-":
        return io.BytesIO(sys.stdin.buffer.read())
    if record.is_dir():
        raise BadInputError(f"{record} is a folder: name the record in it")
    try:
        if record.stat().st_size == 0:
            raise BadInputError(f"{record} is empty: a record begins with its header line")
        return record.open("rb")
    except OSError as error:
        raise BadInputError(f"{record} cannot be read ({error.strerror}): check its name") from error


def _tell(result: CheckResult) -> None:
    """The rulings with the events they are about, and the score."""
    tell_account(account_of(result), out, only_ruled=True)
