"""Found cards laid as they lie on the table: drawn to their edges, one in each place, no ghosts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.detect.refine import FEW_ROUNDS, ROUNDS, refine
from vision.found import Found
from vision.geometry.above import upright
from vision.geometry.plane import fit_plane
from vision.geometry.polygons import corners_apart
from vision.scene.ghosts import real_cards
from vision.scene.stacking import Stacking, stack_up

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

#: Two cards whose corners lie less than this apart (widths) are one.
SAME_PLACE = 0.05


def plane_of(
    found: Found, stacking: Stacking, rows: list[int] | NDArray[np.intp], width: int, height: int
) -> Floats | None:
    """The table plane from some of the cards; those that show much count most."""
    weights = found.confidence * np.minimum(1.0, 0.05 + stacking.fraction)
    plane = fit_plane(upright(found.corners)[rows], weights[rows], width, height)
    return None if plane is None else plane.matrix


def laid(image: Pixels, found: Found, stacking: Stacking, to_table: Floats | None) -> tuple[Found, Stacking]:
    """The cards drawn to their edges; of two that come to lie in one place, the one that shows more; no ghosts."""
    height, width = image.shape[:2]
    rounds = FEW_ROUNDS
    if to_table is None:
        to_table, rounds = plane_of(found, stacking, np.arange(len(found)), width, height), ROUNDS
    refine(found, image, stacking, to_table, rounds)
    single = found.only(_single(found))
    stacking = stack_up(single, width, height)
    real = real_cards(single, stacking)
    if real.all():
        return single, stacking
    kept = single.only(np.flatnonzero(real))
    return kept, stack_up(kept, width, height)


def _single(found: Found) -> NDArray[np.intp]:
    """Rows of the cards without those that lie where another, better seen one does."""
    corners, width = found.corners, 2 * np.linalg.norm(found.short, axis=1)
    kept: list[int] = []
    for card in np.argsort(-found.support, kind="stable"):
        if not kept or corners_apart(corners[card][None], corners[kept]).min() > SAME_PLACE * width[card]:
            kept.append(int(card))
    return np.sort(np.array(kept, dtype=np.intp))
