"""A deck is shown once: which cards of its photos are kept as what it looks like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.backs.deckfile import DeckError, EnrolledDeck, check_name
from vision.backs.likeness import likeness
from vision.faces.reader import CROP, to_crop, warp
from vision.layout import Layout, SeenCard

Pixels = NDArray[np.uint8]

#: Views of a back that are kept, and how sure a card must be and how much of it must be seen to be one.
MOST_VIEWS, SURE, LEAST_VISIBLE = 4, 0.7, 0.3
#: A single card of another design speaks where so much of it is seen: of a thinner strip the eye is not sure enough.
STRANGER = 0.15
#: A view belongs to the best one when it fits and its ink differs like this, at most (`vision.backs.likeness`).
FITS, INK = 0.45, 0.6


def enrolled(name: str, photos: Sequence[tuple[Pixels, Layout]], seen: Sequence[Layout] = ()) -> EnrolledDeck:
    """The deck `name` from photos that show its back and no other deck's.

    The layouts are what may be cards (`vision.eye.Eye.candidates`): that a card lies there, the user says. `seen`: what
    the eye sees in each photo, which tells designs apart that lie in strips. Raises DeckError where no back can be seen
    well, where a photo shows two decks, and where most backs are not of one design.
    """
    check_name(name)
    for layout in seen:
        _check_one_deck(name, layout)
    views = [_views(image, _backs(layout)) for image, layout in photos]
    crops, masks = (np.concatenate([view[k] for view in views]) for k in (0, 1))
    if not len(crops):
        raise DeckError(
            f"no back can be seen in the photos of {name}: lay some cards backs up, photographed from above"
        )
    # the largest view first
    order = np.argsort(-np.count_nonzero(masks, axis=(1, 2)), kind="stable")
    crops, masks = crops[order], masks[order]
    alike = likeness(crops, masks, crops[:1], masks[:1])
    same = (alike.fit[:, 0] >= FITS) & (alike.ink[:, 0] <= INK)
    same[0] = True
    if np.count_nonzero(~same) > np.count_nonzero(same):
        raise DeckError(
            f"the photos of {name} show more than one design of backs: photograph this deck alone"
        )
    kept = np.flatnonzero(same)[:MOST_VIEWS]
    return EnrolledDeck(name, crops[kept], masks[kept])


def _check_one_deck(name: str, layout: Layout) -> None:
    """Raises DeckError where the eye sees two designs of backs: two cards of another, or one that shows well."""
    backs = [card for card in layout.cards if card.back is not None and card.confidence >= SURE]
    designs = Counter(card.back for card in backs)
    if len(designs) < 2:
        return
    (most, _), *_ = designs.most_common()
    others = [card for card in backs if card.back != most]
    if len(others) > 1 or others[0].visible_fraction >= STRANGER:
        told = ", ".join(f"{number} {label}" for label, number in designs.most_common())
        raise DeckError(
            f"{len(designs)} decks are seen in one photo of {name} ({told}): photograph this deck alone"
        )


def _backs(layout: Layout) -> list[SeenCard]:
    return [
        card
        for card in layout.cards
        if card.side == "back" and card.confidence >= SURE and card.visible_fraction >= LEAST_VISIBLE
    ]


def _views(image: Pixels, cards: Sequence[SeenCard]) -> tuple[Pixels, Pixels]:
    """(n, 160, 112, 3) crops and (n, 160, 112) masks of cards."""
    crops, masks = np.zeros((len(cards), *CROP, 3), np.uint8), np.zeros((len(cards), *CROP), np.uint8)
    for number, card in enumerate(cards):
        matrix = to_crop(card.corners)
        crops[number] = warp(image, matrix, card.corners)
        outline = np.asarray(card.visible, np.float64)[None]
        if outline.shape[1] >= 3:
            onto = cv2.perspectiveTransform(outline, matrix)
            cv2.fillPoly(masks[number], [np.round(onto[0]).astype(np.int32)], 255)
    return crops, masks
