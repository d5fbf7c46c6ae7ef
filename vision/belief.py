"""Is it a card after all? What was found, once its edges are drawn, its face is read and the others' size is known.

Paper, books and the rims of boxes look like cards to the finder, and beside real cards it sees slivers of more of them.
They show no face, have other sizes and no edges. Fitted by scripts/calibrate_eye.py on tables and spreads drawn with
the tuning decks and on half of the labelled photos.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.found import Found
from vision.layout import Layout, SeenCard
from vision.plane import apply

Floats = NDArray[np.float64]

#: Weights of `features` of cards that show their face and of those that show their back, and the constants: what is
#: to be read tells a face; edges, size and company tell a back.
WEIGHTS = np.array(
    [
        [0.24, 0.319, 1.715, 0.39, -21.628, 5.476, 0.919, -0.415, 0.468],
        [0.835, 0.0, 0.0, 0.536, -13.138, 3.107, 1.647, 0.439, 0.197],
    ]
)
CONSTANTS = np.array([-7.923, -9.129])


@dataclass(frozen=True, slots=True)
class Signs:
    """What else is known of the cards of a layout: (n,) as in `Found`, and the (n, 52) chances that were read."""

    edged: Floats
    real: Floats
    given: Floats
    back: Floats
    chances: Floats

    @classmethod
    def of(cls, found: Found, rows: Sequence[int] | NDArray[np.intp], chances: Floats) -> Signs:
        """Of some of the cards, with what was read on these."""
        kept = np.asarray(rows, dtype=np.intp)
        return cls(found.edged[kept], found.real[kept], found.given[kept], found.back[kept], chances)


def features(layout: Layout, signs: Signs, others: float = 0.0) -> Floats:
    """(n, 9): log odds of the finder and of a face being readable (0 for backs), chance of the best face, log visible
    share, how far the size is from the others', share of the edges that are met, logarithms of how many others there
    are in the picture and in the pile (slivers and backs seldom come alone), and log odds of the placer. `others`: how
    many lie around the picture, which shows a part of a table.
    """
    rows = []
    size = _sizes(layout)
    company = others + float(sum(card.confidence for card in layout.cards))
    piles: dict[int, float] = {}
    for card in layout.cards:
        piles[card.pile] = piles.get(card.pile, 1.0) + card.confidence
    for card, length, met, real in zip(layout.cards, size, signs.edged, signs.real, strict=True):
        back = card.side == "back"
        readable = readability(card)
        rows.append(
            (
                _odds(card.confidence),
                0.0 if back else _odds(readable),
                card.face_confidence,
                float(np.log(max(card.visible_fraction, 0.02))),
                min(abs(float(np.log(length))), 0.7),
                float(met),
                float(np.log(company + 1 - card.confidence)),
                float(np.log(piles[card.pile] - card.confidence)),
                0.0 if np.isnan(real) else _odds(float(real)),
            )
        )
    return np.array(rows, dtype=np.float64).reshape(-1, WEIGHTS.shape[1])


def belief(layout: Layout, signs: Signs, others: float = 0.0) -> Floats:
    """(n,) probability that each card of the layout is one; what was read as part of a row is as sure as it was read.

    A face of a row is at least as sure as it is by itself: a whole card beside others, taken for the end of their row, is
    read. `others`: see `features`.
    """
    side = np.array([card.side == "back" for card in layout.cards], dtype=np.intp)
    odds = (features(layout, signs, others) * WEIGHTS[side]).sum(axis=1) + CONSTANTS[side]
    modelled = 1 / (1 + np.exp(-odds))
    given = np.where(side == 0, np.fmax(signs.given, modelled), signs.given)
    return np.asarray(np.where(np.isnan(given), modelled, given))


def readability(card: SeenCard) -> float:
    """Probability that some face can be read on it; 0 for a back."""
    return 0.0 if card.face_probabilities is None else float(card.face_probabilities.sum())


def _odds(chance: float) -> float:
    kept = float(np.clip(chance, 0.003, 0.997))
    return float(np.log(kept / (1 - kept)))


def _sizes(layout: Layout) -> Floats:
    """(n,) length of each card's diagonals on the table, in units of that of the cards that are surest."""
    if not layout.cards or layout.to_table is None:
        return np.ones(len(layout.cards))
    flat = apply(layout.to_table, np.concatenate([card.corners for card in layout.cards])).reshape(-1, 4, 2)
    length = (
        np.linalg.norm(flat[:, 0] - flat[:, 2], axis=1) + np.linalg.norm(flat[:, 1] - flat[:, 3], axis=1)
    ) / 2
    trust = np.array(
        [c.confidence**4 * min(1.0, c.visible_fraction + 0.1) * (0.1 + readability(c)) for c in layout.cards]
    )
    return np.asarray(np.maximum(length / max(float(np.average(length, weights=trust)), 1e-6), 1e-3))
