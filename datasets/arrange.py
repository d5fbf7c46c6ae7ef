"""Ways in which people leave cards on a table: columns, heaps, spreads, fans, stacks, scattered cards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from datasets.scene import POKER_MM, PlacedCard

RANKS = "A23456789TJQK"
SUITS = "SHDC"


class Shoe:
    """Deals from several decks; of each deck every card once."""

    def __init__(self, rng: np.random.Generator, faces: list[list[str]]) -> None:
        self._left = [list(rng.permutation(np.array(deck))) for deck in faces]
        self._rng = rng

    @property
    def cards_left(self) -> int:
        """How many cards all the decks still hold."""
        return sum(len(deck) for deck in self._left)

    @property
    def decks(self) -> int:
        """How many decks there are, empty ones too."""
        return len(self._left)

    def deal(self, deck: int | None = None) -> tuple[int, str] | None:
        """(deck, face) of the next card of `deck`, or of any deck; None when there is none."""
        decks = [i for i, left in enumerate(self._left) if left and deck in (None, i)]
        if not decks:
            return None
        chosen = decks[int(self._rng.integers(len(decks)))]
        return chosen, str(self._left[chosen].pop())


@dataclass(slots=True)
class Arranger:
    """Lays cards about the origin; `moved` puts the result where it belongs."""

    rng: np.random.Generator
    shoe: Shoe
    size: tuple[float, float] = POKER_MM
    piles: int = 0

    def _card(self, x: float, y: float, angle: float, up: bool, deck: int | None) -> Iterator[PlacedCard]:
        dealt = self.shoe.deal(deck)
        if dealt is not None:
            w, h = self.size
            yield PlacedCard(dealt[0], dealt[1], up, x, y, angle, self.piles, w, h)

    def _done(self, cards: list[PlacedCard]) -> list[PlacedCard]:
        self.piles += 1
        return cards

    def line(
        self,
        n: int,
        step: float,
        along: float,
        up: bool,
        sloppy: float = 1.0,
        deck: int | None = None,
        uneven: float = 0.12,
    ) -> list[PlacedCard]:
        """Cards one on another, `step` mm apart in the direction `along` (radians from the card's own x)."""
        rng, cards = self.rng, list[PlacedCard]()
        x = y = 0.0
        bend = rng.normal(0, 0.01) * sloppy
        for _ in range(n):
            wobble = rng.normal(0, (1.2 * sloppy, 1.2 * sloppy, 0.035 * sloppy))
            cards += self._card(x + wobble[0], y + wobble[1], float(wobble[2]), up, deck)
            stride = step * float(np.clip(rng.normal(1, uneven * sloppy), 0.6, 1 + 5 * uneven))
            x, y = x + stride * np.cos(along), y + stride * np.sin(along)
            along += bend
        return self._done(cards)

    def fan(self, n: int, step: float, radius: float, up: bool, deck: int | None = None) -> list[PlacedCard]:
        """Cards turned about a point `radius` mm below them, `step` radians apart."""
        cards = list[PlacedCard]()
        sense = 1 if self.rng.random() < 0.7 else -1
        for i in range(n):
            turn = sense * (i - (n - 1) / 2) * step + self.rng.normal(0, 0.15 * step)
            reach = radius + self.rng.normal(0, 1.5)
            cards += self._card(reach * np.sin(turn), radius - reach * np.cos(turn), float(turn), up, deck)
        return self._done(cards)

    def heap(self, n: int, spread: float, turn: float, up: bool, deck: int | None = None) -> list[PlacedCard]:
        """Cards thrown on one spot: `spread` mm and `turn` radians are standard deviations."""
        cards = list[PlacedCard]()
        for _ in range(n):
            dx, dy, angle = self.rng.normal(0, (spread, spread, turn))
            cards += self._card(float(dx), float(dy), float(angle), up, deck)
        return self._done(cards)

    def stack(self, n: int, lean: tuple[float, float], up: bool, deck: int | None = None) -> list[PlacedCard]:
        """A squared pile; `lean` (mm a card) is what its thickness shows to a camera from the side."""
        cards = self.heap(n, 0.35, 0.006, False, deck)
        leaning = [replace(c, x=c.x + i * lean[0], y=c.y + i * lean[1]) for i, c in enumerate(cards)]
        return [*leaning[:-1], replace(leaning[-1], face_up=up)] if leaning else []

    def grid(self, columns: int, rows: int, gap: float, up: bool) -> list[PlacedCard]:
        """Single cards in rows, each its own pile."""
        cards = list[PlacedCard]()
        w, h = self.size[0] + gap, self.size[1] + gap
        for row in range(rows):
            for column in range(columns):
                dx, dy, angle = self.rng.normal(0, (2.0, 2.0, 0.04))
                cards += self._card(column * w + float(dx), row * h + float(dy), float(angle), up, None)
                self.piles += 1
        return cards


def moved(cards: list[PlacedCard], x: float, y: float, angle: float) -> list[PlacedCard]:
    """The same cards, turned about their common middle, which is then put at (x, y)."""
    if not cards:
        return []
    middle = np.mean([(c.x, c.y) for c in cards], axis=0)
    c, s = np.cos(angle), np.sin(angle)
    result = []
    for card in cards:
        dx, dy = card.x - middle[0], card.y - middle[1]
        result.append(replace(card, x=x + c * dx - s * dy, y=y + s * dx + c * dy, angle=card.angle + angle))
    return result
