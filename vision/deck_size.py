"""A deck has so many cards (N1 of the rules): what is seen beyond that is none, and the least believed is it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from vision.layout import SeenCard

#: Cards of a deck.
DECK = 52
#: So many more than a deck has may be false; still more are two decks taken for one.
BEYOND = 3


def within_decks(cards: Sequence[SeenCard]) -> list[int]:
    """Which of these cards are left, by their places, where a few more backs of one design are seen than a deck has."""
    decks: defaultdict[str, list[int]] = defaultdict(list)
    for number, card in enumerate(cards):
        if card.side == "back" and card.back is not None:
            decks[card.back].append(number)
    gone: set[int] = set()
    for deck in decks.values():
        if DECK < len(deck) <= DECK + BEYOND:
            likeliest = sorted(deck, key=lambda number: cards[number].confidence, reverse=True)
            gone.update(likeliest[DECK:])
    return [number for number in range(len(cards)) if number not in gone]
