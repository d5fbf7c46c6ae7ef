"""A thread that takes every frame of a source, hands it to the recorder and never waits for who looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Condition, Event, Thread
from types import TracebackType
from typing import Protocol, Self

from vision.capture.live.errors import SourceError, SourceLostError
from vision.capture.live.held import Held
from vision.capture.live.lazy_frame import restamped
from vision.capture.live.notices import OVER, PASSING, Kind, Notice
from vision.capture.live.sources import Source
from vision.capture.live.watching import Watch
from vision.capture.video import Frame

#: After how long a camera that is gone is tried again, s; the last one over and over.
TRIES_S = (0.5, 1.0, 2.0, 5.0)
#: How much is held for who looks: so long (s), and no more than so much (millions of bytes).
HELD_S, HELD_MB = 2.0, 256
#: A frame is late when it comes so long (s) after the one before, or after its time.
LATE_S = 0.2
#: How long what is over at once is news, s.
PASSING_S = 30.0
#: How long stopping waits for the thread, s.
_STOP_S = 0.9


@dataclass(frozen=True, slots=True)
class Counts:
    """Frames: taken; written into the recording; handed to who looks; and come too late to tell a quick play."""

    taken: int
    recorded: int
    looked_at: int
    late: int


class Recording(Protocol):
    """What keeps the frames, as `Recorder` does."""

    @property
    def recorded(self) -> int:
        """How many frames are in the recording."""
        ...

    def push(self, frame: Frame) -> None:
        """Keep this frame, too. Raises nothing."""
        ...

    def notices(self) -> list[Notice]:
        """What happened to the recording since this was asked last."""
        ...

    def close(self) -> None:
        """Write what is still waiting, and end."""
        ...


class Capture:
    """Takes the frames of a source from `start` to `stop`; closes source and recorder then.

    with Capture(source, recorder) as capture:
        while not capture.ended:
            frame = capture.newest(last, 1.0)

    `first_index` and `first_s`: where the numbers and times of an earlier run end that this one goes on with.
    """

    def __init__(
        self, source: Source, recorder: Recording | None = None, *, first_index: int = 0, first_s: float = 0.0
    ) -> None:
        self._source, self._recorder = source, recorder
        self._index, self._first_s = first_index, first_s
        self._held, self._watch = Held(HELD_S, HELD_MB), Watch()
        self._news = Condition()
        self._stopping, self._over = Event(), Event()
        self._failure: Exception | None = None
        self._notices: list[Notice] = []
        self._observers: list[Callable[[Notice], None]] = []
        #: What is amiss now, by its kind.
        self._troubles: dict[Kind, Notice] = {}
        self._taken = self._late = self._looked = 0
        self._last_looked = first_index - 1
        self._last_s: float | None = None
        self._thread = Thread(target=self._run, name="capture", daemon=True)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> Self:
        """Begin to take frames."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """End within about a second, the recording written to its end; harmless when it has ended already."""
        self._stopping.set()
        self._source.close()
        if self._thread.ident is not None:
            self._thread.join(_STOP_S)
        if self._recorder is not None:
            self._recorder.close()
        self._end()

    @property
    def ended(self) -> bool:
        """Whether nothing more will come: the film is over, or it was stopped."""
        return self._over.is_set()

    @property
    def counts(self) -> Counts:
        """What was taken, recorded and looked at so far."""
        recorded = 0 if self._recorder is None else self._recorder.recorded
        return Counts(self._taken, recorded, self._looked, self._late)

    @property
    def notices(self) -> list[Notice]:
        """Everything that was told so far, in the order told."""
        self._ask_recorder()
        return list(self._notices)

    @property
    def troubles(self) -> frozenset[Kind]:
        """What is amiss now: of gone, frozen, slow, not-recorded."""
        self._ask_recorder()
        return frozenset(self._troubles)

    @property
    def amiss(self) -> list[Notice]:
        """What began and is not over; and what is over at once (resized, gap), for as long as it is news."""
        self._ask_recorder()
        with self._news:
            passing = [notice for notice in self._notices if notice.kind in PASSING]
            news = [notice for notice in passing if self.now() - notice.time_s < PASSING_S]
            return [*self._troubles.values(), *news]

    def observe(self, observer: Callable[[Notice], None]) -> None:
        """Tell this one everything that is told from now on, in order, by whichever thread has it; it must be quick."""
        with self._news:
            self._observers = [*self._observers, observer]

    @property
    def fps(self) -> float:
        """Frames a second of late, as measured; as the source states it before there are any."""
        return self._watch.fps or self._source.fps

    def now(self) -> float:
        """The time of a frame that were taken now, s."""
        return self._first_s + self._source.now()

    def newest(self, after_index: int, timeout_s: float) -> Frame | None:
        """The newest frame beyond this number; waits so long for one. None: none came, or nothing more will."""
        with self._news:
            self._news.wait_for(lambda: self._held.newest(after_index) or self.ended, timeout_s)
            self._check()
            frame = self._held.newest(after_index)
            return None if frame is None else self._handed_out([frame])[0]

    def since(self, after_index: int, limit: int) -> list[Frame]:
        """The frames beyond this number that are still held, oldest first, the newest `limit` of them."""
        with self._news:
            self._check()
            return self._handed_out(self._held.since(after_index, limit))

    def _handed_out(self, frames: list[Frame]) -> list[Frame]:
        self._looked += sum(frame.index > self._last_looked for frame in frames)
        self._last_looked = max([self._last_looked, *(frame.index for frame in frames)])
        return frames

    def _check(self) -> None:
        """A fault of ours in the thread is told where frames are used."""
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            self._go_through()
        except SourceError as why:
            self._tell([Notice("ended", self.now(), str(why))])
        except Exception as fault:
            self._failure = fault
        finally:
            self._end()

    def _go_through(self) -> None:
        tries = 0
        while not self._stopping.is_set():
            try:
                for frame in self._source.frames():
                    if self._stopping.is_set():
                        return
                    tries = 0
                    self._take(frame)
                return
            except SourceLostError as why:
                self._lost(str(why))
            self._stopping.wait(TRIES_S[min(tries, len(TRIES_S) - 1)])
            tries += 1

    def _take(self, frame: Frame) -> None:
        frame = restamped(frame, self._index, self._first_s + frame.time_s)
        self._index += 1
        told = self._watch.push(frame)
        if "gone" in self._troubles:
            told.insert(0, Notice("back", frame.time_s, f"{self._source.name} is there again", self._last_s))
        if self._recorder is not None:
            self._recorder.push(frame)
            told += self._recorder.notices()
        with self._news:
            since = frame.time_s if self._last_s is None else self._last_s
            self._late += max(frame.time_s - since, self.now() - frame.time_s) > LATE_S
            self._taken += 1
            self._last_s = frame.time_s
            self._held.add(frame)
            self._news.notify_all()
        self._tell(told)

    def _lost(self, text: str) -> None:
        self._watch.interrupted()
        if "gone" not in self._troubles and not self._stopping.is_set():
            self._tell([Notice("gone", self.now(), text, self._last_s)])

    def _tell(self, told: list[Notice]) -> None:
        with self._news:
            for notice in told:
                self._notices.append(notice)
                self._troubles.pop(OVER.get(notice.kind, notice.kind), None)
                if notice.kind in OVER.values():
                    self._troubles[notice.kind] = notice
                for observer in self._observers:
                    observer(notice)

    def _ask_recorder(self) -> None:
        if self._recorder is not None:
            self._tell(self._recorder.notices())

    def _end(self) -> None:
        self._over.set()
        with self._news:
            self._news.notify_all()
