"""One frame is turned into what each wants by several threads at once: the recorder, who looks, and the page."""

from __future__ import annotations

from threading import Barrier, Thread

import av
import numpy as np
import pytest
from numbered import number_of, numbered
from pretend_phone import PATIENCE_S

from vision.capture.live.lazy_frame import LazyFrame, converted

ROUNDS, THREADS = 150, 4


@pytest.mark.parametrize("kind", ["yuvj420p", "yuv422p", "yuv420p"])
def test_many_threads_want_one_frame_in_several_ways(kind: str) -> None:
    """A frame's own converter, used by two threads at once, waits for ever."""
    frames = [
        LazyFrame(
            number, 0.0, av.VideoFrame.from_ndarray(numbered(number), format="bgr24").reformat(format=kind)
        )
        for number in range(ROUNDS)
    ]
    together = Barrier(THREADS)
    read: list[list[int]] = [[] for _ in range(THREADS)]

    def want(who: int) -> None:
        for frame in frames:
            together.wait(PATIENCE_S)
            if who % 2:
                read[who].append(number_of(frame.image))
            else:
                again = converted(frame.raw, "yuv444p")
                read[who].append(number_of(np.asarray(converted(again, "bgr24").to_ndarray())))

    threads = [Thread(target=want, args=(who,), daemon=True) for who in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(2 * PATIENCE_S)
    assert not any(thread.is_alive() for thread in threads), "a thread waits for ever"
    assert read == [list(range(ROUNDS))] * THREADS
