"""Decks for a filmed table, no two backs alike: faces and backs of given splits, or art that the project may keep."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from datasets.decks import FACES, Split, list_backs, list_decks, load_back, load_deck, whole_committable
from datasets.decks.backs import procedural_back
from datasets.film.art import DeckArt, alike, art_of, recoloured

Pixels = NDArray[np.uint8]


def draw_decks(
    rng: np.random.Generator, number: int, splits: Sequence[Split], names: Sequence[str] | None = None
) -> list[DeckArt]:
    """Decks for a table: faces and backs of the given splits, one back a seat, now and then twins in colour.

    Raises ValueError where `names` are not as many as the decks, AssetError where art is missing.
    """
    known = [info.name for split in splits for info in list_decks(split)]
    full = [name for name in known if len(load_deck(name).faces) == FACES]
    backs = [name for split in splits for name in list_backs(split)]
    if names is not None and len(names) != number:
        raise ValueError(f"{number} players need {number} decks, {len(names)} are named")
    one = str(rng.choice(full))
    chosen = (
        list(names)
        if names
        else [one if rng.random() < 0.5 else str(rng.choice(full)) for _ in range(number)]
    )

    def another(own: Sequence[Pixels]) -> Pixels:
        back = load_back(str(rng.choice(backs)))
        return recoloured(own[0], 120.0) if own and rng.random() < 0.2 else back

    return _dressed(chosen, another)


def committable_decks(rng: np.random.Generator, number: int) -> list[DeckArt]:
    """Decks for pictures that are kept in the project: faces that may be committed, backs that it draws itself."""
    full = whole_committable()
    chosen = rng.choice(full, number, replace=number > len(full))
    return _dressed([str(name) for name in chosen], lambda _: procedural_back(rng))


def _dressed(names: Sequence[str], another: Callable[[Sequence[Pixels]], Pixels]) -> list[DeckArt]:
    """The named decks, each with a back of its own; `another` draws one, given those that are taken."""
    own: list[Pixels] = []
    while len(own) < len(names):
        back = another(own)
        if not any(alike(back, other) for other in own):
            own.append(back)
    return [
        art_of(f"{seat + 1}: {name}", load_deck(name), back)
        for seat, (name, back) in enumerate(zip(names, own, strict=True))
    ]
