"""Is what was sent a recording? What is none is refused before anything is kept."""

from __future__ import annotations

from pathlib import Path

from vision.capture.apart import opening
from vision.capture.apart.process import Apart

#: Where films are opened: not where photos are, which do not wait for them.
FILMS = Apart()


def must_be_film(path: Path, name: str) -> None:
    """Raises VideoError for what is no film; it names the user's file, not ours."""
    opening.must_be_film(FILMS, path, name)
