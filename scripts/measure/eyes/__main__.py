"""Measures the eye on real photos and on pictures drawn with unseen decks, and writes the report.

python -m scripts.measure.eyes --real FOLDER --pictures 60 --out docs/eyes.md
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from datasets.decks import AssetError
from scripts.build.measured import SETS
from scripts.building import BuildError, ended, positive
from scripts.here import commit
from scripts.measure.eyes.enrolment import measure_enrolment
from scripts.measure.eyes.indices import measure_indices
from scripts.measure.eyes.measuring import (
    measure_lays,
    measure_real,
    measure_set,
    measure_swept,
    measure_whole_hands,
    measured_at_once,
)
from scripts.measure.eyes.report import Report, save
from scripts.measure.eyes.shares import Share
from scripts.measure.leave_one_out import TOPS

#: Figures of families left out in turn, where no others are named.
LEFT_OUT = Path("docs/left-out.json")


def left_out(path: Path) -> dict[str, Share]:
    """What readers read right of families that they never saw: tops of 1.6 px/mm and more, by family.

    Raises BuildError where the file does not tell it.
    """
    try:
        told = json.loads(path.read_text(encoding="utf-8"))["right and all"]
        return {family: Share(*shares[TOPS]) for family, shares in told.items()}
    except OSError as error:
        why = str(error.strerror)
    except (ValueError, KeyError, TypeError, AttributeError):
        why = "no figures of families left out"
    raise BuildError(f"{path}: {why}; scripts.measure.leave_one_out writes them beside its page")


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--real", type=Path, help="folder with labels.jsonl, edje/ and bridge/")
    parser.add_argument("--pictures", type=positive, default=20, help="of most sets; of some a half")
    parser.add_argument(
        "--hands", type=int, default=None, help="whole hands; as many as pictures if not said"
    )
    parser.add_argument(
        "--lays", type=int, default=None, help="spreads of several photos; as many as pictures if not said"
    )
    parser.add_argument(
        "--sweeps",
        type=int,
        default=None,
        help="films swept over spreads; half as many as pictures if not said",
    )
    parser.add_argument("--sets", nargs="*", choices=list(SETS), default=list(SETS))
    parser.add_argument("--split", choices=("tune", "figures"), default="figures")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--enrolled", type=int, default=12, help="scenes with enrolled decks, 0: none")
    parser.add_argument(
        "--letters", type=int, default=12, help="tables whose courts have letters of other languages, 0: none"
    )
    parser.add_argument("--models", type=Path, help="folder with the networks, *.onnx")
    parser.add_argument(
        "--left-out",
        type=Path,
        help=f"figures of scripts/measure/leave_one_out.py; {LEFT_OUT}, if it is there, where none are named",
    )
    parser.add_argument("--jobs", type=positive, default=1, help="sets that are measured at once")
    parser.add_argument("--out", type=Path, required=True, help="page to write: .md")
    options = parser.parse_args(arguments)
    return ended("measure.eyes", lambda: _measure(options), AssetError)


def _measure(options: argparse.Namespace) -> str:
    # said at once, not after all has been measured
    named = options.left_out or (LEFT_OUT if LEFT_OUT.exists() else None)
    families = {} if named is None else left_out(named)
    shares = {name: max(1, round(SETS[name].share * options.pictures)) for name in options.sets}
    hands = options.pictures if options.hands is None else options.hands
    split, seed, threads = options.split, options.seed, 1 if options.jobs > 1 else 2
    asked: dict[str, Callable[[], Any]] = {
        name: partial(measure_set, options.models, threads, name, split, seed, number)
        for name, number in shares.items()
    }
    if hands:
        asked["hands"] = partial(measure_whole_hands, options.models, threads, split, seed, hands)
    lays = options.pictures if options.lays is None else options.lays
    if lays:
        asked["certified"] = partial(measure_lays, options.models, threads, split, seed, lays)
    sweeps = options.pictures // 2 if options.sweeps is None else options.sweeps
    if sweeps:
        asked["sweeps"] = partial(measure_swept, options.models, threads, split, seed, sweeps)
    if options.enrolled:
        asked["enrolled"] = partial(measure_enrolment, options.models, split, seed, options.enrolled)
    if options.letters:
        asked["letters"] = partial(measure_indices, options.models, split, seed, options.letters)
    if options.real is not None:
        asked["real"] = partial(measure_real, options.models, threads, options.real)
    told = measured_at_once(asked, options.jobs)
    report = Report(
        f"commit {commit()}, {platform.machine()}, seed {seed}, split `{split}`",
        {name: told[name] for name in shares},
    )
    report.hands, report.enrolment = told.get("hands"), told.get("enrolled")
    report.certified, report.sweeps = told.get("certified"), told.get("sweeps")
    report.indices = told.get("letters")
    report.edje, report.bridge = told.get("real", (None, None))
    report.left_out = families
    save(report, options.out)
    return f"{options.out}: {sum(shares.values())} drawn pictures"


if __name__ == "__main__":
    sys.exit(main())
