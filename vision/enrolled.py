"""Whose backs lie in a picture, of decks that were shown once; "unknown" is an answer.

The cards of a picture are grouped by their designs first (`vision/backs.py`). A group is compared with every enrolled
deck as a whole: mean log odds of its cards, from the network on strips and from where tiles fit. Two groups of some
size are two designs, so no two of them are one deck. Weights and bounds: models/designs.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.deckfile import UNKNOWN, EnrolledDeck
from vision.designs import Designs
from vision.likeness import likeness

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]
Rows = NDArray[np.intp]

#: Log odds that a card is of a deck: weights of `Enrolled.features`, constant.
WEIGHTS, CONSTANT = np.array([0.482, 0.427, -0.396, -1.194, -0.129, 0.306]), -2.377
#: Log contrast that is neither much nor little.
CLEAR = 8.0
#: The same of a card that has no tile to compare, by the network alone, and how much such a card counts.
BY_NET, NO_TILE, COUNTS = 0.816, -0.671, 0.15
#: Log odds that the best deck is the right one: weights of its odds and of what it is ahead of the next by, constant.
BEST, AHEAD, EVEN = 0.956, 0.181, -0.266
#: The next deck's odds where there is but one deck, as those of decks of other designs are.
NONE_ELSE = -3.0
#: A deck is named from this confidence on.
NAMED = 0.7
#: Groups of so many cards are designs of their own; smaller ones may be cards split off from another group.
LARGE = 4
#: White paper is as bright as this once balanced, at most so much brightened; a picture whose brightest paint is more
#: coloured than this (log) shows no paper.
PAPER, BRIGHTEST, COLOURED = 235.0, 1.8, 0.3


class Enrolled:
    """The enrolled decks as a picture's backs are compared with them."""

    def __init__(self, decks: Sequence[EnrolledDeck]) -> None:
        self.names = [deck.name for deck in decks]
        self._of = np.repeat(np.arange(len(decks)), [len(deck.backs) for deck in decks])
        self._crops = np.concatenate([balanced(deck.backs, deck.backs_seen) for deck in decks])
        self._masks = np.concatenate([deck.backs_seen for deck in decks])

    def name(self, crops: Pixels, masks: Pixels, groups: Rows, designs: Designs) -> tuple[list[str], Floats]:
        """Names and confidences (n) of the backs of one picture; `groups` (n): the design of each, from 0 on.

        Designs that are none of the decks are called "unknown", "unknown 2" and so on, the commonest first; their
        confidence is that they are none of the decks.
        """
        odds, weight = card_odds(self.features(crops, masks, designs))
        count = int(groups.max()) + 1 if len(groups) else 0
        sizes = np.bincount(groups, minlength=count)
        means = np.stack([np.average(odds[groups == g], 0, weight[groups == g]) for g in range(count)])
        decks, sure = assigned(means, sizes)
        names, unknown = [], 0
        for deck in decks:
            unknown += deck < 0
            names.append(
                self.names[deck] if deck >= 0 else UNKNOWN if unknown == 1 else f"{UNKNOWN} {unknown}"
            )
        return [names[g] for g in groups], sure[groups]

    def features(self, crops: Pixels, masks: Pixels, designs: Designs) -> Floats:
        """(n, decks, 6) what speaks for each back being of each deck.

        The network's log odds; fit; fit and ink (`vision.likeness`), and both times contrast; the lesser of odds and
        fit. All but the first are NaN where the deck shows nothing of what is seen of the back.
        """
        crops = balanced(crops, masks)
        every, shown = np.concatenate([crops, self._crops]), np.concatenate([masks, self._masks])
        net = designs.odds(every, shown)[: len(crops), len(crops) :]
        net = np.where(np.isnan(net), -np.inf, np.clip(net, -8, 8))
        alike = likeness(crops, masks, self._crops, self._masks)
        rows = np.arange(len(crops))
        told = []
        for deck in range(len(self.names)):
            views = np.flatnonzero(self._of == deck)
            by_net = net[:, views].max(axis=1)
            by_net[np.isinf(by_net)] = 0.0
            best = views[np.argmax(np.nan_to_num(alike.fit[:, views], nan=-2.0), axis=1)]
            fit = np.arctanh(np.clip(alike.fit[rows, best], -0.5, 0.985))
            ink = np.log(alike.ink[rows, best] + 0.05)
            clear = alike.contrast[rows, best] - CLEAR
            told.append(
                np.column_stack([by_net, fit, fit * clear, ink, ink * clear, np.minimum(by_net, 3 * fit)])
            )
        return np.stack(told, axis=1)


def card_odds(features: Floats) -> tuple[Floats, Floats]:
    """(n, decks) log odds that each back is of each deck, from `Enrolled.features`, and (n) how much each counts."""
    told = ~np.isnan(features[..., 1])
    full = np.nan_to_num(features) @ WEIGHTS + CONSTANT
    odds = np.where(told, full, BY_NET * features[..., 0] + NO_TILE)
    return odds, np.where(told.any(axis=1), 1.0, COUNTS)


def assigned(means: Floats, sizes: NDArray[np.integer]) -> tuple[Rows, Floats]:
    """The deck of each group (-1: none of them) and how sure that is, from (groups, decks) log odds and group sizes."""
    next_best = np.full_like(means, NONE_ELSE)
    for deck in range(means.shape[1] if means.shape[1] > 1 else 0):
        next_best[:, deck] = np.delete(means, deck, axis=1).max(axis=1)
    chance = 1 / (1 + np.exp(-(BEST * means + AHEAD * (means - next_best) + EVEN)))
    decks = np.where(chance.max(axis=1) >= NAMED, chance.argmax(axis=1), -1)
    large = np.flatnonzero(sizes >= LARGE)
    if len(large):
        gain = np.where(chance[large] >= NAMED, means[large] * np.sqrt(sizes[large])[:, None] + 100, 0.0)
        # only where decks were enrolled: it takes a good part of a program's start
        from scipy.optimize import linear_sum_assignment

        rows, columns = linear_sum_assignment(-gain)
        decks[large] = -1
        kept = gain[rows, columns] > 0
        decks[large[rows[kept]]] = columns[kept]
    sure = np.where(decks >= 0, chance[np.arange(len(decks)), decks], 1 - chance.max(axis=1))
    return decks.astype(np.intp), np.where((decks < 0) & (chance.max(axis=1) >= NAMED), 0.5, sure)


def balanced(crops: Pixels, masks: Pixels) -> Pixels:
    """Crops of one picture as if its light were white, by the brightest paint on them if that may be paper."""
    shown = (
        np.stack([cv2.erode(mask, np.ones((5, 5), np.uint8)) for mask in masks]) > 0
        if len(masks)
        else masks > 0
    )
    paint = crops[shown].astype(np.float64)
    if len(paint) < 50:
        return crops
    least = paint.min(axis=1)
    white = np.maximum(np.median(paint[least >= np.quantile(least, 0.97)], axis=0), 8.0)
    tint = np.log(white) - np.log(white).mean()
    if np.linalg.norm(tint) > COLOURED:
        tint[:] = 0.0
    light = np.exp(-tint) * min(PAPER / white.max(), BRIGHTEST)
    return np.asarray(np.clip(crops * light, 0, 255), dtype=np.uint8)
