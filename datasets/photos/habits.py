"""How a player lays the cards of one place: columns, squared piles, a waste, loose foundations, a trick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from datasets.photos.midgame import Lying
from datasets.scene import PlacedCard

#: mm from card to card that a column keeps at least, and mm that it reaches down at most.
LEAST_STEP, LONGEST = 14.0, 250.0
#: mm by which a card of a squared pile seems to be shifted, by its thickness, across and along.
LEAN = (0.02, 0.05)


@dataclass(frozen=True, slots=True)
class Habit:
    """One player's way with cards; mm and radians."""

    #: From an open card of a column to the next, and from a face-down one.
    step: float
    buried: float
    #: Standard deviations of where a card lies and how it is turned, and the drift of a column.
    off: float
    skew: float
    drift: float
    #: From card to card of a draw on the waste, outwards and towards the player.
    spread: tuple[float, float]
    #: The same two deviations on the foundations and other piles that everybody plays to.
    loose: tuple[float, float]
    #: Between neighbouring piles.
    gap: float
    #: Is the Nerts pile, or whatever comes first, at the right?
    mirrored: bool
    size: tuple[float, float]


def sample_habit(rng: np.random.Generator, size: tuple[float, float]) -> Habit:
    """A player, tidy or not."""
    untidy = float(rng.uniform(0.3, 1.0))
    squared = rng.random() < 0.4
    return Habit(
        step=float(rng.uniform(14, 22)),
        buried=float(rng.uniform(3, 10)),
        off=2.2 * untidy,
        skew=0.045 * untidy,
        drift=float(rng.normal(0, 0.012)),
        spread=(0.6, 0.6) if squared else (float(rng.uniform(2, 17)), float(rng.uniform(-1, 6))),
        loose=(0.8 + 4.2 * untidy**2, 0.02 + 0.16 * untidy**2),
        gap=float(rng.uniform(4, 14)),
        mirrored=bool(rng.random() < 0.25),
        size=size,
    )


def lay_place(
    rng: np.random.Generator, kind: str, cards: Sequence[Lying], habit: Habit, drawn: int = 0
) -> list[PlacedCard]:
    """The cards of one place, its first at the origin, upright for a player below; `drawn`: of the last draw."""
    if kind in ("work", "centre"):
        spots = _column(rng, cards, habit)
    elif kind in ("waste", "discard"):
        spots = _waste(rng, cards, habit, drawn)
    elif kind in ("foundation", "side"):
        spots = _heap(rng, cards, habit)
    elif kind == "trick":
        spots = _trick(rng, cards)
    else:
        spots = _squared(rng, cards)
    return [
        PlacedCard(card.deck, card.face, card.up, x, y, angle, 0, *habit.size)
        for card, (x, y, angle) in zip(cards, spots, strict=True)
    ]


Spots = list[tuple[float, float, float]]


def _some_way_round(rng: np.random.Generator) -> float:
    """Cards lie either way round."""
    return np.pi * int(rng.random() < 0.5)


def _column(rng: np.random.Generator, cards: Sequence[Lying], habit: Habit) -> Spots:
    steps = [habit.step if card.up else habit.buried for card in cards]
    squeeze = min(1.0, LONGEST / max(sum(steps[:-1]), 1.0))
    spots, x, y = Spots(), 0.0, 0.0
    for card, step in zip(cards, steps, strict=True):
        dx, dy, turn = rng.normal(0, (habit.off, habit.off * 0.7, habit.skew))
        spots.append((x + float(dx), y + float(dy), float(turn) + _some_way_round(rng)))
        least = LEAST_STEP if card.up else 2.0
        x, y = x + habit.drift * step, y + max(least, step * squeeze)
    return spots


def _squared(rng: np.random.Generator, cards: Sequence[Lying]) -> Spots:
    spots = Spots()
    for i in range(len(cards)):
        dx, dy, turn = rng.normal(0, (0.4, 0.4, 0.007))
        spots.append((LEAN[0] * i + float(dx), LEAN[1] * i + float(dy), float(turn) + _some_way_round(rng)))
    return spots


def _waste(rng: np.random.Generator, cards: Sequence[Lying], habit: Habit, drawn: int) -> Spots:
    """Squared loosely, what came last spread."""
    spots, across, along = Spots(), habit.spread[0], habit.spread[1]
    shown = max(drawn, 1)
    for i in range(len(cards)):
        late = max(0, i - (len(cards) - shown))
        dx, dy, turn = rng.normal(0, (0.8 * habit.off, 0.8 * habit.off, 0.8 * habit.skew))
        spots.append(
            (across * late + float(dx), along * late + float(dy), float(turn) + _some_way_round(rng))
        )
    return spots


def _heap(rng: np.random.Generator, cards: Sequence[Lying], habit: Habit) -> Spots:
    """Thrown on one spot by many; a complete one has been squared and turned over."""
    spread, turned = habit.loose if cards[-1].up else (0.7, 0.02)
    spots = Spots()
    for _ in cards:
        dx, dy, turn = rng.normal(0, (spread, spread, turned))
        spots.append((float(dx), float(dy), float(turn) + _some_way_round(rng)))
    return spots


def _trick(rng: np.random.Generator, cards: Sequence[Lying]) -> Spots:
    """The card led, and across it the other."""
    spots = Spots()
    for i in range(len(cards)):
        dx, dy, turn = rng.normal(0, (5, 5, 0.2))
        spots.append((float(dx) + 16.0 * i, float(dy) - 24.0 * i, float(turn) + _some_way_round(rng)))
    return spots
