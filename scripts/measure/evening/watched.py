"""The program at work: `watch --as-live` in a process of its own, its page listened to, and players who buzz."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from scripts.measure.evening.page import FilmClock, Heard, Json, Listener, ask
from scripts.measure.evening.truth import TrueEvening
from vision.capture.live.frame_index import read_rows

#: How often it is looked whether it is time to buzz or to kill (s), and how long a page may take to come.
LOOK_S, COMES_S = 0.005, 120.0


@dataclass(frozen=True, slots=True)
class Buzz:
    """A call over the page: when (s of the film, and by the wall), and what was answered."""

    hand: int
    seat: str
    film_s: float
    wall_s: float
    answer: Json | None


@dataclass(slots=True)
class Run:
    """What came of it."""

    folder: Path
    speed: float
    heard: list[Heard] = field(default_factory=list)
    buzzes: list[Buzz] = field(default_factory=list)
    #: Moments (s of the film) at which it was killed.
    kills: list[float] = field(default_factory=list)
    #: Of the processor and by the wall, while the film ran (s).
    cpu_s: float = 0.0
    wall_s: float = 0.0
    status: int | None = None


@dataclass(slots=True)
class Watched:
    """`run` it once. `kills`: how often it is killed at random moments and started again."""

    evening: TrueEvening
    folder: Path
    speed: float = 1.0
    kills: int = 0
    seed: int = 0
    port: int = field(default_factory=lambda: _free_port())

    @property
    def base(self) -> str:
        """The address of the page."""
        return f"http://127.0.0.1:{self.port}"

    def run(self) -> Run:
        """From the first frame to the end of the program. Raises RuntimeError where its page does not come."""
        done, clock = Run(self.folder, self.speed), FilmClock(self.evening.fps, self.speed)
        listener, meter = Listener(self.base, clock), Meter()
        hands = self.evening.hands
        calls = [(hand.call[1], hand.number, hand.call[0]) for hand in hands if hand.call is not None]
        rng = random.Random(self.seed)
        kills = sorted(rng.uniform(1.0, max(hand.ends_s for hand in hands)) for _ in range(self.kills))
        self.folder.mkdir(parents=True, exist_ok=True)
        process = self._start()
        try:
            self._page_comes(process)
            listener.start()
            while process.poll() is None:
                time.sleep(LOOK_S)
                now = clock.at(time.monotonic())
                meter.look(process.pid, counts=now is not None)
                if now is None:
                    continue
                if calls and now >= calls[0][0]:
                    _, number, seat = calls.pop(0)
                    done.buzzes.append(self._buzz(number, seat, clock))
                if kills and now >= kills[0]:
                    process.kill()
                    process.wait()
                    done.kills.append(now)
                    kills = [moment for moment in kills if moment > now]
                    clock.begin_anew(self._recorded_s())
                    process = self._start()
            done.status = process.returncode
        finally:
            process.kill()
            process.wait()
            listener.stop()
        done.heard, done.cpu_s, done.wall_s = listener.so_far(), meter.cpu_s, meter.wall_s
        return done

    def _recorded_s(self) -> float:
        """The second with which the film goes on: behind the last frame of its recording."""
        last = [
            float(rows["time_us"][-1]) / 1e6 + 1 / self.evening.fps
            for path in self.folder.glob("session-*/film.frames")
            if len(rows := read_rows(path))
        ]
        return max(last, default=0.0)

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "referee.commands", "watch", "--as-live", str(self.evening.film)]
        command += ["--speed", f"{self.speed:g}", "--recordings", str(self.folder)]
        command += ["--json", "--page", "--port", str(self.port)]
        with (self.folder / "told.jsonl").open("ab") as told, (self.folder / "said.txt").open("ab") as said:
            return subprocess.Popen(command, stdout=told, stderr=said)

    def _page_comes(self, process: subprocess.Popen[bytes]) -> None:
        until = time.monotonic() + COMES_S
        while ask(self.base, "/api/live") is None:
            if process.poll() is not None or time.monotonic() > until:
                said = (self.folder / "said.txt").read_text(encoding="utf-8").strip().splitlines()
                raise RuntimeError(f"the page does not come: {said[-1] if said else 'nothing was said'}")
            time.sleep(0.05)

    def _buzz(self, number: int, seat: str, clock: FilmClock) -> Buzz:
        wall_s = time.monotonic()
        film_s = clock.at(wall_s) or 0.0
        return Buzz(number, seat, film_s, wall_s, ask(self.base, "/api/live/call", {"seat": seat}))


@dataclass(slots=True)
class Meter:
    """What processes, one after the other, take of the processor while a film runs, by what Linux counts (s)."""

    cpu_s: float = 0.0
    wall_s: float = 0.0
    _pid: int = 0
    _cpu_s: float = 0.0
    _looked_s: float = 0.0

    def look(self, pid: int, *, counts: bool) -> None:
        """Look at a process, a few times a second; `counts`: the film runs, what it took since the last look counts."""
        now_s = time.monotonic()
        if pid == self._pid and now_s - self._looked_s < 0.2:
            return
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        except OSError:
            return
        cpu_s = sum(map(int, stat[11:15])) / os.sysconf("SC_CLK_TCK")
        if counts and pid == self._pid:
            self.cpu_s += cpu_s - self._cpu_s
            self.wall_s += now_s - self._looked_s
        self._pid, self._cpu_s, self._looked_s = pid, cpu_s, now_s


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])
