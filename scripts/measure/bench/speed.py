"""Measures how fast the rules are: decisions, hands, a record checked, the import. Medians of five.

    python -m scripts.measure.bench.speed --out docs/bench/speed.json

Rates are by processor time. Whole programs are timed by the clock, as asked, and by processor time beside it: on a
busy machine the clock says nothing. The load is written down with the figures.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from referee import Event, Hand, open_hand
from referee.players import Played, play_hand
from referee.record.check import check_lines
from referee.record.lines import write_record
from scripts.here import ROOT, here

#: Events of the record that is checked.
EVENTS = 1000


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing measured: the median, every single figure, and what is asked of the median."""

    name: str
    unit: str
    runs: list[float]
    at_least: float | None = None
    at_most: float | None = None

    @property
    def median(self) -> float:
        """The middle of the figures."""
        return statistics.median(self.runs)

    @property
    def asked(self) -> str:
        """What is asked for, in words."""
        if self.at_least is not None:
            return f">= {self.at_least:,.0f}"
        return "" if self.at_most is None else f"<= {self.at_most:,.0f}"

    @property
    def met(self) -> bool:
        """Whether the median is what is asked for."""
        high = self.at_most is None or self.median <= self.at_most
        return high and (self.at_least is None or self.median >= self.at_least)

    def to_json(self) -> dict[str, object]:
        """The figure as it is written down."""
        runs = [round(run, 1) for run in self.runs]
        return {"name": self.name, "unit": self.unit, "median": round(self.median, 1), "runs": runs} | (
            {"asked": self.asked, "met": self.met} if self.asked else {}
        )


def rates(work: Callable[[], int], times: int) -> list[float]:
    """How much `work` does a second of processor time; it returns how much it did."""
    found = []
    for _ in range(times):
        begun = time.process_time()
        done = work()
        found.append(done / (time.process_time() - begun))
    return found


def programs(name: str, command: list[str], times: int, at_most: float | None = None) -> list[Figure]:
    """How long a program takes from its start to its end, by the clock and by processor time, ms."""
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    clock, processor = [], []
    for _ in range(times):
        begun, used = time.perf_counter(), os.times()
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        clock.append(1000 * (time.perf_counter() - begun))
        now = os.times()
        spent = now.children_user - used.children_user + now.children_system - used.children_system
        processor.append(1000 * spent)
    return [Figure(name, "ms", clock, at_most=at_most), Figure(f"{name}, processor time", "ms", processor)]


def positions(hands: int) -> list[tuple[Hand, list[Event]]]:
    """Every tenth position of some sensible hands, with all that might be played in it."""
    found = []
    for seed in range(hands):
        played = play_hand("nerts", "sensible", seed)
        hand = open_hand(played.header, history=False)
        for number, event in enumerate(played.events[:-1]):
            hand.push(event)
            if number % 10 == 9:
                found.append(
                    (hand.copy(), [e for s in hand.game.seats for e in hand.game.candidates(hand, s)])
                )
    return found


def decisions(hands: int, times: int) -> Figure:
    """Legality decisions: `hand.judge` on legal and illegal plays alike."""
    places = positions(hands)

    def decide() -> int:
        done = 0
        for hand, events in places:
            judge = hand.judge
            for event in events:
                judge(event)
            done += len(events)
        return done

    return Figure("legality decisions", "1/s", rates(decide, times), at_least=50_000)


def sensible_hands(hands: int, times: int, *, refereed: bool) -> Figure:
    """Whole hands of sensible players, alone or with every event pushed into a hand and the score taken."""

    def play() -> int:
        for seed in range(hands):
            played = play_hand("nerts", "sensible", seed)
            if refereed:
                follow(played)
        return hands

    name = "hands of sensible players, refereed" if refereed else "hands of sensible players"
    return Figure(name, "1/s", rates(play, times), at_least=20)


def follow(played: Played) -> None:
    """Referee a hand that was played."""
    hand = open_hand(played.header, history=False)
    for event in played.events:
        hand.push(event)
    hand.score()


def long_record(events: int) -> bytes:
    """A record of so many events by players who do whatever is legal."""
    for seed in range(1000):
        played = play_hand("nerts", "random", seed, longest=events)
        if len(played.events) >= events:
            return write_record(played.header, played.events[:events])
    raise SystemExit(f"no hand of {events} events was played")


def checking(events: int, times: int) -> list[Figure]:
    """`check` on a long record: inside one process, and the whole program with the interpreter's start."""
    record = long_record(events)
    lines = record.splitlines(keepends=True)

    def check() -> int:
        check_lines(lines)
        return events

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hand.jsonl"
        path.write_bytes(record)
        command = [sys.executable, "-m", "referee.commands", "check", "--json", str(path)]
        program = programs(f"check of {events:,} events, whole program", command, times, 1000)
    return [Figure("events checked", "1/s", rates(check, times)), *program]


def importing(times: int) -> list[Figure]:
    """`import referee` in a fresh interpreter, by the clock and by processor time, without the interpreter's start."""
    code = (
        "import time; c, p = time.perf_counter(), time.process_time(); import referee; "
        "print(time.perf_counter() - c, time.process_time() - p)"
    )
    runs: list[tuple[float, float]] = []
    for number in range(times + 1):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
        )
        clock, processor = (1000 * float(part) for part in done.stdout.split())
        runs += [(clock, processor)] * bool(number)
    return [
        Figure("import referee", "ms", [clock for clock, _ in runs], at_most=150),
        Figure("import referee, processor time", "ms", [processor for _, processor in runs]),
        *programs("the interpreter alone", [sys.executable, "-c", "pass"], times),
    ]


def measure(hands: int, events: int = EVENTS, times: int = 5) -> list[Figure]:
    """All figures."""
    return [
        decisions(hands, times),
        sensible_hands(hands, times, refereed=False),
        sensible_hands(hands, times, refereed=True),
        *checking(events, times),
        *importing(times),
    ]


def main() -> None:
    """Measure and print; with `--out` write the figures as JSON too."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hands", type=int, default=10, help="hands played in each of the five runs")
    parser.add_argument("--out", type=Path, help="where to write the figures as JSON")
    chosen = parser.parse_args()
    figures = measure(chosen.hands)
    for figure in figures:
        verdict = "" if not figure.asked else "met" if figure.met else "NOT MET"
        print(f"{figure.name:46} {figure.median:12,.1f} {figure.unit:4} {figure.asked:>12} {verdict}")
    if chosen.out:
        chosen.out.parent.mkdir(parents=True, exist_ok=True)
        report = {"figures": [figure.to_json() for figure in figures], "here": here()}
        chosen.out.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
