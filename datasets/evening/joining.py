"""Parts of a film put together: the very frames of every part, one after the other, in one file."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av

from datasets.files import whole


def join_videos(parts: Sequence[Path], out: Path, fps: int) -> None:
    """One H.264 file of parts that `VideoWriter` wrote with the same settings; nothing is encoded anew."""
    with (
        whole(out) as part,
        av.open(str(part), "w", format="mp4", options={"movflags": "+faststart"}) as film,
    ):
        stream = None
        frames = 0
        for path in parts:
            with av.open(str(path)) as source:
                video = source.streams.video[0]
                if stream is None:
                    stream = film.add_stream_from_template(video)
                    stream.time_base = video.time_base
                assert video.time_base is not None
                begins = round(Fraction(frames, fps) / video.time_base)
                for packet in source.demux(video):
                    if packet.pts is None or packet.dts is None:
                        continue
                    packet.pts, packet.dts = packet.pts + begins, packet.dts + begins
                    packet.stream = stream
                    film.mux(packet)
                    frames += 1
