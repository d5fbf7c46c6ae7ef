"""Games stopped in the middle: what lies in every place, as the referee's simulated players left it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Literal, get_args

from referee.players.nerts import NertsSim
from referee.players.sim import Sim, sim_for
from referee.rules.events import Draw, Event, Play, Recycle
from referee.rules.header import ONE_DECK_FAMILIES
from referee.rules.settings import Settings

GameName = Literal[
    "nerts",
    "nerts-minus-one",
    "one-per-suit",
    "nuts",
    "team-nuts",
    "nerts-twelve",
    "double-solitaire",
    "pishe-pasha",
    "canfield",
    "california-jacks",
]
GAMES: tuple[GameName, ...] = get_args(GameName)

#: Events after which a game is broken off.
LONGEST = 900
#: Kinds of places whose cards nobody can see, and those in which only the top lies face up.
DOWN, TOP_UP = frozenset({"stock", "won"}), frozenset({"reserve"})
#: Cards that no camera above the table sees: those in a player's hand, and the card that was cut and put back.
OFF_TABLE = frozenset({"hand", "cut"})
#: Cards on a complete foundation.
COMPLETE = 13


@dataclass(frozen=True, slots=True)
class Lying:
    """A card in a place."""

    deck: int
    face: str
    up: bool


@dataclass(slots=True)
class Position:
    """The table of a game: cards by place, bottom to top, and how many of the waste came with the last draw."""

    game: GameName
    seats: tuple[str, ...]
    #: By seat: whose name its area has (partners share one).
    owners: Mapping[str, str]
    #: Names as the record writes them, a player's own with the seat first: `south work 2`, `foundation 3`.
    places: dict[str, list[Lying]]
    drawn: dict[str, int] = field(default_factory=dict)

    @property
    def decks(self) -> int:
        """How many decks are played with."""
        return 1 + max(card.deck for pile in self.places.values() for card in pile)


def is_one_deck(game: GameName) -> bool:
    """Is it played by turns with one deck?"""
    return game in ONE_DECK_FAMILIES


def players_of(game: GameName) -> tuple[int, ...]:
    """How many may sit at a table."""
    if game == "team-nuts":
        return (4,)
    return (ONE_DECK_FAMILIES[game],) if is_one_deck(game) else (1, 2, 3, 4, 5, 6)


def stopped(game: GameName, seats: tuple[str, ...], progress: float, seed: int) -> Position:
    """A game of sensible players after a share of its events: 0 is the deal, 1 the end."""
    watched = _Watched(game, seats, seed)
    if progress > 0:
        whole = _Watched(game, seats, seed)
        whole.play(LONGEST)
        watched.play(round(progress * whole.events))
    return watched.position()


class _Watched:
    """A simulated game of which is noted whose card lies where."""

    def __init__(self, game: GameName, seats: tuple[str, ...], seed: int) -> None:
        self.game, self.seats, self.rng = game, seats, Random(seed)
        self.sim: Sim = sim_for(game, seats, Settings.of(game), self.rng)
        self.events = 0
        #: By foundation: whose cards lie there, bottom to top.
        self.brought: dict[str, list[int]] = {}
        self.drawn: dict[str, int] = {}
        #: Has the second card of a trick just been played? Both still lie there then.
        self.trick = False
        self.sim.deal()

    def owner(self, seat: str) -> str:
        """Whose name a seat's area has."""
        return self.sim.owner(seat) if isinstance(self.sim, NertsSim) else seat

    @property
    def owners(self) -> tuple[str, ...]:
        """Seats with an area of their own."""
        return tuple(dict.fromkeys(self.owner(seat) for seat in self.seats))

    def play(self, events: int) -> None:
        """So many events, or as many as there are."""
        while self.events < events and not self.sim.over:
            event = self._next()
            if event is None:
                return
            self._note(event)
            self.sim.do(event)
            self.events += 1

    def _next(self) -> Event | None:
        actors = self.sim.to_act()
        self.rng.shuffle(actors)
        for seat in actors:
            moves = self.sim.moves(seat)
            if moves:
                best = max(self.sim.worth(move) for move in moves)
                return self.rng.choice([move for move in moves if self.sim.worth(move) == best])
        return None

    def _note(self, event: Event) -> None:
        owner = self.owner(str(event.seat))
        self.trick = isinstance(event, Play) and event.target == "trick" and bool(self.sim.top("trick"))
        if isinstance(event, Draw):
            self.drawn[f"{owner} waste"] = len(event.cards)
        elif isinstance(event, Recycle):
            self.drawn[f"{owner} waste"] = 0
        elif isinstance(event, Play):
            if event.source == "waste":
                place = f"{owner} waste"
                self.drawn[place] = max(0, self.drawn.get(place, 0) - len(event.cards))
            if event.target.startswith("foundation"):
                self.brought.setdefault(event.target, []).extend(
                    self.owners.index(owner) for _ in event.cards
                )

    def position(self) -> Position:
        """What lies on the table."""
        piles = {place: list(cards) for place, cards in self.sim.piles.items()}
        if self.trick:
            won = next(
                place for place, cards in piles.items() if place.endswith(" won") and self._has_last(place)
            )
            piles["trick"], piles[won] = piles[won][-2:], piles[won][:-2]
        places = {
            place: self._lying(place, cards)
            for place, cards in piles.items()
            if cards and place.split()[-1] not in OFF_TABLE
        }
        owners = {seat: self.owner(seat) for seat in self.seats}
        return Position(self.game, self.seats, owners, places, dict(self.drawn))

    def _has_last(self, place: str) -> bool:
        return place == f"{getattr(self.sim, 'winner', '')} won"

    def _lying(self, place: str, cards: list[str]) -> list[Lying]:
        decks = self._decks(place, cards)
        up = self._up(place, len(cards))
        laid = [
            Lying(deck, face, i >= len(cards) - up)
            for i, (deck, face) in enumerate(zip(decks, cards, strict=True))
        ]
        if place.startswith("foundation") and not is_one_deck(self.game) and len(cards) == COMPLETE:
            # turned over (N10): the ace is on top then
            laid = [Lying(card.deck, card.face, False) for card in reversed(laid)]
        return laid

    def _decks(self, place: str, cards: list[str]) -> list[int]:
        if is_one_deck(self.game):
            return [0] * len(cards)
        if place in self.brought:
            return self.brought[place]
        return [next(i for i, owner in enumerate(self.owners) if place.startswith(f"{owner} "))] * len(cards)

    def _up(self, place: str, count: int) -> int:
        """How many cards of a place lie face up, from the top."""
        sim, kind = self.sim, kind_of(place)
        if self.game == "california-jacks" and kind == "stock":
            return count
        if kind in DOWN:
            return 0
        if kind in TOP_UP:
            return 1
        if isinstance(sim, NertsSim):
            if kind == "nerts":
                return self._nerts_up(place, count)
            return count - sim.down.get(place, 0)
        return count

    def _nerts_up(self, place: str, count: int) -> int:
        if self.game == "nerts-twelve":
            # the stack to replace nerts from lies face down
            return 0 if place.endswith("nerts") else 1
        return count if self.sim.settings["nerts_face"] == "up" else 1


def kind_of(place: str) -> str:
    """The kind of a place: `work` of `south work 2`."""
    words = place.split()
    return words[-2] if words[-1].isdigit() else words[-1]
