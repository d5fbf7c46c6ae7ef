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

from vision.layout import Layout, SeenCard
from vision.photos.merging import MergedCard

#: Log odds a pair by which a design's parts are doubted to be one, and how sharply.
UNITY, SHARP = 1.7, 0.3

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


def twofold(cards: Iterable[MergedCard]) -> float:
    """That the cards of a label are of two decks, by the photo in which they look most like one; 0 if nothing tells."""
    alike = [
        max(views)
        for merged in cards
        if not merged.card.told
        and (views := [view.back_splits[0][0] for view in merged.of or (merged.card,) if view.back_splits])
    ]
    return float(1 / (1 + np.exp((max(alike) - UNITY) / SHARP))) if alike else 0.0


def halves(cards: Sequence[MergedCard]) -> Halves | None:
    """The two parts of a label's cards in the photo in which they look most like one; None where nothing tells."""
    photos: dict[int, list[tuple[MergedCard, SeenCard]]] = defaultdict(list)
    for merged in cards:
        for photo, view in zip(merged.seen or (merged.photo,), merged.of or (merged.card,), strict=True):
            if view.back_splits:
                photos[photo].append((merged, view))
    best: Halves | None = None
    for photo, views in photos.items():
        parts = [[card for card in views if card[1].back_splits[0][1] == part] for part in (0, 1)]
        alike = max(view.back_splits[0][0] for _, view in views)
        if all(parts) and (best is None or alike > best.alike):
            best = Halves(photo, alike, (parts[0], parts[1]))
    return best


def another(label: str, labels: Collection[str]) -> str:
    """A name for the other of two decks that were called by one label: its colour with the next number that none has."""
    colour, _, number = label.rpartition(" ")
    colour = colour if number.isdigit() else label
    return next(name for n in range(2, len(labels) + 3) if (name := f"{colour} {n}") not in labels)


def told_apart(
    layouts: Sequence[Layout], said: Sequence[Said], same: Mapping[int, tuple[SeenCard, ...]]
) -> tuple[dict[int, SeenCard], dict[int, str]]:
    """By the `id` of each card of the photos: what it is with these answers, and, of those that they tell, its deck.

    `same`: by `id` the card as each photo has it.
    """
    now = {id(card): card for layout in layouts for card in layout.cards}
    decks: dict[int, str] = {}
    for photo, number, answer, other in said:
        first = layouts[photo].cards
        card = now[id(first[number])]
        mine = [
            one
            for one in first
            if one.side == "back"
            and one.back == card.back
            and decks.get(id(one)) == decks.get(id(first[number]))
        ]
        part = [one for one in mine if now[id(one)].back_splits[:1] == card.back_splits[:1]]
        for one in mine:
            for view in same.get(id(one), (one,)):
                left = () if answer == "one" else now[id(view)].back_splits[1:]
                now[id(view)] = replace(now[id(view)], back_splits=left)
        if answer == "two" and other is not None:
            decks |= {id(view): other for one in part for view in same.get(id(one), (one,))}
    return now, decks
