"""A layout drawn over its picture: outlines, names and doubts, each back design in a colour of its own."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np

from vision.capture.frames import Image
from vision.layout import Floats, Layout, SeenCard

Colour = tuple[int, int, int]

#: BGR of the colours that backs are named by.
_NAMED: dict[str, Colour] = {
    "red": (60, 60, 235),
    "orange": (0, 140, 245),
    "yellow": (60, 215, 245),
    "green": (90, 170, 40),
    "turquoise": (190, 190, 30),
    "blue": (240, 130, 50),
    "purple": (200, 80, 150),
    "pink": (190, 130, 255),
    "black": (50, 50, 50),
    "grey": (150, 150, 150),
    "white": (245, 245, 245),
}
#: For further designs of one colour; told apart by the colour-blind, too.
_PALETTE: tuple[Colour, ...] = (
    (0, 159, 230),
    (233, 180, 86),
    (115, 158, 0),
    (66, 228, 240),
    (178, 114, 0),
    (0, 94, 213),
    (167, 121, 204),
)
_FACE: Colour = (255, 255, 255)
_UNSURE: Colour = (0, 200, 255)
_HAND: Colour = (200, 120, 255)
_INK: Colour = (30, 30, 30)
_PLACE: Colour = (150, 255, 150)
_AREA: Colour = (0, 60, 255)
#: A reading below this is drawn as unsure.
_SURE = 0.8


def back_colours(layout: Layout) -> dict[str, Colour]:
    """A colour (BGR) for the label of each back design: its own for "blue", another for "blue 2"."""
    labels = sorted({card.back for card in layout.cards if card.back is not None})
    spare = iter(_PALETTE * len(labels))
    return {label: _NAMED.get(label) or next(spare) for label in labels}


def draw_layout(image: Image, layout: Layout) -> Image:
    """A copy of the picture with everything that was seen drawn on it."""
    drawn = image.copy()
    size = max(image.shape[0], image.shape[1])
    thickness = max(1, round(size / 700))
    colours = back_colours(layout)
    _tint(drawn, layout, colours)
    for hand in layout.hands:
        cv2.polylines(drawn, [_polygon(hand.corners)], True, _HAND, thickness, cv2.LINE_AA)
    for card in layout.cards:
        colour = _colour(card, colours)
        cv2.polylines(drawn, [_polygon(card.corners)], True, _INK, thickness + 2, cv2.LINE_AA)
        cv2.polylines(drawn, [_polygon(card.corners)], True, colour, thickness, cv2.LINE_AA)
    for card in layout.cards:
        _name(drawn, card, _colour(card, colours), size)
    return drawn


def draw_names(image: Image, layout: Layout, names: Mapping[str, int]) -> Image:
    """The picture, drawn on: names at the upper ends of these cards (their numbers in the layout)."""
    size = max(image.shape[0], image.shape[1])
    for name, number in names.items():
        x, y = layout.cards[number].corners[:2].mean(axis=0)
        _label(image, name, (float(x), float(y)), _PLACE, size)
    return image


def draw_area(image: Image, area: Floats, name: str) -> Image:
    """The picture, drawn on: an outline (n, 2) px around cards that are asked about, with a name in its middle."""
    size = max(image.shape[0], image.shape[1])
    thickness = max(2, round(size / 350))
    cv2.polylines(image, [_polygon(area)], True, _INK, thickness + 4, cv2.LINE_AA)
    cv2.polylines(image, [_polygon(area)], True, _AREA, thickness, cv2.LINE_AA)
    x, y = float(area[:, 0].mean()), float(area[:, 1].min())
    _label(image, name, (x, y), _AREA, size)
    return image


def _tint(image: Image, layout: Layout, colours: Mapping[str, Colour]) -> None:
    """Lay each back's colour thinly over what can be seen of the card."""
    tinted = image.copy()
    for card in layout.cards:
        if card.side == "back" and len(card.visible) >= 3:
            cv2.fillPoly(tinted, [_polygon(card.visible)], _colour(card, colours))
    cv2.addWeighted(tinted, 0.28, image, 0.72, 0, dst=image)


def _colour(card: SeenCard, colours: Mapping[str, Colour]) -> Colour:
    if card.side == "back":
        return colours.get(card.back or "", _UNSURE)
    return _FACE if card.face is not None and card.face_confidence >= _SURE else _UNSURE


def _name(image: Image, card: SeenCard, colour: Colour, size: int) -> None:
    """The card's name in the middle of its visible part, with the confidence where it is low."""
    text = (card.face or card.partly or "?") if card.side == "face" else (card.back or "back")
    sureness = card.face_confidence if card.side == "face" and card.face else card.confidence
    if sureness < _SURE:
        text = f"{text} {sureness:.0%}"
    x, y = (card.visible if len(card.visible) else card.corners).mean(axis=0)
    _label(image, text, (float(x), float(y)), colour, size)


def _label(image: Image, text: str, at: tuple[float, float], colour: Colour, size: int) -> None:
    """Text with its middle at a point."""
    x, y = at
    scale = max(0.35, size / 2600)
    weight = max(1, round(scale * 1.8))
    (width, height), below = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, weight)
    left, base = round(x - width / 2), round(y + height / 2)
    pad = max(2, round(scale * 5))
    corner, opposite = (left - pad, base - height - pad), (left + width + pad, base + below // 2 + pad)
    cv2.rectangle(image, corner, opposite, _INK, -1, cv2.LINE_AA)
    cv2.putText(image, text, (left, base), cv2.FONT_HERSHEY_SIMPLEX, scale, colour, weight, cv2.LINE_AA)


def _polygon(points: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    return np.round(points).astype(np.int32).reshape(-1, 1, 2)
