"""`nerts-referee version`."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version

import typer

from referee.commands.console import JsonOption, print_json


def version(json: JsonOption = False) -> int:
    """Say which version this is."""
    number = program_version()
    print_json({"version": number}) if json else print(f"nerts-referee {number}")
    return 0


def program_version() -> str:
    """The installed version; "unknown" in a copy that was never installed."""
    try:
        return installed_version("nerts-referee")
    except PackageNotFoundError:
        return "unknown"


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(version)
