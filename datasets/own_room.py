"""Art that may be kept in the project, for pictures that are shown in it: free decks, own backs and tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from datasets.decks import load_deck, procedural_back, whole_committable
from datasets.render import Art
from datasets.room import DressedDeck, alike
from datasets.surfaces import KINDS, clutter, surface

Pixels = NDArray[np.uint8]


class OwnRoom:
    """As `ArtRoom`, of committable art alone. Raises AssetError where no such deck is in the cache."""

    def __init__(self) -> None:
        self._names = whole_committable()

    def decks(self, rng: np.random.Generator, least: int = 1, most: int = 4, whole: bool = True) -> list[Art]:
        """`least` to `most` decks with backs that were drawn for them; all of them are whole."""
        dressed: list[Art] = []
        count = int(rng.integers(least, most + 1))
        while len(dressed) < count:
            back = procedural_back(rng)
            if not any(deck.back is not None and alike(back, deck.back) for deck in dressed):
                deck = load_deck(str(rng.choice(self._names)))
                dressed.append(DressedDeck(deck.name, deck.faces, back))
        return dressed

    def surface(self, rng: np.random.Generator, height: int, width: int, px_per_mm: float) -> Pixels:
        """(height, width, 3) BGR of a table that is drawn by the project."""
        weights = np.array([weight for _, weight in KINDS.values()])
        kind = str(rng.choice(list(KINDS), p=weights / weights.sum()))
        return surface(rng, height, width, px_per_mm, "train", kind)

    def clutter(self, rng: np.random.Generator) -> Pixels:
        """(H, W, 4) BGRA of a thing that is no card, at 4 px/mm."""
        return clutter(rng)
