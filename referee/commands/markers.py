"""`nerts-referee markers`: a sheet of markers to print."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.commands.console import JsonOption, length_for, out, print_json, user_errors
from referee.service import BadInputError
from vision.capture.frames import save_image
from vision.geometry.markers import SIDE_MM, marker_sheet


def markers(
    to: Annotated[Path, typer.Option("--out", metavar="OUT.png", help="The picture to print, A4.")],
    size: Annotated[
        float,
        typer.Option(
            "--size", metavar="MM", parser=length_for("--size", SIDE_MM), help="Side of each marker."
        ),
    ] = SIDE_MM,
    json: JsonOption = False,
) -> int:
    """Write the four markers that tell the table's size, to print at 100 % and to lay on the table's corners."""
    try:
        sheet = marker_sheet(size)
    except ValueError as error:
        raise BadInputError(f"--size: {error}") from error
    with user_errors():
        save_image(to, sheet)
    if json:
        print_json({"out": str(to), "dictionary": "DICT_4X4_50", "ids": [0, 1, 2, 3], "size_mm": size})
        return 0
    out.print(f"{to}: four markers, {size:g} mm wide. Print them at 100 % and measure one.", markup=False)
    if size != SIDE_MM:
        out.print(f"tell their size with --marker-size {size:g}", markup=False)
    return 0


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(markers)
