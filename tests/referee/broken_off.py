"""A session that breaks off at chosen frames, even in the middle of what it writes, and goes on: as `killed`, but in one
process and the same way every time.

`python tests/referee/broken_off.py 200` tries so many schedules of kills.
"""

from __future__ import annotations

import gc
import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import cv2
from evening import FPS, Evening, truth
from killed import Killed
from umpire_table import Table

from referee.live.session import Keeper, Rules, Session, Told
from referee.live.session.taken_up import Spots
from referee.record.lines import dump
from scripts.measure.replays import score_replay

#: How long is played in a schedule (s); a hand is dealt for so many frames.
SECONDS, DEALING = 12.0, 60


@dataclass(frozen=True)
class Kill:
    """So many frames after it began a session breaks off, and so many more nobody sees.

    `writes`: it breaks off in a later frame, when it has begun to write so many times more; of lines that it adds then
    a part is written.
    """

    alive: int
    unseen: int = 0
    writes: int | None = None


class BrokenOffError(BaseException):
    """The program ends here."""


class Breaking(Keeper):
    """A keeper that breaks off after so many further writes; never for None."""

    after: ClassVar[int | None] = None

    def keep_spots(self, spots: Spots) -> None:
        self._count()
        Keeper.keep_spots(self, spots)
        self._count()

    def append(self, lines: Sequence[Mapping[str, Any]]) -> None:
        if lines and Breaking.after == 0:
            data = b"".join(dump(line) + b"\n" for line in lines)
            with self.record().open("ab") as file:
                file.write(data[: len(data) * 2 // 3])
            raise BrokenOffError
        if lines:
            self._count()
        Keeper.append(self, lines)
        if lines:
            self._count()

    @staticmethod
    def _count() -> None:
        if Breaking.after is not None:
            if Breaking.after <= 0:
                raise BrokenOffError
            Breaking.after -= 1


def broken_off(evening: Evening, folder: Path, kills: Iterable[Kill], first: int = 0) -> Killed:
    """Referee an evening from a frame to its end in sessions that break off so, one after the other."""
    cv2.setNumThreads(1)
    found, schedule = Killed(folder), iter(kills)
    while True:
        kill = next(schedule, None)
        last = _run(found, evening, first, kill)
        gc.collect()  # the lock of a session that broke off goes with it
        if last is None:
            break
        assert kill is not None
        found.kills += 1
        first = min(last + 1 + kill.unseen, evening.frames - 1)
    for number, part in enumerate(evening.parts, 1):
        found.figures.append(score_replay(found.record(number), truth(part.table, part.start)))
    return found


def _run(found: Killed, evening: Evening, first: int, kill: Kill | None) -> int | None:
    """One session from a frame on: the frame in which it broke off, None when it came to the end."""

    states: list[str] = []
    found.states.append(states)

    def on_told(told: Told) -> None:
        if told.index is None:
            states.extend([] if told.provisional else [told.line["state"]])
            return
        key = told.hand, told.index
        found.twice += [key] * (key in found.told)
        found.told[key] = told.line

    session = Session(evening, Breaking.open(found.folder, "pretended"), Rules(), fps=FPS)
    session.observe(on_told)
    for index in range(first, evening.frames):
        due = kill is not None and index - first >= kill.alive
        Breaking.after = kill.writes if kill is not None and due else None
        try:
            session.push(evening.frame(index))
        except BrokenOffError:
            return index
        finally:
            Breaking.after = None
        if due and kill is not None and (kill.writes is None or index - first >= kill.alive + FPS):
            return index
    session.end()
    return None


def schedule(rng: random.Random, frames: int) -> list[Kill]:
    """Kills at random moments, close to one another in one of three schedules."""
    most = rng.choice((36, 16, 8))
    kills = [
        Kill(rng.randint(1, most), rng.randint(0, 3), rng.choice((None, 0, 1, 2, 3, 4, 5)))
        for _ in range(2 * frames // most)
    ]
    return [Kill(rng.randint(0, DEALING)), Kill(rng.randint(0, DEALING)), *kills]


def main(schedules: int, first: int = 0) -> None:
    """Try schedule after schedule, each on a table of its own."""
    from tempfile import TemporaryDirectory

    kills = right = true = 0
    for seed in range(first, first + schedules):
        evening = Evening([Table(seed, SECONDS)], still_s=4.5)
        with TemporaryDirectory() as folder:
            found = broken_off(evening, Path(folder), schedule(random.Random(seed), evening.frames))
            faults = found.lost, found.twice, found.figures[0].false_illegal
        plays = found.figures[0].plays
        kills, right, true = kills + found.kills, right + plays.right, true + plays.true
        bad = "" if faults == ([], [], 0) else f" LOST, TWICE, FALSE: {faults}"
        print(f"{seed}: {found.kills} kills; {plays}{bad}", flush=True)
    print(f"{kills} kills, {right} of {true} plays")


if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[2])]
    main(*map(int, sys.argv[1:]))
