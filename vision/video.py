"""Recordings frame by frame, with the time that each frame was really shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Self

import av
import numpy as np
from av.error import FFmpegError
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from vision.frames import MAX_MEGAPIXELS, CutOffError, Image, VideoError, readable_file

#: A recording may end this much before its stated length, in seconds (containers round, tracks differ).
_TOLERATED_GAP_S = 0.5


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a recording."""

    index: int
    #: Seconds from the first frame.
    time_s: float
    #: (height, width, 3) uint8 BGR, upright.
    image: Image


class Video:
    """A recording, read once from its beginning.

    with Video(path) as video:
        for frame in video: ...

    Raises VideoError where the file is no video, and CutOffError behind the last frame of a cut-off one.
    `duration_s` and `fps` are what the file states (0 where it states nothing).
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        readable_file(self.path, VideoError, "a video")
        try:
            self._container = av.open(str(self.path))
        except (FFmpegError, OSError, ValueError) as why:
            raise VideoError(
                f"{self.path} is not a video, or is cut off at its start or end: record or copy it again"
            ) from why
        try:
            self._stream = self._picture_track()
        except VideoError:
            self._container.close()
            raise
        self.width, self.height = self._stream.width, self._stream.height
        self.fps = float(self._stream.average_rate or 0)
        self.duration_s = self._stated_duration()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._container.close()

    def __repr__(self) -> str:
        size = f"{self.width}x{self.height}"
        return f"Video({self.path.name}, {size}, {self.fps:.3g} fps, {self.duration_s:.1f} s)"

    def __iter__(self) -> Iterator[Frame]:
        """Every frame in the order shown; a damaged one is passed over."""
        for index, (time_s, shown) in enumerate(self._timed()):
            yield Frame(index, time_s, _upright(shown))

    def at(self, moments: Iterable[float]) -> Iterator[tuple[float, Image]]:
        """(moment, image) for each moment (s, ascending): the first frame from then on, else the last one.

        Cheaper than going through all frames: only what is asked for is turned into an array.
        """
        waiting = list(moments)[::-1]
        last: VideoFrame | None = None
        try:
            for time_s, last in self._timed():
                while waiting and time_s >= waiting[-1]:
                    yield waiting.pop(), _upright(last)
                if not waiting:
                    return
        except CutOffError:
            pass
        while waiting and last is not None:
            yield waiting.pop(), _upright(last)

    def _timed(self) -> Iterator[tuple[float, VideoFrame]]:
        """(seconds from the first frame, frame), and the errors of iterating."""
        first: Fraction | None = None
        end_s = 0.0
        for moment, shown in self._decoded():
            first = moment if first is None else first
            end_s = float(moment - first)
            yield end_s, shown
        if first is None:
            raise VideoError(f"{self.path} has no frame that can be decoded: record or copy it again")
        if self.duration_s - end_s > _TOLERATED_GAP_S + (1 / self.fps if self.fps else 0):
            raise CutOffError(
                f"{self.path} is cut off at {end_s:.1f} s of {self.duration_s:.1f} s: record or copy it again"
            )

    def _picture_track(self) -> VideoStream:
        if self._container.format.name.endswith("_pipe") or self._container.format.name == "image2":
            raise VideoError(f"{self.path} is a picture, not a video: use `nerts-referee see` or `score`")
        if not self._container.streams.video:
            raise VideoError(f"{self.path} has no picture track: give a video, not a sound recording")
        stream = self._container.streams.video[0]
        if stream.width * stream.height > MAX_MEGAPIXELS * 1e6:
            raise VideoError(
                f"{self.path} has frames of more than {MAX_MEGAPIXELS} megapixels: record it smaller"
            )
        stream.thread_type = "AUTO"
        return stream

    def _stated_duration(self) -> float:
        if self._stream.duration is not None and self._stream.time_base is not None:
            return float(self._stream.duration * self._stream.time_base)
        only_pictures = len(self._container.streams) == len(self._container.streams.video)
        if only_pictures and self._container.duration is not None:
            return self._container.duration / av.time_base
        return 0.0

    def _decoded(self) -> Iterator[tuple[Fraction, VideoFrame]]:
        """(moment in s by the file's clock, frame); packets that cannot be decoded are passed over."""
        clock = self._stream.time_base or Fraction(1, av.time_base)
        for packet in self._packets():
            try:
                frames = self._stream.codec_context.decode(packet)
            except FFmpegError:
                continue
            for frame in frames:
                if frame.pts is not None:
                    yield frame.pts * clock, frame

    def _packets(self) -> Iterator[Packet[VideoStream] | None]:
        """The packets up to the end or the cut, then None: the decoder gives what it still holds."""
        try:
            for packet in self._container.demux(self._stream):
                if packet.size:
                    yield packet
        except FFmpegError:
            pass
        yield None


def _upright(frame: VideoFrame) -> Image:
    """The frame as BGR, turned as the phone that took it says."""
    image = frame.to_ndarray(format="bgr24")
    quarter_turns = round(frame.rotation / 90) % 4
    return np.ascontiguousarray(np.rot90(image, quarter_turns), dtype=np.uint8)
