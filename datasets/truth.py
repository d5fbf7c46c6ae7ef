"""Truth of a drawn scene, from geometry and the id buffer."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from datasets.render import Painting
from datasets.scene import Scene

Floats = NDArray[np.float64]


@dataclass(slots=True)
class CardTruth:
    """What is true of one card in one picture."""

    #: (4, 2) px, the printed card's top left, top right, bottom right, bottom left, hidden parts too.
    corners: list[list[float]]
    face: str
    face_up: bool
    deck: int
    pile: int
    #: 0 = lowest of its pile.
    order: int
    #: Visible share of the part inside the picture's frame and outside it together, 0..1.
    visible_fraction: float
    #: Axis-aligned box of the visible part: x, y, width, height in px; None when nothing is visible.
    visible_box: list[float] | None

    def as_json(self) -> dict[str, Any]:
        """For a JSON file."""
        return asdict(self)


def truth_of(scene: Scene, painting: Painting) -> list[CardTruth]:
    """Truth for every card of the scene, in its order."""
    flat = painting.ids.ravel()
    rows = np.flatnonzero(flat >= 0)
    counts = np.bincount(flat[rows], minlength=len(scene.cards))
    orders: dict[int, int] = {}
    result = []
    for index, card in enumerate(scene.cards):
        corners = scene.project(card.corners_mm())
        order = orders.get(card.pile, 0)
        orders[card.pile] = order + 1
        result.append(
            CardTruth(
                corners=np.round(corners, 2).tolist(),
                face=card.face,
                face_up=card.face_up,
                deck=card.deck,
                pile=card.pile,
                order=order,
                visible_fraction=float(min(1.0, counts[index] / max(_area(corners), 1.0))),
                visible_box=_box(painting.ids, index, corners) if counts[index] else None,
            )
        )
    return result


def _area(polygon: Floats) -> float:
    x, y = polygon[:, 0], polygon[:, 1]
    return float(abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2)


def _box(ids: NDArray[np.int16], index: int, corners: Floats) -> list[float]:
    left, top = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
    right, bottom = np.ceil(corners.max(axis=0)).astype(int) + 1
    ys, xs = np.nonzero(ids[top:bottom, left:right] == index)
    return [
        float(left + xs.min()),
        float(top + ys.min()),
        float(xs.max() - xs.min() + 1),
        float(ys.max() - ys.min() + 1),
    ]
