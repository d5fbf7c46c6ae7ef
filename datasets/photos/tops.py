"""The end of a hand, seen by a phone: the foundations as they lie, their tops up, the complete ones turned over."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from datasets.arrange import RANKS, SUITS, moved
from datasets.photos.phone import MakeSurface
from datasets.photos.photograph import photograph, still_of
from datasets.photos.showing import Ground
from datasets.photos.spreading import Named
from datasets.render import Art
from datasets.scene import BRIDGE_MM, POKER_MM, PlacedCard
from datasets.stills import Still

#: Foundations in a picture at most, and tries to find a free spot before the common area grows.
MOST, TRIES = 20, 25
#: Share of the complete foundations that have been turned over and set aside.
SET_ASIDE = 0.8


def draw_tops(rng: np.random.Generator, decks: list[Art], surface: MakeSurface) -> Still:
    """Foundations of 1 to 13 cards from ace up, squared or loose, and those set aside backs up.

    Every deck has all its faces. A card of a foundation is anybody's.
    """
    layer = FoundationLayer(rng, POKER_MM if rng.random() < 0.75 else BRIDGE_MM)
    for pile in begun(rng, len(decks)):
        aside = len(pile) == len(RANKS) and rng.random() < SET_ASIDE
        layer.set_aside(pile) if aside else layer.leave(pile)
    return still_of(photograph(rng, layer.ground.cards, decks, surface))


def begun(rng: np.random.Generator, decks: int) -> list[list[Named]]:
    """Foundations as a hand leaves them, bottom to top: as many of a suit as decks at most, every card once."""
    number = int(rng.integers(min(3, 4 * decks), min(4 * decks, MOST) + 1))
    suits = rng.permutation(np.repeat(np.array(list(SUITS)), decks))[:number]
    # the further a hand has gone, the higher they are
    lively = float(rng.uniform(3, 10))
    # whose card of each rank lies on which foundation of a suit
    owners = {suit: [rng.permutation(decks) for _ in RANKS] for suit in SUITS}
    used = dict.fromkeys(SUITS, 0)
    piles = []
    for suit in map(str, suits):
        height = int(np.clip(round(rng.normal(lively, 3.5)), 1, len(RANKS)))
        own, used[suit] = used[suit], used[suit] + 1
        piles.append([(int(owners[suit][i][own]), RANKS[i] + suit) for i in range(height)])
    return piles


@dataclass(slots=True)
class FoundationLayer:
    """Lays foundations loosely over the middle of a table."""

    rng: np.random.Generator
    size: tuple[float, float]
    ground: Ground = field(default_factory=Ground)
    #: mm that the foundations reach from the middle of the table.
    reach: float = 70.0
    count: int = 0
    #: Standard deviations of untidiness on a pile: mm and radians.
    untidy: tuple[float, float] = field(init=False)
    #: Radians by which piles are turned against each other.
    turned: float = field(init=False)

    def __post_init__(self) -> None:
        loose = float(self.rng.uniform(0, 1)) ** 1.5
        self.untidy = 0.5 + 4.0 * loose, 0.01 + 0.14 * loose
        self.turned = float(self.rng.choice([0.08, 0.35, 3.0]))

    def leave(self, pile: list[Named]) -> None:
        """A foundation where it was begun, faces up."""
        spread, turn = self.untidy
        self._put([self._card(named, True, spread, turn) for named in pile], 0.0)

    def set_aside(self, pile: list[Named]) -> None:
        """A complete foundation squared, turned over (its ace is on top then) and put out of the way."""
        self._put([self._card(named, False, 0.8, 0.02) for named in reversed(pile)], 1.0)

    def _card(self, named: Named, up: bool, spread: float, turn: float) -> PlacedCard:
        x, y, angle = self.rng.normal(0, (spread, spread, turn))
        angle += np.pi * int(self.rng.random() < 0.5)
        return PlacedCard(*named, up, float(x), float(y), float(angle), self.count, *self.size)

    def _put(self, pile: list[PlacedCard], outwards: float) -> None:
        rng = self.rng
        while True:
            for _ in range(TRIES):
                way, share = rng.uniform(0, 2 * np.pi), max(outwards, float(np.sqrt(rng.random())))
                x, y = 1.3 * self.reach * share * np.cos(way), self.reach * share * np.sin(way)
                laid = moved(pile, float(x), float(y), float(rng.normal(0, self.turned)))
                room = float(rng.uniform(-1, 14))
                wide = [replace(c, width=c.width + 2 * room, height=c.height + 2 * room) for c in laid]
                if self.ground.is_free(wide):
                    self.ground.lay(laid)
                    self.count += 1
                    return
            self.reach *= 1.12
