"""Short strips of pictures that show what happened at some moment of a recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vision.capture.frames import Image, encode_jpeg
from vision.capture.video import Video

#: Frames are kept at this width (px), and at this quality, until their strip is made of them.
_KEPT_WIDTH, _KEPT_QUALITY = 960, 95
#: Width of one picture of a strip, px, and its height per width.
_PICTURE_WIDTH = 280
_SHAPE = 0.75
#: A strip shows at least this share of the table's width.
_LEAST_SHARE = 0.3
#: Grey levels by which a place differs before and after, if something was moved there.
_CHANGE = 22


@dataclass(frozen=True, slots=True)
class Strip:
    """What a strip shows: the moments of its pictures, s, in order."""

    moments: tuple[float, ...]


def film(path: str | Path, strips: Sequence[Strip], quality: int = 72) -> list[list[bytes]]:
    """The JPEG pictures of every strip, cut to where something changed between its first and last moment.

    Reads the recording once. Moments beyond the end (or the cut) of the recording show its last frame.
    """
    wanted = sorted({moment for strip in strips for moment in strip.moments})
    kept = frames_at(path, wanted)
    return [_cut([kept[moment] for moment in strip.moments], quality) for strip in strips]


def frames_at(path: str | Path, wanted: Sequence[float]) -> dict[float, bytes]:
    """The frame of each moment (s, ascending), small and packed: see `unpacked`. Raises VideoError."""
    with Video(path) as video:
        return {moment: encode_jpeg(_smaller(image), _KEPT_QUALITY) for moment, image in video.at(wanted)}


def unpacked(data: bytes) -> Image:
    """(h, w, 3) BGR of a frame that `frames_at` packed."""
    return np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), dtype=np.uint8)


def _smaller(image: Image) -> Image:
    height, width = image.shape[:2]
    if width <= _KEPT_WIDTH:
        return image
    size = (_KEPT_WIDTH, round(height * _KEPT_WIDTH / width))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _cut(packed: Sequence[bytes], quality: int) -> list[bytes]:
    frames = [unpacked(data) for data in packed]
    x, y, width, height = changed_box(frames[0], frames[-1])
    size = (_PICTURE_WIDTH, round(_PICTURE_WIDTH * height / width))
    return [
        encode_jpeg(
            np.asarray(
                cv2.resize(frame[y : y + height, x : x + width], size, interpolation=cv2.INTER_AREA), np.uint8
            ),
            quality,
        )
        for frame in frames
    ]


def changed_box(before: Image, after: Image) -> tuple[int, int, int, int]:
    """(x, y, width, height) px of the part in which two frames differ, with some room around it, 4:3."""
    height, width = before.shape[:2]
    apart = np.asarray(cv2.absdiff(cv2.GaussianBlur(before, (0, 0), 2), cv2.GaussianBlur(after, (0, 0), 2)))
    changed = (apart.max(axis=2) > _CHANGE).astype(np.uint8)
    count, _, stats, _ = cv2.connectedComponentsWithStats(changed)
    large = [stats[i] for i in range(1, count) if stats[i][cv2.CC_STAT_AREA] > width * height * 4e-4]
    if not large:
        return 0, 0, width, height
    left = min(int(s[cv2.CC_STAT_LEFT]) for s in large)
    top = min(int(s[cv2.CC_STAT_TOP]) for s in large)
    right = max(int(s[cv2.CC_STAT_LEFT] + s[cv2.CC_STAT_WIDTH]) for s in large)
    bottom = max(int(s[cv2.CC_STAT_TOP] + s[cv2.CC_STAT_HEIGHT]) for s in large)
    wide = max((right - left) * 1.3, (bottom - top) * 1.3 / _SHAPE, width * _LEAST_SHARE)
    wide = min(wide, width, height / _SHAPE)
    tall = wide * _SHAPE
    x = min(max((left + right - wide) / 2, 0), width - wide)
    y = min(max((top + bottom - tall) / 2, 0), height - tall)
    return int(x), int(y), int(wide), int(tall)
