"""Words on backs: names of games, clubs and shops that do not exist, in the fonts that are fetched."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from datasets.decks.pen import Mask

Generator = np.random.Generator

_SYLLABLES = [
    *("BA", "BEL", "BRU", "CA", "CAR", "DO", "DEN", "EL", "FA", "FON", "GRA", "HA", "KAR", "KO", "LU", "LA"),
    *("MA", "MER", "NO", "NI", "OR", "PA", "PLA", "RI", "RU", "SA", "SOL", "TA", "TRI", "VA", "VI", "ZE"),
]
_ENDS = ["", "", "S", "N", "R", "X", "LL", "ST", "O", "A", "'S"]
_LATER = ["& CO", "CLUB", "BAR", "4U", "24", "1911", "No 7", "AIR", "HOTEL", "GAMES", "II", "+", "!"]
#: px of a letter as it is drawn, before it is made as high as it is printed.
_DRAWN_PX = 120


def words(rng: Generator) -> str:
    """One word or two."""
    parts = [str(rng.choice(_SYLLABLES)) for _ in range(int(rng.integers(1, 4)))]
    text = "".join(parts) + str(rng.choice(_ENDS))
    if rng.random() < 0.4:
        text += " " + str(rng.choice(_LATER))
    kind = rng.random()
    return text if kind < 0.6 else text.title() if kind < 0.85 else text.lower()


@lru_cache(maxsize=16)
def _font(path: Path) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(path), _DRAWN_PX)


def written(text: str, font: Path, height: int) -> Mask:
    """(height, width) alpha of a line of text; a square of ink where the font has none of its letters."""
    face = _font(font)
    left, top, right, bottom = (round(v) for v in face.getbbox(text))
    if right - left < 2 or bottom - top < 2:
        return np.full((height, height), 255, np.uint8)
    picture = Image.new("L", (right - left + 4, bottom - top + 4), 0)
    ImageDraw.Draw(picture).text((2 - left, 2 - top), text, font=face, fill=255)
    drawn = np.asarray(picture, dtype=np.uint8)
    width = max(2, round(drawn.shape[1] * height / drawn.shape[0]))
    return np.asarray(cv2.resize(drawn, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def stamp(
    inked: Mask, sign: Mask, x: float, y: float, turn: float = 0.0, largest: float | None = None
) -> None:
    """Lay a sign with its middle at (x, y) px into a mask, turned (radians), at most `largest` px wide."""
    rows, columns = sign.shape
    scale = 1.0 if largest is None else min(1.0, largest / columns)
    cosine, sine = scale * float(np.cos(turn)), scale * float(np.sin(turn))
    middle = np.array([columns / 2, rows / 2])
    matrix = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0]])
    matrix[:, 2] = np.array([x, y]) - matrix[:, :2] @ middle
    laid = cv2.warpAffine(sign, matrix, inked.shape[::-1], flags=cv2.INTER_AREA)
    np.maximum(inked, laid, out=inked)
