"""Films that were sent, opened apart: whether each is one, and its frames by their numbers."""

from __future__ import annotations

from pathlib import Path

from vision.capture.apart import by_number, opening
from vision.capture.apart.limits import FILM_MB, Limits
from vision.capture.apart.process import Apart

#: Where films are opened: not where photos are, which do not wait for them.
FILMS = Apart()
#: Where frames are asked for by number: whoever looks closely does not wait for a film that is sent.
FRAMES = Apart(Limits(memory_mb=FILM_MB))


def must_be_film(path: Path, name: str) -> None:
    """Raises VideoError for what is no film; it names the user's file, not ours."""
    opening.must_be_film(FILMS, path, name)


def open_reader(path: Path, name: str) -> by_number.ApartReader:
    """A film of which frames are asked for by number. Raises VideoError, as its frames do; it names the user's file."""
    return by_number.ApartReader(FRAMES, path, name)


def times_around(path: Path, name: str, around: float) -> list[float]:
    """When the frames near a moment are shown, s. Raises VideoError; it names the user's file."""
    return by_number.times_around(FRAMES, path, name, around)


def interrupt_films() -> None:
    """Nobody waits any more for what is being decoded."""
    FILMS.interrupt()
    FRAMES.interrupt()
