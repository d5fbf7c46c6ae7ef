"""Measures a hand refereed while it is played: memory, how soon it is told, how often that is taken back.

    python -m scripts.measure.live FILM [--truth RECORD] [--call SEAT@S]
    python -m scripts.measure.live referee/sample/hand.mp4 --hold 57.3 57.85 --seconds 600 --height 720 --fps 10

Pushes the film frame by frame, as a camera would, and prints one JSON object: `memory_mib` by minute of the film,
`memory_growth` from minute 2 to the end, `kept` (what hangs on the referee, by minute), `delay_s` from the moment of
an event to the frame that told it in film time, events told and corrected or withdrawn later, and looks taken.

`--hold`: a long film of a short one, which from its second moment on shows what it showed since the first forth and
back. That should show no card that moves: then nothing more happens, but hands go on to move over the table.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import cycle
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import cv2
import numpy as np

from referee.commands.replay import parse_call
from referee.live.hand import Referee
from referee.live.looking import CropEyes
from referee.live.terms import Terms
from referee.umpire.odds import Odds
from referee.umpire.umpire import Umpire
from scripts.measure.replays import score_replay
from vision.capture.ahead import ahead
from vision.capture.frames import Image
from vision.capture.video import Frame, Video

Line = dict[str, Any]

#: Kinds of lines that tell what happened at the table.
HAPPENED = frozenset({"play", "take-back", "draw", "turn", "recycle", "set-aside", "call"})
#: Memory is compared with that at the end of this minute, when all that is kept for a while is there.
SETTLED_MINUTE = 2


@dataclass(slots=True)
class Told:
    """What became of the lines of a record: pass every line to `take` as it comes."""

    lines: list[Line] = field(default_factory=list)
    #: From the moment of each event to the frame that told it (s); of those that were told while the film ran.
    delays: list[float] = field(default_factory=list)
    #: Indices of lines that a correction changed, and of those that one took back.
    changed: set[int] = field(default_factory=set)
    #: Of those that were changed: how sure of them one is, and nothing else.
    surer: set[int] = field(default_factory=set)
    withdrawn: set[int] = field(default_factory=set)
    #: Events that a correction put in before others.
    put_in: set[str] = field(default_factory=set)

    def take(self, lines: Iterable[Line], now: float | None) -> None:
        """Lines that came with the frame at `now` (s); None: when the film had ended."""
        for line in lines:
            self.lines.append(line)
            fresh = [line] if line.get("event") in HAPPENED else []
            if line.get("event") == "correct":
                said = set(line.get("with", ()))
                self.changed |= {line["of"]} if said - {"confidence"} else set()
                self.surer |= {line["of"]} if said == {"confidence"} else set()
                self.withdrawn |= {line["of"]} if line.get("drop") else set()
                fresh = [event for event in line.get("insert", ()) if _named(event) not in self.put_in]
                self.put_in |= set(map(_named, fresh))
            if now is not None:
                self.delays += [now - event["at"] for event in fresh]

    def count(self, kind: str, among: Iterable[int]) -> int:
        """How many of these lines are events (`happened`), or of one kind."""
        kinds = HAPPENED if kind == "happened" else {kind}
        return sum(self.lines[index].get("event") in kinds for index in among)

    def to_json(self) -> Line:
        """The figures."""
        told = self.count("happened", range(len(self.lines))) + len(self.put_in)
        return {
            "told": told,
            "delay_s": {
                "events": len(self.delays),
                "median": _share_below(self.delays, 50),
                "p95": _share_below(self.delays, 95),
            },
            "corrected": self.count("happened", self.changed),
            "corrected_in_confidence_alone": self.count("happened", self.surer - self.changed),
            "withdrawn": self.count("happened", self.withdrawn),
            "put_in_later": len(self.put_in),
            "rulings": self.count("ruling", range(len(self.lines))),
            "rulings_withdrawn": self.count("ruling", self.withdrawn),
        }


def _named(event: Line) -> str:
    return json.dumps({name: event[name] for name in event if name not in ("at", "confidence", "frames")})


def _share_below(delays: Sequence[float], share: float) -> float | None:
    return round(float(np.percentile(delays, share)), 3) if delays else None


@dataclass(slots=True)
class Watched:
    """A film that was refereed to its end."""

    told: Told
    looks: int
    seconds: float
    #: By minute, from 1 on, and at the end: memory (MiB), and how many things of what kind the referee keeps.
    memory: list[float]
    kept: list[Counter[str]]

    def to_json(self) -> Line:
        """The figures; `memory_growth` is the share by which memory at the end exceeds that after minute 2."""
        told = self.told.to_json()
        *minutes, end = self.memory
        settled = minutes[SETTLED_MINUTE - 1] if len(minutes) >= SETTLED_MINUTE else None
        return {
            "seconds": round(self.seconds, 1),
            "memory_mib": [round(mib, 1) for mib in self.memory],
            "memory_growth": None if settled is None else round(end / settled - 1, 4),
            **told,
            "looks": self.looks,
            "looks_an_event": round(self.looks / told["told"], 2) if told["told"] else None,
            "kept": self.kept,
        }


def watch(referee: Referee, frames: Iterable[Frame], memory: Callable[[], float] | None = None) -> Watched:
    """Push every frame, then end the hand; `memory` tells MiB."""
    told, seen = Told(), Watched(Told(), 0, 0.0, [], [])
    measure = memory or resident_mib

    def note() -> None:
        gc.collect()
        seen.memory.append(measure())
        seen.kept.append(kept(referee, [referee.eyes]))

    for frame in frames:
        told.take(referee.push(frame), frame.time_s)
        if frame.time_s >= 60.0 * (1 + len(seen.memory)):
            note()
    told.take(referee.end(), None)
    note()
    seen.told, seen.looks, seen.seconds = told, referee.looks, referee.ended_at
    return seen


def resident_mib() -> float:
    """What this process holds in memory (MiB), as Linux counts it."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 2**20


def kept(root: object, beside: Iterable[object] = ()) -> Counter[str]:
    """How many things of the project's own kinds, and arrays, hang on `root`; but for what hangs on `beside` alone."""
    counts: Counter[str] = Counter()
    seen, waiting = set(map(id, beside)), [root]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or isinstance(thing, type | ModuleType | FunctionType):
            continue
        seen.add(id(thing))
        if isinstance(thing, np.ndarray):
            counts["arrays"] += 1
            counts["bytes of arrays"] += thing.nbytes
        elif type(thing).__module__.partition(".")[0] in ("referee", "vision"):
            counts[type(thing).__name__] += 1
        waiting += gc.get_referents(thing)
    return counts


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("film", type=Path)
    parser.add_argument("--truth", type=Path, help="the true record of the hand")
    parser.add_argument("--call", help="who called, and at which second, as the players tell it")
    parser.add_argument("--hold", type=float, nargs=2, metavar="S", help="what is held, from and to")
    parser.add_argument("--seconds", type=float, default=600.0, help="how long a film that is held becomes")
    parser.add_argument("--fps", type=float, default=15.0, help="frames a second of a film that is held")
    parser.add_argument("--height", type=int, help="px of the picture; as filmed if not given")
    options = parser.parse_args(arguments)
    from vision.eye import Eye

    terms = Terms(call=parse_call(options.call))
    with Video(options.film) as video:
        since, until = options.hold or (0.0, 0.0)
        held = hold(video, since, until, options.seconds, options.fps) if options.hold else None
        height = options.height or video.height
        width = round(height * video.width / video.height)
        fps = options.fps if held else video.fps or 30.0
        referee = Referee(CropEyes(Eye()), Umpire(Odds()), width, height, fps, terms)
        with closing(ahead(_sized(held or video, width, height))) as frames:
            seen = watch(referee, frames)
    figures = {"film": options.film.name, **seen.to_json()}
    if options.truth:
        truth = [json.loads(line) for line in options.truth.read_text(encoding="utf-8").splitlines()]
        right = score_replay(seen.told.lines, truth)
        figures |= {"plays_right": right.plays.share, "false_illegal": right.false_illegal}
    print(json.dumps(figures))
    return 0


def hold(video: Video, since: float, until: float, seconds: float, fps: float) -> Iterator[Frame]:
    """So many frames a second: the film up to `until` (s), then what it showed from `since` on back and forth."""
    moments = [index / fps for index in range(round(until * fps))]
    kept: list[Image] = []
    for index, (moment, image) in enumerate(video.at(moments)):
        if moment >= since:
            kept.append(image)
        yield Frame(index, moment, image)
    again = cycle([*kept[-2::-1], *kept[1:]])
    for index in range(len(moments), round(seconds * fps)):
        yield Frame(index, index / fps, next(again))


def _sized(frames: Iterable[Frame], width: int, height: int) -> Iterator[Frame]:
    """The frames at this size, with a word on standard error every minute."""
    minutes = 0
    for frame in frames:
        if frame.time_s >= 60.0 * (minutes + 1):
            minutes += 1
            print(f"{minutes} min", file=sys.stderr)
        if frame.image.shape[:2] == (height, width):
            yield frame
        else:
            shrunk = cv2.resize(frame.image, (width, height), interpolation=cv2.INTER_AREA)
            yield replace(frame, image=np.asarray(shrunk, dtype=np.uint8))


if __name__ == "__main__":
    sys.exit(main())
