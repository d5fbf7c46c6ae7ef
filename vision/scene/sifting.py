"""Which of the things that were found among spread backs are cards: all of a picture, weighed together.

In a heap the finder sees one card in two places, turned or pushed along what hides it, and slivers of two as a third.
Placer and verifier look at each by itself. A network (models/sifter.md) knows what they say, and who lies how on whom:
each of the things tells those that it overlaps, three times, what it is, and so is weighed beside its rivals.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.found import Found
from vision.rows.beside_rows import InPlace
from vision.scene.stacking import areas_of, pairs
from vision.trained import open_model

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Index = NDArray[np.int64]

#: How many figures there are of each of the things, and of each pair.
OF_ONE, OF_PAIR = 18, 12
#: No figure counts more than this.
MOST = 5.0
#: Of two cards that overlap less than this (IoU) nothing is told.
APART = 0.003


@dataclass(frozen=True, slots=True)
class Case:
    """What the sifter is told of the n things that were found: (n, 18) figures, and of m pairs of overlapping ones, both
    ways round, (m,) rows of the one and the other, (m, 12) figures."""

    cards: Singles
    one: Index
    other: Index
    pairs: Singles

    @classmethod
    def of(cls, placed: InPlace, verified: Floats, size: tuple[int, int]) -> Case:
        """Of what lies in place in a picture of `size` (px); `verified` (n,): what the verifier says of it."""
        found = placed.found
        if not len(found):
            none = np.zeros(0, np.int64)
            return cls(np.zeros((0, OF_ONE), np.float32), none, none, np.zeros((0, OF_PAIR), np.float32))
        one, other, told = _of_pairs(found)
        return cls(_of_cards(placed, verified, size), one, other, told)


class Sifter:
    """The network."""

    def __init__(self, model: Path | None = None, threads: int = 2) -> None:
        self._session = open_model("sifter.onnx", model, threads)

    def chance(self, case: Case) -> Floats:
        """(n,) probability of each of the things that it is a card, and lies nearer to it than the others do."""
        if not len(case.cards):
            return np.zeros(0)
        told: dict[str, NDArray[np.generic]] = {"cards": case.cards, "pairs": case.pairs}
        told |= {"one": case.one, "other": case.other}
        (odds,) = self._session.run(None, told)
        return np.asarray(1 / (1 + np.exp(-odds.astype(np.float64))))


def together(read: Floats, sifted: Floats) -> Floats:
    """(n,) probability of cards of which the row reader says one thing and the sifter another: their odds, multiplied.

    Of 4,384 cards of rows in 146 photos of `tune` the row reader tells 31 wrongly, both together 19, the sifter alone 12;
    but this one knows drawn photos only, and is unsure of rows in plainer pictures.
    """
    return np.asarray(1 / (1 + np.exp(-(_odds(read) + _odds(sifted)))))


def _of_cards(placed: InPlace, verified: Floats, size: tuple[int, int]) -> Singles:
    """(n, 18): log odds by the finder, the placer, the verifier and the cells; scatter and expected error of the votes,
    share of the card that voted, and that is seen (logarithms); breadth, length and shape beside the others'; what the
    placer expects to be off; log odds of a back; is it part of a row, and the row's log odds; how far it was moved; how
    many there are, and how large (logarithms)."""
    found = placed.found
    breadth, length = (2 * np.linalg.norm(half, axis=1) for half in (found.short, found.long))
    in_row = np.isfinite(found.given)
    voted = found.support * found.cell_px**2 / np.maximum(breadth * length, 1.0)
    real = _odds(np.nan_to_num(found.real, nan=0.5))
    trust = np.minimum(voted + 0.05, 1) / (1 + np.exp(-np.minimum(real, verified))) + 0.3 * in_row + 1e-6
    beside = [np.log(np.maximum(each, 1.0)) for each in (breadth, length)]
    broad, long = (each - np.average(each, weights=trust) for each in beside)
    moved = np.linalg.norm(found.corners - placed.before, axis=2).mean(axis=1) / np.maximum(breadth, 1.0)
    off = np.nan_to_num(found.off.mean(axis=1), nan=0.05)
    told = [
        *(_odds(placed.alone) / 2, real / 3, verified / 3, _odds(found.evidence[:, 0], 1e-4) / 2),
        *(np.log(found.evidence[:, 1] + 0.005) + 3, np.log(found.evidence[:, 2] + 0.005) + 3),
        *(np.log(voted + 0.003) + 2, np.log(np.clip(placed.fraction, 0.01, 1)) + 1.5),
        *(10 * broad, 10 * long, 10 * (broad - long)),
        *(np.log(off + 0.003) + 3.5, _odds(found.back) / 3),
        *(1.0 * in_row, np.where(in_row, _odds(np.nan_to_num(found.given, nan=0.5)), 0.0) / 3),
        *(10 * moved, np.full(len(found), np.log(max(len(found), 1)) - 3)),
        np.log(np.maximum(breadth, 1.0) / max(size) * 10),
    ]
    return np.asarray(np.clip(np.column_stack(told), -MOST, MOST), dtype=np.float32)


def _of_pairs(found: Found) -> tuple[Index, Index, Singles]:
    """Rows of the one and of the other of those that overlap, and (m, 12): their IoU, the share of each that is common;
    how far across and along the other lies (breadths of the one), how it is turned (two figures); the share of each
    one's cells that lie in the other, and whose are more; how much larger the other is; do they lie in one place?"""
    above, overlap = pairs(found)
    areas = areas_of(found.corners)
    common = overlap * np.minimum(areas[:, None], areas[None])
    shared = common / np.maximum(areas[:, None] + areas[None] - common, 1.0)
    one, other = np.nonzero((shared > APART) & ~np.eye(len(found), dtype=bool))
    breadth = np.maximum(2 * np.linalg.norm(found.short, axis=1), 1.0)
    across, along = (_unit(half) for half in (found.short, found.long))
    apart = (found.middle[other] - found.middle[one]) / breadth[one, None]
    aside = np.abs((apart * across[one]).sum(axis=1))
    ahead = np.abs((apart * along[one]).sum(axis=1))
    straight = np.abs((along[other] * along[one]).sum(axis=1))
    crossed = np.abs((along[other] * across[one]).sum(axis=1))
    cells = np.maximum(np.bincount(found.cells_card, minlength=len(found)), 1)
    mine, theirs = above[one, other], above[other, one]
    told = [
        *(2 * shared[one, other], common[one, other] / areas[one], common[one, other] / areas[other]),
        *(aside, ahead, straight**2, 2 * straight * crossed),
        *(mine / cells[one], theirs / cells[other], np.tanh((mine - theirs) / 10)),
        *(5 * np.log(breadth[other] / breadth[one]), np.exp(-(aside**2 + ahead**2) / 0.02)),
    ]
    figures = np.asarray(np.clip(np.column_stack(told), -MOST, MOST), dtype=np.float32)
    return one.astype(np.int64), other.astype(np.int64), figures


def _unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9))


def _odds(chance: Floats, least: float = 1e-3) -> Floats:
    kept = np.clip(chance, least, 1 - least)
    return np.asarray(np.log(kept / (1 - kept)))
