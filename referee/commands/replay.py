"""`nerts-referee replay`: referees a recording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from referee.account import give_account
from referee.commands import tools
from referee.commands.console import (
    BadInputError,
    JsonOption,
    complain,
    number,
    out,
    pairs,
    print_line,
    repeated,
    settings_of,
    shown,
)
from referee.commands.known import SizeOption, TableOption, rectangle
from referee.commands.tell import tell_account
from referee.commands.terminal import Terminal
from referee.record import dump
from referee.umpire.dealt_row import DealNotFoundError
from vision.frames import UnreadableError

Json = dict[str, Any]
GameOption = Annotated[str, typer.Option(metavar="G", help="The game that is played.")]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="K=V", help="A house rule, like target=200.")
]
CallOption = Annotated[
    str | None,
    typer.Option(
        metavar="SEAT[@S]", help="Who called, and at which second; else the seat with no Nerts pile left."
    ),
]


def replay(
    video: Annotated[Path, typer.Argument(help="A recording by a fixed camera above the table.")],
    game: GameOption = "nerts",
    set_: SetOption = None,
    call: CallOption = None,
    deck: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=SEAT", help="What a seat's deck is called; else its colour."),
    ] = None,
    table: TableOption = None,
    table_size: SizeOption = None,
    out_: Annotated[
        Path | None, typer.Option("--out", metavar="RECORD", help="Write the record to this file, too.")
    ] = None,
    json: JsonOption = False,
) -> int:
    """Referee a recorded hand: every play with its owner, illegal ones with the rule, and the score."""
    settings = settings_of(game, set_ or [])
    told = tools.Told(
        parse_call(call),
        {seat: back for back, seat in pairs(deck or [], "--deck", "blue=north").items()},
        rectangle(table, table_size),
    )
    with ExitStack() as opened:
        file = opened.enter_context(open_record(out_)) if out_ else None
        lines, error = referee_video(
            video, settings.preset.name, settings.changed, told, file=file, print_lines=json
        )
    if not json:
        tell_account(give_account(lines), out)
    return complain(error, 2) if error else 0


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(replay)


def referee_video(
    video: Path,
    game: str,
    settings: Mapping[str, Any],
    told: tools.Told,
    *,
    file: BinaryIO | None = None,
    print_lines: bool = False,
) -> tuple[list[Json], str | None]:
    """The record of a recording, and the error that ended it early.

    Every line goes to the file, and to standard output if asked, as it comes.
    """
    lines: list[Json] = []
    try:
        with progress_bar(video.name) as on_progress:
            replayed = tools.tools.replay(
                video,
                game,
                settings,
                call=told.call,
                seats=told.seats,
                table=told.table,
                on_progress=on_progress,
            )
            for line in replayed:
                lines.append(line)
                if file is not None:
                    file.write(dump(line) + b"\n")
                    file.flush()
                if print_lines:
                    print_line(dump(line))
    except DealNotFoundError as error:
        return lines, f"{video}: {error}"
    except UnreadableError as error:
        return lines, str(error)
    return lines, None


def parse_call(text: str | None) -> tools.Call | None:
    """--call: a seat, or a seat and the second of the call."""
    if text is None:
        return None
    seat, sign, moment = text.partition("@")
    if not sign:
        return seat
    at = number(moment)
    if at is None or at < 0:
        raise BadInputError(f"--call {repeated(text)!r} has no time: write it like --call north@61.5")
    return seat, at


@contextmanager
def open_record(path: Path) -> Iterator[BinaryIO]:
    """The file that a record is written to; its folder is made."""
    if path.is_dir():
        raise BadInputError(f"{path} is a folder: name a file in it")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("wb")
    except OSError as error:
        raise BadInputError(f"{path} cannot be written ({error.strerror}): choose another place") from error
    with file:
        yield file


@contextmanager
def progress_bar(title: str) -> Iterator[tools.Progress]:
    """A bar on standard error, so that standard output stays a record."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    terminal = Terminal(stderr=True, emoji=False)
    with Progress(
        *columns, TimeRemainingColumn(), console=terminal, transient=True, disable=not terminal.is_terminal
    ) as bar:
        task = bar.add_task(f"refereeing {shown(title)}", total=None)

        def on_progress(done_s: float, total_s: float) -> None:
            bar.update(task, completed=done_s, total=max(total_s, 0.001))

        yield on_progress
