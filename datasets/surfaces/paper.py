"""Printed paper: newsprint and pages that cover the whole table, and text for smaller sheets."""

from __future__ import annotations

import cv2
import numpy as np

from datasets.surfaces.noise import Field, Pixels, fractal, hsv, lit, random_colour

Generator = np.random.Generator

_FONTS = [
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_PLAIN,
    cv2.FONT_HERSHEY_SCRIPT_SIMPLEX,
]
_LETTERS = "etaoinshrdlucmfwypvbgkjqxzETAOINSHRDLC"
_DIGITS = "0123456789"


def word(rng: Generator, digits: bool = False) -> str:
    """Letters in a row, or a number."""
    pool = _DIGITS if digits else _LETTERS
    # plain indices: `choice` would make an array of the letters for every word
    picks = rng.integers(0, len(pool), int(rng.integers(1, 5 if digits else 11)))
    return "".join([pool[pick] for pick in picks.tolist()])


def write(
    rng: Generator,
    page: Pixels,
    box: tuple[int, int, int, int],
    size: float,
    ink: tuple[int, int, int],
    numbers: float = 0.1,
) -> None:
    """Fill a box (x, y, width, height in px) of a BGR page with lines of text `size` px high."""
    x, y, width, height = box
    font = int(rng.choice(_FONTS))
    scale = size / 30
    thickness = max(1, round(size / rng.uniform(7, 16)))
    pitch = size * rng.uniform(1.4, 2.2)
    baseline = y + size
    while baseline < y + height:
        text = " ".join(word(rng, rng.random() < numbers) for _ in range(int(width / size / 3) + 1))
        keep = max(1, int(width / max(size * 0.62, 1)))
        length = keep if rng.random() < 0.85 else max(1, int(keep * rng.uniform(0.2, 1)))
        cv2.putText(page, text[:length], (x, int(baseline)), font, scale, ink, thickness, cv2.LINE_AA)
        baseline += pitch


def text_page(rng: Generator, height: int, width: int, scale: float) -> Pixels:
    """A page of columns, headlines and grey pictures: BGR, `scale` px/mm."""
    paper = hsv(rng.uniform(30, 60), rng.uniform(0, 0.15), rng.uniform(0.75, 1)) * 255
    page = np.empty((height, width, 3), np.uint8)
    page[:] = paper.astype(np.uint8)
    ink = tuple(int(v) for v in hsv(220, 0.3, rng.uniform(0.02, 0.4)) * 255)
    columns = max(1, round(width / (rng.uniform(40, 90) * scale)))
    gap = 4 * scale
    each = width / columns
    for column in range(columns):
        y = rng.uniform(0, 20) * scale
        while y < height:
            tall = rng.uniform(20, 120) * scale
            box = (int(column * each + gap / 2), int(y), int(each - gap), int(min(tall, height - y)))
            kind = rng.random()
            if kind < 0.15 and box[3] > 8 and box[2] > 8:
                grey = fractal(rng, box[3], box[2], 10 * scale, 4)
                picture = (0.5 + 0.25 * grey)[..., None] * (random_colour(rng) * 255)
                page[box[1] : box[1] + box[3], box[0] : box[0] + box[2]] = np.clip(picture, 0, 255)
            elif kind < 0.3:
                tall = rng.uniform(8, 22) * scale
                write(rng, page, (*box[:3], int(tall)), tall * 0.6, ink)  # type: ignore[arg-type]
            else:
                write(rng, page, box, max(3.0, rng.uniform(1.8, 3.2) * scale), ink)  # type: ignore[arg-type]
            y += tall + 3 * scale
    return page


def newsprint(rng: Generator, height: int, width: int, scale: float) -> Field:
    """A newspaper, magazine or printed cover over the whole table."""
    light = 1 + np.float32(0.04) * fractal(rng, height, width, 100 * scale, 3)
    return lit(np.divide(text_page(rng, height, width, scale), 255, dtype=np.float32), light)
