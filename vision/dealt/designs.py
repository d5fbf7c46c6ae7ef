"""Whose back each card shows that landed: all of them compared with one another, as the cards of one picture are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from vision.backs.deckfile import EnrolledDeck
from vision.dealt.landings import Landing
from vision.layout import SeenCard
from vision.naming import Namer


class Designs:
    """Opened once; not safe for use by several threads."""

    def __init__(
        self, models: Path | None = None, threads: int = 2, decks: Sequence[EnrolledDeck] = ()
    ) -> None:
        self._namer = Namer(models, threads, decks)

    def name(self, landings: Sequence[Landing]) -> list[SeenCard]:
        """A card each, with its design's label, its margin and how far the design is one."""
        cards = [
            SeenCard(one.corners, "back", one.corners, 1.0, one.confidence, back_confidence=None)
            for one in landings
        ]
        if cards:
            self._namer.group(
                cards, np.stack([one.crop for one in landings]), np.stack([one.seen for one in landings])
            )
        return cards
