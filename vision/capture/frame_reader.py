"""Frames of a film by number, exactly: players of films and browsers go to about the right one."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from av.error import FFmpegError
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

from vision.capture.film_files import open_film
from vision.capture.frames import Image, VideoError
from vision.capture.video import Video

#: A frame so few behind the last one that was read is read on to, even beyond a key frame.
_READ_ON = 16
#: Entering a file leads so far (s) before what is wanted at last.
_BACK_S = (0.0, 1.0, 3.0, 10.0)
#: Frames that were read on the way are kept, so many, up to so many bytes: stepping back costs nothing then.
_KEPT, _KEPT_BYTES = 60, 128_000_000


class FrameReader:
    """Gives any frame of a film by its number, counted from 0 in the order shown, as `Video` counts them.

    with FrameReader(path) as reader:
        image = reader.frame(reader.index_at(12.5))

    `times` are the seconds from the first frame at which each is shown. Stepping is cheap in both directions. Raises
    VideoError where the file is no video. For one thread at a time.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        with Video(path) as video:
            self._video = video
        self._kept: OrderedDict[int, VideoFrame] = OrderedDict()
        self._frames: Iterator[VideoFrame] = iter(())
        self._position = -1
        self._container = open_film(self.path)
        self._restart()
        try:
            self._examine()
        except (FFmpegError, OSError, ValueError) as why:
            self.close()
            raise _damaged(self.path) from why
        self._restart()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._kept.clear()
        self._container.close()

    def __len__(self) -> int:
        return len(self.times)

    def index_at(self, time_s: float) -> int:
        """The number of the frame that is shown at this time; the first or the last one beyond the ends."""
        return max(0, bisect_right(self.times, time_s + 1e-6) - 1)

    def frame(self, index: int) -> Image:
        """(height, width, 3) uint8 BGR, upright. Raises IndexError beyond the end, VideoError where it is damaged."""
        if not 0 <= index < len(self):
            raise IndexError(f"{self.path} has no frame {index}: it has {len(self)}, from 0 on")
        if index not in self._kept:
            self._read_to(index)
        return self._video.upright(self._kept[index])

    def _examine(self) -> None:
        """When every frame is shown, and which can be decoded by itself, without decoding any."""
        found = [
            (packet.pts, packet.is_keyframe)
            for packet in self._packets()
            if packet.pts is not None and not packet.is_discard
        ]
        #: A film without a clock is counted through from its beginning.
        self._counted = self._container.format.name == "avi" or not found
        if self._counted:
            self._restart()
            stamps, clock = list(range(sum(1 for _ in self._frames))), 1 / (self._video.fps or 30.0)
        else:
            stamps, clock = sorted(stamp for stamp, _ in found), float(self._stream.time_base or 0)
        #: The frames' time stamps by the file's own clock, ascending, and how long (s) one tick of it takes.
        self.clock = clock
        self.stamps: NDArray[np.int64] = np.array(stamps, np.int64)
        self.times: NDArray[np.float64] = (self.stamps - self.stamps[0]) * clock
        self._keys = np.searchsorted(self.stamps, sorted(stamp for stamp, key in found if key))

    def _read_to(self, index: int) -> None:
        """Decode up to a frame, from where decoding is or from the key frame before it."""
        if not min(self._key_before(index), index - _READ_ON) <= self._position < index:
            self._go_to(index)
        try:
            for frame in self._frames:
                self._position = self._number_of(frame)
                self._keep(self._position, frame)
                if self._position >= index:
                    break
        except FFmpegError as why:
            self._position = -1
            raise _damaged(self.path, index) from why
        if index not in self._kept:
            self._position = -1
            raise _damaged(self.path, index)

    def _key_before(self, index: int) -> int:
        """The number of the last key frame up to this one; 0 where none is known."""
        at = int(np.searchsorted(self._keys, index, "right")) - 1
        return int(self._keys[at]) if at >= 0 and not self._counted else 0

    def _go_to(self, index: int) -> None:
        """Let decoding go on from a key frame that is shown no later than this frame."""
        if not self._counted:
            key, second = int(self.stamps[self._key_before(index)]), 1 / (self._stream.time_base or 1)
            # some files are sought in by when packets are decoded, not by when they are shown
            if any(self._enter(key - round(back_s * second), index) for back_s in _BACK_S):
                return
        self._restart()

    def _enter(self, stamp: int, index: int) -> bool:
        """Go on from there; False where that is behind what this frame needs."""
        try:
            self._container.seek(stamp, stream=self._stream)
        except FFmpegError:
            return False
        self._stream.codec_context.flush_buffers()
        packets = self._packets()
        first = next((packet for packet in packets if packet.is_keyframe), None)
        if first is None or first.pts is None or first.pts > self.stamps[index]:
            return False
        self._frames, self._position = self._decoded(chain([first], packets)), -1
        return True

    def _restart(self) -> None:
        """Let decoding go on from the beginning."""
        self._container.close()
        self._container = open_film(self.path)
        self._stream = self._container.streams.video[0]
        self._stream.thread_type = "SLICE"
        self._frames = self._decoded(self._packets())
        self._position = -1

    def _decoded(self, packets: Iterator[Packet[VideoStream]]) -> Iterator[VideoFrame]:
        """Frames in the order shown; raises FFmpegError where one is damaged."""
        for packet in packets:
            yield from self._stream.codec_context.decode(packet)
        yield from self._stream.codec_context.decode(None)

    def _packets(self) -> Iterator[Packet[VideoStream]]:
        return (packet for packet in self._container.demux(self._stream) if packet.size)

    def _number_of(self, frame: VideoFrame) -> int:
        if self._counted or frame.pts is None:
            return self._position + 1
        return int(np.searchsorted(self.stamps, frame.pts))

    def _keep(self, index: int, frame: VideoFrame) -> None:
        self._kept[index] = frame
        self._kept.move_to_end(index)
        most = max(2, min(_KEPT, _KEPT_BYTES // max(1, frame.width * frame.height * 3 // 2)))
        while len(self._kept) > most:
            self._kept.popitem(last=False)


def _damaged(path: Path, index: int | None = None) -> VideoError:
    where = "" if index is None else f" at frame {index}"
    return VideoError(f"{path} is damaged{where}: copy the recording again, or look at another moment")
