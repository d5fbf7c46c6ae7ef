"""Photos and films of strangers, opened apart; same results and errors as `decode_image` and `Video`."""

from __future__ import annotations

import logging
from itertools import islice
from pathlib import Path

from vision.capture.apart.beside import ApartError, TookTooLongError, WorkFailedError
from vision.capture.apart.process import Apart, Done
from vision.capture.frames import Image, PictureError, UnreadableError, VideoError, decode_image
from vision.capture.video import Video

_log = logging.getLogger(__name__)


def open_photo(apart: Apart, data: bytes, name: str) -> Image:
    """Decode a photo that a stranger sent, see `decode_image`. Raises PictureError."""
    try:
        done = apart.do(_photo, name, data=data)
    except ApartError as why:
        raise PictureError(
            sentence(why, name, "save it as JPEG, or smaller (12 megapixels are plenty)")
        ) from why
    if "error" in done.told:
        raise PictureError(done.told["error"])
    height, width = done.told["size"]
    return done.data.reshape(height, width, 3)


def must_be_film(apart: Apart, path: Path, name: str) -> None:
    """Raises VideoError for a file that a stranger sent and that is no film; it names their file, not ours."""
    try:
        done = apart.do(_film, str(path), name)
    except ApartError as why:
        raise VideoError(sentence(why, name, "record or copy it again")) from why
    if "error" in done.told:
        raise VideoError(done.told["error"])


def sentence(why: ApartError, name: str, remedy: str, doing: tuple[str, str] = ("open", "opened")) -> str:
    """What the user is told of a file that breaks its process, or takes too long.

    `doing`: what it takes too long to, and what it cannot be.
    """
    if isinstance(why, WorkFailedError):
        _log.error("opening %s failed:\n%s", name, why)
    if isinstance(why, TookTooLongError):
        return f"{name} takes too long to {doing[0]}: {remedy}"
    return f"{name} cannot be {doing[1]}, as it breaks the program that decodes it: {remedy}"


# In the process apart


def _photo(data: bytes, name: str) -> Done:
    try:
        image = decode_image(data, name)
    except UnreadableError as why:
        return Done({"error": str(why)})
    return Done({"size": image.shape[:2]}, image)


def _film(path: str, name: str) -> Done:
    try:
        with Video(path) as video:
            frames = len(list(islice(video, 2)))
    except VideoError as why:
        return Done({"error": str(why).replace(path, name)})
    if frames < 2:
        return Done({"error": f"{name} shows a single picture, not a video: choose the recording itself"})
    return Done()
