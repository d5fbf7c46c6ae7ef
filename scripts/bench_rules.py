"""Measures the rules on simulated hands: breaches found, false accusations, speed.

    python scripts/bench_rules.py --hands 2000 --turn-hands 500 --out docs/bench/rules.json

Careless players break one rule at a time by recipes that do not ask the referee; each record is then
adjudicated as it was played, and once more with all that a camera could not see taken out of it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

from referee import open_hand
from referee.check import check_lines
from referee.players import Played, hide, play_hand, sim_for
from referee.players.play import header_for
from referee.record import write_record
from referee.rulings import Ruling

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
COUNTED = ("planted", "found", "undecided", "missed", "false")
#: Rules that can seldom be broken: whenever it is possible, they are.
SELDOM = frozenset({"N13", "T3", "N16", "F1", "S3", "C4", "N6", "U4"})


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


def judge_hand(played: Played, hidden: bool) -> Counter[str]:
    """What became of the breaches of one hand."""
    played = hide(played) if hidden else played
    rulings = adjudicate(played)
    counts: Counter[str] = Counter(planted=len(played.planted))
    illegal = {(r.rule, index) for r in rulings if r.verdict == "illegal" for index in r.of}
    # A revoke that is proved by a card shown later is J5's.
    illegal |= {("J2", index) for rule, index in illegal if rule == "J5"}
    open_ones = {index for r in rulings if r.verdict == "undecided" for index in r.of}
    for breach in played.planted:
        found = (breach.rule, breach.index) in illegal
        counts["found" if found else "undecided" if breach.index in open_ones else "missed"] += 1
    counts["false"] = sum(r.verdict == "illegal" and not set(r.of) & played.touched for r in rulings)
    return counts


def measure(game: str, hands: int) -> dict[str, dict[str, int]]:
    """`hands` careless hands of a game, its rules broken in rotation."""
    totals: dict[str, Counter[str]] = {}
    rules = rules_of(game)
    for seed in range(hands):
        rule = rules[seed % len(rules)]
        rate = 1.0 if rule in SELDOM else 0.1
        played = play_hand(game, "careless", seed, rule=rule, rate=rate, longest=300)
        for name, hidden in ((rule, False), (f"{rule} hidden", True)):
            totals.setdefault(name, Counter()).update(judge_hand(played, hidden))
    return {name: dict(counts) for name, counts in sorted(totals.items())}


def rate_of(work: Callable[[], int]) -> float:
    """Median of five rates of `work`, which returns how much it did, a second of processor time."""
    rates = []
    for _ in range(5):
        begun = time.process_time()
        done = work()
        rates.append(done / (time.process_time() - begun))
    return round(statistics.median(rates), 1)


def speeds() -> dict[str, float]:
    """Legality decisions, sensible hands and checked events a second, on one core."""
    played = play_hand("nerts", "sensible", 7, longest=60)
    hand = open_hand(played.header)
    for event in played.events[:-1]:
        hand.push(event)
    candidates = [event for seat in hand.game.seats for event in hand.game.candidates(hand, seat)]

    def decide() -> int:
        for _ in range(20):
            for event in candidates:
                hand.game.judge(hand, event)
        return 20 * len(candidates)

    def play() -> int:
        for seed in range(10):
            play_hand("nerts", "sensible", seed)
        return 10

    record = write_record(played.header, play_hand("nerts", "random", 3, longest=1000).events)
    lines = record.splitlines(keepends=True)

    def check() -> int:
        check_lines(lines)
        return len(lines)

    return {
        "legality decisions a second": rate_of(decide),
        "hands of sensible players a second": rate_of(play),
        "events checked a second": rate_of(check),
    }


def main() -> None:
    """Measure and print; with `--out` write the table as JSON too."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hands", type=int, default=2000, help="hands of each Nerts preset")
    parser.add_argument("--turn-hands", type=int, default=500, help="hands of each turn-taking game")
    parser.add_argument("--game", action="append", help="only this game (may be given several times)")
    parser.add_argument("--out", type=Path, help="where to write the figures as JSON")
    chosen = parser.parse_args()
    speed = speeds()
    table: dict[str, object] = {"speed": speed}
    for name, value in speed.items():
        print(f"{name:36} {value:12,.1f}")
    for game in chosen.game or (*NERTS, *TURNS):
        figures = measure(game, chosen.turn_hands if game in TURNS else chosen.hands)
        table[game] = figures
        for hidden in (False, True):
            kept = [counts for name, counts in figures.items() if name.endswith("hidden") is hidden]
            total: Counter[str] = sum((Counter(counts) for counts in kept), Counter())
            told = ", ".join(f"{key} {total[key]}" for key in COUNTED)
            print(f"{game:18} {'hidden' if hidden else 'known':7} {told}", flush=True)
    if chosen.out:
        chosen.out.parent.mkdir(parents=True, exist_ok=True)
        chosen.out.write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
