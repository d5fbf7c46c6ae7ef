"""Six programs write hands into one match file at the same time: is every one there that was told as kept?

    python -m scripts.measure.bench.match --rounds 200

In each round every program adds a hand of its own points, all at once. Ends with status 1 if a hand that was told as
kept is not there, or is there twice.
"""

from __future__ import annotations

import argparse
import io
import json
import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

from referee.commands.program import run

#: Programs that write at the same time, and rounds.
PROGRAMS, ROUNDS = 6, 200
#: Longer than this no program waits for the others, s.
PATIENCE_S = 120
#: More points than a hand can be typed with: so many hands have points of their own.
MOST = 9999


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of the hands."""

    told: int
    refused: int
    lost: int
    twice: int
    seconds: float

    @property
    def good(self) -> bool:
        """Is every hand that was told as kept there once?"""
        return self.told > 0 and self.lost == self.twice == 0

    def __str__(self) -> str:
        return (
            f"{self.told} hands told as kept, {self.lost} of them lost, {self.twice} twice; "
            f"{self.refused} refused; {self.seconds:.1f} s"
        )


def measure(path: Path, rounds: int = ROUNDS, programs: int = PROGRAMS) -> Tally:
    """Start a match in a file and let programs write hands into it, all at once in every round."""
    if rounds * programs > MOST:
        raise ValueError(f"{rounds} rounds of {programs} programs need more points than a hand can have")
    _quietly(["match", str(path), "--seats", "north,south", "--set", "target=1000000"])
    context = multiprocessing.get_context("spawn")
    begin, told = context.Barrier(programs), context.Queue()
    workers = [
        context.Process(target=_write, args=(str(path), number, programs, rounds, begin, told))
        for number in range(programs)
    ]
    begun = time.perf_counter()
    for worker in workers:
        worker.start()
    kept = Counter(points for _ in workers for points in told.get(timeout=PATIENCE_S * 10))
    for worker in workers:
        worker.join()
    seconds = time.perf_counter() - begun
    there = Counter(hand["points"]["north"] for hand in json.loads(path.read_text("utf-8"))["hands"])
    lost, twice = (kept - there).total(), (there - kept).total()
    return Tally(kept.total(), rounds * programs - kept.total(), lost, twice, seconds)


def _write(
    path: str, number: int, programs: int, rounds: int, begin: Barrier, told: Queue[list[int]]
) -> None:
    """One program: a hand in every round; tells the points of those whose command ended well."""
    kept = []
    for turn in range(rounds):
        points = 1 + turn * programs + number
        points = -points if turn % 2 else points  # so that nobody wins
        begin.wait(PATIENCE_S)
        if _quietly(["match", path, f"north={points}", f"south={-points}"]) == 0:
            kept.append(points)
    told.put(kept)


def _quietly(arguments: list[str]) -> int:
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        return run(arguments)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--programs", type=int, default=PROGRAMS)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tally = measure(Path(folder) / "match.json", chosen.rounds, chosen.programs)
    print(f"{chosen.programs} programs, {chosen.rounds} rounds: {tally}")
    sys.exit(not tally.good)


if __name__ == "__main__":
    main()
