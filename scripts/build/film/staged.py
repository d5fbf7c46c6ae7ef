"""Films a clip of every kind of thing that can be staged, and lists them with their truth and how well they can be seen.

python -m scripts.build.film.staged --out out/staged                  every kind in turn; a stopped run goes on
python -m scripts.build.film.staged --out out/staged --only two-hands

Writes NAME.mp4 with its truth files for every kind (scripts/build/film/hand.py), staged.md, a table of all, and
sheet-N.jpg.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from tqdm import tqdm

from datasets.decks import AssetError
from datasets.files import put
from datasets.film.dressing import committable_decks, draw_decks
from datasets.film.film import film_hand
from datasets.film.setting import draw_setting
from datasets.play.deeds import Game
from datasets.play.mishaps import BY_PLAYERS, TO_THE_ROOM, Mishap
from datasets.play.plants import OF_A_GAME, PLANTS, Plant, Tie
from scripts.build.film.contact_sheet import sheet
from scripts.building import ended, positive, worker

#: Seconds between the landings of a tie.
GAPS = (0.0, 0.1, 0.2)
#: Seconds into the hand from which something may happen, and that are filmed before and after it.
FROM, AROUND = 8.0, 1.5
#: Clips on one contact sheet, and the width of a picture on it, px.
A_SHEET, WIDTH = 8, 192


@dataclass(frozen=True, slots=True)
class Clip:
    """What is staged in one clip."""

    name: str
    plant: Plant | None = None
    tie: Tie | None = None
    mishap: Mishap | None = None


def clips() -> Iterator[Clip]:
    """One of every kind: infractions by their rule, ties, mishaps."""
    for kind in PLANTS:
        if kind != "tie-left":
            yield Clip(kind, plant=Plant(kind, after=FROM))
    for gap in GAPS:
        for under in (False, True):
            for back in (True, False):
                name = f"tie-{1000 * gap:.0f}ms-{'under' if under else 'over'}-{'back' if back else 'left'}"
                yield Clip(name, tie=Tie(FROM, gap, back=back, under=under))
    for kind in (*BY_PLAYERS, *TO_THE_ROOM):
        yield Clip(kind, mishap=Mishap(kind, after=FROM))


def film(clip: Clip, seed: int, out: Path, committable: bool) -> None:
    """Films one clip, whose truth files are complete when `NAME.staged.json` is there."""
    rng = np.random.default_rng([seed, 3])
    decks = committable_decks(rng, 2) if committable else draw_decks(rng, 2, ("train",))
    game: Game = OF_A_GAME.get(clip.plant.kind, "nerts") if clip.plant else "nerts"
    film_hand(
        seed,
        decks,
        out,
        name=clip.name,
        game=game,
        plant=[clip.plant] if clip.plant else [],
        ties=[clip.tie] if clip.tie else [],
        mishaps=[clip.mishap] if clip.mishap else [],
        setting=draw_setting(seed, quick=True, game=game),
        around=AROUND,
    )


def table(staged: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """All clips with what is staged in them as a Markdown table."""
    lines = [
        "| clip | rule | who, cards | from, to | lifted to landed, s | frames that show it | px at most |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, entries in staged.items():
        for entry in entries:
            way = f"{entry['source'] or '-'} to {entry['target']}" if entry["target"] else "-"
            cards = ", ".join(entry["cards"]) or entry["seat"] or "-"
            moments = f"{entry['lifted']:.3f} to {entry['landed']:.3f}"
            seen = (
                f"{entry['shown']} of {entry['frames'][1] - entry['frames'][0] + 1}"
                if entry["cards"]
                else "-"
            )
            lines.append(
                f"| {name} | {entry['rule'] or '-'} | {cards} | {way} | {moments} | {seen} | {entry['px'] or '-'} |"
            )
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    options = _parser().parse_args(arguments)
    return ended("build.film.staged", lambda: _film(options), AssetError, ValueError)


def _film(options: argparse.Namespace) -> str:
    out: Path = options.out
    wanted = [clip for clip in clips() if not options.only or clip.name in options.only]
    out.mkdir(parents=True, exist_ok=True)
    left = [clip for clip in wanted if not (out / f"{clip.name}.staged.json").exists()]
    seeds = {clip.name: options.seed + number for number, clip in enumerate(clips())}
    bar = tqdm(desc="clips", total=len(wanted), initial=len(wanted) - len(left))
    with bar, ProcessPoolExecutor(options.workers, initializer=worker) as pool:
        jobs = [pool.submit(film, clip, seeds[clip.name], out, options.committable) for clip in left]
        try:
            for job in jobs:
                job.result()
                bar.update()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    _list(wanted, out)
    return f"{out / 'staged.md'}: {len(wanted)} clips"


def _list(wanted: Sequence[Clip], out: Path) -> None:
    """The table of all clips and their contact sheets."""
    staged = {
        clip.name: json.loads((out / f"{clip.name}.staged.json").read_text(encoding="utf-8"))
        for clip in wanted
    }
    put(out / "staged.md", table(staged))
    for number, first in enumerate(range(0, len(wanted), A_SHEET), 1):
        drawn = np.concatenate([sheet(out / f"{c.name}.mp4", WIDTH) for c in wanted[first : first + A_SHEET]])
        cv2.imwrite(str(out / f"sheet-{number}.jpg"), drawn, [cv2.IMWRITE_JPEG_QUALITY, 60])


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=[clip.name for clip in clips()])
    parser.add_argument("--workers", type=positive, default=1)
    parser.add_argument("--committable", action="store_true", help="only art that may be kept in the project")
    return parser


if __name__ == "__main__":
    sys.exit(main())
