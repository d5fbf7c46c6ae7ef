"""What `score` is given: photos, and short films whose sharpest frames stand for photos of the same cards."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from vision.capture.frames import Image, load_image

Json = dict[str, Any]
#: Endings of films: what is called otherwise is read as a photo.
FILMS = (".mp4", ".mov", ".m4v", ".mkv", ".webm", ".avi", ".3gp", ".mpg", ".mpeg", ".ts", ".mts")


def is_film(path: Path) -> bool:
    """Is this a film, by its name?"""
    return path.suffix.lower() in FILMS


def pictures_of(paths: Sequence[Path]) -> tuple[list[Image], list[Path], list[Json]]:
    """The pictures of photos and films, which file each is of, and what is told of the films' frames.

    One that is there once already, under another name perhaps, is the same object again. Raises UnreadableError.
    """
    images: list[Image] = []
    files: list[Path] = []
    frames: list[Json] = []
    for path in paths:
        for image, at in _pictures(path):
            if at is not None:
                frames.append({"image": len(images), "film": str(path), "at": round(at, 3)})
            images.append(next((known for known in images if np.array_equal(known, image)), image))
            files.append(path)
    return images, files, frames


def _pictures(path: Path) -> list[tuple[Image, float | None]]:
    if not is_film(path):
        return [(load_image(path), None)]
    # late: films are seldom given
    from vision.capture.video import Video
    from vision.photos.sweep import sharpest_frames

    return [(frame.image, frame.time_s) for frame in sharpest_frames(partial(Video, path), str(path))]
