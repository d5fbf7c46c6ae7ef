"""What a simulated player can see to do: the table by place names, and sensible plays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

RANKS = "A23456789TJQK"
SUITS = "SHDC"


def rank(card: str) -> int:
    """1 for the ace to 13 for the king."""
    return RANKS.index(card[0]) + 1


def red(card: str) -> bool:
    """Is the card a heart or a diamond?"""
    return card[1] in "HD"


def builds_down(card: str, onto: str) -> bool:
    """Rule N5: one lower and of the other colour."""
    return rank(card) == rank(onto) - 1 and red(card) != red(onto)


def builds_up(card: str, onto: str) -> bool:
    """Rule N9: one higher and of the same suit."""
    return rank(card) == rank(onto) + 1 and card[1] == onto[1]


@dataclass(frozen=True, slots=True)
class Move:
    """Cards (bottom to top) from one place to another, both named from the acting seat."""

    cards: tuple[str, ...]
    source: str
    target: str
    planted: str | None = None
    #: Is it slid underneath the pile that lies there?
    under: bool = False


@dataclass(slots=True)
class Area:
    """One seat's own cards; every pile bottom to top."""

    nerts: list[str]
    work: list[list[str]]
    stock: list[str]
    waste: list[str] = field(default_factory=list)
    #: Cards at the top of the Nerts pile that lie face up: all, or one, or none before it is turned.
    shown: int = 1
    #: Cards at the bottom of every work pile that lie face down.
    down: list[int] = field(default_factory=lambda: [0] * 4)
    #: May a space be filled from the waste, too?
    fill_any: bool = True
    #: Single open nerts, which the Nerts pile fills up: each a pile of one card or none.
    slots: list[list[str]] = field(default_factory=list)

    @property
    def nerts_up(self) -> bool:
        """Can the top of the Nerts pile be seen, if it is to be?"""
        return self.shown > 0 or bool(self.slots)

    @property
    def left(self) -> int:
        """Nerts cards that are left."""
        return len(self.nerts) + sum(map(len, self.slots))

    @property
    def unfilled(self) -> str | None:
        """An open nert that was played and is to be replaced (T2)."""
        free = (number for number, slot in enumerate(self.slots, 1) if not slot and self.nerts)
        return next((f"nerts {number}" for number in free), None)

    @property
    def unturned(self) -> int | None:
        """The number of a work pile whose top card lies face down."""
        hidden = (n for n, (pile, down) in enumerate(zip(self.work, self.down, strict=True), 1) if down)
        return next((n for n in hidden if len(self.work[n - 1]) == self.down[n - 1]), None)

    def pile(self, place: str) -> list[str]:
        """The cards at a place of this area."""
        if place.startswith("work "):
            return self.work[int(place.split()[1]) - 1]
        if place.startswith("nerts "):
            return self.slots[int(place.split()[1]) - 1]
        return {"nerts": self.nerts, "stock": self.stock, "waste": self.waste}[place]

    def take(self, place: str, cards: tuple[str, ...]) -> None:
        """Remove cards from a place, wherever in its pile they lie."""
        pile = self.pile(place)
        for card in cards:
            pile.remove(card)
        if place == "nerts":
            self.shown = max(0, self.shown - len(cards))

    def tops(self) -> Iterator[tuple[str, str]]:
        """(place, card) of every available single card, Nerts pile first."""
        if self.nerts and self.shown:
            yield "nerts", self.nerts[-1]
        for number, slot in enumerate(self.slots, 1):
            if slot:
                yield f"nerts {number}", slot[-1]
        for number, pile in enumerate(self.work, 1):
            if len(pile) > self.down[number - 1]:
                yield f"work {number}", pile[-1]
        if self.waste:
            yield "waste", self.waste[-1]


@dataclass(slots=True)
class Centre:
    """The foundations by number: faces bottom to top."""

    piles: dict[int, list[str]] = field(default_factory=dict)
    #: Foundations to which a card is on its way.
    busy: set[int] = field(default_factory=set)
    #: Complete foundations → the seat whose king it was and who puts it aside.
    complete: dict[int, str] = field(default_factory=dict)
    aside: set[int] = field(default_factory=set)
    #: Foundation → the suit that it was begun with, from the moment that the ace is on its way.
    suits: dict[int, str] = field(default_factory=dict)
    #: May a suit have only one foundation at a time (rule F1)?
    one_a_suit: bool = False

    def takes_ace(self, ace: str) -> bool:
        """May a foundation be begun with this ace?"""
        in_play = {suit for number, suit in self.suits.items() if number not in self.complete}
        return not self.one_a_suit or ace[1] not in in_play

    def open(self) -> Iterator[tuple[int, str]]:
        """(number, top card) of the foundations that can be played to now."""
        for number, pile in self.piles.items():
            if pile and number not in self.busy and number not in self.aside and number not in self.complete:
                yield number, pile[-1]

    @property
    def next_number(self) -> int:
        """A number that no foundation has had."""
        return max(self.piles, default=0) + 1


def best_moves(area: Area, centre: Centre, *, longest: int) -> Iterator[Move]:
    """Sensible legal plays, the one that brings the call nearest first."""
    tops = list(area.tops())
    nerts = [top for top in tops if top[0].startswith("nerts")]
    yield from to_foundations(nerts, centre)
    yield from to_work(area, nerts, longest, empty=True)
    yield from to_foundations([top for top in tops if top not in nerts], centre)
    yield from _whole_piles(area, longest)
    waste = [top for top in tops if top[0] == "waste"]
    yield from to_work(area, waste, longest, empty=area.fill_any and not area.left)


def to_foundations(tops: list[tuple[str, str]], centre: Centre) -> Iterator[Move]:
    """Every one of some (place, card) that a foundation takes, or begins."""
    for place, card in tops:
        if card[0] == "A" and centre.takes_ace(card):
            yield Move((card,), place, f"foundation {centre.next_number}")
        for number, top in centre.open():
            if builds_up(card, top):
                yield Move((card,), place, f"foundation {number}")


def to_work(area: Area, tops: list[tuple[str, str]], longest: int, *, empty: bool) -> Iterator[Move]:
    """Every one of some (place, card) that a work pile takes; `empty`: an empty one too."""
    for place, card in tops:
        for number, pile in enumerate(area.work, 1):
            # onto a card that still lies face down nobody builds
            covered = len(pile) <= area.down[number - 1]
            fits = not covered and builds_down(card, pile[-1]) and len(pile) < longest if pile else empty
            if fits:
                yield Move((card,), place, f"work {number}")


def slides(area: Area, *, with_space: bool) -> Iterator[Move]:
    """Rule N7: single cards that fit under a work pile, with another one empty or (illegally) with none."""
    if any(not pile for pile in area.work) != with_space:
        return
    for place, card in area.tops():
        for number, pile in enumerate(area.work, 1):
            if place != f"work {number}" and pile and builds_down(pile[0], card):
                yield Move((card,), place, f"work {number}", under=True)


def _whole_piles(area: Area, longest: int) -> Iterator[Move]:
    """All that lies face up of a work pile onto another one, which frees a space or shows a card."""
    if not area.left:
        return
    for number, whole in enumerate(area.work, 1):
        block = whole[area.down[number - 1] :]
        for onto, pile in enumerate(area.work, 1):
            if number == onto or not block or len(pile) <= area.down[onto - 1]:
                continue
            if len(pile) + len(block) > longest:
                continue
            if builds_down(block[0], pile[-1]):
                yield Move(tuple(block), f"work {number}", f"work {onto}")
