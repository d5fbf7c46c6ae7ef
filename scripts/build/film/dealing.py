"""Film a mixed stack of cards that is dealt out to be counted: sorted onto piles, onto one pile, or in rows.

    python -m scripts.build.film.dealing --seed 7 --out out/dealing                      one film of tuning decks
    python -m scripts.build.film.dealing --seed 7 --films 40 --split figures --out out   forty, for figures

Writes `dealing-SEED.mp4` and `dealing-SEED.truth.json`: how many cards of which deck, and every movement with its moment.
A film that is there is not made again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from datasets.dealt.film import film_dealing
from datasets.dealt.plan import WAYS
from datasets.decks import AssetError
from datasets.film.dressing import committable_decks, draw_decks
from scripts.build.film.evening import size_told
from scripts.build.film.hand import Bar
from scripts.building import ended, positive


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0, or 2 with one line on standard error."""
    options = _parser().parse_args(arguments)
    cv2.setNumThreads(1)
    return ended("build.film.dealing", lambda: _films(options), AssetError, ValueError)


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--films", type=positive, default=1, help="so many, of the seeds from this one on")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--split", choices=("train", "tune", "figures"), default="tune", help="decks and table tops"
    )
    parser.add_argument("--committable", action="store_true", help="only art that may be kept in the project")
    parser.add_argument("--decks", type=int, choices=(2, 3, 4), help="drawn if not given")
    parser.add_argument("--cards", type=positive, help="in all; drawn if not given: 40 to 110")
    parser.add_argument("--way", choices=WAYS, help="drawn if not given")
    parser.add_argument(
        "--misdeals",
        type=int,
        nargs=2,
        metavar=("TWOS", "BACKS"),
        help="so many times two at once, and so many cards taken back; drawn if not given: 0.5 and 0.6 on average",
    )
    parser.add_argument("--size", type=size_told, default=(1920, 1080), metavar="WIDTHxHEIGHT", help="px")
    parser.add_argument("--fps", type=int, default=30)
    parser.add_argument("--until", type=float, help="seconds after which the camera stops")
    return parser


def _films(options: argparse.Namespace) -> str:
    made = [_film(options, seed) for seed in range(options.seed, options.seed + options.films)]
    return "\n".join(made)


def _film(options: argparse.Namespace, seed: int) -> str:
    name = f"dealing-{seed}"
    if (options.out / f"{name}.truth.json").exists():
        return f"{name} is there"
    rng = np.random.default_rng([seed, 3])
    number = options.decks or int(rng.integers(2, 5))
    decks = (
        committable_decks(rng, number) if options.committable else draw_decks(rng, number, (options.split,))
    )
    with Bar(name) as progress:
        made = film_dealing(
            seed,
            decks,
            options.out,
            name=name,
            fps=options.fps,
            way=options.way,
            cards=options.cards,
            size=options.size,
            surfaces=None if options.committable else options.split,
            until=options.until,
            misdeals=None if options.misdeals is None else tuple(options.misdeals),
            progress=progress,
        )
    plan = made.plan
    return f"{made.video}: {sum(plan.counts.values())} cards of {number} decks, {plan.habits.way}, {plan.ends:.0f} s"


if __name__ == "__main__":
    sys.exit(main())
