"""Films and pictures that carry their frame's number in themselves, as a row of black and white fields."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from pathlib import Path

import av
import numpy as np

BITS, FIELD = 12, 16
WIDTH, HEIGHT = BITS * FIELD, 64


@cache
def _noise(width: int, height: int) -> np.ndarray:
    return np.random.default_rng(1).integers(90, 130, (height, width, 3), np.uint8)


def numbered(number: int, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    """A picture (BGR) that carries this number; it has some noise, as a camera's has."""
    image = np.roll(_noise(width, height), 7 * number, axis=1)
    for bit in range(BITS):
        image[: 2 * FIELD, bit * FIELD : (bit + 1) * FIELD] = 255 * (number >> bit & 1)
    return image


def number_of(image: np.ndarray) -> int:
    """The number that a picture carries."""
    fields = image[FIELD // 2 : FIELD + FIELD // 2, :, 1]
    return sum(
        int(fields[:, bit * FIELD + 4 : (bit + 1) * FIELD - 4].mean() > 128) << bit for bit in range(BITS)
    )


def numbered_film(
    path: Path,
    moments: Iterable[float],
    *,
    codec: str = "libx264",
    options: dict[str, str] | None = None,
    size: tuple[int, int] = (WIDTH, HEIGHT),
    clock: int = 90_000,
) -> Path:
    """A film whose frames carry 0, 1, 2 … and are shown at these moments (s)."""
    with av.open(str(path), "w") as out:
        stream = out.add_stream(codec, rate=30, options=options or {"preset": "ultrafast"})
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        stream.codec_context.time_base = stream.time_base = Fraction(1, clock)
        for number, moment in enumerate(moments):
            frame = av.VideoFrame.from_ndarray(numbered(number, *size), format="bgr24")
            frame.pts, frame.time_base = round(moment * clock), Fraction(1, clock)
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    return path
