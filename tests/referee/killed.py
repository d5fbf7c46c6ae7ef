"""A session that is killed again and again and goes on: with looks from the truth in place of pictures.

`python tests/referee/killed.py 1000` kills it a thousand times.
"""

from __future__ import annotations

import json
import random
import sys
import time
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import cv2
from evening import FPS, Evening, truth
from umpire_table import Table

from referee.live.session import Keeper, Rules, Session, Told
from referee.record.check import check_lines
from scripts.measure.replays import ReplayFigures, score_replay

Line = dict[str, Any]
#: Where processes are forked: from one that has no threads, which a fork of this one could wait for without end.
FORKED = get_context("forkserver")
FORKED.set_forkserver_preload(["killed"])
#: Frames that pass before a kill, and that nobody sees behind it, at most.
ALIVE, UNSEEN = 30, 3


@dataclass
class Killed:
    """What came of it."""

    folder: Path
    kills: int = 0
    #: Every line that was told, by hand and index, and what was told twice.
    told: dict[tuple[int, int], Line] = field(default_factory=dict)
    twice: list[tuple[int, int]] = field(default_factory=list)
    #: The states that were told, run by run.
    states: list[list[str]] = field(default_factory=list)
    figures: list[ReplayFigures] = field(default_factory=list)

    def record(self, hand: int) -> list[Line]:
        (path,) = self.folder.glob(f"session-*/hand-{hand}.jsonl")
        return [json.loads(line) for line in path.read_text().splitlines()]

    @property
    def lost(self) -> list[tuple[int, int]]:
        """What was told and does not stand in the records."""
        hands = {hand for hand, _ in self.told}
        written = {(hand, i): line for hand in hands for i, line in enumerate(self.record(hand))}
        return [key for key, line in self.told.items() if written.get(key) != line]


def run(evening: Evening, folder: Path, first: int, out: Connection | None, last: int | None = None) -> None:
    """Referee the evening from a frame on; says on `out`, where there is one, what is told and which frame is done.

    `last`: the frame at which it breaks off, as if killed.
    """

    def say(*words: Any) -> None:
        if out is not None:
            out.send_bytes(json.dumps(words).encode())

    def on_told(told: Told) -> None:
        if told.index is not None:
            say("line", told.hand, told.index, told.line)
        elif not told.provisional:
            say("state", told.line["state"])

    cv2.setNumThreads(1)
    session = Session(evening, Keeper.open(folder, "pretended"), Rules(), fps=FPS)
    session.observe(on_told)
    for index in range(first, evening.frames):
        session.push(evening.frame(index))
        say("frame", index)
        if index == last:
            return
    session.end()
    say("end")


def killed(evening: Evening, folder: Path, kills: int, seed: int = 0) -> Killed:
    """Referee the evening in processes that are killed at random moments, `kills` times in all, then to its end."""
    rng, found, first = random.Random(seed), Killed(folder), 0
    while True:
        read, write = FORKED.Pipe(duplex=False)
        child = FORKED.Process(target=run, args=(evening, folder, first, write))
        child.start()
        write.close()
        first, ended = _follow(found, read, child, rng if found.kills < kills else None, first)
        if ended:
            break
    for number, part in enumerate(evening.parts, 1):
        found.figures.append(score_replay(found.record(number), truth(part.table, part.start)))
    return found


def _follow(
    found: Killed, read: Connection, child: ForkServerProcess, rng: random.Random | None, first: int
) -> tuple[int, bool]:
    """Listen to a process until it ends or is killed: the frame to go on with, and whether it was done."""
    found.states.append([])
    alive = rng.randint(1, ALIVE) if rng is not None else None
    done, ended, shot = first, False, False
    while (word := _next(read)) is not None:
        kind, *rest = word
        if kind == "line":
            hand, index, line = rest
            if (hand, index) in found.told:
                found.twice.append((hand, index))
            found.told[hand, index] = line
        elif kind == "state":
            found.states[-1].append(rest[0])
        elif kind == "frame":
            done = rest[0] + 1
        ended = kind == "end"
        if rng is not None and alive is not None and done - first >= alive and not shot:
            time.sleep(rng.uniform(0.0, 0.03))
            child.kill()
            shot = True
    child.join()
    if not ended and not shot:
        raise RuntimeError(f"the session failed by itself ({child.exitcode})")
    found.kills += shot and not ended
    return done + (rng.randint(0, UNSEEN) if rng is not None else 0), ended


def _next(read: Connection) -> list[Any] | None:
    """What a process says next; None when it is gone, even in the middle of a word."""
    try:
        word: list[Any] = json.loads(read.recv_bytes())
    except (EOFError, OSError):
        return None
    return word


def is_whole(record: list[Line]) -> bool:
    """Whether a record can be read from its first line to its last."""
    return check_lines(json.dumps(line) + "\n" for line in record).status == 0


def main(kills: int) -> None:
    """Kill so often, evening after evening."""
    from tempfile import TemporaryDirectory

    done = seed = lost = twice = 0
    while done < kills:
        evening = Evening([Table(seed, 20.0)])
        with TemporaryDirectory() as folder:
            found = killed(evening, Path(folder), kills - done, seed)
            lost, twice = lost + len(found.lost), twice + len(found.twice)
        done, seed = done + found.kills, seed + 1
        print(f"{done} kills: {lost} lines lost, {twice} told twice; {found.figures[0].plays}", flush=True)


if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[2])]
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
