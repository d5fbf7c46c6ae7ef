"""A layout as the plain values that `nerts-referee see --json` prints."""

from __future__ import annotations

from typing import Any

from vision.layout import Floats, Layout, Plane, SeenCard, SeenHand


def layout_to_json(layout: Layout, image: str) -> dict[str, Any]:
    """One object a picture; `image` is the name it goes by. Coordinates in px, confidences 0 to 1."""
    return {
        "image": image,
        "width": layout.width,
        "height": layout.height,
        "px_per_mm": round(float(layout.px_per_mm), 3),
        "cards": [_card(card) for card in layout.cards],
        "hands": [_hand(hand) for hand in layout.hands],
        "plane": None if layout.plane is None else _plane(layout.plane),
    }


def _plane(plane: Plane) -> dict[str, Any]:
    """`to_mm`: homography from px to mm; `lens`: before it, a point is moved away from the picture's middle by that
    share of its distance, times the square of the distance in units of half the picture's longer side."""
    return {
        "from": plane.source,
        "residual_mm": round(plane.residual_mm, 2),
        "card_mm": None if plane.card_mm is None else list(plane.card_mm),
        "lens": round(plane.bend, 5),
        "to_mm": [[float(f"{value:.8g}") for value in row] for row in plane.matrix / plane.matrix[2, 2]],
    }


def _card(card: SeenCard) -> dict[str, Any]:
    return {
        "corners": _points(card.corners),
        "side": card.side,
        "face": card.face,
        "partly": card.partly,
        "back": card.back,
        "back_confidence": None if card.back_confidence is None else round(card.back_confidence, 4),
        "confidence": round(float(card.confidence), 4),
        "face_confidence": round(float(card.face_confidence), 4),
        "visible": _points(card.visible),
        "visible_fraction": round(float(card.visible_fraction), 4),
        "pile": int(card.pile) if card.pile >= 0 else None,
        "order": int(card.order),
    }


def _hand(hand: SeenHand) -> dict[str, Any]:
    return {"corners": _points(hand.corners), "confidence": round(float(hand.confidence), 4)}


def _points(points: Floats) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in points]
