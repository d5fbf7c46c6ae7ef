"""Grounds that cover a whole back in a few inks: plain, dotted, latticed, striped, tiled, woven, in large shapes."""

from __future__ import annotations

import cv2
import numpy as np

from datasets.decks.fields import FIELDS
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
    white_paper,
)
from datasets.decks.suits import signs

Generator = np.random.Generator


def one_colour(rng: Generator) -> Sheet:
    """Plain, at most with the faint linen that is pressed into paper."""
    ground = ground_colour(rng)
    sheet = plain(ground)
    if rng.random() < 0.5:
        pitch = float(rng.uniform(0.35, 0.8)) * MM
        across = np.sin(2 * np.pi * np.arange(WIDTH) / pitch)[None, :, None]
        down = np.sin(2 * np.pi * np.arange(HEIGHT) / pitch)[:, None, None]
        sheet *= 1 + np.float32(rng.uniform(0.01, 0.06)) * (across * down).astype(np.float32)
    return sheet


def dots(rng: Generator) -> Sheet:
    """Dots in rows, straight or set between each other."""
    ground = ground_colour(rng)
    sheet, inked = plain(ground), mask()
    pitch = float(rng.uniform(1.5, 9)) * MM
    radius = pitch * float(rng.uniform(0.12, 0.42))
    tall = pitch * float(rng.choice([1.0, 0.866]))
    pen = Pen(inked)
    for row in range(-1, int(HEIGHT / tall) + 2):
        for column in range(-1, int(WIDTH / pitch) + 2):
            pen.dot((column + (row % 2) / 2) * pitch, row * tall, radius)
    print_on(sheet, inked, ink_on(rng, ground, 0.6))
    return sheet


def ornaments(rng: Generator) -> Sheet:
    """The ornaments of framed backs, without any frame, in two inks of which neither need be white."""
    ground = ground_colour(rng)
    sheet = plain(ground)
    names = [name for name in FIELDS if name != "empty"]
    for _ in range(int(rng.choice([1, 1, 2]))):
        inked = mask()
        FIELDS[str(rng.choice(names))][0](rng, inked)
        print_on(sheet, inked, ink_on(rng, ground, 0.5))
    return sheet


def checks(rng: Generator) -> Sheet:
    """Squares or lozenges by turns, with or without a line on them, as on a chessboard or a jersey."""
    ground = ground_colour(rng)
    sheet, inked = plain(ground), mask()
    pen, pitch = Pen(inked), float(rng.uniform(4, 16)) * MM
    squash = float(rng.choice([1.0, rng.uniform(1.2, 2.0)]))
    for row in range(-1, int(2 * HEIGHT / (pitch * squash)) + 2):
        for column in range(-1, int(WIDTH / pitch) + 2):
            x, y = (column + (row % 2) / 2) * pitch, row * pitch * squash / 2
            pen.fill(polar(x, y, pitch / 2, np.arange(4) * np.pi / 2, squash))
    print_on(sheet, inked, ink_on(rng, ground, 0.5))
    if rng.random() < 0.6:
        lines, slope = mask(), squash
        for k in range(-int(HEIGHT / pitch) - 2, int((WIDTH + HEIGHT) / pitch) + 2):
            for sign in (1, -1):
                ends = np.array([[k * pitch, 0.0], [k * pitch + sign * HEIGHT / slope, float(HEIGHT)]])
                Pen(lines).line(ends + np.array([pitch / 2, 0.0]), float(rng.uniform(1, 4)))
        print_on(sheet, lines, ink_on(rng, ground, 0.2), float(rng.uniform(0.4, 1)))
    return sheet


def bold_stripes(rng: Generator) -> Sheet:
    """Broad stripes of several inks across the card, along it or slanting."""
    inks = [ground_colour(rng) for _ in range(int(rng.integers(2, 5)))]
    ys, xs = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    angle = float(rng.choice([0, np.pi / 2, np.pi / 4, rng.uniform(0, np.pi)]))
    place = (xs * np.cos(angle) + ys * np.sin(angle)) / (float(rng.uniform(3, 22)) * MM)
    if rng.random() < 0.25:
        place += np.sin(2 * np.pi * (xs * np.sin(angle) - ys * np.cos(angle)) / (20 * MM)).astype(np.float32)
    return np.asarray(np.stack(inks)[np.floor(place).astype(int) % len(inks)], np.float32)


def chevrons(rng: Generator) -> Sheet:
    """Zigzags in two or three inks."""
    inks = [ground_colour(rng) for _ in range(int(rng.integers(2, 4)))]
    ys, xs = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    pitch, reach = float(rng.uniform(6, 32)) * MM, float(rng.uniform(0.3, 1.2))
    zigzag = np.abs((xs / pitch) % 1 - 0.5) * 2 * pitch * reach
    place = np.floor((ys + zigzag) / (float(rng.uniform(2, 12)) * MM)).astype(int)
    return np.asarray(np.stack(inks)[place % len(inks)], np.float32)


def facets(rng: Generator) -> Sheet:
    """Triangles of many shades of one colour or two, as stained glass or folded paper."""
    first, second = ground_colour(rng), ground_colour(rng)
    count = int(rng.integers(25, 160))
    points = np.column_stack([rng.uniform(-20, WIDTH + 20, count), rng.uniform(-20, HEIGHT + 20, count)])
    corners = [(-60, -60), (WIDTH + 60, -60), (WIDTH + 60, HEIGHT + 60), (-60, HEIGHT + 60)]
    plane = cv2.Subdiv2D((-100, -100, WIDTH + 200, HEIGHT + 200))
    for x, y in [*corners, *points]:
        plane.insert((float(x), float(y)))
    sheet = plain(first)
    for triangle in plane.getTriangleList():
        outline = np.asarray(triangle, dtype=np.float64).reshape(3, 2)
        share = float(np.clip(outline[:, 1].mean() / HEIGHT + rng.normal(0, 0.2), 0, 1))
        shade = (first * (1 - share) + second * share) * np.float32(rng.uniform(0.7, 1.25))
        cv2.fillPoly(sheet, [np.round(outline).astype(np.int32)], [float(v) for v in np.clip(shade, 0, 255)])
    return sheet


def suit_signs(rng: Generator) -> Sheet:
    """Small suit signs in rows, red and black on white or in one ink on a colour; the rows of one half may hang upside
    down."""
    white = rng.random() < 0.55
    ground = white_paper(rng) if white else ground_colour(rng)
    one_ink = ink_on(rng, ground, 0.4)
    inks = {"red": colour(float(rng.normal(356, 5)), 0.85, 0.85), "black": colour(0, 0, 0.1)}
    sheet, drawn, order = plain(ground), signs(rng), str(rng.choice(["SHCD", "HSDC", "SDCH"]))
    pitch, size = float(rng.uniform(4.5, 12)) * MM, float(rng.uniform(0.4, 0.75))
    tall, slant = pitch * float(rng.uniform(0.9, 1.4)), int(rng.integers(0, 3))
    masks = {"red": mask(), "black": mask()}
    hang = rng.random() < 0.5
    for row in range(-1, int(HEIGHT / tall) + 2):
        for column in range(-1, int(WIDTH / pitch) + 2):
            suit = order[(column + slant * row) % 4]
            x, y = (column + 0.5) * pitch, (row + 0.5) * tall
            inked = masks["red" if suit in "HD" else "black"]
            drawn[suit].draw(Pen(inked), x, y, pitch * size, turned=hang and y > HEIGHT / 2)
    for name, inked in masks.items():
        print_on(sheet, inked, inks[name] if white and rng.random() < 0.97 else one_ink)
    return sheet


def marbled(rng: Generator) -> Sheet:
    """Veins and clouds of three inks, as on endpapers, or camouflage where they end sharply."""
    inks = np.stack([ground_colour(rng) for _ in range(4)])
    place = clouds(rng, float(rng.uniform(2, 8)) * MM)
    if rng.random() < 0.4:
        place = np.abs(np.sin(place * float(rng.uniform(6, 20))))
    share = place * np.float32(2.999)
    low = share.astype(int)
    between = (share - low)[..., None]
    if rng.random() < 0.4:
        between = np.round(between)
    return np.asarray(inks[low] * (1 - between) + inks[low + 1] * between, np.float32)
