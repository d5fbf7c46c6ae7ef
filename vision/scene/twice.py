"""One card that was found in two places a few mm apart: the upper one hides a part of the strip that is the card's own.

What is seen of both together, read where the lower one lies, tells: where that is a face and either alone was none, or a
worse one, they are one card. Two cards of a column show what they are each by itself. And a sliver beside a card that
shows whole, with the very face of that card, is the card's own edge, which was drawn too far inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from vision.geometry.polygons import corners_apart
from vision.layout import FACES, SeenCard
from vision.scene.stacking import outline_of

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]
#: (n, 4, 2) corners, (n, H / step, W / step) masks and `step` to (n, 52) chances of faces.
Read = Callable[[Floats, Masks, float], Floats]

#: How far apart (widths) they lie at most, and of how much of a card each shows less.
APART, STRIP = 0.22, 0.5
#: Both together are read with this much, and by so much more surely than either.
READ, MORE = 0.5, 0.1
#: A sliver shows no more than this of a card.
SLIVER = 0.3
#: A face that looks as if a back lay on it is read so surely together; two of the same face no less sure than this.
CLEAR, NO_LESS = 0.9, 0.02


def pairs(cards: Sequence[SeenCard], rowed: NDArray[np.bool_] | None = None) -> list[tuple[int, int]]:
    """Cards of one pile, the lower one first, that show strips and lie nearly in one place.

    `rowed` (n,): which were read in rows, where every edge is a card's; not two of these.
    """
    in_row = np.zeros(len(cards), dtype=bool) if rowed is None else rowed
    strips = [number for number, card in enumerate(cards) if card.visible_fraction < STRIP]
    found = []
    for lower in strips:
        one = cards[lower]
        for upper in strips:
            other = cards[upper]
            if in_row[lower] and in_row[upper]:
                continue
            if one.pile == other.pile and one.order < other.order and _apart(one, other) <= APART:
                found.append((lower, upper))
    return found


def slivers(cards: Sequence[SeenCard]) -> set[int]:
    """Cards of which a sliver shows beneath one that shows whole, nearly in its place and with its face."""
    return {
        number
        for number, card in enumerate(cards)
        if card.face is not None and card.visible_fraction < SLIVER and _has_whole(card, cards)
    }


def _has_whole(card: SeenCard, cards: Sequence[SeenCard]) -> bool:
    return any(
        other.face == card.face
        and other.visible_fraction >= STRIP
        and other.pile == card.pile
        and card.order < other.order
        and _apart(card, other) <= APART
        for other in cards
    )


def _apart(one: SeenCard, other: SeenCard) -> float:
    """Mean distance of their corners, widths of the first."""
    width = max(float(np.linalg.norm(one.corners[1] - one.corners[0])), 1e-6)
    return float(corners_apart(one.corners[None], other.corners[None])[0, 0]) / width


def are_one(lower: SeenCard, upper: SeenCard, together: Floats) -> bool:
    """Are the two one card, as what is seen of both, read where the lower one lies ((52,) chances), tells?"""
    face, sure = FACES[int(np.argmax(together))], float(together.max())
    alone = max(lower.face_confidence, upper.face_confidence)
    if sure >= READ and sure >= alone + MORE:
        return True
    if face != lower.face:
        return False
    hidden = upper.side == "back" and sure >= CLEAR
    return hidden or (lower.face == upper.face and sure >= alone - NO_LESS)


def join(
    cards: Sequence[SeenCard],
    masks: Masks,
    step: float,
    read: Read,
    rowed: NDArray[np.bool_] | None = None,
) -> list[int]:
    """Which of the cards are left when those that are one are made one; these, and their masks, change in place.

    `rowed`: see `pairs`.
    """
    gone = slivers(cards)
    found = [pair for pair in pairs(cards, rowed) if not gone & {*pair}]
    if not found:
        return [number for number in range(len(cards)) if number not in gone]
    corners = np.stack([cards[lower].corners for lower, _ in found])
    chances = read(corners, np.stack([masks[lower] | masks[upper] for lower, upper in found]), step)
    for (lower, upper), together in zip(found, chances, strict=True):
        if gone & {lower, upper} or not are_one(cards[lower], cards[upper], together):
            continue
        gone.add(upper)
        masks[lower] |= masks[upper]
        _become(cards[lower], cards[upper], together, masks[lower], step)
    return [number for number in range(len(cards)) if number not in gone]


def _become(card: SeenCard, other: SeenCard, chances: Floats, mask: NDArray[np.bool_], step: float) -> None:
    """Makes a card what it is together with another."""
    card.side = "face"
    card.visible = outline_of(mask, step)
    card.visible_fraction = min(1.0, card.visible_fraction + other.visible_fraction)
    card.confidence = max(card.confidence, other.confidence)
    card.name_face(chances)
