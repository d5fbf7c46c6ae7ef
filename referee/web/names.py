"""The names of files that people send, as they are shown and as they are kept."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

#: Letters of a name that are shown.
_SHOWN = 120
#: Endings of films; a film keeps its own among these, so that browsers are told right what it is.
_FILMS = (
    *(".3gp", ".avi", ".flv", ".m2ts", ".m4v", ".mkv", ".mov", ".mp4"),
    *(".mpeg", ".mpg", ".mts", ".ogv", ".ts", ".webm", ".wmv"),
)


def shown_name(name: str | None, otherwise: str) -> str:
    """A file's name as it is shown: on one line, not too long, `otherwise` where nothing of it can be seen."""
    plain = "".join(letter if letter.isprintable() else " " for letter in name or "")
    plain = " ".join(plain.split())
    if len(plain) > _SHOWN:
        plain = f"{plain[: _SHOWN - 21]}…{plain[-20:]}"
    return plain or otherwise


def plain_stem(name: str) -> str:
    """Small letters and digits of a file's name, for the name of a folder."""
    return re.sub(r"[^a-z0-9]+", "-", _path(name).stem.lower()).strip("-")[:40].strip("-") or "hand"


def film_ending(name: str) -> str:
    """The ending of a film's name, as `.mp4`; nothing where it is none of a film."""
    ending = _path(name).suffix.lower()
    return ending if ending in _FILMS else ""


def _path(name: str) -> PurePosixPath:
    return PurePosixPath(name.replace("\\", "/"))
