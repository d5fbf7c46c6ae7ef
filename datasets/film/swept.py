"""A phone held over spread cards for two or three seconds while it is moved: a film of one lay from several sides.

One photo of the lay is painted; every frame is that photo as the plane of the table looks from where the phone is then,
blurred by how far it moves while the shutter is open, with a sensor's noise, as H.264.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.film.video import VideoWriter
from datasets.photos.lays import Lay
from datasets.photos.phone import LONG, Phone
from datasets.stills import Still
from datasets.truth import CardTruth

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

FPS = 24
#: Longer side of a film, px, beside that of a photo.
FILM_LONG = 1600
#: Seconds at least and at most.
SECONDS = (2.0, 3.0)
#: How far it is moved: tilt and direction of the tilt (radians), roll, shares of the picture it is shifted by, and zoom.
MOVED = {"tilt": 0.2, "towards": 0.6, "roll": 0.06, "across": 0.02, "along": 0.02, "zoom": 0.03}
#: Waves a second that a sweep is made of, and how much each counts: the sweep, and the hand that shakes.
WAVES = ((0.35, 1.0), (0.8, 0.4), (2.5, 0.05), (6.0, 0.015))
#: Share of a frame's time that the shutter is open, and pictures that its blur is made of.
SHUTTER, BLURRED = (0.15, 0.6), 5
NOISE = 3.0


@dataclass(frozen=True, slots=True)
class Sweep:
    """A film of a lay, and what is true of its cards: their decks, whatever the frame."""

    path: Path
    cards: list[CardTruth]
    frames: int


def film_sweep(
    rng: np.random.Generator, lay: Lay, path: Path, seconds: tuple[float, float] = SECONDS
) -> Sweep | None:
    """Films a lay into `path`; None where no photo shows a strip of every card."""
    taken = lay.photo_by()
    if taken is None:
        return None
    still, phone = taken
    scale = FILM_LONG / LONG
    small = replace(phone, width=_even(phone.width * scale), height=_even(phone.height * scale))
    count = round(float(rng.uniform(*seconds)) * FPS)
    ways = _ways(rng, still, small, lay, count)
    shutter = float(rng.uniform(*SHUTTER))
    with VideoWriter(path, small.width, small.height, FPS, crf=21) as film:
        for number in range(count):
            frame = _frame(rng, still.image, ways, number, shutter, (small.width, small.height))
            film.write(np.asarray(cv2.cvtColor(frame, cv2.COLOR_BGR2YUV_I420), np.uint8))
    return Sweep(path, still.cards, count)


def _even(side: float) -> int:
    return 2 * round(side / 2)


def _ways(rng: np.random.Generator, still: Still, phone: Phone, lay: Lay, count: int) -> list[Floats]:
    """(3, 3) each: from px of the photo to px of every frame."""
    assert still.scene is not None
    moved = {name: _path(rng, count) * far for name, far in MOVED.items()}
    decks = [str(i) for i in range(len(lay.decks))]
    back = np.linalg.inv(still.scene.to_picture)
    ways = []
    for k in range(count):
        held = replace(
            phone,
            tilt=float(np.clip(phone.tilt + moved["tilt"][k], 0.0, 0.85)),
            towards=phone.towards + float(moved["towards"][k]),
            roll=phone.roll + float(moved["roll"][k]),
        )
        middle = np.array([phone.width, phone.height]) / 2
        zoom = float(np.exp(moved["zoom"][k]))
        shift = middle * (1 - zoom) + (moved["across"][k], moved["along"][k]) * (2 * middle)
        shaken = np.array([[zoom, 0, shift[0]], [0, zoom, shift[1]], [0, 0, 1.0]])
        ways.append(shaken @ held.aim(lay.cards, decks).to_picture @ back)
    return ways


def _path(rng: np.random.Generator, count: int) -> Floats:
    """(count,) how far something is moved, of a spread of about 1."""
    times = np.arange(count) / FPS
    told = np.zeros(count)
    for a_second, share in WAVES:
        told += share * rng.normal(0, 1.4) * np.sin(2 * np.pi * (a_second * times + rng.random()))
    return told


def _frame(
    rng: np.random.Generator,
    image: Pixels,
    ways: list[Floats],
    number: int,
    shutter: float,
    size: tuple[int, int],
) -> Pixels:
    """What the phone sees from one frame's place on its way to the next one's."""
    now, then = ways[number], ways[min(number + 1, len(ways) - 1)]
    summed = np.zeros((size[1], size[0], 3), dtype=np.float32)
    for part in np.linspace(0.0, shutter, BLURRED):
        way = now / now[2, 2] * (1 - part) + then / then[2, 2] * part
        summed += cv2.warpPerspective(image, way, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
    noisy = summed / BLURRED + rng.normal(0, NOISE, summed.shape)
    return np.asarray(np.clip(noisy, 0, 255), dtype=np.uint8)
