"""A moment of a film as a film of its own, which every browser plays."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from uuid import uuid4

import av
import numpy as np
from av.error import FFmpegError
from av.video.frame import VideoFrame
from av.video.reformatter import ColorRange, Colorspace

from vision.capture.frame_reader import FrameReader
from vision.capture.frames import Image, VideoError

#: The clock of a clip, in a second.
_CLOCK = 90_000
#: The longest clip, s.
LONGEST_S = 120.0
_ENCODER = {"preset": "veryfast", "crf": "20", "g": "30", "bf": "0"}


def clip(path: str | Path, from_s: float, to_s: float, out: str | Path) -> int:
    """Write what a film shows from one moment to another (s) as an MP4 (H.264); how many frames it has.

    It begins with the frame that is shown at `from_s`, to the frame, with the times between frames as they are, without
    sound. `out` is written whole or not at all. Raises VideoError, also where the moments are none.
    """
    with FrameReader(path) as reader:
        if not 0 <= from_s < to_s:
            raise VideoError(
                f"{path} has nothing from {from_s:g} to {to_s:g} s: let the clip end after it begins"
            )
        if from_s > reader.times[-1]:
            raise VideoError(
                f"{path} ends at {reader.times[-1]:.1f} s: choose an earlier moment than {from_s:g} s"
            )
        numbers = range(reader.index_at(from_s), reader.index_at(to_s) + 1)
        return write_clip(((float(reader.times[number]), reader.frame(number)) for number in numbers), out)


def write_clip(frames: Iterable[tuple[float, Image]], out: str | Path) -> int:
    """Write (time in s, picture) as an MP4, whole or not at all; how many there were. Raises VideoError.

    No more than `LONGEST_S` of it; pictures of another size than the first are left away.
    """
    out = Path(out)
    part = out.with_name(f".{out.name[:40]}.{uuid4().hex}.part")
    try:
        count = _write(frames, part)
        part.replace(out)
    except (OSError, FFmpegError) as why:
        raise VideoError(f"{out} cannot be written ({why.strerror or why}): choose another place") from why
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return count


def _write(frames: Iterable[tuple[float, Image]], part: Path) -> int:
    count, first_s, last = 0, 0.0, -1
    with av.open(str(part), "w", format="mp4", options={"movflags": "faststart"}) as film:
        stream = film.add_stream("libx264", rate=30, options=_ENCODER)
        stream.pix_fmt = "yuv420p"
        stream.time_base = stream.codec_context.time_base = Fraction(1, _CLOCK)
        # what browsers take pictures of this size for
        stream.codec_context.colorspace = int(Colorspace.ITU709)
        stream.codec_context.color_range = int(ColorRange.MPEG)
        for time_s, image in frames:
            if not count:
                first_s, size = time_s, image.shape
                stream.height, stream.width = (side - side % 2 for side in size[:2])
            if image.shape != size:
                continue
            if time_s - first_s > LONGEST_S:
                break
            last = max(last + 1, round((time_s - first_s) * _CLOCK))
            picture = _as_yuv(image[: stream.height, : stream.width])
            picture.pts, picture.time_base = last, Fraction(1, _CLOCK)
            film.mux(stream.encode(picture))
            count += 1
        if count:
            film.mux(stream.encode())
    return count


def _as_yuv(image: Image) -> VideoFrame:
    whole = VideoFrame.from_ndarray(np.ascontiguousarray(image), format="bgr24")
    return whole.reformat(format="yuv420p", dst_colorspace=Colorspace.ITU709, dst_color_range=ColorRange.MPEG)
