"""One frame is turned into what each wants by several threads at once: the recorder, who looks, and the page."""

from __future__ import annotations

from itertools import islice
from threading import Barrier, Thread

import av
import cv2
import numpy as np
import pytest
from numbered import number_of, numbered
from pretend_phone import PATIENCE_S

from referee.service.toolbox import SAMPLE
from vision.capture.live.lazy_frame import (
    LazyFrame,
    blue_levels,
    brightness,
    converted,
    frames_of,
    grey_levels,
)
from vision.capture.video import Video

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


def test_a_film_gives_the_same_frames_and_their_grey_levels_without_colours() -> None:
    with Video(SAMPLE) as film:
        plain = list(islice(film, 3))
    with Video(SAMPLE) as film:
        lazy = list(islice(frames_of(film), 3))
    for before, frame in zip(plain, lazy, strict=True):
        assert isinstance(frame, LazyFrame)
        assert (frame.index, frame.time_s, frame.unreadable) == (
            before.index,
            before.time_s,
            before.unreadable,
        )
        grey = grey_levels(frame)
        assert np.array_equal(brightness(frame, 4), grey[::4, ::4])
        # stored with less contrast than pictures have, as films are
        of_colours = cv2.cvtColor(before.image, cv2.COLOR_BGR2GRAY).astype(float)
        assert np.abs((grey - 16.0) * 255 / 219 - of_colours).mean() < 3.0
        # and so with their blue
        blue, of_whole = blue_levels(frame).astype(float), blue_levels(before).astype(float)
        assert blue.shape == of_whole.shape == (before.image.shape[0] // 2, before.image.shape[1] // 2)
        assert np.abs((blue - 128.0) * 255 / 224 - (of_whole - 128.0)).mean() < 3.0
        assert blue.std() > 1.0
        assert np.array_equal(frame.image, before.image)
