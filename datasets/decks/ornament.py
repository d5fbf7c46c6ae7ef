"""The elements of ornaments: rosettes, petals, tendrils."""

from __future__ import annotations

import numpy as np

from datasets.decks.pen import SUPER, Pen, angles_of, polar

Generator = np.random.Generator


def rosette(
    rng: Generator, pen: Pen, x: float, y: float, radius: float, squash: float = 1.0, ink: int = 255
) -> None:
    """A round ornament: petals, rings, spokes, beads, spirograph lines."""
    layers = int(rng.integers(2, 7))
    reaches = np.sort(rng.uniform(0.1, 1, layers))[::-1]
    reaches[0] = 1
    for reach in reaches:
        r = radius * reach
        count = int(rng.choice([4, 6, 8, 8, 10, 12, 16, 20, 24]))
        angles = angles_of(max(96, count * 12))
        width = rng.uniform(0.8, 2.6) * SUPER / 2
        kind = int(rng.integers(0, 8))
        turn = rng.choice([0, np.pi / count])
        if kind == 0:
            depth = rng.uniform(0.1, 0.6)
            wave = np.abs(np.cos(count / 2 * (angles - turn)))
            outline = polar(x, y, r * (1 - depth + depth * wave), angles, squash)
            pen.line(outline, width, True, ink)
        elif kind == 1:
            pen.line(polar(x, y, r, angles, squash), width, True, ink)
            pen.line(polar(x, y, r * rng.uniform(0.85, 0.97), angles, squash), width, True, ink)
        elif kind == 2:
            inner = r * rng.uniform(0.2, 0.8)
            for angle in angles_of(count) + turn:
                ends = polar(x, y, np.array([inner, r]), np.array([angle, angle]), squash)
                pen.line(ends, width, False, ink)
        elif kind == 3:
            for bead_x, bead_y in polar(x, y, r * 0.93, angles_of(count) + turn, squash):
                pen.dot(bead_x, bead_y, r * rng.uniform(0.04, 0.1), ink)
        elif kind == 4:
            steps, loops = int(rng.integers(3, 9)), int(rng.integers(2, 12))
            t = np.linspace(0, 2 * np.pi * steps, 90 * steps)
            share = rng.uniform(0.3, 0.7)
            curve = share * np.exp(1j * t) + (1 - share) * np.exp(1j * t * (1 + loops / steps))
            pen.line(
                np.stack([x + r * curve.real, y + squash * r * curve.imag], 1),
                max(1, width * 0.6),
                False,
                ink,
            )
        elif kind == 5:
            reach_of = np.where(np.arange(2 * count) % 2 == 0, r, r * rng.uniform(0.4, 0.85))
            points = polar(x, y, reach_of, angles_of(2 * count) + turn, squash)
            if rng.random() < 0.5:
                pen.fill(points, ink)
                pen.fill((points - (x, y)) * 0.8 + (x, y), 255 - ink)
            else:
                pen.line(points, width, True, ink)
        elif kind == 6:
            for angle in angles_of(count) + turn:
                breadth = r * np.pi / count * rng.uniform(0.4, 1)
                petal(pen, x, y, angle, r * 0.25, r, breadth, squash, ink, rng.random() < 0.5, width)
        else:
            for ring_x, ring_y in polar(x, y, r * 0.7, angles_of(count) + turn, squash):
                pen.dot(ring_x, ring_y, r * 0.3, ink, width)
    if rng.random() < 0.5:
        pen.dot(x, y, radius * rng.uniform(0.03, 0.12), ink)


def petal(
    pen: Pen,
    x: float,
    y: float,
    angle: float,
    start: float,
    end: float,
    breadth: float,
    squash: float,
    ink: int,
    filled: bool,
    width: float,
) -> None:
    """A leaf that points away from (x, y)."""
    t = np.linspace(0, np.pi, 16)
    along = start + (end - start) * (1 - np.cos(t)) / 2
    side = breadth * np.sin(t) ** 1.3 / 2
    outline = np.stack([np.concatenate([along, along[::-1]]), np.concatenate([side, -side[::-1]])], 1)
    turned = outline @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    points = turned * (1, squash) + (x, y)
    if filled:
        pen.fill(points, ink)
    else:
        pen.line(points, width, True, ink)


def scroll(rng: Generator, pen: Pen, x: float, y: float, angle: float, size: float, depth: int = 2) -> None:
    """A spiral tendril with leaves that branches."""
    curl = rng.choice([-1, 1]) * rng.uniform(1.5, 5.5)
    t = np.linspace(0, 1, 28)
    heading = angle + curl * t ** rng.uniform(1, 2.2)
    step = size / len(t) * (1 - 0.55 * t)
    path = np.stack([x + np.cumsum(step * np.cos(heading)), y + np.cumsum(step * np.sin(heading))], 1)
    width = rng.uniform(1, 3) * SUPER / 2
    pen.line(path, width)
    if rng.random() < 0.7:
        pen.dot(path[-1, 0], path[-1, 1], rng.uniform(1.2, 3.5) * SUPER / 2)
    filled = rng.random() < 0.6
    for place in np.linspace(0.25, 0.9, int(rng.integers(0, 5))):
        k = int(place * len(t))
        side = rng.choice([-1, 1]) * rng.uniform(0.5, 1.2)
        length = size * rng.uniform(0.12, 0.3)
        petal(
            pen,
            path[k, 0],
            path[k, 1],
            heading[k] + side,
            0,
            length,
            length * rng.uniform(0.25, 0.6),
            1,
            255,
            filled,
            width,
        )
    if depth > 0:
        for place in rng.uniform(0.2, 0.95, int(rng.integers(1, 4))):
            k = int(place * (len(t) - 1))
            scroll(
                rng,
                pen,
                path[k, 0],
                path[k, 1],
                heading[k] + rng.uniform(-1.6, 1.6),
                size * rng.uniform(0.4, 0.8),
                depth - 1,
            )
