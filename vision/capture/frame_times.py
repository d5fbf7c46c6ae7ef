"""When the frames of a recording are shown, read without decoding any of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from itertools import chain, islice
from pathlib import Path

import av
from av.container import InputContainer
from av.error import FFmpegError
from av.video.stream import VideoStream

from vision.capture.film_files import open_film
from vision.capture.frames import VideoError, readable_file

#: How far around a moment the frames are told, s.
AROUND_S = 2.0
#: How long before what is wanted reading begins, s; further back where too few frames were found before it.
_MARGINS_S = (1.0, 10.0, float("inf"))
#: How many frames may be stored before one that is shown earlier.
_REORDERED = 17


def frame_times(path: str | Path, around: float, within: float = AROUND_S) -> list[float]:
    """Seconds from the first frame of a recording at which the frames near `around` are shown, ascending.

    Those within so many seconds, and two before and behind them, however far those are: so it is known for how long the
    frame shown and its neighbours stand. Raises VideoError.
    """
    path = Path(path)
    readable_file(path, VideoError, "a video")
    low, high = around - within, around + within
    times: list[float] = []
    before: list[float] = []
    for margin in _MARGINS_S:
        times = _read(path, low - margin, high)
        before = [time for time in times if time < low][-2:]
        if low - margin <= 0 or len(before) == 2:
            break
    behind = [time for time in times if time > high][:2]
    return before + [time for time in times if low <= time <= high] + behind


def _read(path: Path, begin: float, end: float) -> list[float]:
    """The moments between two others, and some more on either side."""
    try:
        with open_film(path) as container:
            return sorted(set(_between(container, container.streams.video[0], begin, end)))
    except (FFmpegError, OSError, ValueError) as why:
        if isinstance(why, VideoError):
            raise
        raise VideoError(f"{path} cannot be read: record or copy it again") from why


def _between(container: InputContainer, stream: VideoStream, begin: float, end: float) -> Iterator[float]:
    clock = stream.time_base or Fraction(1, av.time_base)
    moments = _moments(container, stream)
    head = list(islice(moments, _REORDERED))
    first = min(head, default=0)
    if begin > 0:
        with suppress(FFmpegError):  # a file that cannot be entered there is read from its start
            container.seek(first + int(begin / clock), stream=stream)
            head, moments = [], _moments(container, stream)
    return _until(end, ((moment - first) * clock for moment in chain(head, moments)))


def _until(end: float, moments: Iterable[Fraction]) -> Iterator[float]:
    beyond = 0
    for moment in moments:
        if moment >= 0:
            yield float(moment)
        beyond += moment > end
        if beyond > _REORDERED:
            return


def _moments(container: InputContainer, stream: VideoStream) -> Iterator[int]:
    """When the frames are shown, by the stream's own clock, in the order in which they are stored."""
    with suppress(FFmpegError):  # damaged from here on
        for packet in container.demux(stream):
            moment = packet.dts if packet.pts is None else packet.pts
            if packet.size and not packet.is_discard and moment is not None:
                yield moment
