"""How other things lie about one card: columns, fans, crossed cards, fingers. Lengths in mm."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

WIDTH, HEIGHT = 63.0, 88.0
#: How a card is covered, and how often.
KINDS: dict[str, float] = {
    "whole": 0.26,
    "strip": 0.24,
    "side": 0.17,
    "corner": 0.13,
    "crossed": 0.12,
    "fingers": 0.08,
}


@dataclass(slots=True)
class Cover:
    """What lies under and over a card that lies at 0, 0 .. WIDTH, HEIGHT."""

    #: (3, 3) from a card's own mm to the target's mm, in painting order.
    below: list[Floats] = field(default_factory=list)
    above: list[Floats] = field(default_factory=list)
    #: Start, end (mm) and thickness (mm) of fingers over everything.
    fingers: list[tuple[tuple[float, float], tuple[float, float], float]] = field(default_factory=list)


def placed(x: float, y: float, degrees: float, upside_down: bool = False) -> Floats:
    """A card whose middle lies at (x, y) of the target's mm."""
    turn = np.radians(degrees + 180 * upside_down)
    c, s = np.cos(turn), np.sin(turn)
    matrix = np.array([[c, -s, x], [s, c, y], [0, 0, 1]])
    return np.asarray(matrix @ np.array([[1, 0, -WIDTH / 2], [0, 1, -HEIGHT / 2], [0, 0, 1]]))


def cover_card(rng: np.random.Generator, kind: str) -> Cover:
    """A random cover of one of KINDS."""
    cover = _MAKERS[kind](rng)
    if rng.random() < 0.25:
        cover.below.insert(0, _anywhere(rng, 0.9))
    return cover


def _flip(rng: np.random.Generator) -> bool:
    return bool(rng.random() < 0.5)


def _anywhere(rng: np.random.Generator, reach: float) -> Floats:
    x = WIDTH / 2 + rng.normal(0, reach * WIDTH)
    y = HEIGHT / 2 + rng.normal(0, reach * HEIGHT)
    return placed(float(x), float(y), float(rng.uniform(0, 360)))


def _row(
    rng: np.random.Generator, dx: float, dy: float, spin: float, loose: float, count: int
) -> list[Floats]:
    """Cards that go on from the target by (dx, dy) mm and `spin` degrees each."""
    places = []
    x, y, turn = WIDTH / 2, HEIGHT / 2, 0.0
    for _ in range(count):
        x, y, turn = x + dx, y + dy, turn + spin
        lie = turn + float(rng.normal(0, 2.0 * loose))
        places.append(
            placed(x + float(rng.normal(0, 1.5 * loose)), y + float(rng.normal(0, loose)), lie, _flip(rng))
        )
    return places


def _whole(rng: np.random.Generator) -> Cover:
    step = float(rng.uniform(10, 26))
    kind = rng.random()
    if kind < 0.35:
        return Cover()
    if kind < 0.65:
        return Cover(below=_row(rng, 0, -step, 0, 1.0, int(rng.integers(1, 4)))[::-1])
    if kind < 0.8:
        return Cover(below=_row(rng, -step, float(rng.normal(0, 4)), -3, 1.0, int(rng.integers(1, 4)))[::-1])
    return Cover(below=[_anywhere(rng, 0.35) for _ in range(int(rng.integers(1, 4)))])


def _strip(rng: np.random.Generator) -> Cover:
    step = float(rng.uniform(10, 26))
    loose = float(rng.uniform(0.2, 1.6))
    sideways = float(rng.normal(0, 1.0))
    above = _row(rng, sideways, step, 0, loose, int(rng.integers(1, 4)))
    below = _row(rng, -sideways, -step, 0, loose, int(rng.integers(0, 3)))[::-1]
    return Cover(below, above)


def _side(rng: np.random.Generator) -> Cover:
    step, spin = float(rng.uniform(7, 24)), float(abs(rng.normal(0, 6)))
    rise = float(rng.normal(0, 3)) + 0.3 * spin
    loose = float(rng.uniform(0.2, 1.5))
    above = _row(rng, step, rise, spin, loose, int(rng.integers(1, 4)))
    below = _row(rng, -step, -rise, -spin, loose, int(rng.integers(0, 3)))[::-1]
    return Cover(below, above)


def _corner(rng: np.random.Generator) -> Cover:
    """Cards over everything but the corner with an index."""
    dx, dy = float(rng.uniform(7, 20)), float(rng.uniform(10, 26))
    turn = float(rng.normal(0, 8))
    first = placed(WIDTH / 2 + dx, HEIGHT / 2 + dy * rng.uniform(-0.3, 0.4), turn, _flip(rng))
    second = placed(
        WIDTH / 2 + dx * rng.uniform(-0.3, 0.6), HEIGHT / 2 + dy, float(rng.normal(0, 8)), _flip(rng)
    )
    above = [first, second] if _flip(rng) else [second, first]
    return Cover(_whole(rng).below, above)


def _crossed(rng: np.random.Generator) -> Cover:
    above = [_anywhere(rng, 0.45) for _ in range(int(rng.integers(1, 4)))]
    return Cover([_anywhere(rng, 0.4)] if _flip(rng) else [], above)


def _fingers(rng: np.random.Generator) -> Cover:
    cover = _whole(rng) if _flip(rng) else _strip(rng)
    angle, x, y = rng.uniform(0, 2 * np.pi), rng.uniform(-5, WIDTH + 5), rng.uniform(-5, HEIGHT + 5)
    for k in range(int(rng.integers(1, 5))):
        tip = (x + 19 * k * np.sin(angle) + rng.normal(0, 3), y - 19 * k * np.cos(angle) + rng.normal(0, 3))
        end = (tip[0] + 120 * np.cos(angle), tip[1] + 120 * np.sin(angle))
        cover.fingers.append((tip, end, float(rng.uniform(12, 20))))
    return cover


_MAKERS = {
    "whole": _whole,
    "strip": _strip,
    "side": _side,
    "corner": _corner,
    "crossed": _crossed,
    "fingers": _fingers,
}
