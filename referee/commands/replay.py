"""`nerts-referee replay`: referees a recording."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from referee import service
from referee.commands.console import (
    IndicesOption,
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
from referee.commands.recordfile import RecordFile, open_record
from referee.commands.tell import tell_account
from referee.commands.terminal import Terminal
from referee.live.replay import followed
from referee.record.account import gap_text, give_account
from referee.record.lines import dump
from referee.rules.settings import Settings, SettingsError
from referee.service import BadInputError
from referee.umpire.seats.dealt_row import NotFollowedError
from vision.capture.frames import UnreadableError, VideoError
from vision.capture.gaps import Why

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
        Path | None,
        typer.Option(
            "--out",
            metavar="RECORD",
            help="Write the record to this file, too; of several hands the second to hand.2.jsonl beside hand.jsonl.",
        ),
    ] = None,
    match: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Count the hands in this match, which is begun if there is none."),
    ] = None,
    fast: Annotated[
        bool,
        typer.Option(
            "--fast", help="One pass, as live: do not explain each hand again by all that was seen."
        ),
    ] = False,
    indices: IndicesOption = None,
    ties: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Leave a picture of every tie there: the frames around both landings, as a PNG.",
        ),
    ] = None,
    json: JsonOption = False,
) -> int:
    """Referee a recording: every play with its owner, illegal ones with the rule, and the score of each hand."""
    settings = followed_on_video(settings_of(game, set_ or []))
    service.tools.eyes.indices = indices or ""
    counted = None if match is None else counted_in(match, out_)
    told = service.Told(
        parse_call(call),
        {seat: back for back, seat in pairs(deck or [], "--deck", "blue=north").items()},
        rectangle(table, table_size),
        None if counted is None else counted.totals,
    )
    if out_ and same_file(out_, video):
        raise BadInputError(f"--out would put the record in the place of {video}: choose another name")
    if match is not None and (same_file(match, video) or (out_ and same_file(match, out_))):
        raise BadInputError(f"--match {match} is the recording or its record: choose another name")
    if ties is not None and ties.exists() and not ties.is_dir():
        raise BadInputError(f"--ties {ties} is a file: name a folder for the pictures")
    with ExitStack() as opened:
        file = opened.enter_context(open_record(out_)) if out_ else None
        lines, error = referee_video(
            video,
            settings.preset.name,
            settings.changed,
            told,
            file=file,
            print_lines=json,
            on_hand=None if counted is None else counted.count,
            fast=fast,
        )
    hands = hands_of(lines)
    for count, hand in enumerate(hands, 1):
        if not json and len(hands) > 1:
            out.print(f"hand {count}", style="bold")
        if not json:
            tell_account(give_account(hand), out)
        tell_gaps(video, hand)
    if ties is not None:
        error = show_ties(ties, video, hands, say=not json) or error
    return complain(error, 2) if error else 0


def show_ties(folder: Path, video: Path, hands: Sequence[Sequence[Json]], *, say: bool) -> str | None:
    """Leave a picture of every tie of these hands; what went wrong, if anything did."""
    from referee.tie_strips import write_tie_strips

    try:
        written = write_tie_strips(folder, video, hands)
    except OSError as failure:
        return f"{folder}: {failure.strerror or failure}: name a folder that can be written with --ties"
    except VideoError as failure:
        return f"no picture of a tie could be cut out: {failure}"
    for path in written if say else ():
        out.print(f"tie: {path}", markup=False)
    if say and not written:
        out.print("no tie with two landings is told")
    return None


def hands_of(lines: Sequence[Json]) -> list[list[Json]]:
    """The records of several hands, each from its header on."""
    begins = [number for number, line in enumerate(lines) if "record" in line]
    return [list(lines[a:b]) for a, b in pairwise([*begins, len(lines)])]


@dataclass(slots=True)
class Counted:
    """A match that the hands of a recording are counted in, each when it is over."""

    match: service.KeptMatch

    def totals(self, seats: Sequence[str]) -> Mapping[str, float]:
        """What each seat has so far."""
        return self.match.totals({})

    def count(self, record: Path, lines: Sequence[Json]) -> None:
        """Count the hand of this record, and say on standard error if that cannot be."""
        stopped = any(line.get("event") == "end" and line.get("why") == "stopped" for line in lines)
        why = "its cards were gathered up before anybody called" if stopped else self.match.keep(record, {})
        if why:
            complain(f"{record} is not counted: {why}")


def counted_in(match: Path, record: Path | None) -> Counted:
    """The match of `--match`. BadInputError for what is no match, and where no record is kept: a match names them."""
    if record is None:
        raise BadInputError("--match needs --out RECORD, too: a match knows its hands by their records")
    counted = Counted(service.KeptMatch(match))
    counted.totals([])
    return counted


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
    on_hand: Callable[[Path, Sequence[Json]], None] | None = None,
    fast: bool = False,
) -> tuple[list[Json], str | None]:
    """The records of a recording, one hand after the other, and the error that ended it early.

    Every line goes to the file, and to standard output if asked, as it comes. `on_hand` is told of every hand that is
    over, with the file of its record and its lines. `fast`: in one pass.
    """
    lines: list[Json] = []
    begin = 0

    def on_notice(text: str) -> None:
        complain(f"{video}: {text}")

    try:
        with progress_bar(video.name) as on_progress:
            for line in service.tools.referee(
                video, game, settings, told, on_progress=on_progress, on_notice=on_notice, fast=fast
            ):
                if "record" in line and lines:
                    begin = len(lines)
                    if file is not None:
                        file.next_hand()
                lines.append(line)
                if file is not None:
                    file.write(dump(line))
                if print_lines:
                    print_line(dump(line))
                if line.get("event") == "score" and file is not None and on_hand is not None:
                    on_hand(file.path, lines[begin:])
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
