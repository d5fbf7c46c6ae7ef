"""Where live pictures come from: a camera of this machine, a stream of the network, a film played as if live."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from vision.capture.live.errors import SourceError, SourceLostError
from vision.capture.live.film import FilmAsLive
from vision.capture.video import Frame

__all__ = ["FilmAsLive", "Source", "SourceError", "SourceLostError", "open_source"]


class Source(Protocol):
    """Something that gives frames as they are taken."""

    #: What people call it; never holds a password.
    name: str
    #: Of its pictures, px; a camera may change it (see each frame).
    width: int
    height: int
    #: Frames a second, as stated or as measured; 0 while unknown.
    fps: float

    def frames(self) -> Iterator[Frame]:
        """Frames as they come, `time_s` by a clock that nobody sets, s since the source began; they end with a film.

        Raises SourceLostError when the camera is gone: calling it again opens it again, and numbers and times go on.
        Raises SourceError where nothing more will come, in words.
        """
        ...

    def now(self) -> float:
        """The time of a frame that were taken now, s since the source began."""
        ...

    def close(self) -> None:
        """Let go of it; `frames` ends soon, whichever thread goes through it."""
        ...


def open_source(spec: str, *, as_live: bool = False) -> Source:
    """The source that `spec` names; with `as_live` it names a film, which is played at its real speed.

    Raises SourceError, one line with the remedy.
    """
    if as_live:
        return FilmAsLive(Path(spec))
    raise SourceError(f"there is no camera {spec}: plug one in")
