"""Hard surfaces: tiles, stone, laminate, glass, metal."""

from __future__ import annotations

import cv2
import numpy as np

from datasets.surfaces.noise import (
    Field,
    fractal,
    hsv,
    laid_over,
    lit,
    mixed,
    random_colour,
    smooth,
    tinted,
    white,
)

Generator = np.random.Generator


def plain(rng: Generator, height: int, width: int, scale: float) -> Field:
    """Laminate, paint or plastic: one colour, hardly any structure."""
    colour = random_colour(rng) if rng.random() < 0.6 else hsv(rng.uniform(20, 50), 0.08, rng.uniform(0.5, 1))
    light = rng.uniform(0, 0.03) * white(rng, height, width)
    light += rng.uniform(0, 0.05) * fractal(rng, height, width, 120 * scale, 2)
    return tinted(colour, light)


def marble(rng: Generator, height: int, width: int, scale: float) -> Field:
    """Veined stone."""
    cloud = fractal(rng, height, width, rng.uniform(30, 150) * scale, 5)
    veins = np.exp(-np.abs(fractal(rng, height, width, rng.uniform(40, 200) * scale, 4)) * rng.uniform(4, 14))
    base = hsv(rng.uniform(0, 360), rng.uniform(0, 0.25), rng.uniform(0.15, 0.97))
    picture = tinted(base, rng.uniform(0.02, 0.12) * cloud)
    vein = random_colour(rng) if rng.random() < 0.3 else base * np.float32(rng.uniform(0.3, 1.6))
    return laid_over(picture, vein, veins * rng.uniform(0.2, 0.8))


def granite(rng: Generator, height: int, width: int, scale: float) -> Field:
    """Speckled stone or terrazzo: grains of a few colours."""
    picture = np.empty((height, width, 3), np.float32)
    picture[:] = hsv(rng.uniform(0, 60), rng.uniform(0, 0.4), rng.uniform(0.2, 0.9))
    for _ in range(int(rng.integers(2, 5))):
        size = max(1.2, rng.uniform(0.5, 6) * scale)
        chosen = smooth(rng, height, width, size, size) > rng.uniform(0.5, 1.6)
        picture[chosen] = random_colour(rng) * 0.6 + picture[0, 0] * 0.4
    return lit(picture, 1 + np.float32(0.03) * white(rng, height, width))


def tiles(rng: Generator, height: int, width: int, scale: float) -> Field:
    """Floor or wall tiles with joints, square, oblong or in bond; small ones look like cards."""
    tall = rng.uniform(20, 300) * scale
    wide = tall * rng.choice([1, 1, 1, 0.7, 1.4, 2, 3])
    ys, xs = np.arange(height) + rng.uniform(0, tall), np.arange(width) + rng.uniform(0, wide)
    row = (ys / tall).astype(int)
    shift = (row % 2) * (wide * rng.choice([0, 0, 0.5]))
    # rows of tiles are alike, but for every other one's shift
    first = np.flatnonzero(np.diff(row, prepend=-1))
    along = (xs[None, :] + shift[first, None]) / wide
    column = along.astype(int)
    names = (row[first, None] * 7919 + column * 104_729) % 509
    tones = rng.normal(0, rng.uniform(0.0, 0.08), 509).astype(np.float32)
    base = marble(rng, height, width, scale) if rng.random() < 0.5 else plain(rng, height, width, scale)
    picture = lit(base, (1 + tones[names])[row])
    if rng.random() < 0.2:
        chosen = (row[first, None] + column) % 2 == 1
        picture = lit(picture, np.where(chosen, np.float32(1), np.float32(rng.uniform(0.2, 0.7)))[row])
    joint = max(0.8, rng.uniform(0.8, 5) * scale)
    inside_y = np.minimum(ys % tall, tall - ys % tall)[:, None]
    inside_x = np.minimum(along % 1, 1 - along % 1) * wide
    share = np.clip(1.5 - np.minimum(inside_y, inside_x[row]) / joint * 2, 0, 1)
    return laid_over(picture, hsv(30, 0.08, rng.uniform(0.15, 0.95)), share)


def brushed(rng: Generator, height: int, width: int, scale: float) -> Field:
    """Brushed or worn metal."""
    lines = smooth(rng, height, width, 1, rng.uniform(20, 120) * scale)
    wear = fractal(rng, height, width, 40 * scale, 3)
    colour = hsv(rng.uniform(20, 230), rng.uniform(0, 0.2), rng.uniform(0.2, 0.8))
    return tinted(
        colour, np.asarray(rng.uniform(0.02, 0.1) * lines + rng.uniform(0, 0.08) * wear, np.float32)
    )


def glass(rng: Generator, height: int, width: int, scale: float) -> Field:
    """A glass or varnished top: dark or pale, with blurred reflections of lamps and windows."""
    under = plain(rng, height, width, scale) * np.float32(rng.uniform(0.4, 1))
    shine = np.zeros((max(8, height // 4), max(8, width // 4)), np.float32)
    for _ in range(int(rng.integers(1, 5))):
        x, y = rng.uniform(0, shine.shape[1]), rng.uniform(0, shine.shape[0])
        size = (rng.uniform(3, 60), rng.uniform(3, 60))
        box = cv2.boxPoints(((x, y), size, rng.uniform(0, 180)))
        cv2.fillConvexPoly(shine, box.astype(np.int32), rng.uniform(0.1, 0.7))
    blurred = cv2.GaussianBlur(shine, (0, 0), rng.uniform(0.8, 8))
    light = np.asarray(cv2.resize(blurred, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)
    return under + light[..., None] * mixed(under[0, 0], hsv(40, 0.1, 1), light)
