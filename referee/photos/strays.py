"""Backs of a design that is nobody's: every player has a deck already, so these are of one of them.

Decks that play together have backs that differ (N1), so that there are as many designs as players. Where the eye tells
more, some cards of a deck, seen in another light or hardly at all, were taken for a deck of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from vision.photos.deck_match import design_of, unlikeness
from vision.photos.merging import MergedCard

#: A card and the label of its deck.
Labelled = tuple[MergedCard, str]
#: Designs that differ more than this are no deck seen twice: what is nobody's stays so. Two that were told apart in one
#: photo are so much less likely one. Chosen on drawn hands of the tuning decks.
OTHER, TOLD_APART = 2.0, 0.6


def homes(counted: Sequence[Labelled], seats: Mapping[str, str], players: Collection[str]) -> dict[str, str]:
    """To which label, of those that are somebody's, each label belongs that is nobody's, as far as that can be told.

    `seats`: seat by label; a label without one may be a seat's name itself. Nothing is told before every one of the
    `players` has a deck.
    """
    labels = {label for _, label in counted}
    owner = {label: seats.get(label, label) for label in labels}
    if not players or not set(players) <= set(owner.values()):
        return {}
    cards = {label: [merged for merged, its in counted if its == label] for label in labels}
    owned = sorted(label for label in labels if label in seats or owner[label] in players)
    found = {label: _home(cards[label], [cards[name] for name in owned]) for label in labels - {*owned}}
    return {label: owned[home] for label, home in found.items() if home is not None}


def _home(stray: Sequence[MergedCard], decks: Sequence[Sequence[MergedCard]]) -> int | None:
    """Which of the decks these cards are most like; None where they are like none of them, or nothing can be told."""
    mine = design_of([merged.card for merged in stray])
    far = np.array([unlikeness(mine, design_of([merged.card for merged in deck])) for deck in decks])
    if np.isnan(far).all():
        return None
    together = np.array([bool(_photos(stray) & _photos(deck)) for deck in decks])
    if np.nanmin(far) > OTHER:
        # like none of them; in another light it may be the only one that it was not told from in one photo
        lone = len(decks) > 1 and np.count_nonzero(~together) == 1
        return int(np.argmin(together)) if lone else None
    return int(np.nanargmin(far + TOLD_APART * together))


def _photos(cards: Sequence[MergedCard]) -> set[int]:
    return {photo for merged in cards for photo in merged.seen}
