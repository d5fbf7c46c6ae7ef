"""The small signs of a card: ranks in many fonts, and the four suits in many shapes, as alpha pictures."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from datasets.decks import cache_folder

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]

#: Height of a rank's sign and of a suit's sign, px.
SIGN_PX = 96


def font_files() -> tuple[Path, ...]:
    """Every font that the manifest fetched, in a fixed order."""
    folder = cache_folder() / "members"
    return tuple(sorted(path for kind in ("ttf", "otf") for path in folder.glob(f"fonts-*/**/*.{kind}")))


def _drawn(text: str, font: Path) -> Pixels:
    face = ImageFont.truetype(str(font), 120)
    picture = Image.new("L", (400, 240), 0)
    ImageDraw.Draw(picture).text((60, 40), text, font=face, fill=255)
    return _trimmed(np.asarray(picture))


def _trimmed(alpha: Pixels) -> Pixels:
    rows, columns = np.flatnonzero(alpha.max(axis=1) > 60), np.flatnonzero(alpha.max(axis=0) > 60)
    if not len(rows):
        return np.zeros((0, 0), np.uint8)
    return alpha[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def _at_height(alpha: Pixels, height: int) -> Pixels:
    width = max(2, round(alpha.shape[1] * height / alpha.shape[0]))
    return np.asarray(cv2.resize(alpha, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)


@lru_cache(maxsize=2048)
def rank_sign(rank: str, font: Path) -> Pixels:
    """(SIGN_PX, width) alpha of `A`, `2` ... `T` (as a tight `10`) ... `K`, or of any other short text."""
    if rank != "T":
        drawn = _drawn(rank, font)
        return _at_height(drawn, SIGN_PX)
    one, zero = (_at_height(_drawn(digit, font), SIGN_PX) for digit in "10")
    gap = np.zeros((SIGN_PX, SIGN_PX // 12), np.uint8)
    return np.concatenate([one, gap, zero], axis=1)


def suit_sign(suit: str, rng: np.random.Generator) -> Pixels:
    """(SIGN_PX, width) alpha of a suit, in a random shape."""
    fine = np.zeros((4 * SIGN_PX, 4 * SIGN_PX), np.uint8)
    for outline in _OUTLINES[suit](rng):
        points = np.round((outline * 0.47 + 0.5) * 4 * SIGN_PX).astype(np.int32)
        cv2.fillPoly(fine, [points], 255)
    trimmed = _at_height(_trimmed(fine), SIGN_PX)
    width = max(8, round(trimmed.shape[1] * float(rng.uniform(0.82, 1.08))))
    return np.asarray(cv2.resize(trimmed, (width, SIGN_PX), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _diamond(rng: np.random.Generator) -> list[Floats]:
    bend, wide = float(rng.uniform(0.95, 1.45)), float(rng.uniform(0.66, 0.95))
    t = np.linspace(0, 2 * np.pi, 81)
    x, y = np.cos(t), np.sin(t)
    return [
        np.stack(
            [wide * np.sign(x) * np.abs(x) ** (2 * bend / 1.1), np.sign(y) * np.abs(y) ** (2 * bend / 1.1)], 1
        )
    ]


def _lobes(rng: np.random.Generator) -> Floats:
    """A heart, point down."""
    t = np.linspace(0, 2 * np.pi, 121)
    x = np.sin(t) ** 3
    y = -(13 * np.cos(t) - rng.uniform(3.5, 6) * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t)) / 16
    return np.stack([x, y], axis=1)


def _heart(rng: np.random.Generator) -> list[Floats]:
    return [_lobes(rng)]


def _stem(rng: np.random.Generator, top: float) -> Floats:
    foot, waist = float(rng.uniform(0.2, 0.42)), float(rng.uniform(0.03, 0.1))
    y = np.linspace(top, 1.0, 12)
    half = waist + (foot - waist) * ((y - top) / (1 - top)) ** float(rng.uniform(1.5, 4))
    return np.concatenate([np.stack([half, y], 1), np.stack([-half[::-1], y[::-1]], 1)])


def _spade(rng: np.random.Generator) -> list[Floats]:
    leaf = _lobes(rng) * (1, -1)
    leaf = (leaf - (0, leaf[:, 1].min())) * (0.95, 0.86) - (0, 1)
    return [leaf, _stem(rng, 0.1)]


def _club(rng: np.random.Generator) -> list[Floats]:
    radius = float(rng.uniform(0.4, 0.48))
    t = np.linspace(0, 2 * np.pi, 41)
    ring = np.stack([np.cos(t), np.sin(t)], 1) * radius
    apart, low = float(rng.uniform(0.42, 0.52)), float(rng.uniform(0.1, 0.25))
    middle = np.add(ring * 0.5, (0, 0.02))
    lobes = [np.add(ring, place) for place in ((0, radius - 1), (-apart, low), (apart, low))]
    return [*lobes, middle, _stem(rng, 0.0)]


_OUTLINES = {"S": _spade, "H": _heart, "D": _diamond, "C": _club}
