"""Measures the umpire on whole hands of simulated players without a picture: layouts are made from the truth.

    python -m scripts.measure.layouts --seats 2 4 --hands 20 --seed 1 [--jobs 2] [--json FILE]
    python -m scripts.measure.layouts --seats 2 --preset every --hands 300 --seed 7 --rows FILE --page docs/layouts.md
    python -m scripts.measure.layouts --seats 4 --show 1234
    python -m scripts.measure.layouts --seats 2 --hands 3 --plants every

Players, tables and habits are those of films (`datasets.film`). The live referee and its gate ask for looks frame by
frame, as in live play; the eye errs as `faults.json` says, or not at all with `--faults none`. Told is every hand with
its first failures, then all of them by the number of players. `--rows` keeps a row of each hand as soon as it is
refereed, known by the sources that matter, so that a stopped run goes on; `--page` writes the figures of these rows.
`--show` plays one hand again by the seed that is told with it, and tells it play by play. `--plants` plants infractions
(`datasets.play.plants`), one a hand and so many hands of each kind, cuts the hands short behind them, and tells by kind
what came of them.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

import cv2
import numpy as np
from rich.console import Console

from datasets.files import put
from datasets.film.setting import SEATS
from datasets.play.dealing import house_of
from datasets.play.deeds import Game
from datasets.play.plants import OF_A_GAME, PLANTS
from referee.live.replay import followed
from referee.rules.settings import SettingsError
from scripts.building import ended
from scripts.here import here
from scripts.measure.layouts.faults import NONE, SHIPPED, Faults, faults_of
from scripts.measure.layouts.hand import LATEST_S, NotPlayedError, Order, Umpired, Wanted, umpired
from scripts.measure.layouts.keeping import Referees, kept
from scripts.measure.layouts.page import as_table, page
from scripts.measure.layouts.report import flags_table, of_hand, play_by_play, sums, totals
from scripts.measure.rows import Rows

#: Seeds that are tried for one hand: with some players no deal is called in time.
TRIES = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0, or 2 with one line on standard error."""
    options = _parser().parse_args(arguments)
    return ended("measure.layouts", lambda: _measure(options), ValueError, SettingsError)


def _measure(options: argparse.Namespace) -> str:
    faults = NONE if options.faults == "none" else faults_of(Path(options.faults)).times(options.worse)
    for preset in options.presets:
        followed(preset, house_of(options.house))
    wanted = [
        one
        for preset in options.presets
        for seats in options.seats
        for number in range(options.hands)
        for one in _wanted(options, preset, seats, number)
    ]
    if options.show is not None:
        return _show(replace(wanted[0], seed=options.show), faults)
    if options.page is not None and options.rows is None:
        raise ValueError("--page is made of rows: name a file for them with --rows")
    for file in filter(None, (options.json, options.page)):
        if not file.parent.is_dir():
            raise ValueError(f"{file}: there is no folder {file.parent}: make it first")
    referees = partial(_umpired, faults=faults, jobs=options.jobs, failures=options.failures)
    if options.rows is not None:
        return _kept(options, wanted, faults, referees)
    hands: list[Umpired] = []
    try:
        hands.extend(referees(wanted))
    except KeyboardInterrupt:
        print(f"stopped after {len(hands)} of {len(wanted)} hands", file=sys.stderr)
    _tell(options, hands)
    return ""


def _kept(options: argparse.Namespace, wanted: Sequence[Wanted], faults: Faults, referees: Referees) -> str:
    rows = kept(wanted, faults, Rows(options.rows, "hand"), referees)
    if options.page is not None:
        put(options.page, page(rows, options.seed))
    for preset in options.presets:
        some = [row for row in rows if row["preset"] == preset]
        Console().print(
            preset, as_table({str(n): sums([r for r in some if r["seats"] == n]) for n in options.seats})
        )
    return f"{options.page or options.rows}: {len(rows)} hands"


def _tell(options: argparse.Namespace, hands: Sequence[Umpired]) -> None:
    by_preset = {name: [hand for hand in hands if hand.wanted.game == name] for name in options.presets}
    found = {name: totals(some) for name, some in by_preset.items()}
    for name, by_seats in found.items():
        Console().print(name, as_table({str(seats): figures for seats, figures in by_seats.items()}))
    if options.plants:
        Console().print(flags_table(hands))
    if options.json is not None:
        told: dict[str, Any] = {
            **here(),
            "house": house_of(options.house),
            "faults": options.faults,
            "presets": found,
        }
        told["hands"] = [hand.to_json() for hand in hands]
        options.json.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    add = parser.add_argument
    add("--seats", type=int, nargs="+", default=[4], choices=sorted(SEATS), help="numbers of players")
    add("--hands", type=_count, default=20, help="hands of each")
    add("--seed", type=int, default=1, help="the same seed, the same hands")
    add(
        "--preset",
        dest="presets",
        action=_Presets,
        nargs="+",
        default=["nerts"],
        choices=(*get_args(Game), "every"),
        help="the game, or games",
    )
    add("--set", dest="house", action="append", default=[], metavar="KEY=N", help="a house rule, like draw=1")
    add("--order", default="auto", choices=get_args(Order), help="how piles are laid, as in films")
    add("--stock-in-hand", action="store_true", help="one player in four holds the stock in the hand")
    add("--latest", type=float, default=LATEST_S, help="seconds in which a hand must be called")
    add("--since", type=float, default=0.0, help="second of the hand from which on it is seen")
    add("--faults", default=str(SHIPPED), help="a file of the eye's faults, or `none`")
    add("--worse", type=float, default=1.0, metavar="N", help="the eye errs so many times as often")
    add("--fast", action="store_true", help="one pass, as live: no hand is explained again when it is over")
    add("--jobs", type=_count, default=1, help="hands that are refereed at once")
    add("--failures", type=int, default=3, help="failures of each hand that are told")
    add("--plants", nargs="+", default=[], choices=[*PLANTS, "every"], metavar="KIND", help="infractions")
    add("--show", type=int, metavar="SEED", help="the hand of this seed, play by play")
    add("--json", type=Path, help="a file for all figures")
    add(
        "--rows",
        type=Path,
        help="a file in which a row of each hand is kept: what is there is not played again",
    )
    add("--page", type=Path, help="write the figures of these rows: .md")
    return parser


class _Presets(argparse.Action):
    def __call__(self, _: object, to: argparse.Namespace, values: Any, __: object = None) -> None:
        to.presets = list(get_args(Game)) if "every" in values else values


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number}: at least 1")
    return number


def _wanted(options: argparse.Namespace, preset: Game, seats: int, number: int) -> list[Wanted]:
    """One hand, or one for each kind that is to be planted."""
    one = Wanted(
        seats,
        _seed(options.seed, seats, number, 0),
        preset,
        house_of(options.house),
        options.order,
        options.stock_in_hand,
        options.latest,
        since=options.since,
        fast=options.fast,
    )
    kinds = _of_game(preset) if "every" in options.plants else options.plants
    if not kinds:
        return [one]
    return [replace(one, seed=_seed(one.seed, [*PLANTS].index(kind)), plants=(kind,)) for kind in kinds]


def _of_game(preset: str) -> list[str]:
    """The infractions of a preset, but for ties."""
    return [kind for kind in PLANTS if OF_A_GAME.get(kind, preset) == preset and kind != "tie-left"]


def _seed(*numbers: int) -> int:
    return int(np.random.SeedSequence(numbers).generate_state(1)[0])


def _umpired(wanted: Sequence[Wanted], *, faults: Faults, jobs: int, failures: int) -> Iterator[Umpired]:
    """The hands in order, each told when it is done."""
    work = partial(_one, faults=faults)
    if jobs == 1:
        yield from _told(map(work, wanted), failures)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from _told(pool.map(work, wanted), failures)


def _told(hands: Iterator[Umpired], failures: int) -> Iterator[Umpired]:
    for hand in hands:
        print("\n".join(of_hand(hand, failures)), flush=True)
        yield hand


def _one(wanted: Wanted, faults: Faults) -> Umpired:
    """One hand; where none of its seed is called in time, that of another one."""
    cv2.setNumThreads(1)
    begun = time.process_time()
    for attempt in range(1, TRIES):
        try:
            hand = umpired(wanted, faults)
            hand.cpu_s = time.process_time() - begun
            return hand
        except NotPlayedError as error:
            last = error
            wanted = replace(wanted, seed=_seed(wanted.seed, attempt))
    raise ValueError(f"no hand can be played: {last}")


def _show(wanted: Wanted, faults: Faults) -> str:
    hand = umpired(wanted, faults)
    return "\n".join([*of_hand(hand, 0), *play_by_play(hand)])


if __name__ == "__main__":
    sys.exit(main())
