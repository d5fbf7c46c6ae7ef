"""Truth of a drawn scene, from geometry and the id buffer."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render import Painting
from datasets.scene import POKER_MM, PlacedCard, Scene

Floats = NDArray[np.float64]

#: mm of a card's corner in which its index stands, across and along, and the share of it that must be seen.
INDEX_MM, INDEX_SHARE = (10, 19), 0.35


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
    #: Middle x, y (mm on the table), clockwise turn (degrees), width and height (mm).
    mm: list[float]
    #: Can enough of a printed index be seen to read it? Never on a back.
    index_visible: bool
    #: Its place as the record writes it, a player's own with the seat first (`south work 2`); of layouts only.
    place: str | None = None

    def as_json(self) -> dict[str, Any]:
        """For a JSON file."""
        told = {setting.name: getattr(self, setting.name) for setting in fields(self)}
        if self.place is None:
            del told["place"]
        return told


def truth_of(scene: Scene, painting: Painting) -> list[CardTruth]:
    """Truth for every card of the scene, in its order."""
    flat = painting.ids.ravel()
    counts = np.bincount(flat[flat >= 0], minlength=len(scene.cards))
    orders: dict[int, int] = {}
    result = []
    for index, card in enumerate(scene.cards):
        corners = scene.corners(card)
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
                mm=_in_mm(card),
                index_visible=card.face_up
                and bool(counts[index])
                and index_shows(painting.ids, index, corners),
            )
        )
    return result


def index_shows(ids: NDArray[np.integer[Any]], number: int, corners: Floats) -> bool:
    """Is `INDEX_SHARE` of an index seen? `ids`: (h, w), `number` where this card is topmost; `corners`: (4, 2) px."""
    left, top = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
    right, bottom = np.maximum(np.ceil(corners.max(axis=0)).astype(int) + 1, 0)
    seen = ids[top:bottom, left:right] == number
    if not seen.size:
        return False
    wide, high = (round(side) for side in POKER_MM)
    goal = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], dtype=np.float32)
    # a px is where its middle is
    own = (corners - (left, top)).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(own - 0.5, goal - 0.5)
    cells = cv2.warpPerspective(seen.astype(np.uint8), matrix, (wide, high), flags=cv2.INTER_NEAREST)
    across, along = INDEX_MM
    both = cells[1 : 1 + along, 1 : 1 + across], cells[-1 - along : -1, -1 - across : -1]
    return max(float(corner.mean()) for corner in both) >= INDEX_SHARE


def _in_mm(card: PlacedCard) -> list[float]:
    turn = float(np.degrees(card.angle)) % 360
    return [round(value, 2) for value in (card.x, card.y, turn, card.width, card.height)]


def _area(polygon: Floats) -> float:
    x, y = polygon[:, 0], polygon[:, 1]
    return float(abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2)


def _box(ids: NDArray[np.int16], index: int, corners: Floats) -> list[float]:
    left, top = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
    right, bottom = np.ceil(corners.max(axis=0)).astype(int) + 1
    seen = ids[top:bottom, left:right] == index
    x, y, width, height = cv2.boundingRect(seen.view(np.uint8))
    return [float(left + x), float(top + y), float(width), float(height)]
