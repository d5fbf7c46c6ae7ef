"""Courts with German, French and Dutch letters: are they said to be none of the thirteen, and named once that is told?

Every second scene shows the same kind of decks with the usual letters: what is doubted there is doubted in vain.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from datasets.decks import Split, list_decks, load_deck, procedural_back
from datasets.decks.store import FIRST_SEED
from datasets.indices import LANGUAGES, ForeignDeck, fonts_of
from datasets.photos.layouts import draw_layout
from datasets.printing import COURTS, PrintedDeck
from datasets.render import Art
from datasets.room import DressedDeck
from datasets.stills import MakeSurface, Still
from datasets.surfaces import surface
from scripts.matching import match
from scripts.measure.eyes.shares import Share, share
from vision.eye import Eye
from vision.faces.indices import speak
from vision.layout import FACES, Layout

Pixels = NDArray[np.uint8]

#: What is named with so much is named surely.
SURE = 0.9


@dataclass(frozen=True, slots=True)
class Court:
    """A court that was found face up: its letter and true face, what it was called, and once the letters were told."""

    letter: str
    face: str
    called: str | None
    sure: float
    partly: str | None
    told: str | None
    told_sure: float

    @property
    def foreign(self) -> bool:
        """Is its letter none of the thirteen ranks'?"""
        return self.letter != self.face[0]


@dataclass(slots=True)
class IndexFigures:
    """Everything measured."""

    courts: list[Court] = field(default_factory=list)

    def rows(self) -> list[tuple[str, str, object]]:
        """For the report: point, asked, measured."""
        foreign = [court for court in self.courts if court.foreign]
        usual = [court for court in self.courts if not court.foreign]
        told = [court for court in foreign if court.told is not None and court.told_sure >= SURE]
        return [
            (
                "courts with letters B, D, R, V: named all the same, with 0.9 and more",
                "<= 0.01",
                share(foreign, lambda court: court.called is not None and court.sure >= SURE),
            ),
            (
                "... said to be none of the thirteen",
                "",
                share(foreign, lambda court: court.partly is not None),
            ),
            (
                "... of these with their suit, right",
                "",
                share(
                    [court for court in foreign if court.partly not in (None, "??")],
                    lambda court: court.partly == f"?{court.face[1]}",
                ),
            ),
            ("... with --indices: named with 0.9 and more", "", Share(len(told), len(foreign))),
            ("... of these right", "", share(told, lambda court: court.told == court.face)),
            (
                "courts with J, Q, K of decks of the same kind: doubted in vain",
                "",
                share(usual, lambda court: court.partly is not None),
            ),
        ]


def measure_indices(models: Path | None, split: Split, seed: int, number: int) -> IndexFigures:
    """Looks at `number` tables of Nerts whose decks have letters of one language, and at as many with the usual ones."""
    figures, eye = IndexFigures(), Eye(models)
    known = (info.name for info in list_decks(split=split))
    names = [name for name in known if len(load_deck(name).faces) == len(FACES)]
    for i in tqdm(range(2 * number), desc="indices"):
        rng = np.random.default_rng([11, FIRST_SEED[split] + seed, i])
        language = str(rng.choice(LANGUAGES)) if i % 2 == 0 else ""
        still = draw_layout(rng, partial(_decks, rng, names, split, language), _surface(split), "nerts")
        layout = eye.see(still.image)
        figures.courts += _courts(still, layout, language)
    return figures


def _decks(
    rng: np.random.Generator, names: Sequence[str], split: Split, language: str, count: int
) -> list[Art]:
    """So many decks of known art, printed anew with letters of this language ("": the usual ones)."""
    fonts = fonts_of(split)
    decks: list[Art] = []
    for number in range(count):
        known = [load_deck(str(rng.choice(names)), fit="stretch")]
        deck = ForeignDeck(rng, known, fonts, language) if language else PrintedDeck(rng, known, fonts)
        faces = {face: deck.face(face) for face in deck.names}
        decks.append(DressedDeck(str(number), faces, procedural_back(rng)))
    return decks


def _surface(split: Split) -> MakeSurface:
    """Draws tables of a split."""

    def drawn(rng: np.random.Generator, height: int, width: int, px_per_mm: float) -> Pixels:
        return surface(rng, height, width, px_per_mm, split)

    return drawn


def _courts(still: Still, layout: Layout, language: str) -> list[Court]:
    """The courts that were found of those that show an index."""
    heard = deepcopy(layout)
    if language:
        speak(heard.cards, language)
    letters = dict(zip("KQJ", language or "KQJ", strict=True))
    courts = []
    for true, seen in match(still.cards, layout.cards):
        card, found, told = still.cards[true], layout.cards[seen], heard.cards[seen]
        if not card.face_up or card.face[0] not in COURTS or not card.index_visible or found.side == "back":
            continue
        courts.append(
            Court(
                letters[card.face[0]],
                card.face,
                found.face,
                found.face_confidence,
                found.partly,
                told.face,
                told.face_confidence,
            )
        )
    return courts
