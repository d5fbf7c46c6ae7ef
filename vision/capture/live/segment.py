"""One file of a recording: playable while it grows, and after the process that writes it was killed."""

from __future__ import annotations

from fractions import Fraction
from typing import BinaryIO, Protocol, TypeGuard

import av
import numpy as np
from av.packet import Packet
from av.video.frame import PictureType, VideoFrame

from vision.capture.live.lazy_frame import LazyFrame, converted, size_of
from vision.capture.video import Frame

#: The clock of these files, in a second: every frame's own time fits it to 6 millionths.
CLOCK = 90_000
#: A fragment ends so often (s): what a killed process may lose.
_FRAGMENT_S = 0.5
#: One thread and no looking ahead cost least: a quarter of a core at 1080p and 30 frames a second, half of what the
#: next better preset takes; JPEG pictures would take more, and eight times the room. A key frame every 30 frames: a
#: frame asked for by number is found soon.
_ENCODER = {"preset": "ultrafast", "tune": "zerolatency", "crf": "23", "g": "30", "sc_threshold": "0"}
_CONTAINER = {
    "movflags": "empty_moov+default_base_moof",
    "frag_duration": str(int(_FRAGMENT_S * 1e6)),
    "flush_packets": "1",
}


class Segment(Protocol):
    """A file that is being written. All of it raises OSError and FFmpegError."""

    #: When its first frame was taken, s.
    first_s: float

    def takes(self, frame: Frame) -> bool:
        """Whether this frame can go on in this file."""
        ...

    def write(self, frame: Frame) -> int:
        """Write a frame; its time stamp in the file, by `CLOCK`."""
        ...

    def close(self) -> None:
        """End the file."""
        ...


def begin(file: BinaryIO, frame: Frame) -> Segment:
    """The file that begins with this frame: the camera's own packets where it brings some, else encoded here."""
    return CopiedSegment(file, frame) if can_be_copied(frame) else EncodedSegment(file, frame)


def can_be_copied(frame: Frame) -> TypeGuard[LazyFrame]:
    """Whether a copy of the camera's own packets can begin here."""
    return isinstance(frame, LazyFrame) and bool(frame.packets) and frame.packets[-1].key


class EncodedSegment:
    """Frames of one size, encoded here."""

    def __init__(self, file: BinaryIO, first: Frame) -> None:
        self.first_s, self._size, self._last = first.time_s, size_of(first), -1
        self._out = av.open(file, "w", format="mp4", options=_CONTAINER)
        self._stream = self._out.add_stream("libx264", rate=30, options=_ENCODER)
        self._stream.width, self._stream.height = (side - side % 2 for side in self._size)
        self._stream.pix_fmt = "yuv420p"
        self._stream.time_base = self._stream.codec_context.time_base = Fraction(1, CLOCK)
        self._stream.codec_context.thread_count = 1

    def takes(self, frame: Frame) -> bool:
        """Of the same size, and the camera offers no packets of its own instead."""
        return size_of(frame) == self._size and not can_be_copied(frame)

    def write(self, frame: Frame) -> int:
        """Write a frame; its time stamp in the file."""
        picture = _even(frame, self._stream.width, self._stream.height)
        self._last = max(round((frame.time_s - self.first_s) * CLOCK), self._last + 1)
        picture.pts, picture.time_base = self._last, Fraction(1, CLOCK)
        picture.pict_type = PictureType.NONE  # not the one that it had in a film
        self._out.mux(self._stream.encode(picture))
        return self._last

    def close(self) -> None:
        """End the file."""
        try:
            self._out.mux(self._stream.encode())
        finally:
            self._out.close()


class CopiedSegment:
    """The camera's own packets with the times at which they came."""

    def __init__(self, file: BinaryIO, first: LazyFrame) -> None:
        self.first_s, self._last = first.time_s, -1
        self._coding = first.packets[-1].coding
        # what decoders must know first is taken out of the first packet
        options = {**_CONTAINER, "movflags": _CONTAINER["movflags"] + "+delay_moov"}
        self._out = av.open(file, "w", format="mp4", options=options)
        self._stream = self._out.add_mux_stream(
            "h264", width=self._coding.width, height=self._coding.height, time_base=Fraction(1, CLOCK)
        )

    def takes(self, frame: Frame) -> bool:
        """From the same camera, opened once."""
        return (
            isinstance(frame, LazyFrame) and bool(frame.packets) and frame.packets[-1].coding is self._coding
        )

    def write(self, frame: Frame) -> int:
        """Write what brought a frame; its time stamp in the file."""
        assert isinstance(frame, LazyFrame)
        # nobody can decode what comes before the first key frame
        for coded in frame.packets if self._last >= 0 else frame.packets[-1:]:
            first = self._last < 0
            self._last = max(round((frame.time_s - self.first_s) * CLOCK), self._last + 1)
            packet = Packet(self._coding.header + coded.data if first else coded.data)
            packet.pts = packet.dts = self._last
            packet.is_keyframe = coded.key
            packet.time_base, packet.stream = Fraction(1, CLOCK), self._stream
            self._out.mux(packet)
        return self._last

    def close(self) -> None:
        """End the file."""
        self._out.close()


def _even(frame: Frame, width: int, height: int) -> VideoFrame:
    """The picture as the encoder takes it: colours at half size, so its sides are even; an odd row is left away."""
    if isinstance(frame, LazyFrame) and size_of(frame) == (width, height):
        return converted(frame.raw, "yuv420p")
    image = np.ascontiguousarray(frame.image[:height, :width])
    return VideoFrame.from_ndarray(image, format="bgr24").reformat(format="yuv420p")
