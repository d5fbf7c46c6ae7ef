"""What the programs that build data share: one line for what goes wrong, a folder for one set, room on the disk."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable, Mapping
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from datasets.files import put

GOES_ON = "the same command goes on from there"


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


def claim(out: Path, note: str, said: Mapping[str, object], *, adopt: str = "") -> None:
    """Makes `out` the folder of what `said` asks for, kept there as JSON in the file `note`.

    Raises BuildError where the folder holds something else; files that match `adopt` may lie there without a note.
    """
    out.mkdir(parents=True, exist_ok=True)
    path = out / note
    if not path.exists():
        known = set(out.glob(adopt)) if adopt else set()
        if any(other not in known and other.suffix != ".part" for other in out.iterdir()):
            raise BuildError(f"{out} holds other files; name an empty folder with --out")
        put(path, json.dumps(said, indent=1))
        return
    try:
        there = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise BuildError(f"{path}: cannot be read; delete {out} or name another --out") from None
    if there != said:
        raise BuildError(
            f"{out} holds what was asked for otherwise ({path}); delete it or name another --out"
        )


def room_for(out: Path, needed: float) -> None:
    """Raises BuildError where the disk of `out` has not even `needed` bytes left."""
    folder = out.absolute()
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise BuildError(
            f"{out}: {needed / 1e6:,.0f} MB are needed at least, and the disk has {free / 1e6:,.0f} MB left; "
            "make room, ask for less or name another --out"
        )


def positive(text: str) -> int:
    """A number from 1 on, for `argparse`."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)
