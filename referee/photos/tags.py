"""Numbers for the cards that were counted, deck by deck as one reads, so that a deck's last number is its count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from referee.photos.mending import Mended, Place
from vision.layout import Floats, SeenCard
from vision.photos.merging import MergedCard

#: What a card counts as: a back, the top of a foundation, a card face up among the backs (which does not count), or
#: one of a left-over pile.
Shows = Literal["back", "top", "face-up", "left"]
#: Cards are of one row where they lie no further apart up and down than this share of a card's height.
ROW = 0.5


@dataclass(frozen=True, slots=True)
class Counted:
    """A card that counts; `name`: the deck's label, the face, or whose pile it is of."""

    merged: MergedCard
    shows: Shows
    name: str


def tags(cards: Sequence[Counted], mended: Mended) -> list[dict[str, Any]]:
    """The cards as printed with --json: numbered within each name, with every place where a photo shows them."""
    told = []
    numbers: dict[tuple[str, str], int] = {}
    for one in _in_order(cards):
        key = one.shows, one.name if one.shows in ("back", "left") else ""
        numbers[key] = numbers.get(key, 0) + 1
        card = one.merged.card
        told.append(
            {
                "number": numbers[key],
                "shows": one.shows,
                "name": one.name,
                "face": card.face,
                "confidence": round(float(card.confidence), 4),
                "told": card.told,
                "on": [_on(place, seen) for place, seen in mended.places_of(one.merged)],
            }
        )
    return told


def _on(place: Place, card: SeenCard) -> dict[str, Any]:
    return {
        **place.to_json(),
        "corners": card.corners.round(1).tolist(),
        "at": _middle(card).round(1).tolist(),
    }


def _middle(card: SeenCard) -> Floats:
    """(2,) px: the middle of what is seen of a card."""
    return np.asarray(card.visible.mean(axis=0) if len(card.visible) else card.centre, dtype=np.float64)


def _in_order(cards: Sequence[Counted]) -> list[Counted]:
    """Photo by photo, row by row, from left to right."""
    by_photo: dict[int, list[Counted]] = {}
    for one in cards:
        by_photo.setdefault(one.merged.photo, []).append(one)
    return [one for photo in sorted(by_photo) for row in _rows(by_photo[photo]) for one in row]


def _rows(cards: Sequence[Counted]) -> list[list[Counted]]:
    height = float(np.median([np.linalg.norm(np.ptp(one.merged.card.corners, axis=0)) for one in cards]))
    rows: list[list[Counted]] = []
    top = -np.inf
    for one in sorted(cards, key=lambda one: float(_middle(one.merged.card)[1])):
        y = float(_middle(one.merged.card)[1])
        if y - top > ROW * height:
            rows.append([])
            top = y
        rows[-1].append(one)
    return [sorted(row, key=lambda one: float(_middle(one.merged.card)[0])) for row in rows]
