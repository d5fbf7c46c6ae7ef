"""Puts the first pictures of built sets (scripts/build/dataset.py) side by side on one contact sheet.

python -m scripts.build.dataset endings --committable --pictures 4 --out out/endings
python -m scripts.build.still_sheet out/endings out/layouts --out out/sheet.jpg
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.files import put
from scripts.build.export import ExportError, picture_of, pictures_of
from scripts.building import ended, positive

Pixels = NDArray[np.uint8]

#: Width of a sheet, height of a row before it is stretched to that width, px between pictures.
WIDTH, ROW, GAP = 1600, 330, 6
#: Size of the letters.
LETTERS = 0.5
AGAIN = "build the set again, then this sheet"


class SheetError(Exception):
    """There is nothing to draw; the message says why."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture and what is written on it."""

    image: Pixels
    told: str

    @property
    def shape(self) -> float:
        """Width by height."""
        return self.image.shape[1] / self.image.shape[0]


def shown_of(folder: Path, pictures: int) -> list[Shown]:
    """The first pictures of a set; raises SheetError or ExportError."""
    name = _name(folder / "set.json")
    found = []
    for path in pictures_of(folder)[:pictures]:
        truth = picture_of(path)
        image = cv2.imread(str(path.with_name(truth["image"])), cv2.IMREAD_COLOR)
        if image is None:
            raise SheetError(f"{path.with_name(truth['image'])}: not a picture; build the set again")
        told = [name, *([truth["game"]] if "game" in truth else []), f"{len(truth['cards'])} cards"]
        found.append(Shown(np.asarray(image, np.uint8), ", ".join(told)))
    return found


def _name(note: Path) -> str:
    try:
        return str(json.loads(note.read_text(encoding="utf-8"))["set"])
    except (OSError, ValueError, KeyError, TypeError):
        raise SheetError(f"{note} does not tell a set; name a folder of scripts.build.dataset") from None


def sheet(shown: Sequence[Shown]) -> Pixels:
    """(height, `WIDTH`, 3): the pictures in rows, all of a row equally high, every row as wide as the sheet."""
    rows = list[list[Shown]]()
    for picture in shown:
        if not rows or ROW * sum(other.shape for other in rows[-1]) >= WIDTH - GAP * len(rows[-1]):
            rows.append([])
        rows[-1].append(picture)
    return np.concatenate([_row(row) for row in rows])


def _row(row: Sequence[Shown]) -> Pixels:
    free = WIDTH - GAP * (len(row) - 1)
    # a last row that is not full stays as high as the others are about
    height = min(free / sum(picture.shape for picture in row), 1.3 * ROW)
    drawn = np.full((round(height) + GAP, WIDTH, 3), 255, np.uint8)
    left = 0.0
    for picture in row:
        right = min(left + height * picture.shape, WIDTH)
        size = round(right) - round(left), round(height)
        small = np.asarray(cv2.resize(picture.image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        _write(small, picture.told)
        drawn[: size[1], round(left) : round(right)] = small
        left = right + GAP
    return drawn


def _write(image: Pixels, told: str) -> None:
    """Writes in the lower left corner, legible on anything."""
    (width, height), base = cv2.getTextSize(told, cv2.FONT_HERSHEY_SIMPLEX, LETTERS, 1)
    below = image.shape[0] - base - 3
    cv2.rectangle(image, (0, below - height - 3), (width + 8, image.shape[0]), (255, 255, 255), -1)
    cv2.putText(image, told, (4, below), cv2.FONT_HERSHEY_SIMPLEX, LETTERS, (0, 0, 0), 1, cv2.LINE_AA)


def encoded(drawn: Pixels, most: int) -> bytes:
    """A JPEG of at most so many bytes, as good as that allows; raises SheetError where none is small enough."""
    for quality in range(92, 20, -4):
        done, data = cv2.imencode(".jpg", drawn, [cv2.IMWRITE_JPEG_QUALITY, quality])
        if done and data.size <= most:
            return data.tobytes()
    raise SheetError(f"the sheet does not fit in {most // 1000} kB: show fewer --pictures")


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("sets", type=Path, nargs="+", help="folders of built sets")
    parser.add_argument("--pictures", type=positive, default=4, help="of each set, from the first on")
    parser.add_argument("--kb", type=positive, default=250, help="largest file")
    parser.add_argument("--out", type=Path, required=True, help="JPEG to write")
    options = parser.parse_args(arguments)
    return ended("build.still_sheet", lambda: _draw(options), SheetError, ExportError, remedy=AGAIN)


def _draw(options: argparse.Namespace) -> str:
    drawn = sheet([shown for folder in options.sets for shown in shown_of(folder, options.pictures)])
    data = encoded(drawn, 1000 * options.kb)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    put(options.out, data)
    return f"{options.out}: {drawn.shape[1]} x {drawn.shape[0]} px, {len(data) // 1000} kB"


if __name__ == "__main__":
    sys.exit(main())
