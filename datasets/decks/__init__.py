"""Decks for the digital table: fetched art by family, procedural decks, backs.

    >>> from datasets.decks import list_decks, load_deck
    >>> deck = load_deck(list_decks(split="train")[0].name)
    >>> queen = deck.faces["QS"]  # (352, 252, 4) BGRA, 4 px/mm, round corners in alpha

`scripts/build/assets.py` fills the cache that this reads from.
"""

from datasets.decks.backs import back_pair_twins, procedural_back
from datasets.decks.drawn_deck import procedural_deck
from datasets.decks.manifest import AssetError, Split
from datasets.decks.store import (
    CORNER_MM,
    FACES,
    PX_PER_MM,
    Deck,
    DeckInfo,
    Fit,
    as_card,
    cache_folder,
    list_backs,
    list_decks,
    list_drawn_decks,
    load_back,
    load_deck,
    whole_committable,
)

__all__ = [
    "CORNER_MM",
    "FACES",
    "PX_PER_MM",
    "AssetError",
    "Deck",
    "DeckInfo",
    "Fit",
    "Split",
    "as_card",
    "back_pair_twins",
    "cache_folder",
    "list_backs",
    "list_decks",
    "list_drawn_decks",
    "load_back",
    "load_deck",
    "procedural_back",
    "procedural_deck",
    "whole_committable",
]
