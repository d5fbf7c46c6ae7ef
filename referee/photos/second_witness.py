"""The faces of the centre as a second witness of its backs: they settle which of the doubtful backs are cards.

A foundation of top rank r holds r cards, so the faces tell how many backs there are. Of all ways to have so many the
likeliest is taken, as long as it is likelier than that the faces were read wrong or that something else is amiss (a card
that no photo shows, both cards of a tie left lying). What was settled so is told, card by card, not hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from referee.photos.spreads import likely
from vision.photos.merging import MergedCard, Spread

#: So many cards at most are settled, and against log odds of so much at most, all together: the faces' total hardly
#: ever is wrong. Nothing is surer than `SURE`.
MOST, AGAINST = 3, 4.5
SURE = (0.01, 0.99)


@dataclass(frozen=True, slots=True)
class Witnessed:
    """Spreads with the cards that count."""

    spreads: list[Spread]
    #: How many backs the photos show by themselves, before the faces were heard.
    seen: int
    #: For the faces' total taken up though it is less likely a card than not, or left out though it is likelier one.
    taken: tuple[MergedCard, ...] = ()
    left: tuple[MergedCard, ...] = ()

    @property
    def settled(self) -> bool:
        """Do faces and backs agree now, and did not before?"""
        return bool(self.taken or self.left)


def witnessed(spreads: Sequence[Spread], faces: int | None) -> Witnessed:
    """`spreads` with the cards that count, where the faces give a number of cards (None: they do not)."""
    plain = [likely(spread) for spread in spreads]
    seen = sum(map(backs_of, plain))
    missing = 0 if faces is None else faces - seen
    if not 0 < abs(missing) <= MOST:
        return Witnessed(plain, seen)
    counted = {id(merged) for spread in plain for merged in spread.cards}
    backs = [
        merged
        for spread in spreads
        for merged in spread.cards
        if merged.card.side == "back" and not merged.card.told
    ]
    # what was not counted, or what was, the likeliest to be the other first
    open_to = [merged for merged in backs if (id(merged) in counted) == (missing < 0)]
    open_to.sort(key=lambda merged: merged.card.confidence, reverse=missing > 0)
    others = tuple(open_to[: abs(missing)])
    if len(others) < abs(missing) or _against(others, taken=missing > 0) > AGAINST:
        return Witnessed(plain, seen)
    counted ^= {id(merged) for merged in others}
    settled = [
        replace(spread, cards=tuple(m for m in spread.cards if id(m) in counted)) for spread in spreads
    ]
    return Witnessed(settled, seen, *((others, ()) if missing > 0 else ((), others)))


def backs_of(spread: Spread) -> int:
    """How many of its cards show their backs."""
    return sum(merged.card.side == "back" for merged in spread.cards)


def _against(others: Sequence[MergedCard], *, taken: bool) -> float:
    """The log odds that speak against taking these up, or against leaving them out."""
    chances = np.clip([merged.card.confidence for merged in others], *SURE)
    odds = np.log(chances / (1 - chances)) * (-1 if taken else 1)
    return float(np.maximum(odds, 0.0).sum())
