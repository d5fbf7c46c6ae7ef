"""Turns a set of rendered pictures (scripts/build/dataset.py) into what trainings outside this project read.

python -m scripts.build.export out/stills --as obb --out out/obb       oriented boxes, as ultralytics reads them
python -m scripts.build.export out/tables --as crops --out out/crops   upright faces, a folder a card
python -m scripts.build.export out/spreads --as backs --out out/backs  upright backs, a folder a picture and deck
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from datasets.decks.store import write_png
from datasets.files import put
from scripts.building import claim, ended

Pixels = NDArray[np.uint8]
Picture = dict[str, Any]

#: Size of a crop (width, height), px: 2.5 px/mm of a poker card.
CROP = (158, 220)
CLASSES = ("face", "back")
#: What is asked of every card's truth.
NEEDED = {"corners", "face", "face_up", "deck", "visible_fraction"}


class ExportError(Exception):
    """What was given cannot be exported; the message says why."""


def pictures_of(folder: Path) -> list[Path]:
    """The truth files of a set's finished pictures, in order; raises ExportError where there are none."""
    found = sorted(path for path in folder.glob("*.json") if path.stem.isdigit())
    if not found:
        raise ExportError(f"{folder}: no pictures of a set; build one with scripts.build.dataset")
    return found


def picture_of(path: Path) -> Picture:
    """What a truth file says; raises ExportError where it is none."""
    try:
        picture: Picture = json.loads(path.read_text(encoding="utf-8"))
        whole = {"image", "width", "height", "cards"} <= set(picture)
        if whole and all(set(card) >= NEEDED for card in picture["cards"]):
            return picture
    except (ValueError, TypeError):
        pass
    raise ExportError(f"{path}: not the truth of a picture; delete it and build the set again")


def shown(picture: Picture, least: float) -> Iterator[dict[str, Any]]:
    """The cards of a picture of which at least this share is visible."""
    return (card for card in picture["cards"] if card["visible_fraction"] >= least)


def as_obb(files: Sequence[Path], out: Path, least: float) -> int:
    """images/ and labels/ with a line a card: class and four corners, 0 to 1; what lies outside is cut at the rim."""
    for folder in ("images", "labels"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    count = 0
    for path in tqdm(files, desc="obb"):
        picture = picture_of(path)
        size = np.array([picture["width"], picture["height"]])
        lines = []
        for card in shown(picture, least):
            corners = np.clip(np.array(card["corners"]) / size, 0, 1)
            lines.append(
                " ".join([str(int(not card["face_up"])), *(f"{value:.5f}" for value in corners.ravel())])
            )
        image = path.with_name(picture["image"])
        if not image.exists():
            raise ExportError(f"{image}: not a picture; build the set again")
        put(out / "images" / picture["image"], image.read_bytes())
        put(out / "labels" / f"{path.stem}.txt", "".join(f"{line}\n" for line in lines))
        count += len(lines)
    names = "".join(f"  {number}: {name}\n" for number, name in enumerate(CLASSES))
    text = f"path: {out.resolve()}\ntrain: images\nval: images\nnames:\n{names}"
    put(out / "data.yaml", text)
    return count


def as_crops(files: Sequence[Path], out: Path, least: float) -> int:
    """FACE/PICTURE-CARD.png of every face that shows enough; the other cards of the picture are in it, too."""
    return _cut(files, out, least, lambda path, card: card["face"] if card["face_up"] else None)


def as_backs(files: Sequence[Path], out: Path, least: float) -> int:
    """PICTURE-DECK/CARD.png of every back that shows enough: crops in one folder show one design."""
    return _cut(
        files, out, least, lambda path, card: None if card["face_up"] else f"{path.stem}-{card['deck']}"
    )


EXPORTS: dict[str, Callable[[Sequence[Path], Path, float], int]] = {
    "obb": as_obb,
    "crops": as_crops,
    "backs": as_backs,
}


def _cut(
    files: Sequence[Path], out: Path, least: float, folder_of: Callable[[Path, dict[str, Any]], str | None]
) -> int:
    count = 0
    for path in tqdm(files, desc="crops"):
        picture = picture_of(path)
        image = cv2.imread(str(path.with_name(picture["image"])), cv2.IMREAD_COLOR)
        if image is None:
            raise ExportError(f"{path.with_name(picture['image'])}: not a picture; build the set again")
        for number, card in enumerate(picture["cards"]):
            folder = folder_of(path, card)
            if folder is None or card["visible_fraction"] < least:
                continue
            (out / folder).mkdir(parents=True, exist_ok=True)
            name = out / folder / f"{path.stem}-{number:03d}.png"
            write_png(name, upright(np.asarray(image, np.uint8), card["corners"]))
            count += 1
    return count


def upright(image: Pixels, corners: Sequence[Sequence[float]]) -> Pixels:
    """`CROP` px of what lies between a card's corners, px, the printed top left one first."""
    width, height = CROP
    goal = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(np.array(corners, np.float32), goal)
    return np.asarray(cv2.warpPerspective(image, matrix, CROP, flags=cv2.INTER_AREA), dtype=np.uint8)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("set", type=Path, help="folder of a built set")
    parser.add_argument("--as", dest="form", choices=sorted(EXPORTS), required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--least", type=float, default=0.25, help="visible share from which a card counts")
    options = parser.parse_args(arguments)
    return ended("build.export", lambda: _export(options), ExportError)


def _export(options: argparse.Namespace) -> str:
    files = pictures_of(options.set)
    said = {"of": str(options.set.resolve()), "as": options.form, "least": options.least}
    claim(options.out, "export.json", said)
    return f"{options.out}: {EXPORTS[options.form](files, options.out, options.least)} cards"


if __name__ == "__main__":
    sys.exit(main())
