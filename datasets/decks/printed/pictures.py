"""Backs that are pictures: landscapes, night lights, skies, a thing on a ground, fetched textures, foil."""

from __future__ import annotations

import cv2
import numpy as np

from datasets.decks.manifest import Split
from datasets.decks.pen import MM, Pen, polar
from datasets.decks.printed.sheet import (
    HEIGHT,
    WIDTH,
    Sheet,
    clouds,
    colour,
    ground_colour,
    ink_on,
    mask,
    plain,
    print_on,
)
from datasets.surfaces.photos import read_texture, texture_files

Generator = np.random.Generator


def landscape(rng: Generator) -> Sheet:
    """A sky and ranges of hills, each paler the further off it is, over water or fields."""
    hue = float(rng.uniform(180, 300) if rng.random() < 0.7 else rng.uniform(0, 60))
    top, low = (
        colour(hue, 0.6, float(rng.uniform(0.3, 0.9))),
        colour(hue + 40, 0.3, float(rng.uniform(0.6, 1))),
    )
    share = np.linspace(0, 1, HEIGHT, dtype=np.float32)[:, None, None]
    sheet = np.asarray(
        np.broadcast_to(top * (1 - share) + low * share, (HEIGHT, WIDTH, 3)), np.float32
    ).copy()
    sheet += (clouds(rng, 8 * MM)[..., None] - np.float32(0.5)) * np.float32(rng.uniform(0, 70))
    if rng.random() < 0.5:
        light = mask()
        Pen(light).dot(
            float(rng.uniform(0, WIDTH)), float(rng.uniform(0, HEIGHT / 2)), float(rng.uniform(3, 9)) * MM
        )
        print_on(sheet, light, colour(45, float(rng.uniform(0, 0.5)), 1))
    near = ground_colour(rng)
    ranges, horizon = int(rng.integers(2, 6)), float(rng.uniform(0.3, 0.6))
    for number in range(ranges):
        depth = (number + 1) / ranges
        ridge = clouds(rng, float(rng.uniform(2, 10)) * MM, 1, WIDTH)[0]
        line = HEIGHT * (horizon + (1 - horizon) * depth * 0.7) - ridge * float(rng.uniform(4, 26)) * MM
        below = np.arange(HEIGHT)[:, None] > line[None]
        haze = np.float32(0.25 + 0.75 * depth)
        rough = 1 + (clouds(rng, 1.0 * MM)[..., None] - np.float32(0.5)) * np.float32(0.5 * depth)
        hill = (near * haze + low * (1 - haze)) * rough
        sheet = np.where(below[..., None], hill, sheet).astype(np.float32)
    return sheet


def lights(rng: Generator) -> Sheet:
    """Discs of light out of focus before the dark."""
    sheet = plain(colour(float(rng.uniform(0, 360)), 0.6, float(rng.uniform(0.03, 0.3))))
    for _ in range(int(rng.integers(12, 70))):
        disc = mask()
        Pen(disc).dot(
            float(rng.uniform(0, WIDTH)), float(rng.uniform(0, HEIGHT)), float(rng.uniform(0.8, 8)) * MM
        )
        soft = cv2.GaussianBlur(disc, (0, 0), float(rng.uniform(0.5, 5)))
        lit = colour(float(rng.uniform(0, 360)), float(rng.uniform(0, 0.9)), 1)
        print_on(sheet, np.asarray(soft, dtype=np.uint8), lit, float(rng.uniform(0.15, 0.8)))
    return sheet


def skyline(rng: Generator) -> Sheet:
    """Houses with windows before an evening sky."""
    top, low = ground_colour(rng), ground_colour(rng)
    share = np.linspace(0, 1, HEIGHT, dtype=np.float32)[:, None, None]
    sheet = np.asarray(
        np.broadcast_to(top * (1 - share) + low * share, (HEIGHT, WIDTH, 3)), np.float32
    ).copy()
    for depth in (0.5, 0.75, 1.0):
        x = -10.0
        wall = ground_colour(rng) * np.float32(1.1 - depth * 0.8)
        lit = colour(45, 0.5, 1)
        while x < WIDTH:
            wide, tall = float(rng.uniform(4, 14)) * MM, float(rng.uniform(15, 60)) * MM * depth
            left, right, roof = max(0, int(x)), int(x + wide), max(0, int(HEIGHT - tall))
            sheet[roof:, left:right] = wall
            step = max(6, int(float(rng.uniform(1.2, 2.5)) * MM))
            for row in range(roof + step, HEIGHT, 2 * step):
                for column in range(left + step // 2, max(left, right - step // 2), step):
                    if rng.random() < 0.4:
                        sheet[row : row + step // 2, column : column + step // 3] = lit
            x += wide
    return sheet


def thing(rng: Generator) -> Sheet:
    """One large thing on a ground: a sun, a star, a flower, a ball or a shield, shaded to look round."""
    ground = ground_colour(rng)
    sheet = plain(ground)
    sheet *= 1 + (clouds(rng, 10 * MM)[..., None] - np.float32(0.5)) * np.float32(rng.uniform(0, 0.5))
    for _ in range(int(rng.choice([1, 1, 2, 5]))):
        x, y = float(rng.uniform(0.2, 0.8) * WIDTH), float(rng.uniform(0.2, 0.8) * HEIGHT)
        radius, corners = float(rng.uniform(7, 30)) * MM, int(rng.integers(5, 24))
        for ring in np.sort(rng.uniform(0.2, 1, int(rng.integers(2, 6))))[::-1]:
            shape = mask()
            reach = np.where(np.arange(2 * corners) % 2 == 0, 1.0, float(rng.uniform(0.5, 1.0)))
            turns = np.arange(2 * corners) * np.pi / corners + float(rng.uniform(0, 1))
            Pen(shape).fill(polar(x, y, radius * float(ring) * reach, turns))
            print_on(sheet, shape, ink_on(rng, ground, 0.3))
    ys, xs = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    lit = np.hypot(xs - rng.uniform(0, WIDTH), ys - rng.uniform(0, HEIGHT)) / np.float32(HEIGHT)
    return np.asarray(sheet * (1.15 - 0.5 * lit[..., None]), np.float32)


def texture(rng: Generator, split: Split) -> Sheet:
    """A piece of a fetched texture, toned in one colour or as it is."""
    files = texture_files("surface", split)
    if not files:
        return landscape(rng)
    source = read_texture(files[int(rng.integers(len(files)))])
    rows = min(source.shape[0], int(source.shape[1] * HEIGHT / WIDTH))
    columns = min(source.shape[1], int(rows * WIDTH / HEIGHT))
    share = float(rng.uniform(0.5, 1))
    rows, columns = max(8, int(rows * share)), max(8, int(columns * share))
    top = int(rng.integers(source.shape[0] - rows + 1))
    left = int(rng.integers(source.shape[1] - columns + 1))
    part = source[top : top + rows, left : left + columns].astype(np.float32)
    sheet = np.asarray(cv2.resize(part, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC), np.float32)
    if rng.random() < 0.6:
        grey = sheet.mean(axis=2, keepdims=True) / 255
        dark, light = ground_colour(rng) * np.float32(0.4), ground_colour(rng)
        sheet = np.asarray(dark * (1 - grey) + light * grey, np.float32)
    return sheet


def foil(rng: Generator) -> Sheet:
    """Gold, silver or coloured foil: bands of light over fine structure."""
    tint = colour(
        float(rng.choice([45, 45, 30, 210, rng.uniform(0, 360)])), float(rng.uniform(0.05, 0.7)), 0.8
    )
    ys, xs = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    angle = float(rng.uniform(0, np.pi))
    place = (xs * np.cos(angle) + ys * np.sin(angle)) / np.float32(HEIGHT)
    sheen = 0.75 + 0.4 * np.sin(place * float(rng.uniform(4, 14)) + 2 * clouds(rng, 12 * MM))
    sheet = tint * sheen[..., None].astype(np.float32)
    if rng.random() < 0.5:
        sheet *= 1 + (clouds(rng, 0.5 * MM)[..., None] - np.float32(0.5)) * np.float32(rng.uniform(0.1, 0.6))
    return np.asarray(sheet, np.float32)
