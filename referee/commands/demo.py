"""`nerts-referee demo`: referees the recording that ships with the program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Annotated

import typer

from referee import service
from referee.commands.console import JsonOption, complain, out
from referee.commands.recordfile import open_record
from referee.commands.replay import referee_video
from referee.commands.serve import DEFAULT_PORT, HostOption, PortOption, allowed_hosts, listen
from referee.commands.tell import tell_account
from referee.commands.watch import OpenTable, Page, opened_table, told_to_stop
from referee.live.session import Rules
from referee.record.account import give_account
from referee.service import BadInputError
from vision.capture.live.errors import SourceError
from vision.capture.live.film import FilmAsLive

#: How often it is looked whether somebody in the recording calls now, s.
_EVERY_S = 0.05


def demo(
    json: JsonOption = False,
    serve: Annotated[
        bool, typer.Option("--serve", help="Referee it as a table that is played at now, on the page.")
    ] = False,
    out_: Annotated[
        Path,
        typer.Option(
            "--out", metavar="DIR", help="Where report.html and the record, or the watched hand, are left."
        ),
    ] = Path("out"),
    host: HostOption = "127.0.0.1",
    port: PortOption = DEFAULT_PORT,
) -> int:
    """Referee the sample recording from its pixels and leave a report to look at."""
    sample = service.tools.sample
    if not sample.is_file():
        raise BadInputError(f"the sample recording {sample} is missing: install nerts-referee again")
    told = service.Told.beside(sample)
    if serve:
        return _as_live(sample, told, out_ / "evenings", Page(host, port, allowed_hosts(host)), json=json)
    with open_record(out_ / "demo.jsonl") as file:
        lines, error = referee_video(sample, "nerts", {}, told, file=file, print_lines=json)
    account = give_account(lines)
    if not json:
        tell_account(account, out)
    if lines:
        from referee.report import write_report

        report = write_report(out_ / "report.html", sample, account, "The sample hand")
        if not json:
            out.print(f"\nreport: {report}\nrecord: {out_ / 'demo.jsonl'}", markup=False)
    return complain(error, 2) if error else 0


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(demo)


def _as_live(sample: Path, told: service.Told, folder: Path, page: Page, *, json: bool) -> int:
    """Watch the sample as if it were played now; its page stays until somebody stops it."""
    listen(page.host, page.port).close()  # before anything is kept
    try:
        source = FilmAsLive(sample)
    except SourceError as error:
        raise BadInputError(str(error)) from error
    with opened_table(
        source,
        f"film {sample.resolve()}",
        folder,
        Rules(decks=told.seats or {}),
        resume=False,
        page=page,
    ) as opened:
        with _calling(opened, told.call):
            status = opened.watch(json=json)
        if not opened.watching.stopped:
            _stay(opened, quiet=json)
    return status


@contextmanager
def _calling(table: OpenTable, call: service.Call | None) -> Iterator[None]:
    """Meanwhile who calls in the recording calls at the table, at the moment at which they do."""
    over = Event()

    def wait(seat: str, at_s: float) -> None:
        while not over.wait(_EVERY_S):
            frame = table.watching.latest  # not the clock: a busy machine shows the film more slowly
            if frame is not None and frame.time_s >= at_s:
                table.session.call(seat, at_s)
                return

    if isinstance(call, tuple):
        Thread(target=wait, args=call, name="caller", daemon=True).start()
    try:
        yield
    finally:
        over.set()


def _stay(table: OpenTable, *, quiet: bool) -> None:
    """Leave the page open until somebody stops it, and say what can be done there."""
    over = Event()
    with told_to_stop(over.set):
        if not quiet:
            _tell_how_on(table)
        while not over.wait(0.5):  # a wait without an end would not hear of Ctrl-C everywhere
            pass


def _tell_how_on(table: OpenTable) -> None:
    assert table.address is not None
    hand = f"#recording/{table.session.keeper.folder.name}.{table.session.hand}"
    for what, at in (
        ("\nThe recording is over; the page goes on until Ctrl-C. The plays and the score:", "#live"),
        ("The hand again, frame by frame, to challenge and to correct:", hand),
    ):
        if at == "#live" or table.session.hand:
            out.print(f"{what} {table.address(at)}", markup=False, soft_wrap=True)
    out.print("At a table of your own: nerts-referee watch --camera 0", markup=False)
    out.file.flush()
