"""A table of the simulated players: piles of written cards, what may be done now, how each rule is broken."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from random import Random
from typing import Any, ClassVar

from referee.rules.events import Bury, Draw, Event, Play, Recycle, TakeBack

RANKS = "A23456789TJQK"
#: Kinds of places where a card that is laid bare is turned face up.
TURNED_KINDS = frozenset({"nerts", "work", "reserve"})
#: A deck in order.
DECK = tuple(rank + suit for suit in "SHDC" for rank in RANKS)


_RANK = {card: RANKS.index(card[0]) + 1 for card in DECK}


def rank(card: str) -> int:
    """1 (ace) to 13 (king)."""
    return _RANK[card]


def is_red(card: str) -> bool:
    """Whether a card is a heart or a diamond."""
    return card[1] in "HD"


_DOWN = {
    onto: frozenset(card for card in DECK if rank(card) == rank(onto) - 1 and is_red(card) != is_red(onto))
    for onto in DECK
}
#: The next card of the suit, for all but kings.
NEXT_UP = {card: RANKS[rank(card)] + card[1] for card in DECK if rank(card) < 13}


def builds_down(card: str, onto: str) -> bool:
    """One lower in the other colour."""
    return card in _DOWN[onto]


def builds_up(card: str, onto: str) -> bool:
    """One higher in the same suit."""
    return NEXT_UP.get(onto) == card


@dataclass(frozen=True, slots=True)
class Breach:
    """Events that break a rule; `at` is which of them does."""

    events: list[Event]
    at: int = 0


#: How a rule is broken by a seat just now, or None if it cannot be.
Recipe = Callable[[str, Random], "Breach | None"]


class Sim(ABC):
    """One hand at a simulated table. Piles are named with their seat: `north stock`, `foundation 3`."""

    game = ""
    #: Places whose cards no camera can see at the deal but for so many on top.
    hidden: ClassVar[Mapping[str, int]] = {}

    def __init__(self, seats: tuple[str, ...], settings: Mapping[str, Any], rng: Random) -> None:
        self.seats, self.settings, self.rng = seats, settings, rng
        self.piles: dict[str, list[str]] = {}
        self.over = False
        #: Whether a rule was broken before.
        self.breached = False
        #: Seconds at which the next event happens.
        self.clock = 0.0

    # -- the game ------------------------------------------------------------------------------------------

    @abstractmethod
    def deal(self) -> list[Event]:
        """Shuffle and deal."""

    @abstractmethod
    def to_act(self) -> list[str]:
        """Who may do something now."""

    @abstractmethod
    def moves(self, seat: str) -> list[Event]:
        """All that a seat may do by the rules."""

    @abstractmethod
    def recipes(self) -> Mapping[str, Recipe]:
        """By rule id: how to break it."""

    def worth(self, event: Event) -> float:
        """How gladly a sensible player does something."""
        return 1.0 if isinstance(event, Play) else 0.0

    @abstractmethod
    def note(self, event: Event) -> None:
        """Keep account of turns and the like, after the cards have moved."""

    def hides(self) -> Mapping[str, int]:
        """How many cards of a place, from the top, a camera sees at the deal; other places are seen whole."""
        return self.hidden

    # -- piles ---------------------------------------------------------------------------------------------

    def full(self, place: str, seat: str) -> str:
        """The name of a place with its seat."""
        return f"{seat} {place}" if f"{seat} {place}" in self.piles else place

    def pile(self, place: str) -> list[str]:
        """The cards of a place, bottom to top."""
        return self.piles.get(place, [])

    def top(self, place: str) -> str:
        """The top card of a place, "" if it is empty."""
        pile = self.piles.get(place)
        return pile[-1] if pile else ""

    def do(self, event: Event) -> None:
        """Do what an event says, legal or not."""
        seat = str(event.seat)
        if isinstance(event, Draw):
            self._draw(seat, len(event.cards))
        elif isinstance(event, Recycle):
            self.turn_over(seat)
        elif isinstance(event, Bury):
            stock = self.piles[self.drawing(seat)[0]]
            stock.insert(0, stock.pop())
        elif isinstance(event, Play | TakeBack):
            source = self.piles[self.full(event.source, seat)]
            for card in event.cards:
                # The topmost: another deck's card of that name may lie underneath.
                del source[len(source) - 1 - source[::-1].index(card)]
            target = self.piles.setdefault(self.full(event.target, seat), [])
            at = 0 if isinstance(event, Play) and event.under else len(target)
            target[at:at] = event.cards
        self.note(event)

    def _draw(self, seat: str, count: int) -> None:
        stock, target = self.drawing(seat)
        for _ in range(count):
            self.piles[target].append(self.piles[stock].pop())

    def drawing(self, seat: str) -> tuple[str, str]:
        """From which pile to which a seat draws."""
        return f"{seat} stock", f"{seat} hand"

    def turned(self, seat: str) -> str:
        """The pile that a seat turns over as its new stock."""
        return f"{seat} discard"

    def turn_over(self, seat: str) -> None:
        """The waste or discard pile becomes the stock, underneath what is left of it."""
        stock, waste = self.piles[f"{seat} stock"], self.piles[self.turned(seat)]
        stock[:0] = waste[::-1]
        waste.clear()

    # -- events --------------------------------------------------------------------------------------------

    @staticmethod
    def play(seat: str, cards: str | list[str], source: str, target: str, *, under: bool = False) -> Play:
        """A play as a seat writes it: own places without the seat."""
        cards = [cards] if isinstance(cards, str) else cards
        own = f"{seat} "
        source, target = source.removeprefix(own), target.removeprefix(own)
        return Play(seat=seat, cards=tuple(cards), source=source, target=target, under=under)

    def draw(self, seat: str, count: int = 1) -> Draw:
        """A draw of the stock's top cards."""
        stock = self.piles[self.drawing(seat)[0]]
        return Draw(seat=seat, cards=tuple(stock[: -count - 1 : -1]))

    @staticmethod
    def some(found: Sequence[Event], rng: Random) -> Breach | None:
        """One of the events found, as a breach."""
        return Breach([rng.choice(found)]) if found else None

    @staticmethod
    def either(*ways: Recipe) -> Recipe:
        """One of several ways to break a rule, whichever can be gone just now."""

        def broken(seat: str, rng: Random) -> Breach | None:
            for way in rng.sample(ways, len(ways)):
                breach = way(seat, rng)
                if breach is not None:
                    return breach
            return None

        return broken

    def free(self, kind: str) -> str:
        """A place of a kind that was not used before."""
        return f"{kind} {max((int(p.split()[1]) for p in self.piles if p.startswith(kind + ' ')), default=0) + 1}"

    def places(self, kind: str) -> list[str]:
        """The common places of a kind that hold cards."""
        return [place for place, pile in self.piles.items() if pile and place.startswith(kind + " ")]


#: By game: module and class.
_SIMS = {
    "double-solitaire": ("referee.players.double_solitaire", "DoubleSolitaireSim"),
    "pishe-pasha": ("referee.players.pishe_pasha", "PishePashaSim"),
    "canfield": ("referee.players.canfield", "CanfieldSim"),
    "california-jacks": ("referee.players.california_jacks", "CaliforniaJacksSim"),
}


def sim_for(game: str, seats: tuple[str, ...], settings: Mapping[str, Any], rng: Random) -> Sim:
    """The simulated table of a game."""
    module, name = _SIMS.get(game, ("referee.players.nerts", "NertsSim"))
    sim: Sim = getattr(import_module(module), name)(seats, settings, rng)
    sim.game = game
    return sim
