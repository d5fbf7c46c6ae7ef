"""Recordings frame by frame, with the time that each frame was really shown."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import av
import numpy as np
from av.container import InputContainer
from av.error import FFmpegError
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from vision.capture.film_files import open_film
from vision.capture.frames import MAX_MEGAPIXELS, CutOffError, Image, VideoError, readable_file

#: A recording may end this much before its stated length, in seconds (containers round, tracks differ).
_TOLERATED_GAP_S = 0.5
#: So many frames before one that cannot be decoded may be spoilt already: the decoder patches up what it can.
_HELD_FRAMES = 2
#: A clock that runs back by less than this (s) stutters; by more, it was set back. One that leaps ahead by more than
#: the second was set, too: nobody waits so long for a play. It goes on from where it was.
_SET_BACK_S, _SET_AHEAD_S = 1.0, 3600.0

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a recording."""

    index: int
    #: Seconds from the beginning.
    time_s: float
    #: (height, width, 3) uint8 BGR, upright.
    image: Image
    #: (from, to) s: what lies before this frame and cannot be read; None where nothing is missing.
    unreadable: Span | None = None


class Footage(Protocol):
    """A recording that is gone through frame by frame, wherever it is decoded, as `Video` is."""

    @property
    def width(self) -> int:
        """Of the upright picture, px."""

    @property
    def height(self) -> int:
        """Of the upright picture, px."""

    @property
    def fps(self) -> float:
        """As the file states it; 0 where it states nothing."""

    @property
    def duration_s(self) -> float:
        """As the file states it; 0 where it states nothing."""

    @property
    def unreadable_end(self) -> Span | None:
        """Known when all frames have been taken."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def __iter__(self) -> Iterator[Frame]: ...


@dataclass(frozen=True, slots=True)
class Stored:
    """One frame of a recording as it is stored, which costs less; the rest is as in `Frame`."""

    index: int
    time_s: float
    picture: VideoFrame
    unreadable: Span | None = None


@dataclass(frozen=True, slots=True)
class _Shown:
    """A frame as decoded; moments by the file's clock (s). `broken_since`: see `Frame.unreadable`."""

    index: int
    moment: Fraction
    frame: VideoFrame
    broken_since: Fraction | None = None


class Video:
    """A recording, read from its beginning each time it is gone through.

    with Video(path) as video:
        for frame in video: ...

    Raises VideoError where the file is no video, and CutOffError behind the last frame of a cut-off one.
    `width` and `height` are those of the upright picture; `duration_s` and `fps` are what the file states (0 where
    it states nothing).
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        readable_file(self.path, VideoError, "a video")
        #: (from, to) s: the end of the recording, where it cannot be read; known when all frames have been taken.
        self.unreadable_end: Span | None = None
        self._container: InputContainer | None = None
        try:
            self._examine()
        finally:
            self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        if self._container is not None:
            self._container.close()
            self._container = None

    def __repr__(self) -> str:
        size = f"{self.width}x{self.height}"
        return f"Video({self.path.name}, {size}, {self.fps:.3g} fps, {self.duration_s:.1f} s)"

    def __iter__(self) -> Iterator[Frame]:
        """Every frame in the order shown; those that damage may have spoilt are passed over."""
        for time_s, unreadable, shown in self._timed():
            yield Frame(shown.index, time_s, self.upright(shown.frame), unreadable)

    def as_stored(self, since_s: float = 0.0) -> Iterator[Stored]:
        """The same frames, not turned into arrays yet: `upright` does that.

        `since_s`: those from this second on alone. They are sought where the file allows it: then their indices count
        from where that led.
        """
        for time_s, unreadable, shown in self._timed(since_s):
            yield Stored(shown.index, time_s, shown.frame, unreadable)

    def at(self, moments: Iterable[float]) -> Iterator[tuple[float, Image]]:
        """(moment, image) for each moment (s, ascending): the first frame from then on, else the last one.

        Cheaper than going through all frames: only what is asked for is turned into an array.
        """
        waiting = list(moments)[::-1]
        last: VideoFrame | None = None
        try:
            for time_s, _, shown in self._timed():
                last = shown.frame
                while waiting and time_s >= waiting[-1]:
                    yield waiting.pop(), self.upright(last)
                if not waiting:
                    return
        except CutOffError:
            pass
        while waiting and last is not None:
            yield waiting.pop(), self.upright(last)

    def _timed(self, since_s: float = 0.0) -> Iterator[tuple[float, Span | None, _Shown]]:
        """(seconds from the beginning, what cannot be read before, frame), and the errors of iterating."""
        clock = _Clock() if since_s <= 0 else _Clock.from_behind(self._first, since_s)
        for shown in self._readable(since_s):
            if clock.takes(shown, self.fps) and clock.now_s >= since_s:
                yield clock.now_s, clock.unreadable, shown
        if clock.first is None:
            raise self._nothing_decoded()
        end_s = clock.now_s
        if self._broken_until is not None:
            end_s = max(end_s, clock.seconds(self._broken_until))
            self.unreadable_end = (clock.now_s, end_s)
        # what is stated goes by the clock, too
        if not clock.was_set and self.duration_s - end_s > _TOLERATED_GAP_S + (
            1 / self.fps if self.fps else 0
        ):
            raise CutOffError(
                f"{self.path} is cut off at {end_s:.1f} s of {self.duration_s:.1f} s: record or copy it again"
            )

    def _examine(self) -> None:
        """What the file states, and what its first frame shows: how it lies."""
        stream = self._open()
        self.fps = float(stream.average_rate or 0)
        self.duration_s = self._stated_duration(stream)
        first = next(iter(self._readable()), None)
        if first is None:
            raise self._nothing_decoded()
        #: The first frame's moment by the file's clock (s).
        self._first = first.moment
        self._stored = first.frame.width, first.frame.height
        self._quarter_turns = round(first.frame.rotation / 90) % 4
        upright = self._stored[::-1] if self._quarter_turns % 2 else self._stored
        self.width, self.height = upright

    def _nothing_decoded(self) -> VideoError:
        return VideoError(f"{self.path} has no frame that can be decoded: record or copy it again")

    def _open(self) -> VideoStream:
        """The picture track, from its beginning."""
        self.close()
        self._container = open_film(self.path)
        stream = self._container.streams.video[0]
        if stream.width * stream.height > MAX_MEGAPIXELS * 1e6:
            raise VideoError(
                f"{self.path} has frames of more than {MAX_MEGAPIXELS} megapixels: record it smaller"
            )
        # frames decoded side by side would tell of damage late, and not where it is
        stream.thread_type = "SLICE"
        return stream

    def _stated_duration(self, stream: VideoStream) -> float:
        """Seconds from the stream's own start to its end."""
        container = self._container
        assert container is not None
        if stream.duration is not None and stream.time_base is not None:
            return float(stream.duration * stream.time_base)
        only_pictures = len(container.streams) == len(container.streams.video)
        if not only_pictures or container.duration is None:
            return 0.0
        stated = float(container.duration / av.time_base)
        start = float((container.start_time or 0) / av.time_base)
        # Matroska states when the last frame ends, by a clock that need not begin at 0
        return stated - start if "matroska" in container.format.name and 0 < start < stated else stated

    def _readable(self, since_s: float = 0.0) -> Iterator[_Shown]:
        """Every frame that no damage can have spoilt: none from a packet that fails to the next key frame.

        `since_s`: from a key frame before this second on, or from the beginning.
        """
        stream = self._open()
        clock = stream.time_base or Fraction(1, av.time_base)
        self._broken_until: Fraction | None = None
        held: deque[_Shown] = deque()
        assert self._container is not None
        untimed, rate = self._container.format.name == "avi", stream.average_rate
        if since_s > 0 and not untimed:
            try:
                self._container.seek(int((self._first + Fraction(since_s)) / clock), stream=stream)
            except FFmpegError:
                stream = self._open()
        given = None if stream.start_time is None else stream.start_time * clock
        count = 0
        for packet in self._packets(stream):
            try:
                frames = stream.codec_context.decode(packet)
            except FFmpegError:
                count += 1
                self._break(held, None if packet is None or packet.pts is None else packet.pts * clock)
                continue
            for frame in frames:
                count += 1
                if frame.pts is None:
                    continue
                # AVI has no clock, and the order in which its frames are stored is not that in which they are shown
                moment = Fraction(count - 1) / rate if untimed and rate else frame.pts * clock
                since = None
                # a decoder may patch up what it cannot read, and say so of that frame alone
                if frame.is_corrupt:
                    self._break(held, moment)
                    continue
                if self._broken_until is not None:
                    if not frame.key_frame or moment <= self._broken_until:
                        self._break(held, moment)
                        continue
                    since, self._broken_until = given if given is not None else moment, None
                held.append(_Shown(count - 1, moment, frame, since))
                if len(held) > _HELD_FRAMES:
                    given = held[0].moment
                    yield held.popleft()
        yield from held

    def _break(self, held: deque[_Shown], moment: Fraction | None) -> None:
        """What is held may be spoilt, as is everything up to the next key frame."""
        moments = [self._broken_until, moment, *(shown.moment for shown in held)]
        held.clear()
        self._broken_until = max((m for m in moments if m is not None), default=Fraction(0))

    def _packets(self, stream: VideoStream) -> Iterator[Packet[VideoStream] | None]:
        """The packets up to the end or the cut, then None: the decoder gives what it still holds."""
        assert self._container is not None
        try:
            for packet in self._container.demux(stream):
                if packet.size:
                    yield packet
        except FFmpegError:
            pass
        yield None

    def upright(self, frame: VideoFrame) -> Image:
        """The frame as BGR, turned as the phone that took it says, and of the size of the first one."""
        width, height = self._stored
        image = frame.reformat(width, height, "bgr24").to_ndarray()
        return np.ascontiguousarray(np.rot90(image, self._quarter_turns), dtype=np.uint8)

    def draw(self, frame: VideoFrame, into: Image) -> None:
        """Put what `upright` gives into a picture of the size of the first one: with one copy less on the way."""
        width, height = self._stored
        plane = frame.reformat(width, height, "bgr24").planes[0]
        if plane.line_size < 3 * width:  # some are stored from the bottom up
            into[:] = self.upright(frame)
            return
        rows = np.frombuffer(memoryview(plane), np.uint8).reshape(height, plane.line_size)
        into[:] = np.rot90(rows[:, : 3 * width].reshape(height, width, 3), self._quarter_turns)


class _Clock:
    """Seconds from the beginning, that never run backwards."""

    def __init__(self) -> None:
        self.first: Fraction | None = None
        self.now_s = 0.0
        self.unreadable: Span | None = None
        self.was_set = False
        self._last = Fraction(0)

    @classmethod
    def from_behind(cls, first: Fraction, now_s: float) -> _Clock:
        """The clock of a film that is not read from its first frame, shown at `first`, but from about `now_s` on."""
        clock = cls()
        clock.first = clock._last = first
        clock.now_s = now_s
        return clock

    def takes(self, shown: _Shown, fps: float) -> bool:
        """Go on to a frame; False for one that is shown no later than the one before."""
        if self.first is None:
            self.first = shown.moment if shown.broken_since is None else min(shown.broken_since, shown.moment)
        elif -_SET_BACK_S < shown.moment - self._last <= 0:
            return False
        elif not 0 < shown.moment - self._last < _SET_AHEAD_S:
            self.was_set = True
            self.first += shown.moment - self._last - Fraction(1 / (fps or 30.0))
        before_s, self.now_s, self._last = self.now_s, self.seconds(shown.moment), shown.moment
        self.unreadable = None if shown.broken_since is None else (before_s, self.now_s)
        return True

    def seconds(self, moment: Fraction) -> float:
        """Seconds from the beginning of a moment by the file's clock."""
        return 0.0 if self.first is None else float(moment - self.first)
