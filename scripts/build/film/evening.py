"""Film an evening of Nerts: an empty table, cards dealt, hands played, called and gathered up, in one film.

    python -m scripts.build.film.evening --hands 3 --seats 2 --seed 7 --out out/evening
    python -m scripts.build.film.evening --hands 2 --nerts-cards 2 --size 640x360 --fps 15 --out out/short    a short one

Writes `evening.mp4`; `evening.hand-N.truth.jsonl`, the true record of every hand in seconds of the film;
`evening.evening.json`, the states from moment to moment, who called when and which hand ended with cards gathered up and
no call, scores and totals; `evening.json`, the facts that a program may read; `evening.frames.jsonl`, the truth about
chosen frames; `evening.scene.json`, camera and light. Decks and table tops are of the splits that nothing is trained on.
A stopped run goes on where it was.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from datasets.decks import AssetError
from datasets.evening.film import FilmedEvening, film_evening
from datasets.film.dressing import committable_decks, draw_decks
from datasets.film.setting import DRAWN_FOR, draw_setting, scaled
from scripts.build.film.hand import GATE_SPLITS, Bar
from scripts.building import ended, positive


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0, or 2 with one line on standard error."""
    options = _parser().parse_args(arguments)
    cv2.setNumThreads(1)
    return ended("evening", lambda: _film(options), AssetError, ValueError)


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--hands", type=positive, default=3)
    parser.add_argument("--seats", type=int, choices=(2, 3, 4), default=2, help="players at the table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--size", type=size_told, default=(1920, 1080), metavar="WIDTHxHEIGHT", help="px")
    parser.add_argument(
        "--px-per-mm", type=float, help="scale at the middle of the table; drawn if not given"
    )
    parser.add_argument("--fps", type=int, default=30)
    parser.add_argument(
        "--uncalled",
        type=int,
        metavar="N",
        help="the hand that ends with cards gathered up and no call; the last of several if not given, 0 for none",
    )
    parser.add_argument(
        "--nerts-cards", type=positive, metavar="N", help="cards of a Nerts pile: few make short hands"
    )
    parser.add_argument(
        "--shortest", type=float, default=0.0, help="seconds before which no hand must be over"
    )
    parser.add_argument("--latest", type=float, default=120.0, help="seconds in which a hand must be called")
    parser.add_argument("--quick", action="store_true", help="players who think fast")
    parser.add_argument("--committable", action="store_true", help="only art that may be kept in the project")
    return parser


def size_told(text: str) -> tuple[int, int]:
    """Width and height of a picture as they are typed; for a parser."""
    found = re.fullmatch(r"(\d+)x(\d+)", text)
    width, height = (int(side) for side in found.groups()) if found else (0, 0)
    if min(width, height) < 120 or width % 2 or height % 2:
        raise argparse.ArgumentTypeError(f"{text!r} is no size of even px such as 1280x720")
    return width, height


def _film(options: argparse.Namespace) -> str:
    rng = np.random.default_rng([options.seed, 3])
    surfaces = None if options.committable else "figures"
    width, height = options.size
    scale = options.px_per_mm and options.px_per_mm * DRAWN_FOR / width
    setting = draw_setting(
        options.seed, players=options.seats, px_per_mm=scale, quick=options.quick, surfaces=surfaces
    )
    setting = scaled(setting, width, height)
    seats = options.seats
    decks = committable_decks(rng, seats) if options.committable else draw_decks(rng, seats, GATE_SPLITS)
    with Bar(f"seed {options.seed}") as progress:
        made = film_evening(
            options.seed,
            decks,
            options.out,
            setting,
            hands=options.hands,
            fps=options.fps,
            uncalled=options.uncalled,
            nerts_cards=options.nerts_cards,
            shortest=options.shortest,
            latest=options.latest,
            progress=progress,
        )
    return _summary(made)


def _summary(made: FilmedEvening) -> str:
    plays = sum(len(played.hand.plays) for played in made.plan.hands)
    called = sum(played.called for played in made.plan.hands)
    size = made.video.stat().st_size / 1e6
    return (
        f"{made.video}: {made.plan.ends:.0f} s, {len(made.plan.hands)} hands, {called} of them called, {plays} plays, "
        f"{size:.1f} MB"
    )


if __name__ == "__main__":
    sys.exit(main())
