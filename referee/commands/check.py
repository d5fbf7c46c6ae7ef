"""`nerts-referee check`: adjudicates a record without a camera."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Annotated

import typer

from referee.commands.console import JsonOption, complain, out, print_line
from referee.commands.tell import tell_account
from referee.record.account import account_of
from referee.record.check import CheckResult, check_lines
from referee.service import BadInputError
from referee.textfiles import read_text, read_typed


def check(
    record: Annotated[Path, typer.Argument(help="The record (JSON Lines); - reads standard input.")],
    json: JsonOption = False,
) -> int:
    """Rule on a recorded or typed hand: name every infraction, decide ties, and keep the score."""
    result = check_lines(io.BytesIO(_read(record)))
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


def _read(record: Path) -> bytes:
    if str(record) == "-":
        return read_typed("record")
    data = read_text(record, "record")
    if not data:
        raise BadInputError(f"{record} is empty: a record begins with its header line")
    return data


def _tell(result: CheckResult) -> None:
    """The rulings with the events they are about, and the score."""
    tell_account(account_of(result), out, only_ruled=True)
