"""Has a film refereed, as `replay` does it, or, of a clip, with the record so far: what was told, and what it took."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from referee.live.looking import CropEyes
from referee.service import BadInputError, Told, Tools
from referee.umpire.seats.dealt_row import NotFollowedError
from scripts.measure.staged.entered import Clip, entered, watched
from scripts.measure.umpire.filming import Made
from vision.capture.frames import UnreadableError
from vision.eye import Eye

Line = Mapping[str, Any]


@dataclass(slots=True)
class Refereed:
    """What was told of a film."""

    #: The records, one a hand, as they were written.
    records: list[list[Line]] = field(default_factory=list)
    #: Of the first one, when each line was written (s); none where lines come at the end anyway.
    written: list[float] = field(default_factory=list)
    #: Why it was given up, if it was.
    refused: str = ""
    looks: int = 0
    look_cpu_s: float = 0.0
    #: Those of them that were at a whole table of which nothing was known yet, and what these took: a deal is read so.
    whole_looks: int = 0
    whole_cpu_s: float = 0.0
    cpu_s: float = 0.0
    memory_mib: float = 0.0


class CountingEye:
    """An eye on one thread that counts how often it is asked, and what that costs."""

    def __init__(self) -> None:
        self._eye = Eye(threads=1)
        self.looks = 0
        self.cpu_s = 0.0
        #: Of these, at tables that were not known yet.
        self.whole_looks = 0
        self.whole_cpu_s = 0.0
        self._one_at_a_time = Lock()

    def see(self, *asked: Any, **more: Any) -> Any:
        """As the eye sees it."""
        return self._counted(self._eye.see, *asked, whole=more.get("to_table") is None, **more)

    def __getattr__(self, name: str) -> Any:
        """Other ways of looking count, too."""
        if name.startswith("_"):
            raise AttributeError(name)
        other = getattr(self._eye, name)
        return (lambda *asked, **more: self._counted(other, *asked, **more)) if callable(other) else other

    def _counted(self, way: Any, *asked: Any, whole: bool = False, **more: Any) -> Any:
        with self._one_at_a_time:
            begun = time.thread_time()
            try:
                return way(*asked, **more)
            finally:
                self._count(time.thread_time() - begun, whole=whole)

    def _count(self, cpu_s: float, *, whole: bool) -> None:
        self.looks += 1
        self.cpu_s += cpu_s
        if whole:
            self.whole_looks += 1
            self.whole_cpu_s += cpu_s


def refereed(made: Made) -> Refereed:
    """Referee it to its end; what breaks the program on the way is why it was given up, too."""
    eye, found = CountingEye(), Refereed()
    begun = time.process_time()
    try:
        if made.clip is None:
            _replayed(made, eye, found)
        else:
            _entered(made, made.clip, eye, found)
    except (NotFollowedError, UnreadableError, BadInputError) as why:
        found.refused = str(why)
    except Exception as error:
        # a program that breaks has lost the film
        found.refused = f"broke: {type(error).__name__}: {error}"
    found.cpu_s = round(time.process_time() - begun, 2)
    found.looks, found.look_cpu_s = eye.looks, round(eye.cpu_s, 2)
    found.whole_looks, found.whole_cpu_s = eye.whole_looks, round(eye.whole_cpu_s, 2)
    found.memory_mib = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
    return found


def _replayed(made: Made, eye: CountingEye, found: Refereed) -> None:
    film = made.film
    tools = Tools(open_eye=lambda *_: eye)
    for line in tools.referee(made.video, film.game, dict(film.house), Told()):
        if "record" in line:
            found.records.append([])
        found.records[-1].append(line)


def _entered(made: Made, clip: Clip, eye: CountingEye, found: Refereed) -> None:
    referee = entered(clip, CropEyes(eye), _call(clip, made.seconds))
    assert referee.book is not None
    found.written = [clip.since] * len(referee.book.lines)
    found.records = [list(referee.book.lines)]
    for now in watched(clip, referee):
        found.written += [now] * (len(referee.book.lines) - len(found.written))
    found.records = [list(referee.book.lines)]


def _call(clip: Clip, seconds: float) -> tuple[str, float] | None:
    """Who calls in a clip: the players say so."""
    calls = (line for line in clip.truth if line.get("event") == "call")
    shown = (line for line in calls if clip.since < line["at"] < clip.since + seconds)
    return next(((str(line["seat"]), float(line["at"])) for line in shown), None)


def all_lines(found: Refereed) -> Iterator[Line]:
    """The lines of all records."""
    return (line for record in found.records for line in record)
