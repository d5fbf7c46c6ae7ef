"""What is dealt in the presets that can be played: sizes of piles, what lies face up, who may play from where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from datasets.play.deeds import Game, House, Player
from datasets.play.moves import RANKS, SUITS, Area


@dataclass(frozen=True, slots=True)
class Layout:
    """The deal of one deck (rules N2, U1, U2, P1, P2, T1)."""

    #: Cards of the Nerts pile (with slots: of the stack beside them), and whether all of them lie face up.
    nerts: int = 13
    open: bool = False
    #: Cards of every work pile, only the last of each face up.
    work: tuple[int, ...] = (1, 1, 1, 1)
    #: May a space be filled from the waste, too (N6, P4), or from the Nut pile only (U4)?
    fill_any: bool = True
    #: Do two partners share a deck, one with the Nut pile, one with stock and waste (P3)?
    partners: bool = False
    #: Single open nerts, which the stack fills up (T1, T2).
    slots: int = 0
    #: Cards that are drawn at a time.
    draw: int = 3


PLAIN = Layout()
LAYOUTS: dict[Game, Layout] = {
    "nerts": PLAIN,
    "nerts-minus-one": PLAIN,
    "one-per-suit": PLAIN,
    "nuts": Layout(11, True, (1, 2, 3, 4, 5), fill_any=False),
    "team-nuts": Layout(11, True, (5, 4, 3, 2, 1), partners=True),
    "nerts-twelve": Layout(8, work=(1, 2, 3, 4, 5, 6, 7), slots=4),
}


def layout_of(game: Game, house: House | None = None) -> Layout:
    """The deal of a preset with house rules: `nerts_cards`, `work_piles` (of one card each), `columns`, `draw`.

    Raises `ValueError` for a rule that the preset has not, and for what cannot be dealt.
    """
    layout, asked = LAYOUTS[game], dict(house or {})
    cards = asked.pop("nerts_cards", None)
    if cards is not None and cards <= layout.slots:
        least = f"more than the {layout.slots} that lie open" if layout.slots else "at least one"
        raise ValueError(f"a Nerts pile of {cards} cards: deal {least}")
    work = layout.work
    if set(work) == {1} and "work_piles" in asked:
        work = (1,) * asked.pop("work_piles")
    if layout.slots and "columns" in asked:
        work = tuple(range(1, asked.pop("columns") + 1))
    draw = asked.pop("draw", layout.draw)
    if asked:
        raise ValueError(f"{game} cannot be played with another {', '.join(sorted(asked))}: leave that out")
    if draw not in (1, 3) or not work:
        raise ValueError(
            f"{draw} cards drawn at a time and {len(work)} work piles: choose 1 or 3, and some piles"
        )
    nerts = layout.nerts if cards is None else cards - layout.slots
    return replace(layout, nerts=nerts, work=work, draw=draw)


def house_of(said: Sequence[str]) -> dict[str, int]:
    """House rules as they are given to commands, `KEY=N` each. Raises `ValueError`."""
    house = {}
    for rule in said:
        key, _, number = rule.partition("=")
        if not number.isdecimal():
            raise ValueError(f"{rule}: write a house rule as draw=1")
        house[key] = int(number)
    return house


def dealt(rng: np.random.Generator, layout: Layout) -> dict[str, list[str]]:
    """A shuffled deck laid out: place → cards, bottom to top."""
    cards = [rank + suit for suit in SUITS for rank in RANKS]
    deck = [cards[i] for i in rng.permutation(52)]
    sizes = {"nerts": layout.nerts}
    sizes |= {f"nerts {number}": 1 for number in range(1, layout.slots + 1)}
    sizes |= {f"work {number}": count for number, count in enumerate(layout.work, 1)}
    piles, rest = {}, deck
    for place, count in sizes.items():
        piles[place], rest = rest[:count], rest[count:]
    piles["stock"] = rest
    return piles


def area_of(piles: dict[str, list[str]], layout: Layout) -> Area:
    """The area after a deal."""
    work = [list(piles[f"work {number}"]) for number in range(1, len(layout.work) + 1)]
    return Area(
        list(piles["nerts"]),
        work,
        list(piles["stock"]),
        slots=[list(piles[f"nerts {number}"]) for number in range(1, layout.slots + 1)],
        shown=len(piles["nerts"]) if layout.open else 0 if layout.slots else 1,
        down=[len(pile) - 1 for pile in work],
        fill_any=layout.fill_any,
    )


def may_play_from(player: Player, place: str) -> bool:
    """Rule P3: the Nut pile is the one partner's, stock and waste are the other's."""
    if player.role is None or place.startswith("work"):
        return True
    return place.startswith("nerts") == (player.role == "nuts")
