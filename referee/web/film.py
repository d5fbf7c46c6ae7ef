"""Is what was sent a recording? What is none is refused in words of the page, before anything is kept."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import av
from av.error import FFmpegError

from vision.frames import VideoError
from vision.headers import picture_size
from vision.other_formats import kind_of
from vision.video import Video

#: How much of a file tells whether it is a picture (the size may lie behind what a phone tells of itself), bytes.
_HEAD = 1 << 18
#: How much tells whether it is text: every kind of film has noughts near its beginning.
_TEXT_HEAD = 4096


#: Kinds of files that hold a film. Others name further files (lists to be played), which a stranger may not have opened.
_FILMS = "mov,matroska,avi,mpegts,mpeg,flv,asf,ogg,h264,hevc,mpegvideo,m4v"


def must_be_film(path: Path, name: str) -> None:
    """Raises VideoError for what is no film; it names the user's file, not ours."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if picture_size(head) is not None or kind_of(head) is not None:
        raise VideoError(f"{name} is a picture, not a video: score it as a photo")
    if head and b"\0" not in head[:_TEXT_HEAD]:
        raise VideoError(f"{name} is not a video but text: choose the recording itself")
    if head:
        _must_be_readable(path, name)
    try:
        with Video(path) as video:
            frames = len(list(islice(video, 2)))
    except VideoError as error:
        raise VideoError(str(error).replace(str(path), name)) from error
    if frames < 2:
        raise VideoError(f"{name} shows a single picture, not a video: choose the recording itself")


def _must_be_readable(path: Path, name: str) -> None:
    try:
        with av.open(str(path), options={"format_whitelist": _FILMS}) as film:
            unknown = any(track.codec_context is None for track in film.streams.video)
    except (FFmpegError, OSError, ValueError) as why:
        raise VideoError(
            f"{name} is not a video, or is cut off at its start or end: record or copy it again"
        ) from why
    if unknown:
        raise VideoError(
            f"{name} has pictures of a kind that cannot be read: save it as MP4 with H.264 or H.265"
        )
