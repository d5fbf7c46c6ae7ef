"""Cards that have been played with: rubbed edges, grime, faded ink, scratches, creases and stains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from zlib import crc32

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Field = NDArray[np.float32]

#: mm of a card's width, to which lengths are scaled.
WIDTH_MM = 63.0
#: Colour of bare paper and of grime, BGR.
PAPER, GRIME = np.array([205, 218, 225], np.float32), np.array([92, 112, 125], np.float32)


def worn(picture: Pixels, amount: float, rng: np.random.Generator) -> Pixels:
    """A card's picture (h, w, 3 or 4) after much play; `amount` 0 (new) to 1 (should be thrown away)."""
    if amount <= 0:
        return picture
    rows, columns = picture.shape[:2]
    mm = columns / WIDTH_MM
    card = picture[..., :3].astype(np.float32)
    # ink fades, and all of it takes on the colour of hands
    card += (PAPER - card) * (0.10 * amount * float(rng.random()))
    card *= 1 - amount * np.array([0.10, 0.05, 0.02], np.float32) * float(rng.uniform(0.3, 1.0))
    cloud = _clouds(rng, rows, columns, 9 * mm)
    near = _near_edge(rows, columns, mm)
    grime = np.clip(near * 0.5 + 0.25 * cloud - 0.15, 0, 1) * amount * float(rng.uniform(0.2, 0.7))
    card += (GRIME - card) * grime[..., None]
    rubbed = np.clip((near - 0.72 + 0.25 * cloud) * 5, 0, 1) * amount * float(rng.uniform(0.3, 1.0))
    card += (PAPER - card) * rubbed[..., None]
    for _ in range(int(rng.poisson(3 * amount))):
        _scratch(card, rng, mm)
    if rng.random() < 0.25 * amount:
        _crease(card, rng, mm)
    if rng.random() < 0.15 * amount:
        _stain(card, rng, mm)
    done = np.clip(card, 0, 255).astype(np.uint8)
    return done if picture.shape[2] == 3 else np.dstack([done, picture[..., 3]])


@dataclass(frozen=True)
class WornFaces(Mapping[str, Pixels]):
    """The faces of a deck, each worn in its own way, the same whenever it is looked at."""

    faces: Mapping[str, Pixels]
    amount: float
    seed: int

    def __getitem__(self, face: str) -> Pixels:
        return worn(self.faces[face], self.amount, np.random.default_rng([self.seed, crc32(face.encode())]))

    def __iter__(self) -> Iterator[str]:
        return iter(self.faces)

    def __len__(self) -> int:
        return len(self.faces)


def _near_edge(rows: int, columns: int, mm: float) -> Field:
    """1 at the rim, corners most, falling to 0 some mm inside."""
    x = np.minimum(np.arange(columns), np.arange(columns)[::-1])[None, :] / mm
    y = np.minimum(np.arange(rows), np.arange(rows)[::-1])[:, None] / mm
    sides = np.exp(-x / 1.6) + np.exp(-y / 1.6)
    return np.asarray(np.clip(sides, 0, 1.4) / 1.4, dtype=np.float32)


def _clouds(rng: np.random.Generator, rows: int, columns: int, size: float) -> Field:
    """Soft patches about 0, most within -1 to 1."""
    small = (max(3, int(columns / size) + 2), max(3, int(rows / size) + 2))
    field = rng.standard_normal(small[::-1], dtype=np.float32)
    return np.asarray(cv2.resize(field, (columns, rows), interpolation=cv2.INTER_CUBIC), dtype=np.float32)


def _scratch(card: Field, rng: np.random.Generator, mm: float) -> None:
    """A fine line, lighter or darker."""
    rows, columns = card.shape[:2]
    start = rng.uniform((0, 0), (columns, rows))
    way, length = rng.uniform(0, 2 * np.pi), float(rng.uniform(4, 35)) * mm
    end = start + length * np.array([np.cos(way), np.sin(way)])
    line = np.zeros((rows, columns), np.uint8)
    cv2.line(line, tuple(int(v) for v in start), tuple(int(v) for v in end), 255, 1, cv2.LINE_AA)
    card += line[..., None] / np.float32(255) * float(rng.uniform(-25, 35))


def _crease(card: Field, rng: np.random.Generator, mm: float) -> None:
    """Where the card was folded: a pale broken line with a shade beside it, often across a corner."""
    rows, columns = card.shape[:2]
    corner = np.array([columns * int(rng.integers(0, 2)), rows * int(rng.integers(0, 2))], np.float32)
    middle = np.array([columns, rows], np.float32) / 2
    at = corner + (middle - corner) * float(rng.uniform(0.15, 0.9))
    way = float(np.arctan2(*(middle - corner)[::-1])) + np.pi / 2 + float(rng.normal(0, 0.3))
    normal = np.array([-np.sin(way), np.cos(way)], np.float32)
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float32)
    off = ((x - at[0]) * normal[0] + (y - at[1]) * normal[1]) / mm
    broken = np.clip(0.6 + _clouds(rng, rows, columns, 1.2 * mm), 0, 1)
    pale = np.exp(-((off / 0.28) ** 2)) * broken
    card += (PAPER - card) * (0.75 * pale)[..., None]
    card *= (1 - 0.12 * np.exp(-(((off - 1.2) / 1.0) ** 2)))[..., None]


def _stain(card: Field, rng: np.random.Generator, mm: float) -> None:
    """A drop that dried: a faint patch with a darker rim."""
    rows, columns = card.shape[:2]
    cx, cy = rng.uniform((0, 0), (columns, rows))
    radius = float(rng.uniform(4, 14)) * mm
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float32)
    away = np.hypot(x - cx, y - cy) / radius + 0.12 * _clouds(rng, rows, columns, 5 * mm)
    patch = 0.10 / (1 + np.exp((away - 1) * 14)) + 0.16 * np.exp(-(((away - 1) / 0.07) ** 2))
    colour = np.array([70, 105, 140], np.float32)
    card += (colour - card) * patch[..., None].astype(np.float32)
