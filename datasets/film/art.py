"""Deck art at the film's scale: textures with rounded corners, shadows, and a plain deck for tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.decks import Deck
from datasets.play.moves import RANKS, SUITS

Pixels = NDArray[np.uint8]
#: px of transparent border around a texture, so that edges are smooth when it is warped.
BORDER = 2


@dataclass(frozen=True)
class DeckArt:
    """The pictures of one deck: BGR, any size, of the whole card."""

    name: str
    faces: Mapping[str, Pixels]
    back: Pixels
    width: float = 63.0
    height: float = 88.0


def art_of(name: str, deck: Deck, back: Pixels | None = None) -> DeckArt:
    """A deck of the shelf as the film wants it, under the name that the seat calls it by.

    `back` (BGR or BGRA) replaces the deck's own. Raises `ValueError` where there is neither.
    """
    back = back if back is not None else deck.back
    if back is None:
        raise ValueError(f"deck {deck.name} has no back of its own: give one")
    return DeckArt(name, deck.faces, back, *deck.size_mm)


def recoloured(back: Pixels, turn: float) -> Pixels:
    """A back with its hues turned by `turn` degrees: the red twin of a blue deck."""
    hsv = cv2.cvtColor(np.ascontiguousarray(back[..., :3]), cv2.COLOR_BGR2HSV)
    hsv[..., 0] = ((hsv[..., 0].astype(np.int32) + round(turn / 2)) % 180).astype(np.uint8)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR), dtype=np.uint8)


def alike(one: Pixels, other: Pixels) -> bool:
    """Are two backs so similar in colour and drawing that nobody could tell their cards apart?"""
    a, b = (
        cv2.resize(p[..., :3], (21, 29), interpolation=cv2.INTER_AREA).astype(np.float32)
        for p in (one, other)
    )
    return float(np.abs(a - b).mean()) < 18.0


class Textures:
    """A deck's cards as premultiplied BGRA at a fixed scale."""

    def __init__(
        self, art: DeckArt, px_per_mm: float, *, tint: tuple[float, float, float] = (1.0, 1.0, 1.0)
    ) -> None:
        self.art = art
        self.size = (round(art.width * px_per_mm), round(art.height * px_per_mm))
        self._tint = np.array(tint, dtype=np.float32)
        self._alpha = _rounded(self.size, 3.3 * px_per_mm)
        self._made: dict[str, Pixels] = {}

    def __getitem__(self, face: str) -> Pixels:
        """(h, w, 4) of a face, or of the back for ``"back"``; `BORDER` px of nothing around it."""
        if face not in self._made:
            self._made[face] = self._make(self.art.back if face == "back" else self.art.faces[face])
        return self._made[face]

    def _make(self, picture: Pixels) -> Pixels:
        small = cv2.resize(picture[..., :3], self.size, interpolation=cv2.INTER_AREA).astype(np.float32)
        alpha = self._alpha[..., None]
        edge = cv2.GaussianBlur(self._alpha, (0, 0), 1.2)[..., None] * 0.12 + 0.88
        colour = np.clip(small * self._tint * edge, 0, 255) * alpha
        both = np.dstack([colour, alpha * 255])
        framed = cv2.copyMakeBorder(both, BORDER, BORDER, BORDER, BORDER, cv2.BORDER_CONSTANT)
        return np.asarray(np.round(framed), dtype=np.uint8)

    @property
    def corners(self) -> NDArray[np.float32]:
        """(4, 2) px: the card's corners on its texture, clockwise from the top left."""
        w, h = self.size
        return np.array([[0, 0], [w, 0], [w, h], [0, h]], dtype=np.float32) + np.float32(BORDER)


def _rounded(size: tuple[int, int], radius: float) -> NDArray[np.float32]:
    """Coverage of a rectangle with round corners, 0 to 1, smooth at the edge."""
    scale = 4
    w, h = size[0] * scale, size[1] * scale
    r = round(radius * scale)
    mask = np.zeros((h, w), dtype=np.uint8)
    cv2.rectangle(mask, (r, 0), (w - 1 - r, h - 1), 255, -1)
    cv2.rectangle(mask, (0, r), (w - 1, h - 1 - r), 255, -1)
    for x in (r, w - 1 - r):
        for y in (r, h - 1 - r):
            cv2.circle(mask, (x, y), r, 255, -1)
    return cv2.resize(mask, size, interpolation=cv2.INTER_AREA).astype(np.float32) / np.float32(255)


def plain_deck(
    name: str, colour: tuple[int, int, int], *, width: float = 63.0, height: float = 88.0
) -> DeckArt:
    """A deck drawn with letters: for tests, and where no art has been fetched. `colour`: BGR of the back."""
    size = (round(width * 4), round(height * 4))
    faces = {rank + suit: _plain_face(rank + suit, size) for suit in SUITS for rank in RANKS}
    return DeckArt(name, faces, _plain_back(colour, size), width, height)


def _plain_face(face: str, size: tuple[int, int]) -> Pixels:
    card = np.full((size[1], size[0], 3), 246, dtype=np.uint8)
    ink = (40, 30, 200) if face[1] in "HD" else (30, 30, 30)
    text = face.replace("T", "10")
    cv2.putText(card, text, (8, 44), cv2.FONT_HERSHEY_DUPLEX, 1.2, ink, 3, cv2.LINE_AA)
    turned = np.ascontiguousarray(card[::-1, ::-1])
    cv2.putText(turned, text, (8, 44), cv2.FONT_HERSHEY_DUPLEX, 1.2, ink, 3, cv2.LINE_AA)
    cv2.putText(
        turned,
        face[1],
        (size[0] // 2 - 40, size[1] // 2 + 40),
        cv2.FONT_HERSHEY_DUPLEX,
        4,
        ink,
        6,
        cv2.LINE_AA,
    )
    return np.ascontiguousarray(turned)


def _plain_back(colour: tuple[int, int, int], size: tuple[int, int]) -> Pixels:
    back = np.full((size[1], size[0], 3), 240, dtype=np.uint8)
    inner = back[14:-14, 14:-14]
    inner[:] = colour
    for offset in range(-size[1], size[0], 22):
        for slope in (1, -1):
            start = (offset, 0) if slope == 1 else (size[0] - offset, 0)
            end = (start[0] + slope * size[1], size[1])
            cv2.line(inner, start, end, (225, 225, 225), 3, cv2.LINE_AA)
    return back
