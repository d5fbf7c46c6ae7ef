"""Decks that were shown once: are their cards called by their names, twins told apart, other designs said unknown?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from datasets.decks import Split, back_pair_twins, list_decks, load_deck, procedural_back
from datasets.decks.store import FIRST_SEED
from datasets.decks.wear import worn
from datasets.photos.endings import draw_ending
from datasets.room import DressedDeck, alike
from datasets.stills import MakeSurface, Still, draw_spread
from datasets.surfaces import surface
from scripts.matching import match
from scripts.measure.eyes.shares import Share, share
from vision.backs.deckfile import UNKNOWN, DeckError, EnrolledDeck
from vision.backs.enrolment import enrolled
from vision.eye import Eye
from vision.layout import Layout

Pixels = NDArray[np.uint8]

#: In every scene: twins in two colours, a third deck that is shown, too, and one that is not.
TWINS, THIRD, STRANGER = ("twin 1", "twin 2"), "third", "stranger"
DECKS = (*TWINS, THIRD, STRANGER)
#: Cards that a deck is shown by, and cards of the photos in which it is to be known again.
SHOWN, SPREAD = (2, 5), (14, 36)


@dataclass(frozen=True, slots=True)
class NamedBack:
    """One back that was found: whose it is, what it was called, and whether the decks of its picture were worn."""

    deck: str
    called: str
    worn: bool


@dataclass(slots=True)
class EnrolmentFigures:
    """Everything measured."""

    backs: list[NamedBack] = field(default_factory=list)
    #: Decks shown, and those that could be enrolled.
    shown: int = 0
    enrolled: int = 0

    def rows(self) -> list[tuple[str, str, object]]:
        """For the report: point, asked, measured."""
        twins = [back for back in self.backs if back.deck in TWINS]
        named = [back for back in twins if back.called in DECKS]
        strangers = [back for back in self.backs if back.deck == STRANGER]
        known = [back for back in self.backs if back.deck != STRANGER]
        rows: list[tuple[str, str, object]] = [
            (
                "red/blue twins told apart: cards called by a deck's name, right",
                ">= 0.99",
                self._right(named),
            ),
            ("... of all found cards of twins, called by their own", "", self._right(twins)),
            ("an unknown deck among enrolled ones said unknown, cards", ">= 0.95", self._unknown(strangers)),
            ("enrolled decks called by their names, cards", "", self._right(known)),
            ("... of worn decks", "", self._right([back for back in known if back.worn])),
            ("decks that could be enrolled from one photo", "", Share(self.enrolled, self.shown)),
        ]
        return rows

    def _right(self, backs: Sequence[NamedBack]) -> Share:
        return share(backs, lambda back: back.called == back.deck)

    def _unknown(self, backs: Sequence[NamedBack]) -> Share:
        return share(backs, lambda back: back.called.split(" ")[0] == UNKNOWN)


def measure_enrolment(models: Path | None, split: Split, seed: int, number: int) -> EnrolmentFigures:
    """Shows three of four decks once in `number` scenes, then all of them spread, every second time worn."""
    figures, eye = EnrolmentFigures(), Eye(models)
    for i in tqdm(range(number), desc="enrolment"):
        rng = np.random.default_rng([9, FIRST_SEED[split] + seed, i])
        decks = _decks(rng, split)
        known = [deck for art in decks[:3] if (deck := _enrolled(eye, rng, art, split)) is not None]
        figures.shown, figures.enrolled = figures.shown + 3, figures.enrolled + len(known)
        is_worn = bool(i % 2)
        if is_worn:
            decks = [_worn(rng, art) for art in decks]
        still = draw_ending(rng, list(decks), _table(split), SPREAD)
        layout = Eye(models, decks=known).see(still.image)
        figures.backs += _backs(still, layout, {deck.name for deck in known}, is_worn)
    return figures


def _backs(still: Still, layout: Layout, known: set[str], is_worn: bool) -> list[NamedBack]:
    """The backs that were found; a deck that could not be enrolled is a stranger."""
    found = ((still.cards[true], layout.cards[seen]) for true, seen in match(still.cards, layout.cards))
    whose = ((DECKS[true.deck], seen) for true, seen in found if seen.side == "back")
    return [
        NamedBack(deck if deck in known else STRANGER, seen.back or UNKNOWN, is_worn) for deck, seen in whose
    ]


def _decks(rng: np.random.Generator, split: Split) -> list[DressedDeck]:
    """Four decks, the first two of them twins."""
    backs = list(back_pair_twins(rng))
    while len(backs) < len(DECKS):
        back = procedural_back(rng)
        if not any(alike(back, other) for other in backs):
            backs.append(back)
    faces = [info.name for info in list_decks(split=split)]
    return [
        DressedDeck(name, load_deck(str(rng.choice(faces))).faces, back)
        for name, back in zip(DECKS, backs, strict=True)
    ]


def _worn(rng: np.random.Generator, deck: DressedDeck) -> DressedDeck:
    assert deck.back is not None
    return DressedDeck(deck.name, deck.faces, worn(deck.back, float(rng.uniform(0.3, 1)), rng))


def _enrolled(eye: Eye, rng: np.random.Generator, deck: DressedDeck, split: Split) -> EnrolledDeck | None:
    """The deck as the command keeps it, from one photo of a few of its backs; None where it refuses."""
    still = None
    while still is None:
        still = draw_spread(rng, [deck], _table(split), SHOWN)
    try:
        may_be = eye.candidates(still.image).layout
        return enrolled(deck.name, [(still.image, may_be)], [eye.see(still.image)])
    except DeckError:
        return None


def _table(split: Split) -> MakeSurface:
    """Draws tables of a split."""

    def drawn(rng: np.random.Generator, height: int, width: int, px_per_mm: float) -> Pixels:
        return surface(rng, height, width, px_per_mm, split)

    return drawn
