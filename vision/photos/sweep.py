"""A short film swept over cards by hand: its sharpest frames, which show them from several sides."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from vision.capture.frames import Image, VideoError
from vision.capture.video import Footage, Frame

#: So many frames are taken at most, one of each part of the film, and no film that is longer than this (s).
MOST, LONGEST_S = 4, 30.0
#: What has less than this share of the sharpest frame's detail is blurred by the hand and tells nothing more.
SHARP = 0.6
#: Detail is told on pictures of this width, px.
WIDTH = 960


def sharpest_frames(film: Callable[[], Footage], name: str, most: int = MOST) -> list[Frame]:
    """The sharpest frame of each of `most` parts of a film, the first first; none that is blurred beside the sharpest.

    `film` opens it, and is called twice. Raises VideoError where it is no film, or longer than a sweep.
    """
    times: list[float] = []
    details: list[float] = []
    with film() as footage:
        for frame in footage:
            if frame.time_s > LONGEST_S:
                raise VideoError(
                    f"{name} is longer than {LONGEST_S:.0f} s: sweep over the cards for two or three seconds, "
                    "or referee the recording of a hand (nerts-referee replay)"
                )
            times.append(frame.time_s)
            details.append(detail(frame.image))
    if not times:
        raise VideoError(f"{name} shows nothing: film the cards again")
    chosen = choose(np.array(times), np.array(details), most)
    with film() as footage:
        return [frame for number, frame in enumerate(footage) if number in chosen]


def choose(times: np.ndarray, details: np.ndarray, most: int = MOST) -> set[int]:
    """The numbers of the frames that are taken, by their times (s) and how much detail each shows."""
    span = max(float(times[-1] - times[0]), 1e-6)
    part = np.minimum(((times - times[0]) / span * most).astype(int), most - 1)
    best = {int(np.flatnonzero(part == k)[np.argmax(details[part == k])]) for k in np.unique(part)}
    return {number for number in best if details[number] >= SHARP * details.max()}


def detail(image: Image) -> float:
    """How much detail a picture (BGR) shows, whatever its light: what motion and a wrong focus take away."""
    scale = min(1.0, WIDTH / image.shape[1])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    edges = cv2.Laplacian(grey, cv2.CV_32F)
    return float(np.percentile(np.abs(edges), 99) / max(float(grey.std()), 4.0))
