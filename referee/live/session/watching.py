"""A camera and a session side by side: one thread notices every frame, another looks at them as it comes to it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from threading import Condition, Event, Thread
from typing import Protocol

from referee.live.session.evening import Session
from referee.live.session.waiting import Waiting
from vision.capture.live.notices import Notice
from vision.capture.video import Frame

#: How long frames are waited for before it is looked whether anybody still wants them (s).
PATIENCE_S = 0.25
#: So many frames are noticed at most before the newest one is (one a tenth of a second does for what moves).
BEHIND = 16
#: Behind by more than this (s), looking hurries: it sees to what was seen least lately, and goes on.
HURRIED_S = 1.0


class Frames(Protocol):
    """A camera that is being taken from, as `vision.capture.live` does."""

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""

    @property
    def troubles(self) -> Collection[str]:
        """What is amiss: "gone" where there is no camera."""

    @property
    def notices(self) -> Sequence[Notice]:
        """Everything that it told of itself."""

    def newest(self, after_index: int, timeout_s: float) -> Frame | None:
        """The newest frame beyond this number; None if none comes."""

    def since(self, after_index: int, limit: int) -> Sequence[Frame]:
        """The frames beyond this number, oldest first."""


class Watching:
    """`run` looks until the frames end, or somebody asks to `stop`; the session goes on to live until it is ended."""

    def __init__(self, session: Session, frames: Frames) -> None:
        self.session, self.frames = session, frames
        self._stopped, self._done = Event(), Event()
        self._news = Condition()
        self._latest: Frame | None = None
        self._waiting = Waiting()
        self._looked = -1
        self._failure: Exception | None = None

    def stop(self) -> None:
        """Come to an end within a look; from any thread."""
        self._stopped.set()

    @property
    def stopped(self) -> bool:
        """Whether somebody asked for the end."""
        return self._stopped.is_set()

    @property
    def latest(self) -> Frame | None:
        """The frame that was noticed last."""
        return self._latest

    def run(self) -> None:
        """Look, in this thread."""
        noticing = Thread(target=self._run_noticing, name="noticing", daemon=True)
        noticing.start()
        try:
            while not self._stopped.is_set():
                frame = self._next()
                if frame is not None:
                    self._looked = frame.index
                    self.session.look(frame, self._is_hurried)
                elif self._done.is_set():
                    break
                else:
                    with self._news:
                        self._news.wait_for(lambda: self._is_beyond() or self._done.is_set(), PATIENCE_S)
        finally:
            self._done.set()
            noticing.join()
        if self._failure is not None:
            raise self._failure

    def _next(self) -> Frame | None:
        """What is looked at next: frame after frame while a hand is played, the newest between and after hands."""
        since = self.session.looked_s
        if since is not None:
            return self._waiting.next(since, self.session.settles_s)
        newest = self._waiting.newest()
        return newest if newest is not None and newest.index > self._looked else None

    def _is_beyond(self) -> bool:
        """Whether a newer frame than was looked at was noticed."""
        return self._latest is not None and self._latest.index > self._looked

    def _is_hurried(self) -> bool:
        """Whether there is no time for more looks at a frame."""
        return self._stopped.is_set() or self._waiting.behind_s > HURRIED_S

    def _run_noticing(self) -> None:
        try:
            self._notice()
        except Exception as fault:  # told where the frames are used
            self._failure = fault
        finally:
            self._done.set()
            with self._news:
                self._news.notify_all()

    def _notice(self) -> None:
        last = -1
        while not (self._stopped.is_set() or self._done.is_set()):
            if self.frames.newest(last, PATIENCE_S) is None:
                if self.frames.ended:
                    return
                if "gone" in self.frames.troubles:
                    self.session.camera_gone(self._last_word())
                continue
            for frame in self.frames.since(last, BEHIND):
                self.session.notice(frame)
                self._waiting.add(frame)
                last = frame.index
                with self._news:
                    self._latest = frame
                    self._news.notify_all()

    def _last_word(self) -> str:
        return next((notice.text for notice in reversed(self.frames.notices) if notice.kind == "gone"), "")
