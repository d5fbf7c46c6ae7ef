"""What people tell of a table's size: four corners of a rectangle on it, or the size of printed markers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
import typer

from referee.commands.console import length_for, number, repeated
from referee.service import BadInputError
from vision.capture.frames import Image, PictureError
from vision.geometry.camera import Rectangles
from vision.geometry.markers import SIDE_MM, find_markers
from vision.geometry.plane import given_corners, lay_plane
from vision.layout import Layout

#: A rectangle is told by so many corners.
CORNERS = 4

TableOption = Annotated[
    list[str] | None,
    typer.Option(
        "--table",
        metavar="X,Y",
        help="A corner of a rectangle on the table (its rim, a mat), px; give four, in their order around.",
    ),
]
SizeOption = Annotated[
    str | None,
    typer.Option(
        "--table-size",
        metavar="W,H",
        help="Size of that rectangle, mm: from the first corner to the second, and to the third.",
    ),
]
MarkerOption = Annotated[
    float | None,
    typer.Option(
        "--marker-size",
        metavar="MM",
        parser=length_for("--marker-size", SIDE_MM),
        help=f"Side of the printed markers; {SIDE_MM:g} if not told.",
    ),
]


def rectangle(table: Sequence[str] | None, size: str | None) -> Rectangles | None:
    """The rectangle of --table and --table-size, None where there is none; BadInputError for half of one."""
    if not table and size is None:
        return None
    if not table or len(table) != CORNERS or size is None:
        raise BadInputError(
            f"--table is given {len(table or ())} times, --table-size {int(size is not None)}: give four corners in "
            "their order around, and the size, like --table 80,60 --table 1830,70 --table 1850,1010 --table 70,1000 "
            "--table-size 1200,700"
        )
    corners = [_two(text, "--table", "80,60") for text in table]
    wide, high = _two(size, "--table-size", "1200,700")
    if min(wide, high) <= 0:
        raise BadInputError(
            f"--table-size {size}: a table is longer than 0 mm, write it like --table-size 1200,700"
        )
    if not _goes_around(corners):
        raise BadInputError("--table: the corners do not go around a table, give them in their order around")
    return given_corners(corners, (wide, high))


def check_measures(table: Sequence[str] | None, marker_mm: float | None) -> None:
    """Raises BadInputError where two things are to tell the size of one table."""
    if table and marker_mm is not None:
        raise BadInputError("--marker-size and --table both tell the table's size: give one of them")


def lay_known_plane(
    layout: Layout, image: Image, table: Rectangles | None, marker_mm: float | None, name: str
) -> None:
    """Gives a layout the plane that people told of, in place; what the picture shows stays where they told
    nothing. Raises PictureError, which names the picture, where it does not show the markers they told of.
    """
    if table is not None:
        lay_plane(layout, table, "corners")
    elif marker_mm is not None:
        markers = find_markers(image, marker_mm)
        if markers is None:
            raise PictureError(
                f"{name} does not show the four markers that --marker-size tells of: take the photo with all of them "
                "in it, or leave --marker-size out"
            )
        lay_plane(layout, markers, "markers")


def _two(text: str, option: str, example: str) -> tuple[float, float]:
    numbers = [read for read in map(number, text.split(",")) if read is not None]
    if len(numbers) != 2 or text.count(",") != 1:
        raise BadInputError(
            f"{option} {repeated(text)!r} is not two numbers: write it like {option} {example}"
        )
    return numbers[0], numbers[1]


def _goes_around(corners: Sequence[tuple[float, float]]) -> bool:
    """Do four corners go around a convex shape?"""
    points = np.array(corners)
    sides = np.roll(points, -1, axis=0) - points
    after = np.roll(sides, -1, axis=0)
    turns = sides[:, 0] * after[:, 1] - sides[:, 1] * after[:, 0]
    return bool((turns > 0).all() or (turns < 0).all())
