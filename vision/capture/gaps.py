"""Where a recording tells nothing: it cannot be read, its picture stands still as none does, or it has too few frames.

>>> gaps = GapFinder()
>>> for frame in video:
...     told += gaps.push(frame)
>>> told += gaps.end()
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.frames import Image
from vision.capture.video import Frame, Span

Why = Literal["unreadable", "frozen", "few-frames", "dark", "covered", "moved"]

#: Two frames further apart than this (s) leave room for a play that nobody sees.
FEW_FRAMES_S = 0.2
#: Stretches with too few frames are one when no more than this (s) lies between them.
JOINED_S = 1.0
#: A picture that stood still for so long (s) and then jumps was frozen; one that stands to the end, after so long.
FROZEN_S, FROZEN_END_S = 0.75, 2.5
#: Every so many px are looked at. A pixel differs by more than so much (of 255), a picture if more than this share do.
EVERY_PX, _STEP, _STILL_SHARE = 4, 6, 1e-3
#: Not even so many pixels of a frozen picture differ at all: nearly all of a camera's do, now and then.
_NOISELESS_SHARE = 0.01
#: A picture has jumped when so many of its pixels differ at once: more than when a hand comes in.
_JUMP_SHARE = 0.06


@dataclass(frozen=True, slots=True)
class Gap:
    """A stretch in which the picture told nothing, s from the beginning of the recording."""

    since_s: float
    until_s: float
    why: Why
    #: The longest time within it without a new picture, s.
    blind_s: float


class GapFinder:
    """Push every frame; told are the gaps that have ended.

    `numbered`: frames may be left out, and their numbers tell how many a camera gave: too few are those that it did
    not give.
    """

    def __init__(self, *, numbered: bool = False) -> None:
        self._numbered = numbered
        self._last_s: float | None = None
        self._last_index = 0
        self._picture: Image | None = None
        #: Since when (s) the picture stands still, and since when it has shown no noise.
        self._still_since: float | None = None
        self._noiseless_since: float | None = None
        self._few: Gap | None = None

    def push(self, frame: Frame, grey: Image | None = None) -> list[Gap]:
        """Take the next frame: the gaps that it ends. `grey`: every fourth of its px, where they are at hand."""
        told, last_s, now_s = [], self._last_s, frame.time_s
        picture = _small(frame.image) if grey is None else grey
        given = max(1, frame.index - self._last_index) if self._numbered else 1
        if frame.unreadable is not None:
            told.append(_whole(frame.unreadable, "unreadable"))
            self._still_since = self._noiseless_since = None
        elif last_s is not None and self._picture is not None:
            held_since = self._compare(picture, self._picture, last_s)
            if held_since is not None and now_s - held_since >= FROZEN_S and now_s - last_s <= FEW_FRAMES_S:
                told.append(_whole((held_since, now_s), "frozen"))
            else:
                since_s = last_s if held_since is None else held_since
                told += self._count(since_s, now_s, (now_s - since_s) / given)
        self._last_s, self._picture, self._last_index = now_s, picture, frame.index
        return told

    @property
    def under_way(self) -> Gap | None:
        """The stretch with too few frames that has not ended yet."""
        return self._few

    def end(self, unreadable: Span | None = None) -> list[Gap]:
        """The gaps that last to the end; `unreadable`: see `Video.unreadable_end`."""
        told = [] if self._few is None else [self._few]
        now, since = self._last_s or 0.0, self._noiseless_since
        if since is not None and now - since >= FROZEN_END_S:
            told.append(_whole((since, now), "frozen"))
        if unreadable is not None:
            told.append(_whole(unreadable, "unreadable"))
        self._few = self._still_since = self._noiseless_since = None
        return told

    def _count(self, since_s: float, now_s: float, blind_s: float) -> list[Gap]:
        """Whether too long has passed from picture to picture; the stretch of such pictures that has ended."""
        few = self._few
        if blind_s > FEW_FRAMES_S:
            first_s, longest_s = (few.since_s, few.blind_s) if few else (since_s, 0.0)
            self._few = Gap(first_s, now_s, "few-frames", max(longest_s, blind_s))
        elif few and now_s - few.until_s > JOINED_S:
            self._few = None
            return [few]
        return []

    def _compare(self, picture: Image, last: Image, last_s: float) -> float | None:
        """Since when (s) the last picture had been held, if this one jumps away from it."""
        step = np.asarray(cv2.absdiff(picture, last), dtype=np.uint8)
        if cv2.countNonZero(step) > _NOISELESS_SHARE * step.size:
            self._noiseless_since = None
        elif self._noiseless_since is None:
            self._noiseless_since = last_s
        since = self._still_since
        if _further(step) <= _STILL_SHARE:
            self._still_since = last_s if since is None else since
            return None
        self._still_since = None
        # a lamp that is switched on changes all of the picture alike
        change = picture.astype(np.int16) - last
        return since if _further(np.abs(change - np.int16(np.median(change)))) >= _JUMP_SHARE else None


def beside_blindness(gaps: Iterable[Gap], blind: Gap | None) -> list[Gap]:
    """Gaps but for those that are said already: who sees nothing (`blind`, which lasts or has just ended) sees nothing
    move.
    """
    if blind is None or blind.why == "moved":
        return list(gaps)
    since_s = blind.since_s - FEW_FRAMES_S
    return [gap for gap in gaps if gap.why != "frozen" or gap.since_s < since_s]


def _whole(span: Span, why: Why) -> Gap:
    """A gap without any new picture."""
    return Gap(*span, why, span[1] - span[0])


def _further(step: NDArray[np.int16] | Image) -> float:
    """The share of px that differ by more than `_STEP`."""
    _, further = cv2.threshold(step, _STEP, 1, cv2.THRESH_BINARY)
    return cv2.countNonZero(further) / step.size


def _small(image: Image) -> Image:
    """Some px of a picture, as they are: a mean of many would hide what shows that a camera is at work, its noise."""
    return image[::EVERY_PX, ::EVERY_PX, 1].copy()
