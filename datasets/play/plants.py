"""Infractions that simulated players can be made to commit: each kind breaks one rule and no other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from datasets.play.deeds import Game, Role
from datasets.play.moves import (
    RANKS,
    Area,
    Centre,
    Move,
    builds_up,
    rank,
    red,
    slides,
    to_foundations,
    to_work,
)

#: Infraction that can be planted → the rule (`referee/presets/rules.toml`) that it breaks.
PLANTS: dict[str, str] = {
    "wrong-deal": "N2",
    "wrong-colour": "N5",
    "wrong-rank": "N5",
    "foundation-rank": "N9",
    "foundation-suit": "N9",
    "no-ace": "N9",
    "buried-waste": "N12",
    "draw-two": "N11",
    "others-card": "N3",
    "to-others": "N3",
    "out-of-centre": "N3",
    "two-to-centre": "N4",
    "two-hands": "N4",
    "part-of-block": "N5",
    "stock-to-space": "N6",
    "slide-full": "N7",
    "onto-nerts": "N8",
    "unturned-nerts": "N8",
    "covered-work": "N9",
    "early-aside": "N10",
    "early-recycle": "N11",
    "from-stock": "N11",
    "onto-waste": "N11",
    "draw-order": "N11",
    "tie-left": "N13",
    "lone-bury": "N14",
    "false-call": "N15",
    "late-play": "N16",
    "wrong-role": "P3",
    "waste-to-space": "U4",
    "second-foundation": "F1",
}
#: Those that only one preset forbids.
OF_A_GAME: dict[str, Game] = {
    "second-foundation": "one-per-suit",
    "wrong-role": "team-nuts",
    "waste-to-space": "nuts",
}
#: Those of the hands that replays are measured on.
OF_THE_GATE = (
    "buried-waste",
    "draw-two",
    "foundation-rank",
    "foundation-suit",
    "no-ace",
    "wrong-colour",
    "wrong-rank",
)


@dataclass(frozen=True, slots=True)
class Plant:
    """An illegal play to be slipped in at the first chance after `after` seconds."""

    kind: str
    after: float = 15.0
    #: Seconds during which nobody touches the place where it lies.
    stays: float = 6.0

    def __post_init__(self) -> None:
        if self.kind not in PLANTS:
            raise ValueError(f"cannot plant '{self.kind}': choose of {', '.join(PLANTS)}")


@dataclass(frozen=True, slots=True)
class Tie:
    """Two seats that play the same card to one foundation, at the first chance after `after` seconds."""

    after: float = 10.0
    #: Seconds between the two landings.
    gap: float = 0.1
    #: Does the loser take its card back?
    back: bool = True
    #: Is the card that lands later pushed underneath the other, whose player then thinks to have lost?
    under: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.gap <= 0.5:
            raise ValueError(f"a gap of {self.gap:g} s makes no tie: choose 0 to 0.5 s")


@dataclass(frozen=True, slots=True)
class Sight:
    """The table as one seat sees it."""

    seat: str
    areas: Mapping[str, Area]
    centre: Centre
    #: Cards that a work pile may hold.
    longest: int
    #: What the seat plays, if it has a partner.
    role: Role | None = None

    @property
    def own(self) -> Area:
        """The seat's own cards."""
        return self.areas[self.seat]

    def others(self) -> Iterator[tuple[str, Area]]:
        """The other seats with theirs."""
        return ((seat, area) for seat, area in self.areas.items() if seat != self.seat)

    def hand_tops(self) -> list[tuple[str, str]]:
        """Own cards that are free to be played and worth it: of the Nerts pile and the waste."""
        return [top for top in self.own.tops() if top[0] in ("nerts", "waste")]


def planted_moves(kind: str, sight: Sight) -> Iterator[Move]:
    """Illegal plays of one kind that a seat could make now; none for what is no play."""
    for move in _MOVES[kind](sight) if kind in _MOVES else ():
        yield replace(move, planted=kind)


def _wrong_on_work(fits: Callable[[str, str], bool]) -> Callable[[Sight], Iterator[Move]]:
    def moves(sight: Sight) -> Iterator[Move]:
        for place, card in sight.hand_tops():
            for number, pile in enumerate(sight.own.work, 1):
                if pile and len(pile) < sight.longest and fits(card, pile[-1]):
                    yield Move((card,), place, f"work {number}")

    return moves


def _wrong_on_foundation(fits: Callable[[str, str], bool]) -> Callable[[Sight], Iterator[Move]]:
    def moves(sight: Sight) -> Iterator[Move]:
        for place, card in sight.hand_tops():
            for number, top in sight.centre.open():
                if fits(card, top):
                    yield Move((card,), place, f"foundation {number}")

    return moves


def _no_ace(sight: Sight) -> Iterator[Move]:
    for place, card in sight.hand_tops():
        if card[0] != RANKS[0]:
            yield Move((card,), place, f"foundation {sight.centre.next_number}")


def _buried_waste(sight: Sight) -> Iterator[Move]:
    if len(sight.own.waste) > 1:
        buried = [("waste", sight.own.waste[-2])]
        yield from to_foundations(buried, sight.centre)
        yield from to_work(sight.own, buried, sight.longest, empty=True)


def _others_card(sight: Sight) -> Iterator[Move]:
    """A card of another's area, to where its owner could have played it."""
    for seat, area in sight.others():
        tops = [(f"{seat} {place}", card) for place, card in area.tops() if place.startswith("work")]
        yield from to_foundations(tops, sight.centre)


def _to_others(sight: Sight) -> Iterator[Move]:
    for seat, area in sight.others():
        for move in to_work(area, sight.hand_tops(), sight.longest, empty=False):
            yield Move(move.cards, move.source, f"{seat} {move.target}")


def _out_of_centre(sight: Sight) -> Iterator[Move]:
    for number, top in sight.centre.open():
        if len(sight.centre.piles[number]) > 1:
            yield from to_work(sight.own, [(f"foundation {number}", top)], sight.longest, empty=False)


def _two_to_centre(sight: Sight) -> Iterator[Move]:
    """The top two of the waste at once, which would have fitted one after the other."""
    waste = sight.own.waste
    if len(waste) > 1 and builds_up(waste[-2], waste[-1]):
        for move in to_foundations([("waste", waste[-1])], sight.centre):
            yield Move((waste[-1], waste[-2]), "waste", move.target)


def _part_of_block(sight: Sight) -> Iterator[Move]:
    """A card of a work pile to another one where it fits, without those on top of it."""
    for number, pile in enumerate(sight.own.work, 1):
        for card in pile[:-1]:
            for move in to_work(sight.own, [(f"work {number}", card)], sight.longest, empty=False):
                if move.target != move.source:
                    yield move


def _onto_nerts(sight: Sight) -> Iterator[Move]:
    if sight.own.nerts_up and sight.own.nerts and sight.own.waste:
        yield Move((sight.own.waste[-1],), "waste", "nerts")


def _unturned_nerts(sight: Sight) -> Iterator[Move]:
    if sight.own.nerts and not sight.own.nerts_up:
        top = [("nerts", sight.own.nerts[-1])]
        yield from to_foundations(top, sight.centre)
        yield from to_work(sight.own, top, sight.longest, empty=True)


def _covered_work(sight: Sight) -> Iterator[Move]:
    covered = [
        (f"work {number}", card) for number, pile in enumerate(sight.own.work, 1) for card in pile[:-1]
    ]
    yield from to_foundations(covered, sight.centre)


def _from_stock(sight: Sight) -> Iterator[Move]:
    """The stock's top card turned over and played at once."""
    if sight.own.stock:
        yield from to_work(sight.own, [("stock", sight.own.stock[-1])], sight.longest, empty=False)


def _stock_to_space(sight: Sight) -> Iterator[Move]:
    """A space filled with the stock's top card, which no ruleset allows."""
    if sight.own.stock:
        for move in to_work(sight.own, [("stock", sight.own.stock[-1])], sight.longest, empty=True):
            if not sight.own.pile(move.target):
                yield move


def _slide_full(sight: Sight) -> Iterator[Move]:
    """A card slid under a work pile where it fits, with no space on the table."""
    return (move for move in slides(sight.own, with_space=False) if move.source in ("nerts", "waste"))


def _second_foundation(sight: Sight) -> Iterator[Move]:
    for place, card in sight.own.tops():
        if card[0] == RANKS[0] and not sight.centre.takes_ace(card):
            yield Move((card,), place, f"foundation {sight.centre.next_number}")


def _wrong_role(sight: Sight) -> Iterator[Move]:
    """A play that would be the partner's to make."""
    theirs = "waste" if sight.role == "nuts" else "nerts"
    top = [(place, card) for place, card in sight.own.tops() if place == theirs and sight.role]
    yield from to_foundations(top, sight.centre)
    yield from to_work(sight.own, top, sight.longest, empty=False)


def _waste_to_space(sight: Sight) -> Iterator[Move]:
    """A space filled from the waste where only the Nut pile may fill it."""
    for move in to_work(sight.own, [top for top in sight.own.tops() if top[0] == "waste"], 9, empty=True):
        if not sight.own.pile(move.target):
            yield move


def _onto_waste(sight: Sight) -> Iterator[Move]:
    for number, pile in enumerate(sight.own.work, 1):
        if pile and sight.own.waste:
            yield Move((pile[-1],), f"work {number}", "waste")


_MOVES: dict[str, Callable[[Sight], Iterator[Move]]] = {
    "wrong-colour": _wrong_on_work(lambda card, top: rank(top) - rank(card) == 1 and red(card) == red(top)),
    "wrong-rank": _wrong_on_work(lambda card, top: rank(top) - rank(card) == 2 and red(card) != red(top)),
    "foundation-rank": _wrong_on_foundation(
        lambda card, top: rank(card) - rank(top) == 2 and card[1] == top[1]
    ),
    "foundation-suit": _wrong_on_foundation(
        lambda card, top: rank(card) - rank(top) == 1 and card[1] != top[1]
    ),
    "no-ace": _no_ace,
    "buried-waste": _buried_waste,
    "others-card": _others_card,
    "to-others": _to_others,
    "out-of-centre": _out_of_centre,
    "two-to-centre": _two_to_centre,
    "part-of-block": _part_of_block,
    "onto-nerts": _onto_nerts,
    "unturned-nerts": _unturned_nerts,
    "covered-work": _covered_work,
    "from-stock": _from_stock,
    "stock-to-space": _stock_to_space,
    "slide-full": _slide_full,
    "second-foundation": _second_foundation,
    "wrong-role": _wrong_role,
    "waste-to-space": _waste_to_space,
    "onto-waste": _onto_waste,
}
