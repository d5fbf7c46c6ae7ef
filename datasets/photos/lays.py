"""A spread photographed several times: as it lies, and once more after some of its cards were spread anew."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from datasets.photos.endings import (
    WAYS,
    all_show_strips,
    brought,
    groups_of,
    lay_column,
    spread,
)
from datasets.photos.finished import SameTable
from datasets.photos.phone import MakeSurface, Phone, hold_phone
from datasets.photos.photograph import photograph, still_of
from datasets.photos.showing import footprints
from datasets.photos.spreading import Spreader
from datasets.render import Art
from datasets.scene import BRIDGE_MM, POKER_MM, PlacedCard
from datasets.stills import Still

#: mm between what lies and what is spread anew beside it.
ASIDE = (25.0, 70.0)
#: Photos that are tried of one lay before it is laid anew.
TRIES = 20


@dataclass(slots=True)
class Lay:
    """Cards spread backs up on one table, in painting order."""

    rng: np.random.Generator
    decks: list[Art]
    surface: MakeSurface
    #: What the table and the floor are drawn from, the same in all photos.
    seed: int
    cards: list[PlacedCard]

    def photo(self) -> Still | None:
        """One photo of it by a phone held anyhow; None where no such photo shows a strip of every card."""
        taken = self.photo_by()
        return None if taken is None else taken[0]

    def photo_by(self) -> tuple[Still, Phone] | None:
        """The same, and how the phone was held."""
        for _ in range(TRIES):
            before = self.rng.bit_generator.state
            phone = hold_phone(self.rng, self.cards)
            aimed = phone.aim(self.cards, [str(i) for i in range(len(self.decks))])
            if not all_show_strips(aimed, footprints(aimed)):
                continue  # told before anything is painted, which takes long
            self.rng.bit_generator.state = before
            picture = photograph(self.rng, self.cards, self.decks, SameTable(self.surface, self.seed))
            if all_show_strips(picture.scene, picture.painting.ids):
                return still_of(picture), phone
        return None

    def spread_anew(self, taken: Collection[int]) -> Lay:
        """The same after somebody took these cards, by their numbers, and spread them beside what lies."""
        left = [card for number, card in enumerate(self.cards) if number not in taken]
        picked = [self.cards[number] for number in sorted(taken)]
        while True:
            again = Lay(
                self.rng, self.decks, self.surface, self.seed, [*left, *_beside(self.rng, left, picked)]
            )
            if len(again.cards) == len(self.cards):
                return again


def draw_lay(
    rng: np.random.Generator,
    decks: list[Art],
    surface: MakeSurface,
    count: tuple[int, int],
    views: int = 1,
    ways: Mapping[str, float] = WAYS,
) -> tuple[Lay, list[Still]]:
    """Cards laid as `datasets/photos/endings.py` lays them, and `views` photos in which every card shows a strip."""
    while True:
        spreader = Spreader(rng, POKER_MM if rng.random() < 0.75 else BRIDGE_MM)
        spread(spreader, brought(rng, decks, int(rng.integers(count[0], count[1] + 1))), ways)
        lay = Lay(rng, decks, surface, int(rng.integers(2**31)), list(spreader.ground.cards))
        taken: list[Still] = []
        while len(taken) < views and (photo := lay.photo()) is not None:
            taken.append(photo)
        if len(taken) == views:
            return lay, taken


def _beside(
    rng: np.random.Generator, left: Sequence[PlacedCard], picked: Sequence[PlacedCard]
) -> list[PlacedCard]:
    """Where these cards come to lie, spread in any way where there is room: below the others, or at their side."""
    size = (picked[0].width, picked[0].height) if picked else POKER_MM
    spreader = Spreader(rng, size)
    spreader.piles = 1 + max((card.pile for card in left), default=-1)
    hands = [[(card.deck, card.face) for card in picked if card.deck == d] for d in {c.deck for c in picked}]
    points = np.concatenate([card.corners_mm() for card in left]) if left else np.zeros((1, 2))
    low, high = points.min(axis=0), points.max(axis=0)
    groups = groups_of(rng, hands)
    aside = float(rng.uniform(*ASIDE))
    spreader.ground.lay(left)
    broad = max((group.breadth for group in groups), default=0.0)
    if high[0] - low[0] > high[1] - low[1]:
        lay_column(spreader, groups, float(low[0] + high[0]) / 2, 0.6, float(high[1]) + 44 + aside)
    else:
        lay_column(spreader, groups, float(high[0]) + aside + broad / 2, 0.6, float(low[1]) + 44)
    return spreader.ground.cards[len(left) :]
