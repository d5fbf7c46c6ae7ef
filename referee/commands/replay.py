"""`nerts-referee replay`: referees a recording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from referee import service
from referee.commands.console import (
    JsonOption,
    complain,
    number,
    out,
    pairs,
    print_line,
    repeated,
    same_file,
    settings_of,
    shown,
)
from referee.commands.known import SizeOption, TableOption, rectangle
from referee.commands.tell import tell_account
from referee.commands.terminal import Terminal
from referee.live.replay import followed
from referee.record.account import gap_text, give_account
from referee.record.lines import dump
from referee.rules.settings import Settings, SettingsError
from referee.service import BadInputError
from referee.umpire.seats.dealt_row import NotFollowedError
from vision.capture.frames import UnreadableError
from vision.capture.gaps import Why
from vision.wholefile import folder_for

Json = dict[str, Any]
#: What would help against each kind of gap, now or the next time.
REMEDIES: dict[Why, str] = {
    "unreadable": "copy the recording again if the camera still has it",
    "few-frames": "record 30 frames a second or more",
    "frozen": "restart the camera, and record in the camera itself or by a cable",
    "dark": "leave a light on while you play",
    "covered": "keep hands and sleeves away from the camera",
    "moved": "clamp the camera where nobody knocks against it",
}
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
    settings = followed_on_video(settings_of(game, set_ or []))
    told = service.Told(
        parse_call(call),
        {seat: back for back, seat in pairs(deck or [], "--deck", "blue=north").items()},
        rectangle(table, table_size),
    )
    if out_ and same_file(out_, video):
        raise BadInputError(f"--out would put the record in the place of {video}: choose another name")
    with ExitStack() as opened:
        file = opened.enter_context(open_record(out_)) if out_ else None
        lines, error = referee_video(
            video, settings.preset.name, settings.changed, told, file=file, print_lines=json
        )
    if not json:
        tell_account(give_account(lines), out)
    tell_gaps(video, lines)
    return complain(error, 2) if error else 0


def followed_on_video(settings: Settings) -> Settings:
    """The settings, if a game of them can be followed on video; BadInputError for others."""
    try:
        return followed(settings.preset.name, settings.changed)
    except SettingsError as error:
        raise BadInputError(str(error)) from error


def tell_gaps(video: Path, lines: Sequence[Json]) -> None:
    """Say on standard error where the recording told nothing, and what that means."""
    for line in lines:
        if line.get("event") == "gap":
            nothing = gap_text(line["from"], line["to"], line["why"])
            complain(f"{video}: {nothing}, so what was played then is in doubt: {REMEDIES[line['why']]}")


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(replay)


def referee_video(
    video: Path,
    game: str,
    settings: Mapping[str, Any],
    told: service.Told,
    *,
    file: RecordFile | None = None,
    print_lines: bool = False,
) -> tuple[list[Json], str | None]:
    """The record of a recording, and the error that ended it early.

    Every line goes to the file, and to standard output if asked, as it comes.
    """
    lines: list[Json] = []
    try:
        with progress_bar(video.name) as on_progress:
            for line in service.tools.referee(video, game, settings, told, on_progress=on_progress):
                lines.append(line)
                if file is not None:
                    file.write(dump(line))
                if print_lines:
                    print_line(dump(line))
    except NotFollowedError as error:
        return lines, f"{video}: {error}"
    except UnreadableError as error:
        return lines, str(error)
    return lines, None


def parse_call(text: str | None) -> service.Call | None:
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


class RecordFile:
    """The file that a record is written to. What it held before is kept until there is a line to put in its place."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("ab", buffering=0)
        self._begun = False

    def write(self, line: bytes) -> None:
        """Add a line, without its line end, so that it is there whatever happens next."""
        try:
            if not self._begun and self.path.is_file():  # a pipe has no beginning to go back to
                self._file.truncate(0)
            self._begun = True
            rest = memoryview(line + b"\n")
            while rest:  # what is not buffered may be taken in parts
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def _unwritable(path: Path, error: OSError) -> BadInputError:
    return BadInputError(f"{path} cannot be written ({error.strerror}): choose another place")


@contextmanager
def open_record(path: Path) -> Iterator[RecordFile]:
    """The file that a record is written to; its folder is made. A file in which nothing came to stand is not left."""
    if path.is_dir():
        raise BadInputError(f"{path} is a folder: name a file in it")
    fresh = not path.exists()
    with ExitStack() as opened:
        try:
            opened.enter_context(folder_for(path))
            file = RecordFile(path)
        except OSError as error:
            raise _unwritable(path, error) from error
        try:
            yield file
        finally:
            file.close()
            if fresh and path.is_file() and not path.stat().st_size:
                path.unlink()


@contextmanager
def progress_bar(title: str) -> Iterator[service.Progress]:
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
