"""Hands: what hangs together of the cells that show one, and whether it is one after all.

Floors and cloths beside the table look a little like skin; patches of them are seen with less certainty than hands, and
many are thinner than a hand is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.layout import CARD_WIDTH_MM, SeenHand

Floats = NDArray[np.float64]
#: An outline, px, with the mean chance of its cells.
Outline = tuple[Floats, float]

#: Least number of cells of a hand.
LEAST_CELLS = 12
#: Crumbs: what is not longer than this (widths of a card).
CRUMB = 0.5
#: What is a hand in a photo: the least mean chance of its cells, and how wide (mm) it is at least where it is widest: at
#: the picture's rim little more than fingers shows. Chosen so that as many are missed as seen where none is.
SURE, WIDE_MM = 0.7, 15.0


#: Chances nearer to none or to certainty than this say no more, where two looks are taken together.
SUREST = 1e-3


@dataclass(frozen=True, slots=True)
class Skin:
    """A map of the chance that cells of a picture show a hand."""

    #: (h, w) chances.
    chance: Floats
    #: px of the picture that a cell is wide and high.
    cell: tuple[float, float]

    def scaled(self, x: float, y: float) -> Skin:
        """The same of the picture when it is resized."""
        return Skin(self.chance, (self.cell[0] * x, self.cell[1] * y))

    def joined(self, other: Skin) -> Skin:
        """What this look and another one at the same picture tell together: the mean of their log odds."""
        rows, columns = self.chance.shape
        there = cv2.resize(_odds(other.chance), (columns, rows), interpolation=cv2.INTER_LINEAR)
        mean = (_odds(self.chance) + np.asarray(there, dtype=np.float64)) / 2
        return Skin(1 / (1 + np.exp(-mean)), self.cell)

    def outlines(self) -> list[Outline]:
        """What hangs together, px of the picture."""
        return [(outline * self.cell, sure) for outline, sure in outlines(self.chance, 1.0)]


def _odds(chance: Floats) -> Floats:
    kept = np.clip(chance, SUREST, 1 - SUREST)
    return np.asarray(np.log(kept / (1 - kept)))


def outlines(chance: Floats, cell: float) -> list[Outline]:
    """What hangs together in a map (h, w) of the chance that cells, `cell` px large, show a hand."""
    shown = (chance > 0.5).astype(np.uint8)
    contours, _ = cv2.findContours(shown, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    told = []
    for contour in contours:
        if cv2.contourArea(contour) < LEAST_CELLS:
            continue
        inside = np.zeros_like(shown)
        cv2.drawContours(inside, [contour], 0, 1, cv2.FILLED)
        sure = float(chance[(inside > 0) & (shown > 0)].mean())
        told.append((contour[:, 0].astype(np.float64) * cell + cell / 2, sure))
    return told


def seen_hands(told: Sequence[Outline], card_px: float, *, strict: bool) -> list[SeenHand]:
    """Those of `outlines` that are hands; `card_px`: width of a card.

    Not `strict`: all but crumbs, as where hands are blurred because they move, and what they hide matters more.
    """
    kept = [(o, sure) for o, sure in told if float(np.ptp(o, axis=0).max()) >= CRUMB * card_px]
    if strict and card_px > 0:
        wide = WIDE_MM / CARD_WIDTH_MM * card_px
        kept = [(o, sure) for o, sure in kept if sure >= SURE and _width(o) >= wide]
    return [SeenHand(o, sure) for o, sure in kept]


def _width(outline: Floats) -> float:
    """px: the diameter of the largest circle inside."""
    low = outline.min(axis=0)
    # about a hundred px are exact enough
    by = 100 / max(float(np.ptp(outline, axis=0).max()), 1.0)
    drawn = np.zeros(np.ceil(np.ptp(outline, axis=0)[::-1] * by).astype(int) + 5, np.uint8)
    cv2.fillPoly(drawn, [np.round((outline - low) * by + 2).astype(np.int32)], 1)
    return 2 * float(cv2.distanceTransform(drawn, cv2.DIST_L2, 5).max()) / by
