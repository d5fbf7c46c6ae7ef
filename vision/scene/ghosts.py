"""Cards that are none: what is said of them is not where they are seen.

The finder's votes for a card and its neighbours mix, and the row reader sees rows in floorboards. A ghost's cells lie on
the card that it is a ghost of; what is seen of a false row shows no backs and has no edges; and beneath a row that has
been read as a whole there are seldom more cards that lie askew.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.found import Found
from vision.scene.stacking import Stacking

Floats = NDArray[np.float64]
Index = NDArray[np.intp]

#: Least share of a card's cells that lie where it is seen.
OWN_CELLS = 0.03
#: A back that was read in a row shows cells of a card on this share of what is seen of it at least, or this share of
#: its edges are met. Chosen on drawn spreads of the tuning backs.
FILLED, EDGED = 0.4, 0.6
#: A single back is a stray if less than this share of it is seen, cards of rows show on so much of it, and the finder
#: sees cards on less than this of what is seen of it.
STRAY, BENEATH, FULL = 0.5, 0.4, 0.9


def real_cards(found: Found, stacking: Stacking) -> NDArray[np.bool_]:
    """(n,) which cards are no ghosts; `found.edged` must be known."""
    in_row = ~np.isnan(found.given)
    own = in_row | (own_cells(found, stacking) >= OWN_CELLS)
    share = fill(found, stacking)
    filled = ~in_row | (found.back <= 0.5) | (share >= FILLED) | (found.edged >= EDGED)
    real = own & filled
    if not found.sifted:
        # the sifter knows what lies beneath a row: of what this would take away then, most are cards
        real &= (share >= FULL) | ~_beneath_rows(found, stacking, in_row)
    return np.asarray(real)


def own_cells(found: Found, stacking: Stacking) -> Floats:
    """(n,) share of the cells that voted for each card that lie where it is seen; 1 for cards without cells."""
    seen = _label(found.cells_at, stacking) == found.cells_card
    cells = np.bincount(found.cells_card, minlength=len(found))
    own = np.bincount(found.cells_card, weights=seen, minlength=len(found))
    return np.asarray(np.where(cells > 0, own / np.maximum(cells, 1), 1.0))


def fill(found: Found, stacking: Stacking) -> Floats:
    """(n,) share of what is seen of each card on which the finder sees a card."""
    label = _label(np.concatenate([found.cells_at, found.loose]), stacking)
    cells = np.bincount(label[label >= 0], minlength=len(found)) * found.cell_px**2
    shown = stacking.shown[stacking.shown >= 0]
    return np.asarray(cells / np.maximum(np.bincount(shown, minlength=len(found)) * stacking.step**2, 1.0))


def _beneath_rows(found: Found, stacking: Stacking, in_row: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(n,) which cards are single backs of which little is seen and rows hide much."""
    hidden = np.zeros(len(found), dtype=bool)
    if not in_row.any():
        return hidden
    of_row = np.append(in_row, False)[stacking.shown].astype(np.uint8)
    for card in np.flatnonzero(~in_row & (found.back > 0.5) & (stacking.fraction < STRAY)):
        mask = np.zeros_like(of_row)
        cv2.fillConvexPoly(mask, np.round(found.corners[card] / stacking.step).astype(np.int32), 1)
        hidden[card] = of_row[mask > 0].mean() >= BENEATH if mask.any() else False
    return hidden


def _label(at: Floats, stacking: Stacking) -> Index:
    """(m,) the card that is seen at points of the picture, px; -1 none."""
    rows, columns = stacking.shown.shape
    place = np.clip((at / stacking.step).astype(np.intp), 0, (columns - 1, rows - 1))
    return np.asarray(stacking.shown[place[:, 1], place[:, 0]], dtype=np.intp)
