"""`nerts-referee demo`: referees the recording that ships with the program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee import service
from referee.commands.console import JsonOption, complain, out
from referee.commands.replay import open_record, referee_video
from referee.commands.serve import DEFAULT_PORT, HostOption, PortOption, default_recordings, run_server
from referee.commands.tell import tell_account
from referee.record.account import give_account
from referee.service import BadInputError


def demo(
    json: JsonOption = False,
    serve: Annotated[bool, typer.Option("--serve", help="Show it on the page instead.")] = False,
    out_: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where report.html and the record are left.")
    ] = Path("out"),
    host: HostOption = "127.0.0.1",
    port: PortOption = DEFAULT_PORT,
) -> int:
    """Referee the sample recording from its pixels and leave a report to look at."""
    sample = service.tools.sample
    if not sample.is_file():
        raise BadInputError(f"the sample recording {sample} is missing: install nerts-referee again")
    if serve:
        run_server(host, port, default_recordings(), open_at="#recording/sample")
        return 0
    with open_record(out_ / "demo.jsonl") as file:
        lines, error = referee_video(
            sample, "nerts", {}, service.Told.beside(sample), file=file, print_lines=json
        )
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
