"""What was seen of a picture, carried to a later one and patched with a look at the part in which something changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.frames import Image
from vision.geometry.plane import apply
from vision.geometry.registration import pair_up, poses
from vision.layout import CARD_HEIGHT_MM, CARD_WIDTH_MM, Floats, Layout, SeenCard
from vision.photos.deck_match import common_labels
from vision.photos.following import Followed

#: What is looked at reaches so far over what changed, so that every card of which a part did is seen whole, mm.
AROUND_MM = float(np.hypot(CARD_WIDTH_MM, CARD_HEIGHT_MM)) / 2
#: Cards that both looks show so near to one another (turns counted) are one, mm.
ONE_MM = 10.0
#: Where so little of a card is seen in what changed, it is one of the rest.
OF_THE_REST = 0.1


def carried(layout: Layout, onto: Floats) -> Layout:
    """What was seen of a picture, where another one has it: (3, 3) px -> px of that."""
    back = np.asarray(np.linalg.inv(onto), dtype=np.float64)
    to_table = None if layout.to_table is None else layout.to_table @ back
    cards = [
        replace(
            card,
            corners=apply(onto, card.corners),
            visible=apply(onto, card.visible) if len(card.visible) else card.visible,
        )
        for card in layout.cards
    ]
    doubted = [replace(one, corners=apply(onto, one.corners)) for one in layout.doubted]
    glare = [apply(onto, outline) for outline in layout.glare]
    return replace(layout, cards=cards, doubted=doubted, glare=glare, to_table=to_table, plane=None, hands=[])


class SeesParts(Protocol):
    """An eye that looks at parts of a picture."""

    def see_part(self, image: Image, to_table: Floats, area: Floats, *, spread: bool) -> Layout:
        """See `vision.eye.Eye.see_part`."""


def seen_again(eye: SeesParts, image: Image, layout: Layout, followed: Followed) -> Layout:
    """What is seen of a picture, (H, W, 3) BGR, `followed` from the first one, of which `layout` was seen with its plane:
    what changed is looked at quickly, the rest is carried over.
    """
    assert layout.to_table is not None
    onto = np.asarray(layout.to_table @ np.linalg.inv(followed.onto), dtype=np.float64)
    backs = sum(card.side == "back" for card in layout.cards)
    spread = 2 * backs > len(layout.cards)
    part = eye.see_part(image, onto, changed_area(followed, layout), spread=spread)
    return patched(layout, followed, part)


def changed_area(followed: Followed, layout: Layout) -> Floats:
    """(n, 2) px of the newest picture around what changed, and around all cards that may lie there, partly.

    `layout`: what was seen of the first one.
    """
    rows, columns = np.nonzero(followed.changed)
    points = np.column_stack([columns, rows]).astype(np.float32)
    hull = cv2.convexHull(points).reshape(-1, 2).astype(np.float64) / followed.scale
    if layout.px_per_mm:
        middle = hull.mean(axis=0)
        length = np.maximum(np.linalg.norm(hull - middle, axis=1, keepdims=True), 1e-6)
        hull = middle + (hull - middle) * (1 + AROUND_MM * layout.px_per_mm / length)
    return apply(followed.onto, hull)


def patched(layout: Layout, followed: Followed, part: Layout) -> Layout:
    """What is seen of the newest picture: `layout`, of the first one; where something changed `part`, of the newest."""
    before = carried(layout, followed.onto)
    if before.to_table is None:
        return part
    old, new = before.cards, _named_as(before.cards, part.cards)
    back = np.asarray(np.linalg.inv(followed.onto), dtype=np.float64)
    pairs = _pairs(before, replace(part, cards=new))
    there = np.array([_is_there(card, followed, back) for card in old], dtype=bool)
    comes = np.array([_is_there(card, followed, back) for card in new], dtype=bool)
    met_old, met_new = pairs[:, 0], pairs[:, 1]
    # a card that both show is one, seen anew where it changed
    comes[met_new], there[met_old] = there[met_old] | comes[met_new], there[met_old] | comes[met_new]
    cards = [card for card, gone in zip(old, there, strict=True) if not gone]
    cards += [card for card, one in zip(new, comes, strict=True) if one]
    first = 1 + max((card.pile for card in cards), default=0)
    taken = {id(card) for card in new}
    cards = [replace(card, pile=card.pile + first) if id(card) in taken else card for card in cards]
    return replace(before, cards=cards, doubted=[], glare=[])


def _is_there(card: SeenCard, followed: Followed, back: Floats) -> bool:
    """Does what is seen of a card of the newest picture lie where something changed?"""
    outline = card.visible if len(card.visible) > 2 else card.corners
    return followed.share(apply(back, outline)) > OF_THE_REST


def _pairs(one: Layout, two: Layout) -> NDArray[np.intp]:
    """(k, 2) rows of cards that are one."""
    assert one.to_table is not None
    here, there = poses(one, one.to_table), poses(two, one.to_table)
    pairs, apart = pair_up(here, there, np.zeros((len(here), len(there)), dtype=bool))
    return pairs[apart <= ONE_MM]


def _named_as(old: list[SeenCard], new: list[SeenCard]) -> list[SeenCard]:
    """The new cards, with those labels for their backs that the old ones of the same design have."""
    both = [_by_label(cards) for cards in (old, new)]
    names = common_labels(both)[0][1]
    return [replace(card, back=names.get(card.back, card.back)) if card.back else card for card in new]


def _by_label(cards: list[SeenCard]) -> dict[str, list[SeenCard]]:
    told: dict[str, list[SeenCard]] = {}
    for card in cards:
        if card.side == "back" and card.back:
            told.setdefault(card.back, []).append(card)
    return told
