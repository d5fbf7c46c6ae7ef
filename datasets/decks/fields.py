"""Ornaments that fill a whole back: lattices, foliage, guilloches, tilings, waves, stripes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from datasets.decks.ornament import petal, rosette, scroll
from datasets.decks.pen import MM, SUPER, Mask, Pen, angles_of, polar

Generator = np.random.Generator


def scrolls(rng: Generator, mask: Mask) -> None:
    """Foliage all over."""
    pen = Pen(mask)
    height, width = mask.shape
    for _ in range(int(rng.integers(8, 22))):
        x, y = rng.uniform(0, width), rng.uniform(0, height)
        scroll(rng, pen, x, y, rng.uniform(0, 6.3), rng.uniform(8, 24) * MM, int(rng.integers(0, 3)))


def lattice(rng: Generator, mask: Mask) -> None:
    """Crossing lines, often doubled, with ornaments where they meet or between them."""
    pen = Pen(mask)
    height, width = mask.shape
    px = rng.uniform(2.5, 9) * MM
    py = px * rng.choice([1, 1, 1.4, 1.73, rng.uniform(0.7, 2)])
    lines = int(rng.choice([0, 1, 1, 2, 3]))
    thick = rng.uniform(0.7, 3.5) * SUPER / 2
    reach = int(max(width / px, height / py)) + 3
    wavy = rng.uniform(0, 0.25) if rng.random() < 0.4 else 0.0
    t = np.linspace(-reach, reach, 24 * reach)
    for k in range(-2 * reach, 2 * reach):
        for j in range(lines):
            offset = k + (j - (lines - 1) / 2) * rng.choice([0.12, 0.2])
            bend = wavy * np.sin(2 * np.pi * t)
            for sign in (1, -1):
                slanting = np.stack([(t + offset + bend) * px, sign * (t - offset - bend) * py], 1)
                pen.line(slanting + np.array([width, height]) / 2, thick)
    node, gap = rng.random() < 0.7, rng.random() < 0.7
    seeds = rng.integers(0, 2**31, 2)
    sizes = rng.uniform(0.12, 0.42, 2) * min(px, py)
    stamps = [_stamp(int(seed), size) for seed, size in zip(seeds, sizes, strict=True)]
    for row in range(-2, int(2 * height / py) + 3):
        for column in range(-2, int(2 * width / px) + 3):
            x, y = (
                width / 2 + (column - int(width / px)) * px / 2,
                height / 2 + (row - int(height / py)) * py / 2,
            )
            even = (row - int(height / py) + column - int(width / px)) % 2 == 0
            if node if even else gap:
                _print(mask, stamps[int(even)], x, y)


def _stamp(seed: int, radius: float) -> Mask:
    side = 2 * int(radius + 3) + 1
    stamp = np.zeros((side, side), np.uint8)
    rng = np.random.default_rng(seed)
    middle = side // 2
    pen = Pen(stamp)
    kind = rng.random()
    if kind < 0.4:
        rosette(rng, pen, middle, middle, radius)
    elif kind < 0.6:
        pen.dot(middle, middle, radius, 255, -1 if rng.random() < 0.5 else 2)
    elif kind < 0.8:
        corners = polar(middle, middle, radius, angles_of(4) + rng.choice([0, np.pi / 4]))
        pen.fill(corners) if rng.random() < 0.5 else pen.line(corners, 2, True)
    else:
        for angle in angles_of(int(rng.choice([4, 4, 6, 8]))):
            petal(pen, middle, middle, angle, radius * 0.1, radius, radius * 0.5, 1, 255, True, 1)
    return stamp


def _print(mask: Mask, stamp: Mask, x: float, y: float) -> None:
    """Merge a stamp into a mask, centred at (x, y), as far as it lies inside."""
    half = stamp.shape[0] // 2
    left, top = round(x) - half, round(y) - half
    x0, y0 = max(0, left), max(0, top)
    x1, y1 = min(mask.shape[1], left + stamp.shape[1]), min(mask.shape[0], top + stamp.shape[0])
    if x0 < x1 and y0 < y1:
        part = mask[y0:y1, x0:x1]
        np.maximum(part, stamp[y0 - top : y1 - top, x0 - left : x1 - left], out=part)


def guilloche(rng: Generator, mask: Mask) -> None:
    """Families of waves that cross, as on banknotes."""
    pen = Pen(mask)
    height, width = mask.shape
    for _ in range(int(rng.integers(1, 4))):
        upright = rng.random() < 0.5
        length, across = (height, width) if upright else (width, height)
        t = np.linspace(0, length, 160)
        count = int(rng.integers(10, 60))
        swing = rng.uniform(1, 12) * MM
        pitch = 2 * np.pi * rng.uniform(0.5, 8) / length
        slip = rng.uniform(0, 2 * np.pi) * rng.choice([0, 1, 2])
        thick = rng.uniform(0.7, 2.2) * SUPER / 2
        for k in range(count):
            share = k / max(count - 1, 1)
            wave = swing * np.cos(pitch * (t - length / 2) + slip * (share - 0.5))
            place = -swing + share * (across + 2 * swing) + wave
            pen.line(np.stack([place, t] if upright else [t, place], 1), thick)


def tiling(rng: Generator, mask: Mask) -> None:
    """Scales, bricks, checks, hexagons, rings, zigzags, stars and weaves."""
    pen = Pen(mask)
    height, width = mask.shape
    pitch = rng.uniform(2, 8) * MM
    thick = rng.uniform(0.8, 3) * SUPER / 2
    kind = int(rng.integers(0, 7))
    rings = np.sort(rng.uniform(0.2, 1, int(rng.integers(1, 4))))
    rows, columns = int(height / pitch) + 3, int(width / pitch) + 3
    for row in range(-rows, rows):
        for column in range(-columns, columns):
            x = width / 2 + (column + (row % 2) / 2) * pitch
            y = height / 2 + row * pitch * (0.5 if kind == 0 else 0.866 if kind == 1 else 1)
            square_x = width / 2 + column * pitch
            if not (-2 * pitch < x < width + 2 * pitch and -2 * pitch < y < height + 2 * pitch):
                continue
            if kind == 0:  # scales
                pen.dot(x, y, pitch / 2, 0)
                for ring in rings:
                    pen.dot(x, y, pitch / 2 * ring, 255, thick)
            elif kind == 1:  # honeycomb
                pen.line(polar(x, y, pitch * 0.577, angles_of(6) + np.pi / 6), thick, True)
                for ring in rings[:-1]:
                    pen.line(polar(x, y, pitch * 0.577 * ring, angles_of(6) + np.pi / 6), thick, True)
            elif kind == 2:  # rings that overlap
                pen.dot(square_x, y, pitch * rings[-1], 255, thick)
            elif kind == 3:  # checks
                if (row + column) % 2 == 0:
                    half = pitch / 2
                    pen.fill(polar(square_x, y, half * 1.414, angles_of(4) + np.pi / 4))
            elif kind == 4:  # bricks
                half, tall = pitch / 2, pitch / 2 - thick
                half -= thick
                corners = np.array([[-half, -tall], [half, -tall], [half, tall], [-half, tall]])
                corners += np.array([x, y])
                pen.fill(corners) if rings[0] > 0.4 else pen.line(corners, thick, True)
            elif kind == 5:  # stars
                points = polar(
                    x, y, np.where(np.arange(8) % 2 == 0, pitch / 2, pitch / 2 * rings[0]), angles_of(8)
                )
                pen.fill(points)
            else:  # weave
                upright = (row + column) % 2 == 0
                for share in (-0.25, 0, 0.25):
                    ends = np.array([[share, -0.45], [share, 0.45]]) * pitch
                    pen.line((ends if upright else ends[:, ::-1]) + (square_x, y), thick)


def waves(rng: Generator, mask: Mask) -> None:
    """Products and sums of waves, cut at a level: dots, blobs, moire."""
    height, width = mask.shape
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32) / np.float32(MM)
    xs, ys = xs - xs.mean(), ys - ys.mean()
    total = np.zeros_like(xs)
    for _ in range(int(rng.integers(2, 5))):
        angle, pitch = rng.uniform(0, np.pi), 2 * np.pi / rng.uniform(1.5, 9)
        kind = rng.random()
        if kind < 0.5:
            total += np.cos(pitch * (xs * np.cos(angle) + ys * np.sin(angle)))
        elif kind < 0.75:
            total += np.cos(pitch * xs) * np.cos(pitch * ys * rng.choice([1, 0.5, 0.7]))
        else:
            total += np.cos(pitch * np.hypot(xs, ys * rng.uniform(0.5, 1)))
    if rng.random() < 0.5:
        total = np.cos(rng.uniform(1.5, 4) * total)
    soft = np.clip((total - rng.uniform(-0.4, 0.4)) * 8 + 0.5, 0, 1)
    np.maximum(mask, (soft * 255).astype(np.uint8), out=mask)


def stripes(rng: Generator, mask: Mask) -> None:
    """Stripes, straight, slanting or around the middle."""
    height, width = mask.shape
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32) / np.float32(MM)
    xs, ys = xs - xs.mean(), ys - ys.mean()
    angle = rng.choice([0, np.pi / 2, np.pi / 4, rng.uniform(0, np.pi)])
    place = xs * np.cos(angle) + ys * np.sin(angle)
    kind = rng.random()
    if kind < 0.3:
        place = np.maximum(np.abs(xs) * height / width, np.abs(ys))
    elif kind < 0.45:
        place = np.arctan2(ys, xs) * rng.integers(2, 12)
    share = (place / rng.uniform(1, 6)) % 1
    soft = np.clip((np.abs(share - 0.5) - rng.uniform(0.1, 0.4)) * 20, 0, 1)
    np.maximum(mask, (soft * 255).astype(np.uint8), out=mask)


def rosettes(rng: Generator, mask: Mask) -> None:
    """A few large rosettes over each other or in a row."""
    pen = Pen(mask)
    height, width = mask.shape
    for _ in range(int(rng.integers(2, 6))):
        x = width / 2 if rng.random() < 0.4 else rng.uniform(0, width)
        rosette(rng, pen, x, rng.uniform(0, height), rng.uniform(5, 24) * MM)


def empty(rng: Generator, mask: Mask) -> None:
    """Nothing."""


Draw = Callable[[Generator, Mask], None]

#: Every kind of all-over ornament and how often it is drawn.
FIELDS: dict[str, tuple[Draw, float]] = {
    "lattice": (lattice, 4),
    "scrolls": (scrolls, 4),
    "guilloche": (guilloche, 2),
    "tiling": (tiling, 2),
    "waves": (waves, 1.5),
    "stripes": (stripes, 0.7),
    "rosettes": (rosettes, 1.5),
    "empty": (empty, 0.8),
}
