"""Decks whose courts carry letters of other languages, and crops of them: what the reader of indices learns and is
measured on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from zlib import crc32

import numpy as np

from datasets.decks import Deck, DeckInfo, Split, load_deck
from datasets.glyphs import font_files
from datasets.printing import COURTS, Faces, PrintedDeck

#: What stands on king, queen and jack: German, French, Dutch.
LANGUAGES = ("KDB", "RDV", "KVB")
#: One font in so many is kept from training, for tuning and for figures.
FONTS_KEPT = 6


def letters_of(language: str) -> dict[str, str]:
    """The index of each court, by its rank, in a language as "KDB" (king, queen, jack)."""
    return {rank: letter for rank, letter in zip("KQJ", language, strict=True) if rank != letter}


def letter_of(deck: str, name: str) -> str:
    """What stands in the index of a card by its deck's title and its name; "" where it shows no face."""
    if len(name) != 2:
        return ""
    language = deck.partition(":")[0]
    return letters_of(language).get(name[0], name[0]) if language in LANGUAGES else name[0]


def fonts_of(part: Split) -> tuple[Path, ...]:
    """The fonts of a part: those of tuning and figures are seen in no training."""
    kept = {"tune": 0, "figures": 1}
    shares = {path: crc32(path.name.encode()) % FONTS_KEPT for path in font_files()}
    return tuple(p for p, share in shares.items() if (share == kept[part] if part in kept else share > 1))


class ForeignDeck(PrintedDeck):
    """A deck printed anew with letters of another language; `courts_only`: nothing but its courts is drawn."""

    def __init__(
        self,
        rng: np.random.Generator,
        decks: Sequence[Deck],
        fonts: Sequence[Path],
        language: str,
        *,
        courts_only: bool = False,
    ) -> None:
        self.letters: Mapping[str, str] = letters_of(language)
        self._courts_only = courts_only
        super().__init__(rng, decks, fonts, self.letters)
        self.title = f"{language}:{self.title}"

    @property
    def names(self) -> list[str]:
        """The faces that are drawn."""
        names = super().names
        courts = [name for name in names if name[0] in COURTS]
        return courts if courts and self._courts_only else names

    def misleads(self, name: str) -> bool:
        """Its index alone says what a court is."""
        return name[0] in COURTS


class IndexPress:
    """Decks at hand, so many of them with letters of other languages; a new one now and then."""

    def __init__(
        self, rng: np.random.Generator, infos: Sequence[DeckInfo], part: Split, foreign: float, size: int = 24
    ) -> None:
        self._known = [load_deck(info.name, fit="stretch") for info in infos]
        self._fonts, self._foreign = fonts_of(part), foreign
        self.decks: list[Faces] = [self._deck(rng) for _ in range(size)]

    def _deck(self, rng: np.random.Generator) -> Faces:
        if rng.random() >= self._foreign:
            return PrintedDeck(rng, self._known, self._fonts)
        language = str(rng.choice(LANGUAGES))
        return ForeignDeck(rng, self._known, self._fonts, language, courts_only=True)

    def renew(self, rng: np.random.Generator) -> None:
        """Throws one deck away and prints another."""
        self.decks[int(rng.integers(len(self.decks)))] = self._deck(rng)
