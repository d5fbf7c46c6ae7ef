"""Measures how fast the eye and the rules are on this machine, and prints a table."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from referee.record.check import check_lines
from referee.service import tools
from vision.capture.video import Video


def median_ms(action: Callable[[], object], times: int) -> float:
    """The median time of an action that has run once before, ms."""
    action()
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds) * 1000


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--video", type=Path, default=tools.sample, help="a recording to look at")
    parser.add_argument("--record", type=Path, help="a record to check")
    parser.add_argument("--times", type=int, default=7)
    options = parser.parse_args()
    with Video(options.video) as video:
        frame = next(iter(video)).image
        start = time.perf_counter()
        count = sum(1 for _ in video)
        decoding = (time.perf_counter() - start) / max(count, 1) * 1000
    eye = tools.eyes.look()
    middle = np.ascontiguousarray(
        frame[frame.shape[0] // 4 : -frame.shape[0] // 4 or None, : frame.shape[1] // 2]
    )
    rows = [
        (f"decode a frame ({video.width}x{video.height})", decoding),
        ("look at a whole frame", median_ms(lambda: eye.see(frame), options.times)),
        (
            f"look at a part ({middle.shape[1]}x{middle.shape[0]})",
            median_ms(lambda: eye.see(middle), options.times),
        ),
    ]
    if options.record is not None:
        lines = options.record.read_bytes().splitlines(keepends=True)
        rows.append(
            (f"check a record of {len(lines)} lines", median_ms(lambda: check_lines(lines), options.times))
        )
    for name, figure in rows:
        print(f"{name:<36} {figure:9.1f} ms")


if __name__ == "__main__":
    main()
