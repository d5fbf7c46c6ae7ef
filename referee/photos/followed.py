"""Photos taken after a request was followed: some cards were spread anew, the others lie as they lay.

What an earlier photo shows of the area that it asked for holds no longer, and of the ground on which those cards lie now
it knows nothing: both are as if a hand had hidden them, so that the photos can be taken together as any others.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from referee.photos.evidence import middle_of
from referee.photos.requests import inside
from vision.geometry.plane import apply
from vision.layout import Layout, SeenHand

Floats = NDArray[np.float64]

#: Cards of an area were taken up if this share of them lies there no longer, and of those around it no more than this.
TAKEN, STRAYED = 0.5, 0.35


def without_area(
    before: Layout, after: Layout, area: Floats, onto_before: Floats, pairs: NDArray[np.intp]
) -> Layout | None:
    """What still holds of a photo once the cards in its `area` (n, 2) px were spread anew; None where they were not.

    `after`: a later photo; `onto_before` (3, 3): its mm on the earlier photo's; `pairs` (k, 2): rows of cards of both
    that are one.
    """
    if before.to_table is None or after.to_table is None or not before.cards:
        return None
    gone = inside(area, np.array([middle_of(card) for card in before.cards]))
    met = np.zeros(len(before.cards), dtype=bool)
    met[pairs[:, 0]] = True
    if not gone.any() or gone.all():
        return None
    if (~met[gone]).mean() < TAKEN or (~met[~gone]).mean() > STRAYED:
        return None
    still = set(np.flatnonzero(~gone).tolist())
    kept = {int(two) for one, two in pairs if int(one) in still}
    to_before = np.asarray(np.linalg.inv(before.to_table), dtype=np.float64) @ onto_before @ after.to_table
    hidden = [SeenHand(area, 1.0)]
    for row, card in enumerate(after.cards):
        if row not in kept and not _on_any(before, to_before, middle_of(card), still):
            hidden.append(SeenHand(apply(to_before, card.corners), 1.0))
    cards = [card for card, taken in zip(before.cards, gone, strict=True) if not taken]
    doubted = [one for one in before.doubted if not inside(area, one.corners.mean(axis=0)[None])[0]]
    return replace(before, cards=cards, doubted=doubted, hands=[*before.hands, *hidden])


def _on_any(before: Layout, to_before: Floats, spot: Floats, rows: set[int]) -> bool:
    """Does a later photo show a card here where one of these lay, and was not taken up?"""
    here = apply(to_before, spot[None])
    return any(bool(inside(before.cards[row].corners, here)[0]) for row in rows)
