"""Films ties or infractions and measures what the referee makes of them: who was first, the landings, the layering;
which are found, and whether anybody is accused beside.

    python -m scripts.measure.staged --ties 20 --seed 1 --out out/ties [--json FILE]
    python -m scripts.measure.staged --infractions every --seed 1 --out out/infractions

A film that lies in the folder already is not made again, so that a stopped run goes on. The umpire is given what lay on
the table when the film begins, and the record so far.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from rich.console import Console
from rich.table import Table
from tqdm import tqdm

from datasets.decks import AssetError
from scripts.building import ended, positive
from scripts.here import here
from scripts.measure.staged import infractions
from scripts.measure.staged.infractions import KINDS
from scripts.measure.staged.ties import Judged, Staged, filmed, is_clear, judged


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    options = _parser().parse_args(arguments)
    cv2.setNumThreads(1)
    return ended("measure.staged", lambda: _measure(options), AssetError, ValueError, remedy="run it again")


def _measure(options: argparse.Namespace) -> str:
    from vision.eye import Eye

    options.out.mkdir(parents=True, exist_ok=True)
    eye = Eye(threads=options.threads)
    if options.infractions:
        return _infractions(options, eye)
    found = []
    first = Staged(options.seed, 0, options.split)
    for number in tqdm(range(options.first, options.first + options.ties), desc="ties"):
        staged = replace(first, number=number)
        try:
            found.append(judged(staged, filmed(staged, options.out), eye))
        except ValueError as why:
            tqdm.write(f"{why}")
            continue
        tqdm.write(json.dumps(found[-1].to_json()))
    if options.json is not None:
        told = {**here(), "seed": options.seed, "split": options.split, "ties": [f.to_json() for f in found]}
        options.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    Console().print(as_table(found))
    return f"{options.out}: {len(found)} ties"


def _infractions(options: argparse.Namespace, eye: Any) -> str:
    found = []
    kinds = KINDS if "every" in options.infractions else options.infractions
    for kind in tqdm(kinds, desc="infractions"):
        try:
            found.append(
                infractions.judged(*infractions.filmed(kind, options.seed, options.split, options.out), eye)
            )
        except ValueError as why:
            tqdm.write(f"{why}")
            continue
        tqdm.write(json.dumps(found[-1].to_json()))
    if options.json is not None:
        told = {"seed": options.seed, "split": options.split, "infractions": [one.to_json() for one in found]}
        options.json.write_text(json.dumps({**here(), **told}, indent=1) + "\n", encoding="utf-8")
    Console().print(infractions.as_table(found))
    return f"{options.out}: {len(found)} infractions"


def as_table(ties: Sequence[Judged]) -> Table:
    """What people ask of ties."""
    table = Table("point", "measured")
    clear = [t for t in ties if is_clear(t.fps, t.gap, t.under)]
    firsts = [t for t in ties if t.said == "first"]
    widths = [width for tie in ties for width in tie.widths]
    rows = {
        "ties; of which both plays told": f"{len(ties)}; {sum(t.plays == 2 for t in ties)}",
        "taken back; seen to be": f"{sum(t.back for t in ties)}; {sum(t.back and t.taken_back for t in ties)}",
        "said who was first; wrongly": f"{len(firsts)}; {sum(not t.right for t in firsts)}",
        "apart enough for their frames; first right": f"{len(clear)}; {sum(bool(t.right) for t in clear)}",
        "layering seen": str(sum(t.layered for t in ties)),
        "landings told; true moment inside": f"{len(widths)}; {sum(t.inside for t in ties)}",
        "width of landings, frames: median": f"{np.median(widths):.1f}" if widths else "-",
    }
    for point, measured in rows.items():
        table.add_row(point, measured)
    return table


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--ties", type=positive, default=20)
    parser.add_argument(
        "--infractions",
        nargs="+",
        default=[],
        choices=[*KINDS, "every"],
        metavar="KIND",
        help="instead of ties",
    )
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--split", choices=("train", "tune", "figures"), default="tune", help="decks")
    parser.add_argument("--out", type=Path, required=True, help="folder of the films")
    parser.add_argument("--threads", type=positive, default=2)
    parser.add_argument("--json", type=Path, help="file for what was measured")
    return parser


if __name__ == "__main__":
    sys.exit(main())
