"""The cards of one picture as rectangles with what speaks for them, and the hands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.detect.cells import CELL
from vision.detect.hands import Outline

Floats = NDArray[np.float64]

#: A picture of spread backs shows backs in this share of what cards cover; a table has some, too, but by themselves.
SPREAD = 0.6
#: What `Found` has one row a card of.
_OF_CARDS = (
    "middle",
    "long",
    "short",
    "back",
    "confidence",
    "support",
    "evidence",
    "given",
    "edged",
    "real",
    "off",
)


@dataclass(slots=True)
class Found:
    """The cards of one picture; arrays side by side, one row a card."""

    #: (n, 2) px.
    middle: Floats
    #: (n, 2) px: from the middle to the middle of a short side, and of a long side.
    long: Floats
    short: Floats
    #: (n,) probabilities.
    back: Floats
    confidence: Floats
    #: (n,) cells that show the card, in cells of the look that found it.
    support: Floats
    #: (n, 3) what speaks for a card: mean probability of its cells; how far its votes lie apart and how far off the
    #: network expects them to be, both as shares of the card's width.
    evidence: Floats
    #: Votes: (m, 2) px and (m,) row of the card, for deciding what lies on what.
    cells_at: Floats
    cells_card: NDArray[np.intp]
    #: Hand outlines, px, with their confidence.
    hands: list[Outline]
    #: Share of the picture that cards explain, cells that are unsure of themselves counting little.
    explained: float = 0.0
    #: What it explains, as a share of what it takes for cards: little at a wrong scale.
    pure: float = 1.0
    #: Was it found by the finder of spread backs?
    of_spread: bool = False
    #: Was it weighed together (`vision/scene/sifting.py`), and is this what `confidence` tells?
    sifted: bool = False
    #: Side of a cell, px of the picture.
    cell_px: float = float(CELL)
    #: (n,) the probability of cards that something surer than the finder has found and put in place, else NaN.
    given: Floats = field(default_factory=lambda: np.zeros(0))
    #: (n,) share of the visible edges that meet an edge in the picture, NaN until it was looked for.
    edged: Floats = field(default_factory=lambda: np.zeros(0))
    #: (n,) probability that a card lies there, as the placer says (`vision/detect/placing.py`), NaN until it was asked.
    real: Floats = field(default_factory=lambda: np.zeros(0))
    #: (n, 4) shares of the card's width by which its corners are expected to be off, by the placer, too.
    off: Floats = field(default_factory=lambda: np.zeros((0, 4)))
    #: (k, 2) px: cells that show a back and agree with no card.
    loose: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    #: (k, 4, 2) px: everything that was weighed together, taken up or not, and (k,) what it was weighed as.
    weighed: Floats = field(default_factory=lambda: np.zeros((0, 4, 2)))
    weights: Floats = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        for name, each in (("given", ()), ("edged", ()), ("real", ()), ("off", (4,))):
            if len(getattr(self, name)) != len(self.middle):
                setattr(self, name, np.full((len(self.middle), *each), np.nan))

    def __len__(self) -> int:
        return len(self.middle)

    @property
    def corners(self) -> Floats:
        """(n, 4, 2) px in the order of a rectangle's corners, clockwise in the picture."""
        u, v = self.long, self.short
        m = self.middle
        return np.stack([m - u - v, m - u + v, m + u + v, m + u - v], axis=1)

    def only(self, rows: NDArray[np.intp]) -> Found:
        """Some of the cards, with their cells."""
        number = np.full(len(self), -1)
        number[rows] = np.arange(len(rows))
        mine = number[self.cells_card] >= 0
        of_cards: dict[str, Any] = {name: getattr(self, name)[rows] for name in _OF_CARDS}
        return replace(
            self,
            **of_cards,
            cells_at=self.cells_at[mine],
            cells_card=number[self.cells_card[mine]],
        )

    def turned(self) -> Found:
        """The same cards, what is long taken for short: turned twice they are the same again."""
        return replace(self, long=self.short, short=-self.long)

    def joined(self, others: Sequence[Found]) -> Found:
        """These cards and others of the same picture, with their cells."""
        parts = [self, *others]
        first = np.cumsum([0, *(len(part) for part in parts)])
        of_cards: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts]) for name in _OF_CARDS
        }
        return replace(
            self,
            **of_cards,
            cells_at=np.concatenate([part.cells_at for part in parts]),
            cells_card=np.concatenate([part.cells_card + n for part, n in zip(parts, first, strict=False)]),
        )

    def of_backs(self) -> bool:
        """Does the picture show spread backs, and little else?"""
        return len(self) > 0 and float(np.average(self.back > 0.5, weights=self.support)) >= SPREAD

    def width(self) -> float:
        """Median length of the short side, px; 0 without cards."""
        return float(2 * np.median(np.linalg.norm(self.short, axis=1))) if len(self) else 0.0
