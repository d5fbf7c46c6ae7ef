"""Whose backs lie in a picture, of decks that were shown once; "unknown" is an answer.

The cards of a picture are grouped by their designs (`vision/backs/similarity.py`) together with the views of the
enrolled decks: views of a deck are of one design, those of two decks of two. A group without a view is none of the
decks.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.backs.deckfile import UNKNOWN, EnrolledDeck
from vision.backs.one_design import Evidence
from vision.backs.similarity import group_with
from vision.backs.whole_backs import WholeBacks

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]
Rows = NDArray[np.intp]

#: White paper is as bright as this once balanced, at most so much brightened; a picture whose brightest paint is more
#: coloured than this (log) shows no paper.
PAPER, BRIGHTEST, COLOURED = 235.0, 1.8, 0.3


class Enrolled:
    """The enrolled decks as a picture's backs are compared with them."""

    def __init__(self, decks: Sequence[EnrolledDeck]) -> None:
        self.names = [deck.name for deck in decks]
        self._of = np.repeat(np.arange(len(decks)), [len(deck.backs) for deck in decks])
        self._crops = np.concatenate([balanced(deck.backs, deck.backs_seen) for deck in decks])
        self._masks = np.concatenate([deck.backs_seen for deck in decks])

    def name(
        self, crops: Pixels, masks: Pixels, evidence: Evidence, backs: WholeBacks
    ) -> tuple[list[str], Floats]:
        """Names and confidences (n) of the backs of one picture, (n, 160, 112, 3) crops and their masks.

        `evidence`: what is known of every two of them. Designs that are none of the decks are called "unknown",
        "unknown 2" and so on, the commonest first; their confidence is that they are none of the decks.
        """
        odds = self._odds(crops, masks, backs)
        designs, decks = group_with(evidence.odds(), evidence.trust, odds, self._of)
        strange = list(dict.fromkeys(sorted(designs[decks < 0])))
        unknown = {
            design: UNKNOWN if not number else f"{UNKNOWN} {number + 1}"
            for number, design in enumerate(strange)
        }
        names = [
            self.names[deck] if deck >= 0 else unknown[design]
            for design, deck in zip(designs, decks, strict=True)
        ]
        return names, self._sure(odds, designs, decks)

    def _odds(self, crops: Pixels, masks: Pixels, backs: WholeBacks) -> Floats:
        """(n, views) log odds that backs of a picture and views are of one design, as if both lay in one light."""
        every = np.concatenate([balanced(crops, masks), self._crops])
        return backs.odds(every, np.concatenate([masks, self._masks]))[: len(crops), len(crops) :]

    def _sure(self, odds: Floats, designs: Rows, decks: Rows) -> Floats:
        """(n,) chance that each back's whole design is the deck's that it is called by, or none's."""
        by_deck = np.stack(
            [odds[:, self._of == deck].mean(axis=1) for deck in range(len(self.names))], axis=1
        )
        sure = np.zeros(len(designs))
        for design in np.unique(designs):
            mine = designs == design
            chances = 1 / (1 + np.exp(-by_deck[mine].mean(axis=0)))
            deck = int(decks[mine][0])
            sure[mine] = chances[deck] if deck >= 0 else 1 - chances.max()
        return sure


def balanced(crops: Pixels, masks: Pixels) -> Pixels:
    """Crops of one picture as if its light were white, by the brightest paint on them if that may be paper."""
    kernel = np.ones((5, 5), np.uint8)
    shown = np.stack([cv2.erode(mask, kernel) for mask in masks]) > 0 if len(masks) else masks > 0
    paint = crops[shown].astype(np.float64)
    if len(paint) < 50:
        return crops
    least = paint.min(axis=1)
    white = np.maximum(np.median(paint[least >= np.quantile(least, 0.97)], axis=0), 8.0)
    tint = np.log(white) - np.log(white).mean()
    if np.linalg.norm(tint) > COLOURED:
        tint[:] = 0.0
    light = np.exp(-tint) * min(PAPER / white.max(), BRIGHTEST)
    return np.asarray(np.clip(crops * light, 0, 255), dtype=np.uint8)
