"""The light of a path-traced scene and what shines in it: lamps, windows, the room around, finishes.

Heights are mm above the table, x and y as in `scene.py`; light is linear red, green and blue.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Colour = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Lamp:
    """A shining square that faces a point of the table."""

    position: tuple[float, float, float]
    faces: tuple[float, float]
    #: Length of a side, mm: the larger, the softer the shadows.
    side: float
    #: What it gives on a sheet at the point that it faces.
    light: Colour


@dataclass(frozen=True, slots=True)
class Opening:
    """A window, a bright ceiling panel, a dark cupboard: a patch of the room, in radians."""

    #: Middle: direction in the table's plane and height above the horizon.
    azimuth: float
    elevation: float
    width: float
    height: float
    light: Colour


@dataclass(frozen=True, slots=True)
class Lighting:
    """All the light of one scene, and how things take it."""

    lamps: tuple[Lamp, ...]
    #: The room's light from above, from the side and from below the horizon.
    ceiling: Colour
    walls: Colour
    openings: tuple[Opening, ...]
    #: Roughness of the cards' coating and of the table, 0.03 (mirror) .. 0.6 (dull).
    card_roughness: float
    table_roughness: float
    #: Share of the mirrored light that the table keeps: 0 for cloth.
    table_shine: float
    #: Colour of a card's cut edge.
    paper: Colour


def sample_lighting(rng: np.random.Generator, reach: float, hidden: Callable[[Lamp], bool]) -> Lighting:
    """A random room about a table of which `reach` mm are seen to each side; lamps hang where they are `hidden`."""
    wanted = int(rng.choice([0, 1, 2], p=[0.25, 0.5, 0.25]))
    lamps = [lamp for lamp in (_lamp(rng, reach) for _ in range(8 * wanted)) if hidden(lamp)][:wanted]
    warmth = float(rng.normal(0, 0.12))
    # without a lamp the room must give all of the light
    base = float(np.exp(rng.normal(-1.9 if lamps else -1.3, 0.5)))
    openings = [_opening(rng) for _ in range(int(rng.integers(1, 4)))]
    openings += [_panel(rng) for _ in range(int(rng.integers(0, 3)))]
    shiny = rng.random() < 0.5
    grey = float(rng.uniform(0.3, 0.75))
    return Lighting(
        lamps=tuple(lamps),
        ceiling=_tinted(base * float(rng.uniform(0.7, 1.6)), warmth),
        walls=_tinted(base * float(rng.uniform(0.3, 1.0)), warmth),
        openings=tuple(openings),
        card_roughness=float(rng.uniform(0.12, 0.4)),
        table_roughness=float(rng.uniform(0.08, 0.35)) if shiny else 0.5,
        table_shine=float(rng.uniform(0.2, 1.0)) if shiny else 0.0,
        paper=(grey, grey * 0.99, grey * 0.95),
    )


def _lamp(rng: np.random.Generator, reach: float) -> Lamp:
    turn, away = rng.uniform(0, 2 * np.pi), float(rng.uniform(0.2, 1.6)) * max(reach, 250.0)
    height = float(rng.uniform(450, 1900))
    return Lamp(
        position=(away * float(np.cos(turn)), away * float(np.sin(turn)), height),
        faces=(float(rng.normal(0, 0.3)) * reach, float(rng.normal(0, 0.3)) * reach),
        side=height * float(np.exp(rng.uniform(np.log(0.02), np.log(0.35)))),
        light=_tinted(float(rng.uniform(0.4, 1.4)), float(rng.normal(0.12, 0.14))),
    )


def _opening(rng: np.random.Generator) -> Opening:
    """A window in a wall: most of daylight."""
    return Opening(
        azimuth=float(rng.uniform(0, 2 * np.pi)),
        elevation=float(rng.uniform(0.2, 0.7)),
        width=float(rng.uniform(0.25, 0.9)),
        height=float(rng.uniform(0.25, 0.7)),
        light=_tinted(float(np.exp(rng.uniform(np.log(3), np.log(25)))), float(rng.normal(-0.08, 0.1))),
    )


def _panel(rng: np.random.Generator) -> Opening:
    """A ceiling light, or the dark shape of someone who bends over the table."""
    dark = rng.random() < 0.4
    light = float(rng.uniform(0.0, 0.15)) if dark else float(np.exp(rng.uniform(np.log(4), np.log(25))))
    size = float(rng.uniform(0.3, 0.8)) if dark else float(rng.uniform(0.1, 0.35))
    return Opening(
        azimuth=float(rng.uniform(0, 2 * np.pi)),
        elevation=float(rng.uniform(0.7, 1.45)),
        width=size,
        height=size * float(rng.uniform(0.6, 1.2)),
        light=_tinted(light, float(rng.normal(0.05, 0.1))),
    )


def _tinted(light: float, warmth: float) -> Colour:
    return (light * float(np.exp(warmth)), light, light * float(np.exp(-1.3 * warmth)))
