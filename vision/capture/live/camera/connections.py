"""What is open while a camera is at work: frames as the decoder gives them, each with the moment at which it came."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import av
from av.codec.context import CodecContext
from av.container import InputContainer
from av.error import FFmpegError, InvalidDataError
from av.packet import Packet
from av.video.codeccontext import VideoCodecContext
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from vision.capture.headers import is_whole
from vision.capture.live.camera import web_stream
from vision.capture.live.camera.reading import stamped
from vision.capture.live.camera.web_stream import WebStream
from vision.capture.live.errors import SourceError
from vision.capture.live.lazy_frame import Coded, Coding

#: So many pictures in a row that cannot be read are no accident.
_MOST_SPOILT = 60


@dataclass(frozen=True, slots=True)
class Came:
    """A frame, when it came by the clock, and the packets that brought it, if they can be recorded as they are."""

    moment: float
    raw: VideoFrame
    packets: tuple[Coded, ...] = ()


class Connection(Protocol):
    """A camera while it is at work."""

    #: Frames a second, as stated; 0 where that is not stated.
    fps: float

    def frames(self) -> Iterator[Came]:
        """Frames as they come; ends, or raises what the camera fails with, when it is gone. Lets go of it then."""
        ...

    def wake(self) -> None:
        """Let whoever waits for the next frame go on, if anything can."""
        ...


class Pictures:
    """JPEG pictures, one behind the other."""

    def __init__(self, stream: WebStream) -> None:
        self._stream = stream
        self.fps = 0.0

    def frames(self) -> Iterator[Came]:
        """See `Connection`."""
        spoilt = 0
        try:
            for moment, data in stamped(self._stream.pictures(), web_stream.STALL_S, self._stream.wake):
                raw = _decoded(data)
                spoilt = 0 if raw is not None else spoilt + 1
                if spoilt > _MOST_SPOILT:
                    raise SourceError(
                        f"{self._stream.told} sends spoilt pictures only: restart the camera or its app"
                    )
                if raw is not None:
                    yield Came(moment, raw)
        finally:
            self._stream.close()

    def wake(self) -> None:
        """See `Connection`."""
        self._stream.wake()


def _decoded(data: bytes) -> VideoFrame | None:
    """The picture that a JPEG holds; None where part of it is missing, which a decoder would make up."""
    # each picture tells all about itself; a decoder of its own takes those of another size, too
    decoder = CodecContext.create("mjpeg", "r")
    assert isinstance(decoder, VideoCodecContext)
    try:
        return next(iter(decoder.decode(Packet(data))), None) if is_whole(data) else None
    except (FFmpegError, ValueError):
        return None


class Packets:
    """Whatever FFmpeg reads: a device, an RTSP stream, a stream by HTTP (`web`, which is read through it)."""

    def __init__(self, container: InputContainer, stall_s: float, web: WebStream | None = None) -> None:
        self._container, self._web, self._stall_s = container, web, stall_s
        self._stream = container.streams.video[0]
        self._stream.thread_type = "SLICE"
        self.fps = float(self._stream.average_rate or 0)
        codec = self._stream.codec_context
        header = codec.extradata or b""
        self._coding = Coding(header, codec.width, codec.height)
        # elsewhere than in containers it has start codes
        self._copies = codec.name == "h264" and not codec.has_b_frames and header[:1] != b"\1"

    def frames(self) -> Iterator[Came]:
        """See `Connection`."""
        brought: list[Coded] = []
        spoilt = 0
        for moment, packet in stamped(self._packets(), self._stall_s, self.wake):
            if self._copies:
                brought.append(Coded(bytes(packet), packet.is_keyframe, self._coding))
            try:
                decoded = self._stream.codec_context.decode(packet)
            except InvalidDataError:  # part of it was lost on the way
                spoilt += 1
                if spoilt > _MOST_SPOILT:
                    raise
                continue
            for raw in decoded:
                spoilt = 0
                yield Came(moment, raw, self._copied(raw, packet.pts, brought))
                brought = []

    def wake(self) -> None:
        """See `Connection`."""
        if self._web is not None:
            self._web.wake()

    def _packets(self) -> Iterator[Packet[VideoStream]]:
        """Packets as they come; whoever goes through them lets go of the camera at the end."""
        try:
            for packet in self._container.demux(self._stream):
                if packet.size:
                    yield packet
        finally:
            self._container.close()
            if self._web is not None:
                self._web.close()

    def _copied(self, raw: VideoFrame, stamp: int | None, brought: list[Coded]) -> tuple[Coded, ...]:
        """What came of it, if every packet brings its frame at once and all are as the stream began."""
        size = self._coding.width, self._coding.height
        self._copies = self._copies and raw.pts == stamp and (raw.width, raw.height) == size
        return tuple(brought) if self._copies else ()


def open_web(stream: WebStream) -> Connection:
    """The frames of a stream by HTTP. Raises FFmpegError."""
    if stream.is_pictures:
        return Pictures(stream)
    try:
        container = av.open(stream, "r", options=LIVE)
        return Packets(container, web_stream.STALL_S, stream)
    except (FFmpegError, OSError, IndexError, ValueError):
        stream.close()
        raise


#: Streams are looked into for as long as is needed to tell what they are, not more; nothing is held back.
LIVE = {"fflags": "nobuffer", "analyzeduration": "1000000", "fpsprobesize": "0"}
