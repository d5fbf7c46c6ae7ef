"""How cards lie to be counted: rows, columns, arcs and loose heaps in which every card shows a strip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from datasets.arrange import moved
from datasets.photos.showing import STRIP_MM, Ground
from datasets.scene import PlacedCard

#: A card by its deck and face.
Named = tuple[int, str]

#: mm from card to card that a row keeps at least, and mm by which it is pushed away from what it covers.
CLOSEST, PUSH = STRIP_MM + 1.0, 8.0
#: Radians that an arc spans at most.
WIDEST_ARC = 2.0
#: Columns: most cards of one, mm from card to card down it, and mm between neighbours.
COLUMN, STEPS, APART = 9, (CLOSEST, 45.0), (3.0, 30.0)
#: Tries of one card on a heap before the heap grows, and by how much.
TRIES, GROWTH = 30, 1.06


@dataclass(slots=True)
class Spreader:
    """Spreads cards on a ground; every pile that it makes is one row, arc or heap."""

    rng: np.random.Generator
    size: tuple[float, float]
    up: bool = False
    ground: Ground = field(default_factory=lambda: Ground(strip=STRIP_MM + 0.4))
    piles: int = 0

    def _card(self, named: Named, x: float, y: float, angle: float) -> PlacedCard:
        # half of the cards came upside down
        turn = angle + np.pi * int(self.rng.random() < 0.5)
        return PlacedCard(named[0], named[1], self.up, x, y, float(turn), self.piles, *self.size)

    def row(self, cards: Sequence[Named], x: float, y: float, careless: float = 1.0) -> float:
        """Cards side by side about (x, y), pushed down the table as far as needed; the y where it came to lie.

        `careless`: 0 (by the ruler) to 1.
        """
        rng = self.rng
        step, bend = float(rng.uniform(7.5, 16.0)), float(rng.normal(0, 0.012)) * careless
        lengthwise = rng.random() < 0.2
        backwards = rng.random() < 0.35
        while True:
            laid = self._strung(cards, step, bend, careless, lengthwise)
            laid = laid[::-1] if backwards else laid
            laid = moved(laid, x, y, float(rng.normal(0, 0.06)) * careless)
            for push in range(12):
                if self.ground.try_lay([replace(card, y=card.y + push * PUSH) for card in laid]):
                    self.piles += 1
                    return y + push * PUSH
            careless *= 0.6
            step += 0.5
            y += PUSH * 4

    def _strung(
        self, cards: Sequence[Named], step: float, bend: float, careless: float, lengthwise: bool
    ) -> list[PlacedCard]:
        """A row along a line that bends by `bend` radians a card."""
        rng, laid = self.rng, list[PlacedCard]()
        x = y = heading = 0.0
        upright = np.pi / 2 if lengthwise else 0.0
        drift = 0.0
        for named in cards:
            off = rng.normal(0, (0.9, 1.6, 0.03)) * careless
            laid.append(
                self._card(named, x + float(off[0]), y + float(off[1]), heading + upright + float(off[2]))
            )
            stride = max(CLOSEST, step * float(rng.normal(1, 0.16 * careless)))
            x, y = x + stride * float(np.cos(heading)), y + stride * float(np.sin(heading))
            drift = 0.8 * drift + float(rng.normal(0, 0.006)) * careless
            heading += bend + drift
        return laid

    def columns(self, cards: Sequence[Named], x: float, y: float, careless: float = 1.0) -> float:
        """Cards overlapped along their length, in straight columns side by side about (x, y), as a solitaire is laid.

        Where the lowest of them ends. Mostly all are one way up, and hardly askew: between two of a design without a
        rim a camera sees a faint line at most.
        """
        rng = self.rng
        untidy = careless * float(rng.uniform(0.1, 1.0))
        turned = rng.random() < 0.3
        parts, left = list[Sequence[Named]](), list(cards)
        while left:
            n = int(rng.integers(1, COLUMN + 1))
            parts.append(left[:n])
            left = left[n:]
        gap = self.size[0] + float(rng.uniform(*APART))
        lowest = y
        for i, part in enumerate(parts):
            at = x + (i - (len(parts) - 1) / 2) * gap
            lowest = max(lowest, self._one_column(part, at, y, untidy, turned))
            self.piles += 1
        return lowest

    def _one_column(self, cards: Sequence[Named], x: float, y: float, untidy: float, turned: bool) -> float:
        """Lays it, pushed down until every card shows a strip, those below as well; where it ends."""
        rng = self.rng
        step, even = float(np.exp(rng.uniform(*np.log(STEPS)))), rng.random() < 0.4
        strides = (
            np.full(len(cards), step) if even else rng.uniform(CLOSEST, max(step, CLOSEST + 1), len(cards))
        )
        at = np.concatenate([[0.0], np.cumsum(strides)[:-1]])
        upside_down = np.pi * int(rng.random() < 0.5)
        while True:
            laid = []
            for named, down in zip(cards, at, strict=True):
                off = rng.normal(0, (1.6, 0.5, 0.02)) * untidy
                card = self._card(named, x + float(off[0]), y + float(down + off[1]), float(off[2]))
                laid.append(card if turned else replace(card, angle=float(off[2]) + upside_down))
            if self.ground.try_lay(laid):
                return y + float(at[-1]) + self.size[1] / 2
            untidy *= 0.6
            y += PUSH

    def arc(self, cards: Sequence[Named], x: float, y: float, careless: float = 1.0) -> float:
        """Cards turned about a point, as one sweep of the arm leaves them; where it came to lie, as `row`."""
        rng, count = self.rng, len(cards)
        stride = float(rng.uniform(9.0, 17.0))
        least = max(150.0, count * stride / WIDEST_ARC)
        radius = float(np.exp(rng.uniform(np.log(least), np.log(max(500.0, least * 1.2)))))
        sense = 1 if rng.random() < 0.7 else -1
        while True:
            laid = list[PlacedCard]()
            for i, named in enumerate(cards):
                uneven = float(rng.normal(0, 0.1)) * careless
                turn = sense * (i - (count - 1) / 2 + uneven) * stride / radius
                reach = radius + float(rng.normal(0, 1.8)) * careless
                laid.append(self._card(named, reach * np.sin(turn), -reach * np.cos(turn), turn))
            laid = moved(laid, x, y, float(rng.normal(0, 0.08)))
            for push in range(12):
                if self.ground.try_lay([replace(card, y=card.y + push * PUSH) for card in laid]):
                    self.piles += 1
                    return y + push * PUSH
            careless *= 0.6
            stride, y = stride + 0.5, y + PUSH * 4

    def heap(self, cards: Sequence[Named], x: float, y: float) -> float:
        """Cards smeared over the table with both hands about (x, y); the heap's radius, mm."""
        rng = self.rng
        radius = float(np.sqrt(len(cards) * rng.uniform(1000, 2600) / np.pi)) + 15.0
        squash = rng.uniform(0.7, 1.0)
        wild = 3.0 if rng.random() < 0.6 else float(rng.uniform(0.15, 0.7))
        base = float(rng.uniform(0, np.pi))
        for named in cards:
            for tried in range(10**6):
                if tried % TRIES == TRIES - 1:
                    radius *= GROWTH
                reach, way = radius * np.sqrt(rng.random()), rng.uniform(0, 2 * np.pi)
                across, along = float(reach * np.cos(way)), float(squash * reach * np.sin(way))
                angle = base + float(rng.normal(0, wild))
                if self.ground.try_lay([self._card(named, x + across, y + along, angle)]):
                    break
        self.piles += 1
        return radius
