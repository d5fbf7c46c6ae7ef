"""Which colour is which suit: cards that are surely read say it of those of which little more than the rank is seen.

A strip of a column may show a tall rank and nothing of its suit's sign; in decks of four colours the ink tells the suit
to whoever has seen the deck's other cards. Colours are evidence as far as they go: where two suits share an ink, as in
decks of two colours, nothing changes, and no rule of any game is asked, so that an illegal build is read as it lies.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.faces.reader import CROP
from vision.layout import FACES, SUITS, SeenCard

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: (52,) the suit of every face, by its place in SUITS.
SUIT = np.array([SUITS.index(face[1]) for face in FACES])
#: The suit that shares its ink where a deck has two.
PARTNER = np.array([SUITS.index(suit) for suit in "CDHS"])
#: Rows and columns of a crop in which an index stands, from its corner.
INDEX_ROWS, INDEX_COLUMNS = 64, slice(3, 26)
#: What is darker than paper by less than this, and than the darkest by less than half, is no ink.
LEAST_INK = 0.15
#: Fewer pixels of a card, of its index, and of ink than these tell no colour.
LEAST_SEEN, LEAST_INDEX, LEAST_INKED = 60, 40, 6
#: So many pixels are enough to tell the colour of the paper.
ENOUGH = 2_000
#: A suit read with at least this says what its ink is; a face read with this is not settled by its ink.
SURE, SETTLED = 0.9, 0.995
#: How far apart colours of one ink are (unit vectors), how far apart cards of one deck lie (widths), and how much more a
#: card of the same pile counts, which in columns is of the same deck.
SPREAD, NEAR, SAME_PILE = 0.08, 2.0, 3.0
#: How much is known before any card is seen, and how likely an ink is then, for any suit and where it is its partner's.
BEFORE, ANY_INK, PARTNERS_INK = 0.02, 0.3, 0.4
#: No ink rules a suit out: highlights and shadows change colours.
LEAST = 0.04


def colours(crops: Pixels, masks: Pixels) -> Floats:
    """(n, 3) what the inks of indices take away of blue, green and red, as unit vectors; NaN where too little shows.

    `crops` (n, 160, 112, 3) BGR, `masks` (n, 160, 112), 255 = the card's own visible part.
    """
    return np.array([_colour(*one) for one in zip(crops, masks, strict=True)]).reshape(-1, 3)


def _index_zone() -> NDArray[np.bool_]:
    zone = np.zeros(CROP, dtype=bool)
    zone[:INDEX_ROWS, INDEX_COLUMNS] = True
    return np.asarray(zone | zone[::-1, ::-1])


_INDEX = _index_zone()


def _colour(crop: Pixels, mask: Pixels) -> Floats:
    none = np.full(3, np.nan)
    # the rim of what is seen may be a neighbour's
    seen = cv2.erode(mask, np.ones((3, 3), np.uint8)) > 0
    index = seen & _INDEX
    if seen.sum() < LEAST_SEEN or index.sum() < LEAST_INDEX:
        return none
    inside = crop[seen]
    inside = inside[:: max(1, len(inside) // ENOUGH)].astype(np.float32)
    light = inside.sum(axis=1)
    paper = np.median(inside[light >= np.percentile(light, 70)], axis=0)
    taken = np.clip(1 - crop[index] / np.maximum(paper, 8.0), 0, 1)
    most = taken.max(axis=1)
    ink = taken[most > max(LEAST_INK, 0.5 * float(np.percentile(most, 97)))]
    if len(ink) < LEAST_INKED:
        return none
    whole = ink.sum(axis=0, dtype=np.float64)
    return np.asarray(whole / np.linalg.norm(whole), dtype=np.float64)


def read_jointly(cards: Sequence[SeenCard], inks: Floats) -> None:
    """Names the faces of which the reading is not settled anew, in place, by the (n, 3) `colours` of all cards."""
    known = [
        row
        for row, card in enumerate(cards)
        if card.side == "face" and card.face_probabilities is not None and not np.isnan(inks[row]).any()
    ]
    if len(known) < 2:
        return
    faces, ink = [cards[row] for row in known], inks[known]
    chances = np.stack([card.face_probabilities for card in faces if card.face_probabilities is not None])
    suits = np.stack([chances[:, number == SUIT].sum(axis=1) for number in range(len(SUITS))], axis=1)
    for card, mine, likely in zip(faces, chances, likelihoods(faces, ink, suits), strict=True):
        if is_open(card):
            told = mine * likely[SUIT]
            card.name_face(told / told.sum() * mine.sum())


def is_open(card: SeenCard) -> bool:
    """Whether its ink may name a face that was read another way."""
    return card.face_probabilities is not None and 0 < card.face_probabilities.max() < SETTLED


def likelihoods(cards: Sequence[SeenCard], ink: Floats, suits: Floats) -> Floats:
    """(n, 4) how likely every card's ink is for every suit, by the others whose suits are sure.

    `ink` (n, 3) as `colours` tells, `suits` (n, 4) chances of the suits.
    """
    centres = np.stack([card.centre for card in cards])
    width = float(np.median([np.linalg.norm(card.corners[1] - card.corners[0]) for card in cards]))
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2) / max(width, 1.0)
    piles = np.array([card.pile for card in cards])
    weight = np.exp(-apart / NEAR) * np.where(piles[:, None] == piles, SAME_PILE, 1.0)
    np.fill_diagonal(weight, 0)
    alike = np.exp(-((ink[:, None] - ink[None]) ** 2).sum(axis=2) / (2 * SPREAD**2))
    sure = np.eye(len(SUITS))[suits.argmax(axis=1)] * (suits.max(axis=1) >= SURE)[:, None]
    met, seen = (weight * alike) @ sure, weight @ sure
    # a suit that was not seen has its partner's ink, or any
    partners = (met / np.maximum(seen, BEFORE))[:, PARTNER]
    return np.asarray(
        np.maximum((met + BEFORE * (ANY_INK + PARTNERS_INK * partners)) / (seen + BEFORE), LEAST)
    )
