"""What hands hide of a table: a place that is seen empty is empty, one under a hand may hold anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.layout import CARD_HEIGHT_MM, CARD_WIDTH_MM, Floats, Layout
from vision.scene.heaps import in_mm

#: A place of which a hand hides this share may hold anything.
HIDDEN = 0.5
#: How finely hands are looked at, and how far from the cards (mm).
GRAIN_MM, REACH_MM = 8.0, 300.0


def hands_of(layout: Layout) -> list[Floats]:
    """The outlines of the hands on the table, (n, 2) mm; none without a plane."""
    return [] if layout.to_table is None else [in_mm(layout, hand.corners) for hand in layout.hands]


@dataclass(frozen=True, slots=True)
class Cover:
    """How much of an upright card would be hidden by hands, wherever its middle lay."""

    #: By row and column: cells of `GRAIN_MM`, the first one's middle at `low` (x, y).
    shares: Floats
    low: Floats

    @classmethod
    def of(cls, hands: Sequence[Floats], cards: Sequence[Floats]) -> Cover:
        """From outlines of hands, and the middles of the cards that the table is about, (n, 2) mm each."""
        if not hands or not cards:
            return cls(np.zeros((0, 0)), np.zeros(2))
        every = np.concatenate(cards)
        # hands may reach far beyond the table, up to the horizon
        low, high = every.min(axis=0) - REACH_MM, every.max(axis=0) + REACH_MM
        columns, rows = np.ceil((high - low) / GRAIN_MM).astype(int) + 1
        covered = np.zeros((rows, columns), np.uint8)
        for outline in hands:
            onto = (np.clip(outline, low, high) - low) / GRAIN_MM
            cv2.fillPoly(covered, [np.round(onto).astype(np.int32)], 1)
        card = (round(CARD_WIDTH_MM / GRAIN_MM), round(CARD_HEIGHT_MM / GRAIN_MM))
        blurred = cv2.blur(covered.astype(np.float64), card, borderType=cv2.BORDER_CONSTANT)
        return cls(np.asarray(blurred, dtype=np.float64), low)

    def hides(self, x: Sequence[float] | Floats, y: float) -> list[float]:
        """How surely a card at each (x, y) could not be seen, 0 to 1."""
        row = round((y - float(self.low[1])) / GRAIN_MM)
        if not 0 <= row < len(self.shares):
            return [0.0] * len(x)
        shares = self.shares[row].tolist()
        at = [round((one - float(self.low[0])) / GRAIN_MM) for one in x]
        return [min(shares[k] / HIDDEN, 1.0) if 0 <= k < len(shares) else 0.0 for k in at]
