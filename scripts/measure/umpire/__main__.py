"""Measures the umpire on films of decks that nothing was trained on, and writes what came of it.

    python -m scripts.measure.umpire --seed 7 --out docs/umpire.md                      all films of the plan
    python -m scripts.measure.umpire --seed 7 --only two --minutes 30 --jobs 2          some of them
    python -m scripts.measure.umpire --seed 7 --page                                    the page alone, of what is there

Film by film of `plan.toml` is made, refereed as `replay` does it, held against its truth and deleted; one row of figures
stays. Rows are known by the sources that matter and the film, so that a stopped run goes on, and the page is of the rows
of one state of the sources. Another seed draws every film afresh.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from datasets.decks import AssetError
from datasets.files import put
from scripts.building import BuildError, ended, positive
from scripts.measure.rows import Row, Rows
from scripts.measure.umpire import strips
from scripts.measure.umpire.digest import sources
from scripts.measure.umpire.page import page
from scripts.measure.umpire.plan import Film, groups_of, planned
from scripts.measure.umpire.running import Run, run

#: Where rows and page are kept.
ROWS, PAGE = Path("docs/bench/umpire/rows.jsonl"), Path("docs/umpire.md")
#: Where films lie while they are measured.
WORK = Path("out/umpire")


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    options = _parser().parse_args(arguments)
    return ended("measure.umpire", lambda: _measure(options), AssetError, ValueError)


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    add = parser.add_argument
    add("--seed", type=positive, default=1, help="every film hangs on it; a fresh one for a report")
    add("--split", choices=("train", "tune", "figures"), default="figures", help="decks")
    add("--only", action="append", choices=groups_of(), help="films of this group, or of these")
    add("--film", dest="films", action="append", metavar="NAME", help="this film alone, or these")
    add("--limit", type=positive, help="make so many films at most")
    add("--minutes", type=float, help="begin no film after so many")
    add("--jobs", type=positive, default=1, help="films that are made at once")
    add("--rows", type=Path, default=ROWS, help="file of the rows")
    add(
        "--out", type=Path, default=PAGE, help="page to write: .md; its pictures lie in a folder of that name"
    )
    add("--page", action="store_true", help="make no film: write the page of the newest rows of this seed")
    add("--forget", action="store_true", help="drop the rows of other states of the sources")
    add("--work", type=Path, default=WORK, help="folder in which films are made")
    add(
        "--keep",
        action="store_true",
        help="keep the films: for mending, for who looks at them has no figures any more",
    )
    return parser


def _measure(options: argparse.Namespace) -> str:
    rows, films = Rows(options.rows), planned(options.seed, options.split)
    pictures = options.out.with_suffix("")
    if not options.page:
        _make(options, rows, _wanted(options, films), pictures)
    made_of = rows.newest if options.page else sources()
    of_these = [row for row in rows.of(made_of or "") if row["film"] in {film.key for film in films}]
    if not of_these:
        raise BuildError(f"{options.rows} has no row of seed {options.seed}: leave --page out to make some")
    if options.forget:
        rows.forget([str(made_of)])
    options.out.parent.mkdir(parents=True, exist_ok=True)
    put(options.out, page(of_these, films))
    strips.sweep(pictures, of_these)
    return f"{options.out}: {len(of_these)} of {len(films)} films"


def _wanted(options: argparse.Namespace, films: Sequence[Film]) -> list[Film]:
    names = {film.name for film in films}
    if unknown := sorted(set(options.films or ()) - names):
        raise BuildError(f"{unknown[0]}: no film of the plan is called so; they stand in plan.toml")
    wanted = [
        film
        for film in films
        if (not options.only or film.group in options.only)
        and (not options.films or film.name in options.films)
    ]
    return wanted


def _make(options: argparse.Namespace, rows: Rows, wanted: Sequence[Film], pictures: Path) -> None:
    made_of = sources()
    left = [film for film in wanted if not rows.has(made_of, film.key)][: options.limit]
    bar = tqdm(desc="films", total=len(wanted), initial=sum(rows.has(made_of, f.key) for f in wanted))

    def told(row: Row) -> None:
        bar.update()
        tqdm.write(in_a_line(row), file=sys.stderr)

    seconds = None if options.minutes is None else 60.0 * options.minutes
    asked = Run(
        left, rows, pictures, films=options.work, keep=options.keep, jobs=options.jobs, seconds=seconds
    )
    with bar:
        run(asked, told, lambda word: tqdm.write(word, file=sys.stderr))


def in_a_line(row: Row) -> str:
    """What came of one film."""
    if row["refused"]:
        return f"{row['name']}: {row['refused']}"
    said = [
        f"{hand['plays']['right']} of {hand['plays']['true']} plays, {hand['draws']['right']} of "
        f"{hand['draws']['true']} draws, {hand['plays']['invented']} invented"
        for hand in row["hands"]
    ]
    said += [f"{flag['kind']} {flag['how']}" for flag in row["planted"]]
    said += [f"tie: {row['tie']['said'] or 'nothing said'}"] if row["tie"] else []
    said += [f"{row['false_illegal']} falsely called illegal"] if row["false_illegal"] else []
    return f"{row['name']}: {'; '.join(said)}; {row['cpu_s'] / max(row['seconds'], 0.1):.1f} cores"


if __name__ == "__main__":
    sys.exit(main())
