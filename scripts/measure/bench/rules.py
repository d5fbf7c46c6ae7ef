"""Measures the rules on simulated hands: breaches found, false accusations.

    python -m scripts.measure.bench.rules --hands 2000 --turn-hands 500 --out docs/bench/rules

Careless players break one rule at a time by recipes that do not ask the referee; each record is then
adjudicated as it was played (`known`), and once more with all that a camera could not see taken out of it
(`hidden`). There is a file of figures for every game and variant, kept up while it is measured: what was broken
off goes on where it stopped, what is done for the same sources is not done again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from referee.players import Played, hide, play_hand, sim_for
from referee.players.play import header_for
from referee.record.check import check_lines
from referee.record.lines import write_record
from referee.rules.rulings import Ruling
from scripts.here import here

NERTS = (
    "nerts",
    "nerts-minus-one",
    "one-per-suit",
    "nerts-twelve",
    "nuts",
    "team-nuts",
    "tournament",
    "nna-singles",
)
TURNS = ("double-solitaire", "pishe-pasha", "canfield", "california-jacks")
VARIANTS = ("known", "hidden")
COUNTED = ("hands", "planted", "found", "undecided", "missed", "false")
#: Rules that can seldom be broken: whenever it is possible, they are.
SELDOM = frozenset({"N13", "T3", "N16", "F1", "S3", "C4", "N6", "U4"})
#: Seconds between two times that the figures are written down.
PAUSE = 10.0


def rules_of(game: str) -> list[str]:
    """The ids that careless players know how to break."""
    header = header_for(game)
    return sorted(sim_for(game, header.names, header.settings, Random(0)).recipes())


def adjudicate(played: Played) -> list[Ruling]:
    """The rulings on a record, read from its lines as `check` reads them."""
    result = check_lines(write_record(played.header, played.events).splitlines(keepends=True))
    if result.errors:
        raise SystemExit(f"{played.header.game}: {result.errors[0]}")
    return result.rulings


def judge_hand(played: Played) -> Counter[str]:
    """What became of the breaches of one hand."""
    rulings = adjudicate(played)
    counts: Counter[str] = Counter(hands=1, planted=len(played.planted))
    illegal = {(r.rule, index) for r in rulings if r.verdict == "illegal" for index in r.of}
    # A revoke that is proved by a card shown later is J5's.
    illegal |= {("J2", index) for rule, index in illegal if rule == "J5"}
    open_ones = {index for r in rulings if r.verdict == "undecided" for index in r.of}
    for breach in played.planted:
        found = (breach.rule, breach.index) in illegal
        counts["found" if found else "undecided" if breach.index in open_ones else "missed"] += 1
    counts["false"] = sum(r.verdict == "illegal" and not set(r.of) & played.touched for r in rulings)
    return counts


def careless_hand(game: str, variant: str, seed: int, rule: str) -> Counter[str]:
    """One hand with a rule broken, and what the referee made of it."""
    played = play_hand(game, "careless", seed, rule=rule, rate=1.0 if rule in SELDOM else 0.1, longest=300)
    return judge_hand(hide(played) if variant == "hidden" else played)


def measure(game: str, variant: str, hands: int, path: Path | None = None) -> dict[str, Any]:
    """`hands` careless hands of a game, its rules broken in rotation; with `path` the figures are kept there.

    Figures of the same sources that lie there already are gone on with.
    """
    report = _begun(game, variant, path)
    rules, written = rules_of(game), time.monotonic()
    by_rule = {rule: Counter(counts) for rule, counts in report["rules"].items()}
    for seed in range(report["done"], hands):
        rule = rules[seed % len(rules)]
        by_rule.setdefault(rule, Counter()).update(careless_hand(game, variant, seed, rule))
        report["done"] = seed + 1
        report["rules"] = {name: _in_order(counts) for name, counts in sorted(by_rule.items())}
        if path is not None and (seed + 1 == hands or time.monotonic() > written + PAUSE):
            _write(path, report)
            written = time.monotonic()
    return report


def _begun(game: str, variant: str, path: Path | None) -> dict[str, Any]:
    """The figures that were written down for these sources, or none yet."""
    fresh: dict[str, Any] = {"game": game, "variant": variant, "done": 0, "rules": {}, "here": here()}
    if path is None or not path.exists():
        return fresh
    try:
        old: dict[str, Any] = json.loads(path.read_text())
        same = old["here"]["sources"] == fresh["here"]["sources"]
    except (ValueError, LookupError, TypeError):
        return fresh
    return old if same else fresh


def _in_order(counts: Counter[str]) -> dict[str, int]:
    return {name: counts[name] for name in COUNTED}


def total(report: dict[str, Any]) -> dict[str, int]:
    """The figures of all rules together."""
    return _in_order(sum((Counter(counts) for counts in report["rules"].values()), Counter()))


def _write(path: Path, report: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".new")
    beside.write_text(json.dumps({**report, "total": total(report)}, indent=1) + "\n")
    beside.replace(path)


def main() -> None:
    """Measure and print a line for each game and variant; with `--out` write the figures as JSON too."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hands", type=int, default=2000, help="hands of each Nerts preset")
    parser.add_argument("--turn-hands", type=int, default=500, help="hands of each turn-taking game")
    parser.add_argument("--game", action="append", choices=NERTS + TURNS, help="only this game (repeatable)")
    parser.add_argument("--variant", action="append", choices=VARIANTS, help="only this variant")
    parser.add_argument("--out", type=Path, help="folder for the figures: one file a game and variant")
    chosen = parser.parse_args()
    for game in chosen.game or (*NERTS, *TURNS):
        for variant in chosen.variant or VARIANTS:
            path = chosen.out / f"{game}-{variant}.json" if chosen.out else None
            hands = chosen.turn_hands if game in TURNS else chosen.hands
            told = ", ".join(f"{key} {n}" for key, n in total(measure(game, variant, hands, path)).items())
            print(f"{game:18} {variant:7} {told}", flush=True)


if __name__ == "__main__":
    main()
