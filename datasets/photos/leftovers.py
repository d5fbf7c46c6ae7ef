"""The end of a hand, seen by a phone: the Nerts piles that are left over, faces or backs up, fanned or squared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from datasets.arrange import moved
from datasets.photos.phone import MakeSurface
from datasets.photos.photograph import photograph, still_of
from datasets.photos.showing import Ground
from datasets.photos.spreading import Named, Spreader
from datasets.render import Art
from datasets.scene import BRIDGE_MM, POKER_MM, PlacedCard
from datasets.stills import Still

#: Most cards that a Nerts pile holds.
MOST = 13
#: How a pile is laid, and how often: fanned faces up, fanned backs up, squared with one edge showing.
WAYS = {"faces": 0.45, "backs": 0.3, "squared": 0.25}
#: mm from the middle of the table to a player's pile.
SEATED = (170.0, 380.0)
#: mm that a pile is moved away from the others, and the room around it.
PUSH, ROOM = 12.0, 6.0


def draw_leftovers(rng: np.random.Generator, decks: list[Art], surface: MakeSurface) -> Still:
    """One pile a deck (1 to 6 of them), 1 to 13 cards each, where the player sat or gathered in the middle.

    Every fanned card shows a strip of at least 6 mm; a squared pile shows one edge and its top.
    """
    size = POKER_MM if rng.random() < 0.75 else BRIDGE_MM
    lay = Piles(rng, size)
    usual = str(rng.choice(list(WAYS), p=list(WAYS.values())))
    sizes = rng.integers(1, MOST + 1, len(decks))
    seated = rng.random() < 0.5
    for deck, art in enumerate(decks):
        way = usual if rng.random() < 0.7 else str(rng.choice(list(WAYS)))
        faces = rng.permutation(np.array(sorted(art.faces)))[: int(sizes[deck])]
        pile = lay.pile([(deck, str(face)) for face in faces], way)
        if seated:
            lay.before_player(pile, deck, len(decks))
        else:
            lay.in_the_middle(pile)
    return still_of(photograph(rng, lay.ground.cards, decks, surface))


@dataclass(slots=True)
class Piles:
    """Lays piles on a ground so that none lies on another."""

    rng: np.random.Generator
    size: tuple[float, float]
    ground: Ground = field(default_factory=Ground)
    #: Where the next pile of a row goes, mm.
    x: float = 0.0
    y: float = 0.0
    count: int = 0

    def pile(self, cards: Sequence[Named], way: str) -> list[PlacedCard]:
        """These cards about the origin, upright for who sits below."""
        if way == "squared":
            laid = self._squared(cards, bool(self.rng.random() < 0.5))
        else:
            laid = self._fanned(cards, way == "faces")
        self.count += 1
        return moved([replace(card, pile=self.count - 1) for card in laid], 0.0, 0.0, 0.0)

    def _fanned(self, cards: Sequence[Named], up: bool) -> list[PlacedCard]:
        spreader = Spreader(self.rng, self.size, up)
        careless = float(self.rng.uniform(0.3, 1.0))
        lay = spreader.row if self.rng.random() < 0.6 else spreader.arc
        lay(cards, 0.0, 0.0, careless)
        return spreader.ground.cards

    def _squared(self, cards: Sequence[Named], up: bool) -> list[PlacedCard]:
        """Squared up by hand: every card a little further than the one below, so that one edge can be counted."""
        rng = self.rng
        step, way = float(rng.uniform(0.2, 1.6)), float(rng.integers(0, 4)) * np.pi / 2 + rng.normal(0, 0.15)
        # as it lay in the hand: backs up but for the last card, or all one way
        all_up = rng.random() < 0.5
        laid = []
        for i, (deck, face) in enumerate(cards):
            x, y, turn = rng.normal(0, (0.35, 0.35, 0.008))
            x, y = x + step * i * np.cos(way), y + step * i * np.sin(way)
            shows = up and (all_up or i == len(cards) - 1)
            laid.append(PlacedCard(deck, face, shows, float(x), float(y), float(turn), 0, *self.size))
        return laid

    def before_player(self, pile: Sequence[PlacedCard], seat: int, seats: int) -> None:
        """Lays a pile where its player sat: the seats are spread around the table."""
        rng = self.rng
        way = 2 * np.pi * (seat + rng.uniform(-0.15, 0.15)) / seats
        # tables are longer than broad
        reach = float(rng.uniform(*SEATED))
        turn = way + float(rng.normal(0, 0.15))
        while True:
            x, y = -1.25 * reach * np.sin(way), reach * np.cos(way)
            if self._lay(moved(list(pile), float(x), float(y), turn)):
                return
            reach += PUSH

    def in_the_middle(self, pile: Sequence[PlacedCard]) -> None:
        """Lays a pile beside or below those that were brought before it."""
        rng = self.rng
        turn = float(rng.normal(0, 0.12)) + np.pi * int(rng.random() < 0.3)
        for _ in range(400):
            if self._lay(moved(list(pile), self.x, self.y, turn)):
                break
            self.x += PUSH
        if rng.random() < 0.45:
            self.x, self.y = float(rng.normal(0, 40)), self.y + float(rng.uniform(100, 160))

    def _lay(self, pile: list[PlacedCard]) -> bool:
        wider = [replace(card, width=card.width + 2 * ROOM, height=card.height + 2 * ROOM) for card in pile]
        if not self.ground.is_free(wider):
            return False
        self.ground.lay(pile)
        return True
