"""How well does the reader read a family of decks that it never saw? Each of three decks and more is left out in turn.

    python -m scripts.measure.leave_one_out --views 100000 --further 40000 --out docs/left-out.md

A reader is trained from nothing on the families that are never left out; from there one goes on for each family that
is, with the crops of all others. With `--longer G=400000 A=300000` it goes on, for these, with crops of drawn decks,
too, but those that borrow courts of the family that is left out (`--pool`: folders that `build.crops` drew);
a family that does badly may only have been trained too little for it. Measured on the left-out
decks as they are. What is built and trained already is kept, so a stopped comparison goes on.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from datasets.decks import AssetError, list_decks, list_drawn_decks
from datasets.decks.drawn_deck import court_lender
from datasets.decks.store import cache_folder
from datasets.files import put
from scripts.build import crops as build_reader_crops
from scripts.building import BuildError, ended, positive
from scripts.here import ROOT, here
from scripts.intervals import wilson
from scripts.measure.reader import Answers, drawn
from vision.faces.reader import Reader
from vision.layout import FACES

#: A family of fewer decks is always trained on.
LEAST = 3

_ABOUT = """# Families of decks left out

Measured by `python -m scripts.measure.leave_one_out` on {machine}. A reader is trained from nothing on the families
{always} ({views:,} views, {batch} at a time); from there, for each family left out, one goes on with all other families
of split `train` ({further:,} views){longer}. Measured on drawn crops of the left-out decks as they are printed, their
rectangles moved by a finder's errors. The reader that is shipped saw many more views (`models/reader.md`): these
figures say what a strange family costs, not how good it is. Intervals: Wilson, 95 %.
"""
_LONGER = """, and then as long as the
table says with {crops:,} crops ({pool}) of those and of drawn decks, but not
of those that borrow the left-out decks' courts"""

#: What is asked about.
TOPS = "tops, 1.6 px/mm and more"
#: Columns of the page: title, kind of cover (None: any), px/mm from and to.
COLUMNS: tuple[tuple[str, str | None, float, float], ...] = (
    (TOPS, "whole", 1.6, 9),
    ("tops, 1.1 to 1.6", "whole", 1.1, 1.6),
    ("strips of columns, 1.6 and more", "strip", 1.6, 9),
    ("all readable, 1.6 and more", None, 1.6, 9),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a reader made of a family that it never saw."""

    family: str
    decks: tuple[str, ...]
    #: Right and all, in the order of `COLUMNS`.
    shares: tuple[tuple[int, int], ...]
    #: What was taken for what most often, tops of 1.6 px/mm and more.
    confused: tuple[str, ...]
    #: Views that its reader saw in all.
    views: int = 0


def folds() -> tuple[list[str], list[str]]:
    """Families that are left out in turn, and those that never are, of split train."""
    decks: dict[str, int] = {}
    for info in list_decks(split="train"):
        decks[info.family] = decks.get(info.family, 0) + 1
    return (
        sorted(family for family, number in decks.items() if number >= LEAST),
        sorted(family for family, number in decks.items() if number < LEAST),
    )


def of_family(family: str) -> list[str]:
    """The decks of split train that show art of a family: its own, and drawn ones that borrow its courts."""
    own = [info.name for info in list_decks(split="train") if info.family == family]
    drawn = [info.name for info in list_drawn_decks("train")]
    lenders = {name: court_lender(cache_folder(), "train", int(name.rpartition("-")[2])) for name in drawn}
    return own + [name for name in drawn if lenders[name] in own]


def crops(
    options: argparse.Namespace, name: str, families: Sequence[str], shards: int, *, plain: bool
) -> Path:
    """The folder with crops of some families of split train; of none: of split tune, which sets the temperature."""
    folder: Path = options.data / name
    given = ["--out", str(folder), "--shards", str(shards), "--per-shard", str(options.per_shard)]
    given += ["--keep", str(shards), "--seed", str(options.seed + plain)]
    given += ["--families", *families] if families else ["--split", "tune"]
    if build_reader_crops.main([*given, *(["--as-they-are"] if plain else [])]):
        raise BuildError(f"{folder} could not be built")
    return folder


def train(
    options: argparse.Namespace,
    name: str,
    data: Callable[[], Sequence[Path]],
    views: int,
    init: Path | None,
    without: Sequence[str] = (),
) -> Path:
    """The reader of a fold, trained and exported, unless it is there; only then are its crops needed.

    `without`: decks whose crops are passed over.
    """
    out: Path = options.runs / f"{name}.onnx"
    if out.exists():
        return out
    run = options.runs / name
    given = ["--data", *map(str, data()), "--run", str(run), "--views", str(views)]
    given += ["--batch", str(options.batch), "--loaders", str(options.loaders)]
    given += ["--threads", str(options.threads), "--lr", "2e-3" if init is None else "1e-3"]
    given += ["--init", str(init)] if init else []
    _run("train.reader", *given, *(["--without", *without] if without else []))
    tune = crops(options, "tune", [], 1, plain=True)
    _run("train.export", "reader", "--run", str(run), "--tune", str(tune), "--out", str(out))
    return out


def _run(script: str, *given: str) -> None:
    """A script of ours in a process of its own: only it needs torch."""
    if subprocess.run([sys.executable, "-m", f"scripts.{script}", *given], cwd=ROOT, check=False).returncode:
        raise BuildError(f"scripts.{script} failed; what it said stands above")


def measured(family: str, model: Path, folder: Path) -> Outcome:
    """The reader on the crops of the family that it never saw."""
    answers, words, scale = drawn(Reader(model), folder)
    face = answers.labels < len(FACES)
    shares = []
    for _, kind, low, high in COLUMNS:
        within = face & (scale >= low) & (scale < high)
        if kind is not None:
            within &= words["kind"] == kind
        shares.append((int(answers.right[within].sum()), int(within.sum())))
    tops = face & (scale >= COLUMNS[0][2]) & (words["kind"] == COLUMNS[0][1])
    decks = tuple(sorted(set(words["deck"][face].tolist())))
    return Outcome(family, decks, tuple(shares), tuple(_confused(answers, tops)))


def _confused(answers: Answers, among: NDArray[np.bool_], most: int = 8) -> list[str]:
    names = (*FACES, "nothing")
    said = answers.chances.argmax(axis=1)
    wrong: dict[str, int] = {}
    for i in np.flatnonzero(among & ~answers.right):
        pair = f"{names[int(answers.labels[i])]} as {names[int(said[i])]}"
        wrong[pair] = wrong.get(pair, 0) + 1
    return [f"{pair} ({n})" for pair, n in sorted(wrong.items(), key=lambda one: (-one[1], one[0]))[:most]]


def page(outcomes: Sequence[Outcome], options: argparse.Namespace) -> str:
    """The figures as Markdown."""
    _, always = folds()
    about = _ABOUT.format(
        machine=here()["machine"],
        always=", ".join(always),
        views=options.views,
        further=options.further,
        batch=options.batch,
        longer=_longer(options)
        if options.longer
        else "; drawn decks, which borrow courts, are in none of it",
    )
    lines = [
        about,
        "| left out | decks | views | " + " | ".join(title for title, *_ in COLUMNS) + " |",
        "| --- | --- | --- |" + " --- |" * len(COLUMNS),
    ]
    lines += [
        f"| {one.family} | {', '.join(one.decks)} | {one.views:,} | "
        + " | ".join(_share(*share) for share in one.shares)
        + " |"
        for one in outcomes
    ]
    lines += ["", "Tops of 1.6 px/mm and more that were taken for others most often:", ""]
    lines += [f"* {one.family}: {', '.join(one.confused) or 'none'}" for one in outcomes]
    return "\n".join([*lines, ""])


def _longer(options: argparse.Namespace) -> str:
    """What is said of the last part of the training."""
    said = [json.loads((folder / "crops.json").read_text(encoding="utf-8")) for folder in options.pool]
    pool = "; ".join(", ".join(f"{name} {one[name]}" for name in ("seed", "drawn", "decks")) for one in said)
    number = sum(len(np.load(path)) for folder in options.pool for path in folder.glob("*.labels.npy"))
    return _LONGER.format(crops=number, pool=f"`build.crops`: {pool}")


def _share(part: int, whole: int) -> str:
    low, high = wilson(part, whole)
    return f"{part / max(whole, 1):.3f} [{low:.3f}, {high:.3f}] of {whole}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--data", type=Path, default=Path("cache/left-out"), help="folder of the crops")
    parser.add_argument("--runs", type=Path, default=Path("runs/left-out"), help="folder of the trainings")
    parser.add_argument(
        "--views", type=positive, default=100_000, help="of the families that never are left out"
    )
    parser.add_argument("--further", type=positive, default=40_000, help="for each family left out")
    parser.add_argument(
        "--longer",
        type=_further,
        nargs="+",
        default=[],
        metavar="FAMILY=VIEWS",
        help="then, of all decks that show no art of the family",
    )
    parser.add_argument("--pool", type=Path, nargs="+", default=[], help="folders of crops for that")
    parser.add_argument("--shards", type=positive, default=8, help="of crops a family, to train on")
    parser.add_argument("--per-shard", type=positive, default=1500)
    parser.add_argument("--seed", type=int, default=600)
    parser.add_argument("--threads", type=positive, default=1)
    parser.add_argument("--batch", type=positive, default=96)
    parser.add_argument(
        "--loaders", type=positive, default=1, help="processes that vary crops (see training)"
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="page to write: .md; figures beside it: .json"
    )
    options = parser.parse_args(arguments)
    return ended("measure.leave_one_out", lambda: _measure(options), AssetError)


def _measure(options: argparse.Namespace) -> str:
    left, always = folds()
    _pooled(options)

    def data(families: Sequence[str]) -> list[Path]:
        base = crops(options, "always", always, 2 * options.shards, plain=False)
        return [base, *(crops(options, one, [one], options.shards, plain=False) for one in families)]

    begun = train(options, "always", lambda: data([]), options.views, None).with_suffix(".npz")
    outcomes = []
    for family in left:
        others = [other for other in left if other != family]
        model = train(options, f"without-{family}", partial(data, others), options.further, begun)
        views, longer = options.views + options.further, dict(options.longer).get(family, 0)
        if longer:
            init, without = model.with_suffix(".npz"), of_family(family)
            name = f"longer-without-{family}"
            model = train(options, name, lambda: options.pool, longer, init, without)
        strange = crops(options, f"{family}-as-they-are", [family], 2, plain=True)
        outcomes.append(replace(measured(family, model, strange), views=views + longer))
    kept = {one.family: dict(zip((c[0] for c in COLUMNS), one.shares, strict=True)) for one in outcomes}
    views = {one.family: one.views for one in outcomes}
    said = {"views": views, "right and all": kept, "here": here()}
    put(options.out.with_suffix(".json"), json.dumps(said, indent=1) + "\n")
    put(options.out, page(outcomes, options))
    return f"{options.out}: {', '.join(left)} left out in turn"


def _further(text: str) -> tuple[str, int]:
    """A family and how long its reader goes on."""
    family, _, views = text.partition("=")
    if not views.isdigit() or family not in folds()[0]:
        raise argparse.ArgumentTypeError(f"{text!r}: say FAMILY=VIEWS, of {', '.join(folds()[0])}")
    return family, int(views)


def _pooled(options: argparse.Namespace) -> None:
    """Refuses a longer training that has no crops of its own."""
    if options.longer and not options.pool:
        raise BuildError("--longer wants --pool: folders that scripts.build.crops drew")
    for folder in options.pool:
        if not (folder / "crops.json").exists():
            raise BuildError(f"--pool {folder}: no crops there; draw them with scripts.build.crops")


if __name__ == "__main__":
    sys.exit(main())
