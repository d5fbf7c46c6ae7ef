"""Frames whose picture is turned into an array when somebody looks at it: most are recorded only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
from av.video.frame import VideoFrame
from av.video.reformatter import VideoReformatter

from vision.capture.frames import Image
from vision.capture.video import Footage, Frame, Span, Stored, Video

#: Pictures as decoders give them whose first plane is their grey levels, a byte each.
_GREY_FIRST = ("yuv420p", "yuvj420p", "yuv422p", "yuvj422p", "yuv444p", "yuvj444p", "nv12", "gray")

#: Those of them whose second plane says how blue they are.
_BLUE_SECOND = tuple(name for name in _GREY_FIRST if name.startswith("yuv"))


@dataclass(frozen=True, slots=True, eq=False)
class Coding:
    """A camera's own H.264, from one opening of it: what decoders must know first (SPS and PPS), and its size, px."""

    header: bytes
    width: int
    height: int


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """What a camera sent of it, with start codes (ITU-T H.264, Annex B); `key`: can be decoded by itself."""

    data: bytes
    key: bool
    coding: Coding


class LazyFrame(Frame):
    """A frame as the decoder gave it.

    `packets` are what the camera sent of it, where that can be recorded as it is: in the order in which it came, with
    what came before and brought no frame.
    """

    __slots__ = ("_image", "packets", "raw")

    raw: VideoFrame
    packets: tuple[Coded, ...]
    _image: Image | None

    def __init__(
        self,
        index: int,
        time_s: float,
        raw: VideoFrame,
        unreadable: Span | None = None,
        packets: tuple[Coded, ...] = (),
    ) -> None:
        given = {"index": index, "time_s": time_s, "unreadable": unreadable}
        for name, value in {**given, "raw": raw, "packets": packets, "_image": None}.items():
            object.__setattr__(self, name, value)

    @property
    def image(self) -> Image:
        """(height, width, 3) uint8 BGR, made when it is first asked for."""
        if self._image is None:
            made = np.asarray(converted(self.raw, "bgr24").to_ndarray(), dtype=np.uint8)
            object.__setattr__(self, "_image", made)
            return made
        return self._image

    def __repr__(self) -> str:
        return f"LazyFrame({self.index}, {self.time_s:.3f} s, {self.raw.width}x{self.raw.height})"


def converted(raw: VideoFrame, kind: str) -> VideoFrame:
    """The picture with its px told otherwise, made by a converter of its own; `raw` itself where it is so already.

    A frame has one converter, and two threads that use it at once wait for ever: recorder, umpire and page share frames.
    """
    return VideoReformatter().reformat(raw, format=kind)


def frames_of(footage: Footage) -> Iterator[Frame]:
    """Every frame of a recording; of one that is decoded here, turned into arrays when somebody looks at them."""
    if not isinstance(footage, Video):
        yield from footage
        return
    for stored in footage.as_stored():
        yield lazy(footage, stored)


def lazy(video: Video, stored: Stored) -> Frame:
    """A frame of a film, turned into an array when somebody looks at it; at once where it lies on its side."""
    picture = stored.picture
    if (picture.width, picture.height) == (video.width, video.height) and not picture.rotation:
        return LazyFrame(stored.index, stored.time_s, picture, stored.unreadable)
    return Frame(stored.index, stored.time_s, video.upright(picture), stored.unreadable)


def restamped(frame: Frame, index: int, time_s: float) -> Frame:
    """The same picture with another number and time."""
    if (frame.index, frame.time_s) == (index, time_s):
        return frame
    if isinstance(frame, LazyFrame):
        return LazyFrame(index, time_s, frame.raw, frame.unreadable, frame.packets)
    return replace(frame, index=index, time_s=time_s)


def size_of(frame: Frame) -> tuple[int, int]:
    """(width, height), px, without making an array of it."""
    if isinstance(frame, LazyFrame):
        return frame.raw.width, frame.raw.height
    height, width = frame.image.shape[:2]
    return width, height


def bytes_of(frame: Frame) -> int:
    """About how much memory the frame takes."""
    width, height = size_of(frame)
    return width * height * 3


def brightness(frame: Frame, every: int) -> Image:
    """Every so many px of its grey levels, as they are, without making an array of all of it where that can be."""
    plane = _grey_plane(frame)
    return (frame.image[::every, ::every, 1] if plane is None else plane[::every, ::every]).copy()


def grey_levels(frame: Frame) -> Image:
    """(height, width) its grey levels: as they came, not to be changed, or worked out where it came in colours."""
    plane = _grey_plane(frame)
    return np.asarray(cv2.cvtColor(frame.image, cv2.COLOR_BGR2GRAY) if plane is None else plane, np.uint8)


def blue_levels(frame: Frame) -> Image:
    """(height, width) how blue (255) or yellow (0) it is: mostly at half of its size, as it came, not to be changed."""
    if isinstance(frame, LazyFrame) and frame.raw.format.name in _BLUE_SECOND:
        return _plane(frame.raw, 1)
    half = cv2.resize(frame.image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(half, cv2.COLOR_BGR2YCrCb)[:, :, 2], np.uint8)


def _grey_plane(frame: Frame) -> Image | None:
    """(height, width) the grey levels that came with it, where they lie in the decoder's memory."""
    if not isinstance(frame, LazyFrame) or frame.raw.format.name not in _GREY_FIRST:
        return None
    return _plane(frame.raw, 0)


def _plane(raw: VideoFrame, number: int) -> Image:
    plane = raw.planes[number]
    rows = np.frombuffer(memoryview(plane), np.uint8)[: plane.line_size * plane.height]
    return rows.reshape(plane.height, plane.line_size)[:, : plane.width]
