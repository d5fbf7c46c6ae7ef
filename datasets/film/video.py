"""H.264 files, frame by frame."""

from __future__ import annotations

from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from types import TracebackType

import av
import numpy as np
from numpy.typing import NDArray

from datasets.files import whole


class VideoWriter:
    """Writes I420 frames of one size at a constant rate; a context manager."""

    def __init__(
        self, path: Path, width: int, height: int, fps: int, *, crf: int = 24, preset: str = "veryfast"
    ) -> None:
        self._file = ExitStack()
        part = self._file.enter_context(whole(path))
        self._container = av.open(str(part), "w", format="mp4", options={"movflags": "+faststart"})
        self._stream = self._container.add_stream("libx264", rate=fps)
        self._stream.width, self._stream.height, self._stream.pix_fmt = width, height, "yuv420p"
        self._stream.options = {"crf": str(crf), "preset": preset, "threads": "1", "g": str(4 * fps)}
        # on processors with AVX-512 x264's own choice of methods does not give the same bytes twice
        self._stream.options |= {"x264-params": "cpu-independent=1"}
        self._stream.codec_context.time_base = Fraction(1, fps)
        self._count = 0

    def __enter__(self) -> VideoWriter:
        return self

    def write(self, i420: NDArray[np.uint8]) -> None:
        """Append one frame: (height · 3 / 2, width) planes as `cv2.COLOR_BGR2YUV_I420` gives them."""
        frame = av.VideoFrame.from_ndarray(i420, format="yuv420p")
        frame.pts = self._count
        self._count += 1
        self._container.mux(self._stream.encode(frame))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._file:
            try:
                if kind is None:
                    self._container.mux(self._stream.encode(None))
            finally:
                self._container.close()
            if error is not None:
                raise error
