"""Is a file a film? What is none is told apart, and a list of other files is never followed."""

from __future__ import annotations

from pathlib import Path

import av
from av.container import InputContainer
from av.error import FFmpegError

from vision.capture.frames import VideoError
from vision.capture.headers import picture_size
from vision.capture.other_formats import kind_of

#: How much of a file tells whether it is a picture (the size may lie behind what a phone tells of itself), bytes.
_HEAD = 1 << 18
#: How much tells whether it is text: every kind of film has noughts near its beginning.
_TEXT_HEAD = 4096
#: Boxes that an MP4 or MOV file begins with, the box that tells what its photos are like, and how many are looked at.
_FIRST_BOXES = {b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot", b"meta", b"iprp"}
_PHOTOS = b"iprp"
_MOST_BOXES = 100_000
#: Kinds of files that hold a film. Others name further files (lists to be played), which a stranger may not have opened.
_FILMS = "mov,matroska,avi,mpegts,mpeg,flv,asf,ogg,h264,hevc,mpegvideo,m4v"


def open_film(path: Path) -> InputContainer:
    """Open a film that has a track of pictures that can be decoded, the first of which is it. Raises VideoError."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if picture_size(head) is not None or kind_of(head) is not None:
        raise VideoError(f"{path} is a picture, not a video: score it as a photo")
    if b"\0" not in head[:_TEXT_HEAD]:
        raise VideoError(f"{path} is not a video but text: choose the recording itself")
    if _holds_photos(path):
        raise VideoError(f"{path} is a film and photos in one file: save the film by itself")
    try:
        # a name with a colon is no address
        film = av.open(f"file:{path}", options={"format_whitelist": _FILMS})
    except (FFmpegError, OSError, ValueError) as why:
        raise VideoError(
            f"{path} is not a video, or is cut off at its start or end: record or copy it again"
        ) from why
    try:
        _check_tracks(path, film)
    except VideoError:
        film.close()
        raise
    return film


def _holds_photos(path: Path) -> bool:
    """Do the boxes of an MP4 or MOV file tell of HEIC or AVIF photos, too? FFmpeg never gets to its end then."""
    with path.open("rb") as file:
        for _ in range(_MOST_BOXES):
            begins, head = file.tell(), file.read(16)
            size, name = int.from_bytes(head[:4], "big"), head[4:8]
            if size == 1:  # it stands behind the name
                size = int.from_bytes(head[8:], "big")
            if begins == 0 and name not in _FIRST_BOXES:
                return False
            if name == _PHOTOS or (name == b"meta" and _PHOTOS in file.read(min(size, _HEAD))):
                return True
            if size < 8 or len(head) < 16:  # 0: to the end of the file
                return False
            file.seek(begins + size)
    return False


def _check_tracks(path: Path, film: InputContainer) -> None:
    if not film.streams.video:
        raise VideoError(f"{path} has no picture track: give a video, not a sound recording")
    if any(track.codec_context is None for track in film.streams.video):
        raise VideoError(
            f"{path} has pictures of a kind that cannot be read: save it as MP4 with H.264 or H.265"
        )
