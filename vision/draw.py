"""A layout drawn over its picture: outlines, names and doubts, each back design in a colour of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

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
#: Letters of tags are as large as this share of a picture's longer side at most, and as a quarter of that at least; so
#: large beside the distance to the next tag; and a letter of scale 1 is so high (px).
_TAG, _APART, _LETTER_PX = 1 / 60, 1 / 2, 22.0


@dataclass(frozen=True, slots=True)
class Tag:
    """A short text in a box of its own, with its middle `at` a point (2,) px; `back`: of which deck, or None."""

    text: str
    at: Floats
    back: str | None = None


def back_colours(layout: Layout) -> dict[str, Colour]:
    """A colour (BGR) for the label of each back design: its own for "blue", another for "blue 2"."""
    return _colours(card.back for card in layout.cards if card.back is not None)


def _colours(backs: Iterable[str]) -> dict[str, Colour]:
    labels = sorted(set(backs))
    spare = iter(_PALETTE * len(labels))
    return {label: _NAMED.get(label) or next(spare) for label in labels}


def draw_layout(image: Image, layout: Layout, *, named: bool = True) -> Image:
    """A copy of the picture with everything that was seen drawn on it; each card `named`, or only outlined."""
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
    for card in layout.cards if named else ():
        _name(drawn, card, _colour(card, colours), size)
    return drawn


def draw_tags(image: Image, tags: Sequence[Tag], legend: Mapping[str, str]) -> Image:
    """The picture with tags in their decks' colours, as large as their neighbours let them be; beneath it what is said of
    each deck (`legend`, by its back)."""
    size = max(image.shape[0], image.shape[1])
    colours = _colours([*legend, *(tag.back for tag in tags if tag.back is not None)])
    at = np.array([tag.at for tag in tags]).reshape(-1, 2)
    for number, tag in enumerate(tags):
        away = np.linalg.norm(np.delete(at, number, axis=0) - tag.at, axis=1)
        letters = min(_TAG * size, max(_TAG * size / 4, _APART * float(away.min(initial=size))))
        x, y = (float(part) for part in tag.at)
        _box(image, tag.text, (x, y), colours.get(tag.back or "", _FACE), letters)
    letters, high = _TAG * size, image.shape[0]
    strip = np.full((round(1.8 * letters * len(legend)), *image.shape[1:]), _FACE, np.uint8)
    told = np.concatenate([image, strip])
    for row, (back, text) in enumerate(legend.items()):
        _box(told, text, (0.0, high + (1.8 * row + 0.9) * letters), colours[back], letters)
    return told


def draw_names(image: Image, layout: Layout, names: Mapping[str, int]) -> Image:
    """The picture, drawn on: names at the upper ends of these cards (their numbers in the layout)."""
    size = max(image.shape[0], image.shape[1])
    for name, number in names.items():
        x, y = layout.cards[number].corners[:2].mean(axis=0)
        _label(image, name, (float(x), float(y)), _PLACE, size)
    return image


def draw_area(image: Image, area: Floats, name: str, *, doubt: bool = False) -> Image:
    """The picture, drawn on: an outline (n, 2) px around cards that are to be spread, or of one in `doubt`, with a name
    at its upper edge."""
    colour = _UNSURE if doubt else _AREA
    size = max(image.shape[0], image.shape[1])
    thickness = max(2, round(size / (700 if doubt else 350)))
    cv2.polylines(image, [_polygon(area)], True, _INK, thickness + 4, cv2.LINE_AA)
    cv2.polylines(image, [_polygon(area)], True, colour, thickness, cv2.LINE_AA)
    x, y = float(area[:, 0].mean()), float(area[:, 1].min())
    _label(image, name, (x, y), colour, size)
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
    pad = max(2, round(scale * 5))
    left, base = _within(image, x - width / 2, y + height / 2, (width, height), pad)
    corner, opposite = (left - pad, base - height - pad), (left + width + pad, base + below // 2 + pad)
    cv2.rectangle(image, corner, opposite, _INK, -1, cv2.LINE_AA)
    cv2.putText(image, text, (left, base), cv2.FONT_HERSHEY_SIMPLEX, scale, colour, weight, cv2.LINE_AA)


def _box(image: Image, text: str, at: tuple[float, float], colour: Colour, letters: float) -> None:
    """Text of so many px in a box of this colour, with its middle at a point."""
    scale = letters / _LETTER_PX
    weight = max(1, round(scale * 2))
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, weight)
    pad = max(2, round(letters / 5))
    left, base = _within(image, at[0] - width / 2, at[1] + height / 2, (width, height), pad)
    corner, opposite = (left - pad, base - height - pad), (left + width + pad, base + pad)
    dark = colour[0] * 0.11 + colour[1] * 0.59 + colour[2] * 0.3 < 128
    cv2.rectangle(image, corner, opposite, colour, -1, cv2.LINE_AA)
    cv2.rectangle(image, corner, opposite, _INK, 1, cv2.LINE_AA)
    ink = _FACE if dark else _INK
    cv2.putText(image, text, (left, base), cv2.FONT_HERSHEY_SIMPLEX, scale, ink, weight, cv2.LINE_AA)


def _within(image: Image, left: float, base: float, size: tuple[int, int], pad: int) -> tuple[int, int]:
    """Where a text of this width and height begins so that all of it is in the picture."""
    height, width = image.shape[:2]
    x = min(max(round(left), pad), max(pad, width - size[0] - pad))
    return x, max(min(round(base), height - pad), size[1] + pad)


def _polygon(points: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    return np.round(points).astype(np.int32).reshape(-1, 1, 2)
