"""Is what was sent a recording? What is none is refused before anything is kept."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from vision.capture.frames import VideoError
from vision.capture.video import Video


def must_be_film(path: Path, name: str) -> None:
    """Raises VideoError for what is no film; it names the user's file, not ours."""
    try:
        with Video(path) as video:
            frames = len(list(islice(video, 2)))
    except VideoError as error:
        raise VideoError(str(error).replace(str(path), name)) from error
    if frames < 2:
        raise VideoError(f"{name} shows a single picture, not a video: choose the recording itself")
