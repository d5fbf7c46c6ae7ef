"""The page of a table that is watched, as a browser and a phone use it: what it tells, and what it is told."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from threading import Event, Lock, Thread
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

Json = dict[str, Any]
#: How long an answer is waited for, and how soon a broken line is tried again (s).
PATIENCE_S, AGAIN_S = 30.0, 0.1


class FilmClock:
    """What time it is in a film that is played as live: what its page counts as taken has been shown by now."""

    def __init__(self, fps: float, speed: float) -> None:
        self.fps, self.speed = fps, speed
        self._since_s = 0.0
        self._behind: float | None = None

    def taken(self, frames: int, wall_s: float) -> None:
        """So many frames had been taken by this moment (s, monotonic)."""
        if frames > 0:
            behind = self._since_s + (frames - 1) / self.fps - wall_s * self.speed
            self._behind = behind if self._behind is None else max(self._behind, behind)

    def at(self, wall_s: float) -> float | None:
        """The film's second at a moment; None before its first frame."""
        return None if self._behind is None else wall_s * self.speed + self._behind

    def begin_anew(self, since_s: float) -> None:
        """The program is started again: its film goes on with this second, and its count begins anew."""
        self._since_s, self._behind = since_s, None


@dataclass(frozen=True, slots=True)
class Heard:
    """One message of the page, and when it came: s of `time.monotonic`, and of the film (0 before its first frame)."""

    wall_s: float
    film_s: float
    kind: str
    data: Json
    id: str = ""


@dataclass(slots=True)
class Listener:
    """Hears everything a page tells, and comes back like a browser when the line breaks."""

    base: str
    clock: FilmClock
    heard: list[Heard] = field(default_factory=list)
    last_id: str = ""
    #: Told of every message; quick.
    on_heard: Callable[[Heard], None] = lambda heard: None
    _lock: Lock = field(default_factory=Lock)
    _over: Event = field(default_factory=Event)
    _thread: Thread | None = None

    def start(self) -> None:
        """Begin to listen, in a thread."""
        self._thread = Thread(target=self._run, name="listener", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Listen no more once the line breaks."""
        self._over.set()
        if self._thread is not None:
            self._thread.join(5)

    def so_far(self) -> list[Heard]:
        """All that was heard."""
        with self._lock:
            return list(self.heard)

    def _run(self) -> None:
        while not self._over.is_set():
            with suppress(OSError, HTTPException, ValueError):
                self._listen()
            self._over.wait(AGAIN_S)

    def _listen(self) -> None:
        asked = Request(f"{self.base}/api/live/events")
        if self.last_id:
            asked.add_header("Last-Event-ID", self.last_id)
        with urlopen(asked, timeout=PATIENCE_S) as stream:
            parts: dict[str, str] = {}
            for raw in stream:
                line = raw.decode().rstrip("\r\n")
                name, _, value = line.partition(": ")
                if name in ("id", "event", "data"):
                    parts[name] = value
                elif not line and "data" in parts:
                    self._take(parts)
                    parts = {}

    def _take(self, parts: dict[str, str]) -> None:
        now, data = time.monotonic(), json.loads(parts["data"])
        kind = parts.get("event", "message")
        if kind == "counts":
            self.clock.taken(int(data.get("taken", 0)), now)
        heard = Heard(now, self.clock.at(now) or 0.0, kind, data, parts.get("id", ""))
        self.last_id = heard.id or self.last_id
        with self._lock:
            self.heard.append(heard)
        self.on_heard(heard)


def ask(base: str, way: str, body: Json | None = None) -> Json | None:
    """What the page answers; None where it does not."""
    data = None if body is None else json.dumps(body).encode()
    given = Request(f"{base}{way}", data, {"Content-Type": "application/json"} if data else {})
    try:
        with urlopen(given, timeout=PATIENCE_S) as answer:
            return dict(json.loads(answer.read()))
    except (URLError, OSError, HTTPException, ValueError):
        return None
