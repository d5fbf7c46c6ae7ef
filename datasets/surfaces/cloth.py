"""Cloth and the like: felt, plain weave, checks, tartan, printed patterns, leather, carpet."""

from __future__ import annotations

import cv2
import numpy as np

from datasets.surfaces.noise import (
    Colour,
    Field,
    fractal,
    hsv,
    lit,
    mixed,
    random_colour,
    smooth,
    tinted,
    white,
)

Generator = np.random.Generator


def _creases(rng: Generator, height: int, width: int, scale: float) -> Field:
    """Light and shade of folds and creases, around 0."""
    soft = fractal(rng, height, width, rng.uniform(60, 250) * scale, 2, stretch=rng.uniform(0.5, 3))
    ridge = np.abs(fractal(rng, height, width, rng.uniform(80, 200) * scale, 2))
    sharp = np.exp(-((ridge / 0.05) ** 2)) * (rng.random() < 0.4)
    return np.asarray(rng.uniform(0.01, 0.09) * soft + rng.uniform(0.02, 0.1) * sharp, np.float32)


def _weave(rng: Generator, height: int, width: int, scale: float) -> Field:
    """Threads, around 0."""
    pitch = max(2.2, rng.uniform(0.4, 2.5) * scale)
    ys = np.sin(np.arange(height, dtype=np.float32) * np.float32(2 * np.pi / pitch))[:, None]
    xs = np.sin(np.arange(width, dtype=np.float32) * np.float32(2 * np.pi / pitch * rng.uniform(0.8, 1.2)))[
        None, :
    ]
    slub = smooth(rng, height, width, 1, 12 * scale) + smooth(rng, height, width, 12 * scale, 1)
    return np.asarray(rng.uniform(0.01, 0.07) * (ys * xs) + rng.uniform(0.005, 0.03) * slub, np.float32)


def felt(rng: Generator, height: int, width: int, scale: float) -> Field:
    """Card-table felt or baize."""
    common = rng.choice([130, 150, 210, 225, 355, 280], p=[0.25, 0.2, 0.2, 0.1, 0.15, 0.1])
    colour = hsv(common + rng.normal(0, 12), rng.uniform(0.3, 0.95), rng.uniform(0.1, 0.6))
    if rng.random() < 0.2:
        colour = random_colour(rng)
    blurred = cv2.GaussianBlur(white(rng, height, width), (0, 0), max(0.4, rng.uniform(0.1, 0.5) * scale))
    fuzz = np.asarray(blurred, np.float32) / max(float(blurred.std()), 1e-6)
    light = rng.uniform(0.02, 0.14) * fuzz + rng.uniform(0, 0.07) * fractal(rng, height, width, 80 * scale, 3)
    return tinted(colour, np.asarray(light, np.float32))


def plain_cloth(rng: Generator, height: int, width: int, scale: float) -> Field:
    """One colour, woven, creased."""
    light = _weave(rng, height, width, scale) + _creases(rng, height, width, scale)
    return tinted(random_colour(rng), light)


def _stripes(rng: Generator, length: int, scale: float, colours: list[Colour]) -> Field:
    """(length, 3) colours of the threads of a tartan."""
    bands = int(rng.integers(2, 7))
    sizes = rng.uniform(2, 40, bands) ** rng.uniform(0.6, 1.0) * scale
    picks = rng.integers(0, len(colours), bands)
    sett = np.concatenate(
        [np.repeat(colours[p][None], max(1, round(s)), 0) for p, s in zip(picks, sizes, strict=True)]
    )
    if rng.random() < 0.6:
        sett = np.concatenate([sett, sett[::-1]])
    start = int(rng.integers(0, len(sett)))
    return np.asarray(sett[(np.arange(length) + start) % len(sett)], np.float32)


def tartan(rng: Generator, height: int, width: int, scale: float) -> Field:
    """Tartan, gingham or stripes."""
    colours = [random_colour(rng) for _ in range(int(rng.integers(2, 5)))]
    if rng.random() < 0.5:
        colours[0] = hsv(40, 0.05, rng.uniform(0.8, 1))
    warp = np.broadcast_to(_stripes(rng, width, scale, colours)[None], (height, width, 3))
    kind = rng.random()
    if kind < 0.25:
        picture = np.array(warp, np.float32)
    else:
        weft = np.broadcast_to(_stripes(rng, height, scale, colours)[:, None], (height, width, 3))
        picture = np.asarray(warp * weft if kind < 0.4 else (warp + weft) / 2, np.float32)
    light = _weave(rng, height, width, scale) + _creases(rng, height, width, scale)
    return lit(picture, 1 + light)


def _petals(centre: tuple[float, float], radius: float, petals: int, depth: float, turn: float) -> Field:
    angles = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    reach = radius * (1 - depth + depth * np.cos(petals * angles) ** 2)
    points = np.stack(
        [centre[0] + reach * np.cos(angles + turn), centre[1] + reach * np.sin(angles + turn)], 1
    )
    return points.astype(np.float32)


def _motif(rng: Generator, tile: Field, centre: tuple[float, float], radius: float) -> None:
    """Draw one flower, dot, diamond or ring into a tile."""
    for share in sorted(rng.uniform(0.15, 1, int(rng.integers(1, 4))), reverse=True):
        petals = int(rng.choice([1, 2, 3, 4, 5, 6, 8]))
        outline = _petals(centre, radius * share, petals, rng.uniform(0, 0.8), rng.uniform(0, 6.3))
        points = [(outline * 8).astype(np.int32)]
        colour = tuple(float(v) for v in random_colour(rng))
        if rng.random() < 0.75:
            cv2.fillPoly(tile, points, colour, cv2.LINE_AA, 3)
        else:
            cv2.polylines(tile, points, True, colour, int(rng.integers(1, 4)), cv2.LINE_AA, 3)


def printed(rng: Generator, height: int, width: int, scale: float) -> Field:
    """A printed tablecloth, wallpaper or ornamented carpet: motifs repeated on a lattice."""
    pitch = max(10, round(rng.uniform(8, 90) * scale))
    tile = np.empty((pitch, round(pitch * rng.choice([1, 1, 1.5, 0.7])), 3), np.float32)
    tile[:] = random_colour(rng)
    rows, columns = tile.shape[:2]
    radius = rng.uniform(0.15, 0.48) * min(rows, columns)
    _motif(rng, tile, (columns / 2, rows / 2), radius)
    if rng.random() < 0.7:
        corner = np.roll(tile, (rows // 2, columns // 2), (0, 1)).copy()
        _motif(rng, corner, (columns / 2, rows / 2), radius * rng.uniform(0.3, 1))
        tile = np.roll(corner, (-(rows // 2), -(columns // 2)), (0, 1))
    if rng.random() < 0.3:
        double = np.concatenate([tile, tile[:, ::-1]], 1)
        tile = np.concatenate([double, double[::-1]], 0)
    start = rng.integers(0, tile.shape[0]), rng.integers(0, tile.shape[1])
    picture = tile[(np.arange(height) + start[0]) % tile.shape[0]][
        :, (np.arange(width) + start[1]) % tile.shape[1]
    ]
    light = _weave(rng, height, width, scale) + _creases(rng, height, width, scale)
    return lit(picture, 1 + light)


def leather(rng: Generator, height: int, width: int, scale: float) -> Field:
    """Leather or imitation: cells with dark furrows."""
    cell = max(2.5, rng.uniform(0.8, 4) * scale)
    seeds = np.full((height, width), 255, np.uint8)
    count = int(height * width / cell**2)
    seeds[rng.integers(0, height, count), rng.integers(0, width, count)] = 0
    distance = cv2.distanceTransform(seeds, cv2.DIST_L2, 3) / np.float32(cell)
    colour = hsv(rng.choice([15, 25, 0, 210, 120, 30]), rng.uniform(0.1, 0.7), rng.uniform(0.08, 0.65))
    light = rng.uniform(0.1, 0.4) * (0.4 - distance) + 0.05 * fractal(rng, height, width, 50 * scale, 3)
    return tinted(colour, np.asarray(light, np.float32))


def carpet(rng: Generator, height: int, width: int, scale: float) -> Field:
    """Carpet: tufts of a few colours, sometimes over a printed ornament."""
    tuft = max(1.2, rng.uniform(0.8, 4) * scale)
    grain = smooth(rng, height, width, tuft, tuft * rng.uniform(0.7, 1.6))
    if rng.random() < 0.35:
        picture = printed(rng, height, width, scale * rng.uniform(1, 3))
        return lit(picture, 1 + rng.uniform(0.08, 0.25) * grain)
    base = random_colour(rng)
    other = random_colour(rng) if rng.random() < 0.5 else base * np.float32(rng.uniform(0.5, 0.9))
    picture = mixed(base, other, np.asarray(0.5 + rng.uniform(0.2, 0.6) * grain, np.float32))
    return lit(picture, 1 + 0.06 * fractal(rng, height, width, 60 * scale, 3))
