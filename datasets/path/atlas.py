"""All the art of a scene on one picture, so that all cards are one mesh with one texture."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from datasets.render import Art, Pixels
from datasets.scene import PlacedCard

#: Left, top, width and height on the atlas, shares of it.
Slot = tuple[float, float, float, float]

#: px that a card's art may take, across.
LEAST, MOST = 24, 252
#: Sides of an atlas, px: few, because each new one has to be compiled for.
SIDES = (1024, 2048, 4096)
#: px around each card's art that repeat its edge.
GUTTER = 2


def atlas_of(
    cards: Sequence[PlacedCard],
    decks: Sequence[Art],
    tint: tuple[float, float, float],
    width_px: float,
) -> tuple[Pixels, list[Slot]]:
    """(side, side, 3) BGR, and each card's place; a card is about `width_px` wide in the picture."""
    keys = [(card.deck, card.face if card.face_up else "back") for card in cards]
    wanted = list(dict.fromkeys(keys))
    # a little finer than the picture: several rays a px see it
    across = int(np.clip(1.3 * width_px, LEAST, MOST))
    side = next((side for side in SIDES if _room(side, across) >= len(wanted)), SIDES[-1])
    while _room(side, across) < len(wanted):
        across -= 4
    wide, high = _cell(across)
    sheet = np.zeros((side, side, 3), dtype=np.uint8)
    slots: dict[tuple[int, str], Slot] = {}
    for number, (deck, name) in enumerate(wanted):
        row, column = divmod(number, side // wide)
        left, top = column * wide, row * high
        art = _opaque(decks[deck], name)
        small = cv2.resize(art, (across, high - 2 * GUTTER), interpolation=cv2.INTER_AREA)
        cell = cv2.copyMakeBorder(small, GUTTER, GUTTER, GUTTER, GUTTER, cv2.BORDER_REPLICATE)
        sheet[top : top + high, left : left + wide] = np.round(cell * np.array(tint))
        inner = left + GUTTER, top + GUTTER, across, high - 2 * GUTTER
        slots[deck, name] = (inner[0] / side, inner[1] / side, inner[2] / side, inner[3] / side)
    return sheet, [slots[key] for key in keys]


def _cell(across: int) -> tuple[int, int]:
    return across + 2 * GUTTER, round(across * 88 / 63) + 2 * GUTTER


def _room(side: int, across: int) -> int:
    wide, high = _cell(across)
    return (side // wide) * (side // high)


def _opaque(deck: Art, name: str) -> Pixels:
    """(H, W, 3): the art, its cut corners filled with the paper beside them."""
    art = deck.back if name == "back" else deck.faces[name]
    if art is None:
        raise ValueError("a deck without a back lies face down")
    colour, alpha = art[..., :3], art[..., 3:] / 255
    rows, columns = art.shape[:2]
    edge = np.concatenate([colour[2, columns // 4 : -columns // 4], colour[rows // 4 : -rows // 4, 2]])
    return np.asarray(np.round(colour * alpha + np.median(edge, axis=0) * (1 - alpha)), dtype=np.uint8)
