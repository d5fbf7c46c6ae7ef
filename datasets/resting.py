"""How cards lie on one another: thin sheets that bend over the edges of what lies under them.

A sheet is a grid of heights over the card. It keeps its own curl, is lifted by every card below it, and sinks beyond
their edges as fast as a stiff sheet may, so that no two sheets ever cross.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.scene import THICKNESS, PlacedCard

Floats = NDArray[np.float64]

#: Air between two sheets, mm: no card is quite even.
AIR = 0.08
#: mm between a grid's points, about.
GRID = 3.0
#: How a sheet sinks beyond an edge: mm a mm far from it, and how many mm it hangs back at first.
SAG, STIFF = 0.035, 0.1


def grid_of(card: PlacedCard) -> tuple[Floats, Floats]:
    """Columns' x and rows' y on the card, from its middle, mm."""
    columns, rows = (2 * round(side / GRID / 2) + 1 for side in (card.width, card.height))
    return (
        np.linspace(-card.width / 2, card.width / 2, columns),
        np.linspace(-card.height / 2, card.height / 2, rows),
    )


def at_rest(cards: list[PlacedCard]) -> list[Floats]:
    """Of every card (rows, columns) heights of its lower side above the table, mm, on the points of `grid_of`."""
    sheets: list[Floats] = []
    for index, card in enumerate(cards):
        x, y = grid_of(card)
        own = _curled(card, y)[:, None] + np.zeros(len(x))
        below = np.zeros_like(own)
        for lower, sheet in zip(cards[:index], sheets, strict=True):
            if np.hypot(card.x - lower.x, card.y - lower.y) < _reach(card) + _reach(lower):
                below = np.maximum(below, _top_under(card, x, y, lower, sheet))
        sheets.append(own + _sunk(_sunk(np.maximum(below - own, 0), x).T, y).T)
    return sheets


def lifted(cards: list[PlacedCard]) -> list[PlacedCard]:
    """The cards with the heights of their corners."""
    result = []
    for card, sheet in zip(cards, at_rest(cards), strict=True):
        top = sheet + THICKNESS
        ends = top[0, 0], top[0, -1], top[-1, -1], top[-1, 0]
        a, b, c, d = (round(float(end), 4) for end in ends)
        result.append(replace(card, lift=(a, b, c, d)))
    return result


def covered_by(cards: list[PlacedCard]) -> NDArray[np.int64]:
    """How many cards lie on each card's middle."""
    counts = np.zeros(len(cards), dtype=np.int64)
    for index, card in enumerate(cards):
        corners = card.corners_mm().astype(np.float32)
        for number, lower in enumerate(cards[:index]):
            counts[number] += cv2.pointPolygonTest(corners, (lower.x, lower.y), False) >= 0
    return counts


def _curled(card: PlacedCard, y: Floats) -> Floats:
    """A free card's heights along its long side; it stands on its lowest points."""
    bent = card.curl * (2 * y / card.height) ** 2
    return np.asarray(bent - min(card.curl, 0.0))


def _reach(card: PlacedCard) -> float:
    return float(np.hypot(card.width, card.height)) / 2 + 2 * GRID


def _top_under(card: PlacedCard, x: Floats, y: Floats, lower: PlacedCard, sheet: Floats) -> Floats:
    """(rows, columns) of a card's points: how high the upper side of a lower card is there, 0 beside it."""
    turn = card.angle - lower.angle
    c, s = np.cos(turn), np.sin(turn)
    away = np.array([card.x - lower.x, card.y - lower.y])
    back = np.array([[np.cos(lower.angle), np.sin(lower.angle)], [-np.sin(lower.angle), np.cos(lower.angle)]])
    dx, dy = back @ away
    u = dx + c * x[None, :] - s * y[:, None]
    v = dy + s * x[None, :] + c * y[:, None]
    # an edge counts from the last point before it, so that it does not come through between two points
    margin = 1.5 * GRID
    over = (np.abs(u) <= lower.width / 2 + margin) & (np.abs(v) <= lower.height / 2 + margin)
    if not over.any():
        return np.zeros_like(u)
    rows, columns = sheet.shape
    at_u = np.clip((u / lower.width + 0.5) * (columns - 1), 0, columns - 1)
    at_v = np.clip((v / lower.height + 0.5) * (rows - 1), 0, rows - 1)
    height = cv2.remap(
        sheet.astype(np.float32), at_u.astype(np.float32), at_v.astype(np.float32), cv2.INTER_LINEAR
    )
    return np.where(over, height + THICKNESS + AIR, 0.0)


def _sunk(heights: Floats, along: Floats) -> Floats:
    """Each row's points held up by the others in it: the highest of all arcs that hang from them."""
    drop = np.hypot(SAG * (along[:, None] - along[None, :]), STIFF) - STIFF
    return np.asarray((heights[:, None, :] - drop[None]).max(axis=2))
