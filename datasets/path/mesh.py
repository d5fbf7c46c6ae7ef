"""Triangles of cards at rest: their upper sides with places on an atlas, and their cut edges.

Right, up and towards the camera are x, y and z here, so y is that of the table turned over.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from datasets.path.atlas import Slot
from datasets.resting import at_rest, grid_of
from datasets.scene import THICKNESS, PlacedCard

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

#: A card's corner is cut where an arc of 3.5 mm has its middle: mm from both edges.
CORNER = 3.5 * (1 - np.sqrt(0.5))
#: How far a cut edge stands out at its foot, mm: worn edges are seen from above, too.
FLARE = 0.2


@dataclass(frozen=True, slots=True)
class Triangles:
    """A mesh of many cards."""

    #: (n, 3) mm.
    points: Floats
    #: (n, 2) on the atlas, 0..1, rows counted from its top.
    places: Floats
    #: (m, 3) into the points.
    faces: Indices
    #: (m,) the card of each face.
    cards: Indices


def triangles_of(cards: list[PlacedCard], slots: list[Slot]) -> tuple[Triangles, Triangles]:
    """Upper sides and cut edges."""
    tops: list[Triangles] = []
    rims: list[Triangles] = []
    for index, (card, sheet, slot) in enumerate(zip(cards, at_rest(cards), slots, strict=True)):
        top = _top(card, sheet + THICKNESS, slot, index)
        tops.append(top)
        rims.append(_rim(top, card, sheet.shape[0], sheet.shape[1], index))
    return _joined(tops), _joined(rims)


def _top(card: PlacedCard, heights: Floats, slot: Slot, index: int) -> Triangles:
    x, y = grid_of(card)
    u, v = (np.array(a) for a in np.meshgrid(x, y))
    for row in (0, -1):
        for column in (0, -1):
            u[row, column] -= np.sign(u[row, column]) * CORNER
            v[row, column] -= np.sign(v[row, column]) * CORNER
    c, s = np.cos(card.angle), np.sin(card.angle)
    points = np.stack([card.x + c * u - s * v, -(card.y + s * u + c * v), heights], axis=-1)
    share = np.stack([u / card.width + 0.5, v / card.height + 0.5], axis=-1)
    places = np.array(slot[:2]) + share * np.array(slot[2:])
    rows, columns = heights.shape
    first = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    # counterclockwise as seen from above
    halves = [first, first + columns, first + 1], [first + 1, first + columns, first + columns + 1]
    faces = np.concatenate([np.stack(half, axis=1) for half in halves])
    return Triangles(points.reshape(-1, 3), places.reshape(-1, 2), faces, np.full(len(faces), index))


def _rim(top: Triangles, card: PlacedCard, rows: int, columns: int, index: int) -> Triangles:
    """The band around a card, as thick as a card."""
    numbers = np.arange(rows * columns).reshape(rows, columns)
    loop = np.concatenate([numbers[0, :-1], numbers[:-1, -1], numbers[-1, :0:-1], numbers[:0:-1, 0]])
    upper = top.points[loop]
    count = len(loop)
    here = np.arange(count)
    after = (here + 1) % count
    faces = np.concatenate(
        [
            np.stack([here, after, here + count], axis=1),
            np.stack([after, after + count, here + count], axis=1),
        ]
    )
    away = upper[:, :2] - (card.x, -card.y)
    foot = upper - (0.0, 0.0, THICKNESS)
    foot[:, :2] += FLARE * away / np.linalg.norm(away, axis=1, keepdims=True)
    points = np.concatenate([upper, foot])
    return Triangles(points, np.zeros((2 * count, 2)), faces, np.full(len(faces), index))


def _joined(parts: list[Triangles]) -> Triangles:
    starts = np.cumsum([0, *(len(part.points) for part in parts)])[:-1]
    return Triangles(
        np.concatenate([part.points for part in parts]),
        np.concatenate([part.places for part in parts]),
        np.concatenate([part.faces + start for part, start in zip(parts, starts, strict=True)]),
        np.concatenate([part.cards for part in parts]),
    )
