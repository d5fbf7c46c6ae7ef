"""Where a lamp or a flash burns out what a photo shows of the cards."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.layout import Floats, Layout

Pixels = NDArray[np.uint8]

#: All three colours at least so bright are burnt out. White rims are no wider than a spot of glare, mm across.
BURNT, SPOT_MM = 251, 14.0
#: Where more than this share of what is seen of the cards is burnt out the photo is overexposed, or the cards are white.
MOST = 0.35
#: px of the longer side that are enough to look at.
SMALL = 1000


def glare(image: Pixels, layout: Layout) -> list[Floats]:
    """(n, 2) px each: outlines of the spots on cards of `layout` in which nothing is seen for light."""
    if not layout.cards or layout.px_per_mm <= 0:
        return []
    scale = min(1.0, SMALL / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    burnt = (small.min(axis=2) >= BURNT).astype(np.uint8)
    cards = np.zeros_like(burnt)
    for card in layout.cards:
        cv2.fillConvexPoly(cards, np.round(card.corners * scale).astype(np.int32), 1)
    on_cards = burnt & cards
    if not 0 < on_cards.sum() <= MOST * cards.sum():
        return []
    across = max(3, round(SPOT_MM * layout.px_per_mm * scale)) | 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (across, across))
    spots = cv2.morphologyEx(on_cards, cv2.MORPH_OPEN, disc)
    outlines, _ = cv2.findContours(spots, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return [np.asarray(cv2.convexHull(one), dtype=np.float64).reshape(-1, 2) / scale for one in outlines]
