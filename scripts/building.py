"""What the programs that build data share: one line for what goes wrong, a folder for one set, room on the disk."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from pathlib import Path
from threading import Thread
from typing import TypeVar, get_args

import cv2
from tqdm import tqdm

from datasets.files import put
from datasets.room import Backs

GOES_ON = "the same command goes on from there"

#: What a shard is made of.
Drawn = TypeVar("Drawn")


class BuildError(Exception):
    """What was asked for cannot be built; the message says why and what to do."""


def ended(program: str, work: Callable[[], str], *refused: type[Exception], remedy: str = GOES_ON) -> int:
    """Does `work` and prints what it says: 0; or 2 with one line on standard error.

    `refused` are errors whose message is for people; `remedy` says what to do when the disk or somebody ended it.
    """
    for_people: tuple[type[Exception], ...] = (BuildError, *refused)
    try:
        print(work())
        return 0
    except for_people as error:
        why = str(error)
    except BrokenProcessPool:
        why = f"a worker was killed, for lack of memory perhaps: {remedy}; with --workers 1 it needs least"
    except OSError as error:
        named = f"{error.filename}: " if error.filename else ""
        why = f"{named}{error.strerror or error}; {remedy}"
    except KeyboardInterrupt:
        why = f"stopped; {remedy}"
    print(f"{program}: {' '.join(why.split())}", file=sys.stderr)
    return 2


def ask_for_shards(parser: argparse.ArgumentParser, *, shards: int, per_shard: int, seed: int) -> None:
    """What every script that draws shards asks for; with what is usual."""
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--split", choices=("train", "tune"), default="train")
    parser.add_argument("--first", type=int, default=0, help="number of the first shard")
    parser.add_argument("--shards", type=positive, default=shards)
    parser.add_argument("--per-shard", type=positive, default=per_shard)
    parser.add_argument("--seed", type=int, default=seed)
    ask_for_backs(parser)


def ask_for_backs(parser: argparse.ArgumentParser) -> None:
    """What every script that dresses decks asks for (`datasets/room.py: Backs`)."""
    parser.add_argument(
        "--backs",
        choices=get_args(Backs),
        default="framed",
        help="what decks wear: framed backs, those of all other printers, or half of each",
    )


def claim(
    out: Path,
    note: str,
    said: Mapping[str, object],
    *,
    adopt: str = "",
    usual: Mapping[str, object] | None = None,
) -> None:
    """Makes `out` the folder of what `said` asks for, kept there as JSON in the file `note`.

    Raises BuildError where the folder holds something else; files that match `adopt` may lie there without a note.
    `usual`: what holds for settings that a note does not tell.
    """
    if out.exists() and not out.is_dir():
        raise BuildError(f"{out} is a file; name a folder with --out")
    out.mkdir(parents=True, exist_ok=True)
    path = out / note
    others = {other for other in out.iterdir() if other != path and other.suffix != ".part"}
    if not path.exists():
        if others - (set(out.glob(adopt)) if adopt else set()):
            raise BuildError(f"{out} holds other files; name an empty folder with --out")
    elif _read(path, usual or {}) == said:
        return
    elif others:
        raise BuildError(
            f"{out} holds what was asked for otherwise ({path}); delete it or name another --out"
        )
    put(path, json.dumps(said, indent=1))


def _read(note: Path, usual: Mapping[str, object]) -> object:
    try:
        found = json.loads(note.read_text(encoding="utf-8"))
    except ValueError:
        return None
    return {**usual, **found} if isinstance(found, dict) else None


def shards_left(
    options: argparse.Namespace,
    note: str,
    each_bytes: float,
    *,
    said: Sequence[str] = ("split", "per_shard", "seed", "backs"),
    usual: Mapping[str, object] | None = None,
    ending: str = ".npz",
) -> list[int]:
    """Numbers of the shards (`ask_for_shards`) that are not in their folder yet; it is claimed, with room for these.

    `each_bytes`: what each of `--per-shard` takes about; `said`: the options that must stay the same; `usual`: see
    `claim`; `ending`: of a shard's last file.
    """
    out = options.out
    numbers = range(options.first, options.first + options.shards)
    left = [number for number in numbers if not (out / f"{number:04d}{ending}").exists()]
    room_for(out, len(left) * options.per_shard * each_bytes)
    adopt = f"*.{ending.rpartition('.')[2]}"
    # folders that were begun before one could ask for backs
    usual = {"backs": "framed", **(usual or {})}
    claim(out, note, {name: getattr(options, name) for name in said}, adopt=adopt, usual=usual)
    return left


def draw_shards(
    options: argparse.Namespace,
    left: Sequence[int],
    drawn: Callable[[int], Iterator[Drawn]],
    keep: Callable[[Path, list[Drawn]], None],
) -> str:
    """Draws the shards that are `left` (`shards_left`), `--per-shard` of what is `drawn` for a shard by its number each,
    and has each kept in its file; what to say then."""
    for number in tqdm(left, desc="shards"):
        of_shard = drawn(number)
        every = tqdm(range(options.per_shard), desc=f"shard {number}", leave=False)
        keep(options.out / f"{number:04d}.npz", [next(of_shard) for _ in every])
    return drawn_now(options, left)


def drawn_now(options: argparse.Namespace, left: Sequence[int]) -> str:
    """What to say when all shards are there, `left` of them since `shards_left`."""
    return f"{options.out}: {options.shards} shards, {len(left)} of them drawn now"


def room_for(out: Path, needed: float) -> None:
    """Raises BuildError where the disk of `out` has not even `needed` bytes left."""
    folder = out.absolute()
    while not folder.exists():
        folder = folder.parent
    total, _, free = shutil.disk_usage(folder)
    if total and needed > free:
        raise BuildError(
            f"{out}: {needed / 1e6:,.0f} MB are needed at least, and the disk has {free / 1e6:,.0f} MB left; "
            "make room, ask for less or name another --out"
        )


def worker() -> None:
    """Begins a worker of a pool: one thread, and it ends with the program that started it, even if that is killed."""
    cv2.setNumThreads(1)
    parent = multiprocessing.parent_process()
    if parent is not None:
        # Ctrl-C is for that program alone: a worker that it ends in the middle can block the others
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


def positive(text: str) -> int:
    """A number from 1 on, for `argparse`."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)
