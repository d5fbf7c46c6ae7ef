"""Whether what was taken for one design is one deck: asked by two of its cards, and what the answer makes of the photos.

A design falls into its two least alike parts (`vision.layout.SeenCard.back_splits`). Where these are hardly one, a card
of each is shown side by side: a person sees at a glance whether the two backs are the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from vision.backs.margins import MARGIN, SHARP, UNITY
from vision.layout import Layout, SeenCard
from vision.photos.merging import MergedCard

#: The margin (log odds) between two decks that were told apart though they look like one.
HARDLY_PARTED = 2 * MARGIN
#: All cards called like a card are of one deck; or those of its part are of another.
Answer = Literal["one", "two"]
#: Of which photo's card what is answered, and the label of the other deck.
Said = tuple[int, int, Answer, str | None]


@dataclass(frozen=True, slots=True)
class Halves:
    """A label's cards in one photo, in their two least alike parts, the larger one first."""

    photo: int
    alike: float
    parts: tuple[list[tuple[MergedCard, SeenCard]], list[tuple[MergedCard, SeenCard]]]


def twofold(cards: Iterable[MergedCard], before: Iterable[Sequence[SeenCard]] = ()) -> float:
    """That the cards of a label are of two decks, by the photo in which they look most like one; 0 if nothing tells.

    `before`: the same cards as other photos show them, before some were spread anew.
    """
    apart = halves(cards)
    if apart is None:
        return 0.0
    firsts = [[split[0] for split in _falls(some).values() if split] for some in before]
    alike = max([apart.alike, *(max(first)[0] for first in firsts if first)])
    return float(1 / (1 + np.exp((alike - UNITY) / SHARP)))


def halves(cards: Iterable[MergedCard]) -> Halves | None:
    """The two parts of a label's cards in the photo in which they look most like one; None where nothing tells.

    Cards of which somebody said what they are are left out.
    """
    photos: dict[int, list[tuple[MergedCard, SeenCard]]] = defaultdict(list)
    for merged in cards:
        if not merged.card.told:
            for photo, view in zip(merged.seen or (merged.photo,), merged.of or (merged.card,), strict=True):
                photos[photo].append((merged, view))
    best: Halves | None = None
    for photo, views in photos.items():
        falls = _falls([view for _, view in views])
        parts = [
            [card for card in views if (split := falls.get(id(card[1]))) and split[0][1] == part]
            for part in (0, 1)
        ]
        alike = max((split[0][0] for split in falls.values() if split), default=0.0)
        if all(parts) and (best is None or alike > best.alike):
            best = Halves(photo, alike, (parts[0], parts[1]))
    return best


def _falls(cards: Sequence[SeenCard]) -> dict[int, tuple[tuple[float, int], ...]]:
    """By `id`: how these cards of one design fall apart, from the first time on that they do.

    Of a part that is gone nothing is left to tell.
    """
    falls = {id(card): card.back_splits for card in cards}
    while len({split[0][1] for split in falls.values() if split}) == 1:
        falls = {key: split[1:] for key, split in falls.items()}
    return falls


def another(label: str, labels: Collection[str]) -> str:
    """A name for the other of two decks that were called by one label: its colour with the next number that none has."""
    colour, _, number = label.rpartition(" ")
    colour = colour if number.isdigit() else label
    return next(name for n in range(2, len(labels) + 3) if (name := f"{colour} {n}") not in labels)


def told_apart(
    layouts: Sequence[Layout],
    said: Sequence[Said],
    same: Mapping[int, tuple[SeenCard, ...]],
    gone: Collection[int] = (),
) -> tuple[dict[int, SeenCard], dict[int, str]]:
    """By the `id` of each card of the photos: what it is with these answers, and, of those that they tell, its deck.

    `same`: by `id` the card as each photo has it; `gone`: the `id` of those of which something else is said.
    """
    now = {id(card): card for layout in layouts for card in layout.cards}
    decks: dict[int, str] = {}
    for photo, number, answer, other in said:
        card = layouts[photo].cards[number]
        mine = [
            one
            for one in layouts[photo].cards
            if (one.side, one.back, decks.get(id(one))) == ("back", card.back, decks.get(id(card)))
            and (one is card or id(one) not in gone)
        ]
        falls = _falls([now[id(one)] for one in mine])
        falls_now = {id(one): falls[id(now[id(one)])] for one in mine}
        for one in mine:
            for view in same.get(id(one), (one,)):
                left = falls_now[id(one)][1:] if view is one else now[id(view)].back_splits[1:]
                now[id(view)] = replace(now[id(view)], back_splits=() if answer == "one" else left)
        if answer == "two" and other is not None:
            if falls_now[id(card)] and falls_now[id(card)][0][0] > UNITY:
                # what the eye held for one deck it does not part as the two lie
                for view in (view for one in mine for view in same.get(id(one), (one,))):
                    now[id(view)] = replace(now[id(view)], back_margin=HARDLY_PARTED)
            part = [one for one in mine if falls_now[id(one)][:1] == falls_now[id(card)][:1]]
            decks |= {id(view): other for one in part for view in same.get(id(one), (one,))}
    return now, decks
