"""How a table that is watched looks in the terminal: plays as they come above, the state of things below."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from types import TracebackType
from typing import Self

from rich.live import Live
from rich.text import Text

from referee.commands.console import out, print_line, shown
from referee.live.session import Session, Told
from referee.record.account import clock, event_text
from referee.record.lines import dump
from referee.rules.events import parse_event
from vision.capture.live.capture import Capture
from vision.capture.live.notices import Kind, Notice

#: How often the state of things is drawn anew (times a second).
DRAWN_S = 2
#: The session tells that there is no camera; the program, that nothing more comes.
_TOLD_OTHERWISE: tuple[Kind, ...] = ("gone", "back", "ended")
_STYLES = {"illegal": "bold red", "undecided": "yellow", "too-close": "yellow", "legal": "green"}


class Lines:
    """For other programs: the lines of the records as they grow, and `session` lines."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def told(self, told: Told) -> None:
        """Print a line as it is; what has not settled is not printed."""
        if not told.provisional:
            print_line(dump(told.line))

    def noticed(self, notice: Notice) -> None:
        """Print what happens to the camera as a `session` line: its kind as `camera`, in words as `why`."""
        if notice.kind not in _TOLD_OTHERWISE:
            line = {"event": "session", "at": round(notice.time_s, 3), "state": self._session.state}
            words = {"hand": self._session.hand, "camera": notice.kind, "why": notice.text}
            print_line(dump({**line, **words}))

    def key(self, _key: str) -> None:
        """No key does anything."""


class Screen:
    """For people."""

    def __init__(self, session: Session, camera: Capture) -> None:
        self._session, self._camera = session, camera
        self._said = ""
        self._seats: dict[str, str] = {}
        self._question: tuple[int, str] | None = None
        self._live = Live(console=out, get_renderable=self._state, refresh_per_second=DRAWN_S, transient=True)

    def __enter__(self) -> Self:
        if out.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if out.is_terminal:
            self._live.stop()

    # -- what is told --------------------------------------------------------------------------------------

    def told(self, told: Told) -> None:
        """Show a thing told, if it is for people."""
        line = told.line
        if line.get("event") == "session":
            self._session_line(line)
        elif not told.provisional and line.get("event") == "ruling":
            style = _STYLES.get(line["verdict"], "cyan")
            out.print(f"  [{style}]{shown(line['verdict'])} ({shown(line['rule'])}): {shown(line['why'])}[/]")
        elif not told.provisional:
            text = event_text(parse_event(line)) if "event" in line else ""
            if text:
                out.print(f"{clock(line['at'])}  {shown(line.get('seat') or '')}  {shown(text)}")

    def noticed(self, notice: Notice) -> None:
        """Show what happens to the camera and to the recording."""
        if notice.kind not in _TOLD_OTHERWISE:
            out.print(f"[dim]{clock(notice.time_s)}[/]  [yellow]{shown(notice.text)}[/]")

    def _session_line(self, line: dict[str, object]) -> None:
        question = line.get("question")
        if isinstance(question, dict):
            self._question = int(question["number"]), str(question["asks"])
            out.print(f"[cyan]{shown(question['asks'])} (press y or n)[/]")
            return
        self._question = None
        seats = line.get("seats")
        if isinstance(seats, dict):
            self._seats = dict(zip("123456", seats, strict=False))
            sits = ", ".join(
                f"{key}: {one['name']} ({seat}, {one['deck']})"
                for (key, seat), one in zip(self._seats.items(), seats.values(), strict=True)
            )
            out.print(f"[bold]hand {line['hand']}[/]  {shown(sits)}  (a seat's key is its call)")
        said = f"{line['state']}: {line.get('why') or line['say']}"
        if said != self._said:
            self._said = said
            out.print(f"[dim]{clock(float(str(line['at'])))}[/]  [bold]{shown(said)}[/]")
        if line.get("disk"):
            out.print(f"[yellow]{shown(str(line['disk']))}[/]")
        points = line.get("score") or (line.get("points") if line["state"] == "called" else None)
        if isinstance(points, dict):
            out.print("  " + ", ".join(f"{shown(seat)} {one['points']:g}" for seat, one in points.items()))

    def _state(self) -> Text:
        counts, standing = self._camera.counts, self._session.standing
        left = "  ".join(f"{seat} {count}" for seat, count in standing.get("nerts", {}).items())
        nerts = f"Nerts cards left: {left}   " if left else ""
        frames = (
            f"frames: {counts.taken} taken, {counts.recorded} recorded, "
            f"{self._session.frames_looked_at} looked at, {counts.late} late"
        )
        return Text(f"[{self._session.state}]  {nerts}{frames}   (stop with Ctrl-C)", style="dim")

    # -- keys ----------------------------------------------------------------------------------------------

    def key(self, key: str) -> None:
        """A seat's key is its call; y and n answer what is asked."""
        if key in self._seats:
            out.print(f"  {shown(self._session.call(self._seats[key]).say)}")
        elif key in ("y", "n") and self._question is not None:
            out.print(f"  {shown(self._session.answer(self._question[0], key == 'y').say)}")


@contextmanager
def keys_pressed(on_key: Callable[[str], None]) -> Iterator[None]:
    """Tells every key that is pressed, where there is a terminal with keys."""
    try:
        import select
        import termios
        import tty

        keys = sys.stdin.fileno()
        if not os.isatty(keys):
            raise OSError
        before = termios.tcgetattr(keys)
    except (ImportError, OSError, ValueError):
        yield
        return
    over = Event()

    def listen() -> None:
        while not over.is_set():
            if select.select([keys], [], [], 0.2)[0]:
                with suppress(OSError):
                    on_key(os.read(keys, 1).decode("ascii", "ignore").lower())

    tty.setcbreak(keys)
    listening = Thread(target=listen, name="keys", daemon=True)
    listening.start()
    try:
        yield
    finally:
        over.set()
        listening.join()
        termios.tcsetattr(keys, termios.TCSADRAIN, before)
