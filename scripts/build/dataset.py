"""Builds a named set of rendered pictures with their truth, in parallel; goes on where it stopped.

    python -m scripts.build.dataset --list                       the sets of datasets/manifests/sets.toml
    python -m scripts.build.dataset tables --out out/tables      one of them
    python -m scripts.build.dataset tables --pictures 20 ...     its first pictures

Every picture is NUMBER.jpg with NUMBER.json beside it (px a mm; of each card corners, face, side, deck, pile, order,
visible share, in layouts its place) and what it was drawn from, NUMBER.scene.json; `set.json` says what was asked for.
The same set gives the same bytes on one machine.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from pathlib import Path

import cv2
from tqdm import tqdm

from datasets.decks import AssetError
from datasets.files import put
from datasets.film.sets import HandSet, film_of
from datasets.renderers import RendererError, renderer_of
from datasets.scene_file import scene_as_json
from datasets.sets import MANIFEST, PictureSet, SetError, draw, read_sets
from scripts import building
from scripts.building import ended, positive, room_for, worker

QUALITY = 92
#: A picture with its truth, or a film, is hardly ever smaller.
LEAST_BYTES = {PictureSet: 30_000, HandSet: 1_000_000}


def picture_path(out: Path, number: int) -> Path:
    """Where picture `number` of a set lies."""
    return out / f"{number:05d}.jpg"


def kept(wanted: PictureSet | HandSet, number: int, out: Path) -> tuple[Path, Path]:
    """The picture or film of an item, and the file that comes last, so that an item which has it is whole."""
    if isinstance(wanted, HandSet):
        return out / f"{number:05d}.mp4", out / f"{number:05d}.staged.json"
    path = picture_path(out, number)
    return path, path.with_suffix(".json")


def write_item(wanted: PictureSet | HandSet, number: int, out: Path) -> int:
    """Draws one picture or films one hand, with its truth; returns its number."""
    if isinstance(wanted, HandSet):
        film_of(wanted, number, out)
    else:
        write_picture(wanted, number, out)
    return number


def write_picture(wanted: PictureSet, number: int, out: Path) -> None:
    """Draws one picture and its truth."""
    still = draw(wanted, number)
    path = picture_path(out, number)
    done, jpeg = cv2.imencode(".jpg", still.image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    if not done:
        raise OSError(f"{path}: could not be encoded")
    truth = {
        "image": path.name,
        "width": still.image.shape[1],
        "height": still.image.shape[0],
        "px_per_mm": round(still.px_per_mm, 4),
        **still.about,
        "cards": [card.as_json() for card in still.cards],
    }
    put(path, jpeg.tobytes())
    if still.scene is not None:
        put(path.with_suffix(".scene.json"), json.dumps(scene_as_json(still.scene)))
    put(path.with_suffix(".json"), json.dumps(truth))


def claim(out: Path, name: str, wanted: PictureSet | HandSet) -> None:
    """Makes `out` the folder of this set; raises BuildError where it holds another."""
    said = {"set": name} | wanted.model_dump(mode="json", exclude={"pictures"})
    least = type(wanted).model_validate({"what": wanted.what, "pictures": 1, "seed": 0})
    # a folder that was begun before there was some setting has its default
    usual = least.model_dump(mode="json", exclude={"pictures"})
    building.claim(out, "set.json", said, usual=usual)


def missing(wanted: PictureSet | HandSet, out: Path) -> list[int]:
    """The items that are still to be made."""
    return [n for n in range(wanted.pictures) if not all(path.exists() for path in kept(wanted, n, out))]


def build(name: str, wanted: PictureSet | HandSet, out: Path, workers: int) -> int:
    """Draws what is missing of a set; returns how many pictures were drawn."""
    left = missing(wanted, out)
    room_for(out, len(left) * LEAST_BYTES[type(wanted)])
    claim(out, name, wanted)
    bar = tqdm(desc=name, total=wanted.pictures, initial=wanted.pictures - len(left), unit="picture")
    with bar, ProcessPoolExecutor(workers, initializer=worker) as pool:
        for _ in _drawn(pool, wanted, left, out, 4 * workers):
            bar.update()
    return len(left)


def _drawn(
    pool: ProcessPoolExecutor, wanted: PictureSet | HandSet, numbers: Sequence[int], out: Path, ahead: int
) -> Iterator[int]:
    """The pictures as they are done; when one fails, or the build is stopped, those not begun are given up."""
    rest = iter(numbers)
    running: set[Future[int]] = {pool.submit(write_item, wanted, n, out) for n in islice(rest, ahead)}
    try:
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
                running |= {pool.submit(write_item, wanted, n, out) for n in islice(rest, 1)}
    except BaseException:
        pool.shutdown(cancel_futures=True)
        raise


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    options = _parser().parse_args(arguments)
    return ended("build.dataset", lambda: _build(options), AssetError, RendererError, SetError, ValueError)


def _build(options: argparse.Namespace) -> str:
    out = options.out or Path("out") / str(options.set)
    sets = read_sets(options.manifest)
    if options.list or options.set is None:
        return "\n".join(
            f"{name}: {wanted.pictures} {wanted.what}, split {wanted.split}, seed {wanted.seed}"
            for name, wanted in sets.items()
        )
    if options.set not in sets:
        raise SetError(f"no set is called {options.set!r}; {options.manifest} has {', '.join(sets)}")
    wanted = sets[options.set]
    if options.pictures is not None:
        wanted = type(wanted).model_validate(wanted.model_dump() | {"pictures": options.pictures})
    if options.committable:
        wanted = wanted.model_copy(update={"committable": True})
    if isinstance(wanted, PictureSet):
        renderer_of(wanted.renderer)
    drawn = build(options.set, wanted, out, options.workers)
    return f"{out}: {wanted.pictures} pictures, {drawn} of them drawn now"


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("set", nargs="?", help="a set of the manifest")
    parser.add_argument("--list", action="store_true", help="the sets that there are")
    parser.add_argument("--manifest", type=Path, default=MANIFEST)
    parser.add_argument(
        "--pictures", type=positive, help="only so many pictures, or more than the manifest says"
    )
    parser.add_argument("--committable", action="store_true", help="only art that may be kept in the project")
    parser.add_argument("--out", type=Path, help="default: out/SET")
    parser.add_argument("--workers", type=positive, default=os.cpu_count() or 1)
    return parser


if __name__ == "__main__":
    sys.exit(main())
