"""Builds a named set of rendered pictures with their truth, in parallel; goes on where it stopped.

    python -m scripts.build_dataset --list                       the sets of datasets/manifests/sets.toml
    python -m scripts.build_dataset tables --out out/tables      one of them
    python -m scripts.build_dataset tables --pictures 20 ...     its first pictures

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
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from pathlib import Path

import cv2
from tqdm import tqdm

from datasets.decks import AssetError
from datasets.film.sets import HandSet, film_of
from datasets.renderers import RendererError, renderer_of
from datasets.scene_file import scene_as_json
from datasets.sets import MANIFEST, PictureSet, SetError, draw, read_sets

QUALITY = 92


def picture_path(out: Path, number: int) -> Path:
    """Where picture `number` of a set lies."""
    return out / f"{number:05d}.jpg"


def last_file(wanted: PictureSet | HandSet, number: int, out: Path) -> Path:
    """The file of an item that comes last, so that an item which has it is whole."""
    return picture_path(out, number).with_suffix(".staged.json" if isinstance(wanted, HandSet) else ".json")


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
    _put(path, jpeg.tobytes())
    if still.scene is not None:
        _put(path.with_suffix(".scene.json"), json.dumps(scene_as_json(still.scene)).encode())
    _put(path.with_suffix(".json"), json.dumps(truth).encode())


def _put(path: Path, content: bytes) -> None:
    part = path.with_suffix(path.suffix + ".part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def claim(out: Path, name: str, wanted: PictureSet | HandSet) -> None:
    """Makes `out` the folder of this set; raises SetError where it holds another."""
    out.mkdir(parents=True, exist_ok=True)
    said = {"set": name} | wanted.model_dump(mode="json", exclude={"pictures"})
    least = type(wanted).model_validate({"what": wanted.what, "pictures": 1, "seed": 0})
    usual = least.model_dump(mode="json", exclude={"pictures"})
    note = out / "set.json"
    if not note.exists():
        if any(out.iterdir()):
            raise SetError(f"{out} holds other files; name an empty folder with --out")
        _put(note, json.dumps(said, indent=1).encode())
    # a folder that was begun before there was some setting has its default
    elif usual | json.loads(note.read_text(encoding="utf-8")) != said:
        raise SetError(
            f"{out} holds pictures that were asked for otherwise ({note}); delete it or name another --out"
        )


def missing(wanted: PictureSet | HandSet, out: Path) -> list[int]:
    """The items that are still to be made."""
    return [n for n in range(wanted.pictures) if not last_file(wanted, n, out).exists()]


def build(name: str, wanted: PictureSet | HandSet, out: Path, workers: int) -> int:
    """Draws what is missing of a set; returns how many pictures were drawn."""
    claim(out, name, wanted)
    left = missing(wanted, out)
    bar = tqdm(desc=name, total=wanted.pictures, initial=wanted.pictures - len(left), unit="picture")
    with bar, ProcessPoolExecutor(workers, initializer=cv2.setNumThreads, initargs=(1,)) as pool:
        for _ in _drawn(pool, wanted, left, out, 4 * workers):
            bar.update()
    return len(left)


def _drawn(
    pool: ProcessPoolExecutor, wanted: PictureSet | HandSet, numbers: Sequence[int], out: Path, ahead: int
) -> Iterator[int]:
    """The pictures as they are done; when one fails those that were not begun are given up."""
    rest = iter(numbers)
    running: set[Future[int]] = {pool.submit(write_item, wanted, n, out) for n in islice(rest, ahead)}
    while running:
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            try:
                yield future.result()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
            running |= {pool.submit(write_item, wanted, n, out) for n in islice(rest, 1)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    options = _parser().parse_args(arguments)
    out = options.out or Path("out") / str(options.set)
    try:
        sets = read_sets(options.manifest)
        if options.list or options.set is None:
            for name, wanted in sets.items():
                print(f"{name}: {wanted.pictures} {wanted.what}, split {wanted.split}, seed {wanted.seed}")
            return 0
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
    except (AssetError, RendererError, SetError, ValueError) as error:
        return _refuse(str(error))
    except BrokenProcessPool:
        return _refuse(
            "a worker was killed, for lack of memory perhaps: the same command with --workers 1 goes on"
        )
    except OSError as error:
        return _refuse(
            f"{error.filename or out}: {error.strerror or error}; the same command goes on from there"
        )
    except KeyboardInterrupt:
        return _refuse("stopped; the same command goes on from there")
    print(f"{out}: {wanted.pictures} pictures, {drawn} of them drawn now")
    return 0


def _refuse(why: str) -> int:
    print(f"build_dataset: {why}", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("set", nargs="?", help="a set of the manifest")
    parser.add_argument("--list", action="store_true", help="the sets that there are")
    parser.add_argument("--manifest", type=Path, default=MANIFEST)
    parser.add_argument(
        "--pictures", type=_positive, help="only so many pictures, or more than the manifest says"
    )
    parser.add_argument("--committable", action="store_true", help="only art that may be kept in the project")
    parser.add_argument("--out", type=Path, help="default: out/SET")
    parser.add_argument("--workers", type=_positive, default=os.cpu_count() or 1)
    return parser


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
