"""What the finder saw where a row was read: a second opinion on the row, and cards that the row does not have.

A row of spread backs takes the place of the finder's own cards there. Each of the row's cards has at most one of these as
its partner, the nearest; what is left without a partner is a rival, which may be a card that the row lacks, or that lies
across it. Rivals are weighed together with everything else (`vision/scene/sifting.py`). What lies straight on a row's
card after all, and is not surer of itself than most, is that card once more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.detect.placing import Placer, cuts_of, put_in_place, seen_map
from vision.found import Found
from vision.geometry.polygons import corners_apart, oriented_iou
from vision.scene.confidence import confidence
from vision.scene.likeliest import SURE
from vision.scene.stacking import Stacking, stack_up

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]
Index = NDArray[np.intp]

#: Partners' corners lie so far apart at most (widths).
PARTNERS = 0.35
#: What lies so near (widths) to a card that was surely read in a row is the same card, found another time.
DOUBLE = 0.07

#: What lies on a card that was so surely read in a row, within this IoU of it and as straight (degrees), is no card of
#: its own unless it is surer than the last: a line of that card's design, or the card once more.
IN_ROW, ON_IT, STRAIGHT, NO_SURER = 0.98, 0.73, 4.0, 0.97


@dataclass(frozen=True, slots=True)
class InPlace:
    """Cards that were put in place by themselves: (n, 4, 2) their corners before, (n, 128, 96, 5) the placer's cuts, (n,)
    which share of each is seen, and (n,) how sure the finder was of what lies there, 0 where it saw no such card."""

    found: Found
    before: Floats
    cuts: Pixels
    fraction: Floats
    alone: Floats

    def joined(self, others: InPlace) -> InPlace:
        """These and other cards of the same picture."""
        arrays = {
            name: np.concatenate([getattr(self, name), getattr(others, name)])
            for name in ("before", "cuts", "fraction", "alone")
        }
        return InPlace(self.found.joined([others.found]), **arrays)

    def only(self, rows: Index) -> InPlace:
        """Some of the cards."""
        arrays = {name: getattr(self, name)[rows] for name in ("before", "cuts", "fraction", "alone")}
        return InPlace(self.found.only(rows), **arrays)


def put(placer: Placer, image: Pixels, found: Found) -> tuple[InPlace, Stacking]:
    """Puts each card of `found` in place by itself; how they lie then."""
    height, width = image.shape[:2]
    before = found.corners
    cuts = cuts_of(image, before, *seen_map(found, width, height), range(len(found)))
    # where cards lie among others a little matters, and there is time
    put_in_place(found, placer.placed(before, cuts, both_ways=found.of_spread))
    stacking = stack_up(found, width, height)
    found.confidence = confidence(found, stacking)
    return InPlace(found, before, cuts, stacking.fraction, found.confidence), stacking


def replaced(found: Found, rowed: Found) -> Index:
    """Which cards of `found` are no longer there once rows were read in it."""
    still = rowed.middle[np.isnan(rowed.given)] @ (1, 1j)
    return np.flatnonzero(~np.isin(found.middle @ (1, 1j), still))


def with_rivals(placer: Placer, image: Pixels, found: Found, gone: Index, placed: InPlace) -> InPlace:
    """Cards among which rows were read, in place, with what else the finder saw there: `gone` of `found`."""
    in_row = np.flatnonzero(np.isfinite(placed.found.given))
    if not len(gone) or not len(in_row):
        return placed
    own = _put_beside(placer, image, found, gone, placed.found)
    mine, theirs = partners(placed.found.corners[in_row], own.found.corners)
    alone = placed.alone.copy()
    alone[in_row] = 0.0
    alone[in_row[mine]] = own.alone[theirs]
    return replace(placed, alone=alone).joined(own.only(np.setdiff1d(np.arange(len(gone)), theirs)))


def _put_beside(placer: Placer, image: Pixels, found: Found, gone: Index, around: Found) -> InPlace:
    """The finder's own cards, `gone` of `found`, put in place among those `around` that are part of no row."""
    height, width = image.shape[:2]
    before, mine = found.corners[gone], found.only(gone)
    cuts = cuts_of(image, found.corners, *seen_map(found, width, height), gone.tolist())
    put_in_place(mine, placer.placed(before, cuts, both_ways=True))
    both = around.only(np.flatnonzero(np.isnan(around.given))).joined([mine])
    stacking = stack_up(both, width, height)
    mine.confidence = confidence(both, stacking)[-len(gone) :]
    return InPlace(mine, before, cuts, stacking.fraction[-len(gone) :], mine.confidence)


def partners(row: Floats, own: Floats) -> tuple[Index, Index]:
    """Which card of rows at `row` (n, 4, 2) and which of the finder's at `own` (m, 4, 2) are one, as far as they are."""
    # takes a fifth of a second to open, and pictures without spread backs do not need it
    from scipy.optimize import linear_sum_assignment

    apart = _apart(row, own)
    mine, theirs = linear_sum_assignment(np.minimum(apart, PARTNERS))
    near = apart[mine, theirs] < PARTNERS
    return mine[near], theirs[near]


def _apart(row: Floats, own: Floats) -> Floats:
    """(n, m) how far the corners of cards at (n, 4, 2) and (m, 4, 2) are apart on average, widths of the former."""
    width = np.linalg.norm(row[:, 1] - row[:, 0], axis=1)
    return np.asarray(corners_apart(row, own) / width[:, None])


def doubles(found: Found) -> NDArray[np.bool_]:
    """(n,) which cards are one of a row once more: both would be lost, each for the cells that the other takes."""
    rowed = found.given >= SURE
    own = np.isnan(found.given)
    double = np.zeros(len(found), dtype=bool)
    if rowed.any() and own.any():
        double[own] = _apart(found.corners[rowed], found.corners[own]).min(axis=0) < DOUBLE
    return double


def each_once(found: Found) -> Found:
    """The same, each place that is counted for several cards for the last of them only: rivals take theirs from rows."""
    _, last = np.unique((found.cells_at @ (1, 1j))[::-1], return_index=True)
    kept = np.sort(len(found.cells_at) - 1 - last)
    if len(kept) == len(found.cells_at):
        return found
    return replace(found, cells_at=found.cells_at[kept], cells_card=found.cells_card[kept])


def found_again(corners: Floats, given: Floats, sure: Floats) -> Index:
    """Rows of the cards at `corners` (n, 4, 2) px that are found once more, or a line of their design, in a row.

    `given` (n,): how surely each was read in a row, NaN what was found by itself; `sure` (n,): that each is a card.
    """
    in_row, own = np.flatnonzero(given >= IN_ROW), np.flatnonzero(np.isnan(given) & (sure < NO_SURER))
    middles = corners.mean(axis=1)
    gone: list[int] = []
    for card in own:
        width = float(np.linalg.norm(corners[card, 1] - corners[card, 0]))
        near = in_row[np.linalg.norm(middles[in_row] - middles[card], axis=1) < (1 - ON_IT) * 2 * width]
        if any(_lies_straight(corners[card], corners[other]) for other in near):
            gone.append(int(card))
    return np.array(gone, dtype=np.intp)


def _lies_straight(card: Floats, other: Floats) -> bool:
    along, its = card[2] - card[1], other[2] - other[1]
    apart = abs(float(along @ its)) / float(np.linalg.norm(along) * np.linalg.norm(its))
    return apart > np.cos(np.radians(STRAIGHT)) and oriented_iou(card, other) > ON_IT
