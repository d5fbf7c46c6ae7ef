"""Writes pictures of filmed hands with boxes about hands and carried cards, as ultralytics reads them.

    python -m scripts.train.quick.data --out cache/quick

A film a table, light, surface and set of sleeves, a few pictures each; those of `tune` show decks and surfaces that
training has not. What is there already is not done again.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import cv2
from tqdm import tqdm

from datasets.decks import AssetError, Split
from datasets.files import put
from datasets.film.moments import Moment, draw_moments
from scripts.building import claim, ended, positive, room_for, worker
from scripts.train.quick.labels import CLASSES, boxes_of, lines_of

#: px of a picture's longer side, quality of its JPEG, and bytes that it takes about.
SIDE, QUALITY, EACH_BYTES = 640, 92, 70e3
#: One split is trained on, the other one is for measuring.
SPLITS: tuple[Split, Split] = ("train", "tune")


def data_text(folder: Path) -> str:
    """What data.yaml says of a folder of pictures."""
    names = "".join(f"  {number}: {name}\n" for number, name in enumerate(CLASSES))
    train, held = (f"images/{split}" for split in SPLITS)
    return f"path: {folder.resolve()}\ntrain: {train}\nval: {held}\nnames:\n{names}"


def keep(out: Path, split: Split, number: int, moments: Iterable[Moment]) -> None:
    """Writes the pictures of film `number` with their labels; a picture is there only after its labels."""
    for which, moment in enumerate(moments):
        height, width = moment.image.shape[:2]
        lines = lines_of(boxes_of(moment.truth, (width, height)), (width, height))
        scale = SIDE / max(width, height)
        small = cv2.resize(moment.image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        done, jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        picture = picture_path(out, split, number, which)
        if not done:
            raise OSError(f"{picture}: could not be encoded")
        put(label_path(picture), lines)
        put(picture, jpeg.tobytes())


def picture_path(out: Path, split: Split, number: int, which: int) -> Path:
    """Where picture `which` of film `number` lies."""
    return out / "images" / split / f"{number:05d}-{which:02d}.jpg"


def label_path(picture: Path) -> Path:
    """Where the labels of a picture lie: where ultralytics looks for them."""
    return picture.parents[2] / "labels" / picture.parent.name / f"{picture.stem}.txt"


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    options = _parser().parse_args(arguments)
    return ended("train.quick.data", lambda: _export(options), AssetError, ValueError)


def _export(options: argparse.Namespace) -> str:
    out, each = options.out, options.each
    wanted = [(split, n) for split in SPLITS for n in range(getattr(options, split))]
    left = [(split, n) for split, n in wanted if not picture_path(out, split, n, each - 1).exists()]
    room_for(out, len(left) * each * EACH_BYTES)
    claim(out, "quick.json", {"seed": options.seed, "each": each, "classes": list(CLASSES)})
    for split in SPLITS:
        for kind in ("images", "labels"):
            (out / kind / split).mkdir(parents=True, exist_ok=True)
    put(out / "data.yaml", data_text(out))
    with ProcessPoolExecutor(options.workers, initializer=worker) as pool:
        films = [pool.submit(film, out, split, number, options.seed, each) for split, number in left]
        try:
            for done in tqdm(as_completed(films), desc="films", total=len(films)):
                done.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return f"{out}: {len(wanted) * each} pictures, {len(left) * each} of them drawn now"


def film(out: Path, split: Split, number: int, seed: int, each: int) -> None:
    """Writes `each` pictures of film `number` of a split."""
    keep(out, split, number, draw_moments(_seed(seed, split), number, split, each))


def _seed(seed: int, split: Split) -> int:
    """No two splits show the same hands."""
    return 2 * seed + SPLITS.index(split)


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--out", type=Path, default=Path("cache/quick"))
    parser.add_argument("--train", type=positive, default=40, help="films to train on")
    parser.add_argument("--tune", type=positive, default=8, help="films to measure on")
    parser.add_argument("--each", type=positive, default=16, help="pictures of each film")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--workers", type=positive, default=os.cpu_count() or 1)
    return parser


if __name__ == "__main__":
    sys.exit(main())
