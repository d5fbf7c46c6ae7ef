"""What is dealt in the presets that can be played: sizes of piles, what lies face up, who may play from where."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from datasets.play.deeds import Game, Player
from datasets.play.moves import RANKS, SUITS, Area


@dataclass(frozen=True, slots=True)
class Layout:
    """The deal of one deck (rules N2, U1, U2, P1, P2)."""

    #: Cards of the Nerts pile, and whether all of them lie face up.
    nerts: int = 13
    open: bool = False
    #: Cards of every work pile, only the last of each face up.
    work: tuple[int, ...] = (1, 1, 1, 1)
    #: May a space be filled from the waste, too (N6, P4), or from the Nut pile only (U4)?
    fill_any: bool = True
    #: Do two partners share a deck, one with the Nut pile, one with stock and waste (P3)?
    partners: bool = False


PLAIN = Layout()
LAYOUTS: dict[Game, Layout] = {
    "nerts": PLAIN,
    "nerts-minus-one": PLAIN,
    "one-per-suit": PLAIN,
    "nuts": Layout(11, True, (1, 2, 3, 4, 5), fill_any=False),
    "team-nuts": Layout(11, True, (5, 4, 3, 2, 1), partners=True),
}


def layout_of(game: Game, nerts_cards: int | None = None) -> Layout:
    """The deal of a preset; with `nerts_cards` cards in the Nerts pile, if that is given (at least 1)."""
    if nerts_cards is None:
        return LAYOUTS[game]
    if nerts_cards < 1:
        raise ValueError(f"a Nerts pile of {nerts_cards} cards: deal at least one")
    return replace(LAYOUTS[game], nerts=nerts_cards)


def dealt(rng: np.random.Generator, layout: Layout) -> dict[str, list[str]]:
    """A shuffled deck laid out: place → cards, bottom to top."""
    cards = [rank + suit for suit in SUITS for rank in RANKS]
    deck = [cards[i] for i in rng.permutation(52)]
    piles = {"nerts": deck[: layout.nerts]}
    rest = deck[layout.nerts :]
    for number, count in enumerate(layout.work, 1):
        piles[f"work {number}"], rest = rest[:count], rest[count:]
    piles["stock"] = rest
    return piles


def area_of(piles: dict[str, list[str]], layout: Layout) -> Area:
    """The area after a deal."""
    work = [list(piles[f"work {number}"]) for number in range(1, len(layout.work) + 1)]
    shown = len(piles["nerts"]) if layout.open else 1
    return Area(
        list(piles["nerts"]),
        work,
        list(piles["stock"]),
        shown=shown,
        down=[len(pile) - 1 for pile in work],
        fill_any=layout.fill_any,
    )


def may_play_from(player: Player, place: str) -> bool:
    """Rule P3: the Nut pile is the one partner's, stock and waste are the other's."""
    if player.role is None or place.startswith("work"):
        return True
    return (place == "nerts") == (player.role == "nuts")
