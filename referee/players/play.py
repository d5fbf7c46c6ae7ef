"""Whole hands played by simulated players, and the record with what they broke written beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Literal

from referee.players.sim import Breach, Recipe, Sim, sim_for
from referee.rules.events import Draw, End, Event, Play, TakeBack
from referee.rules.header import Header, parse_header

Kind = Literal["random", "sensible", "careless"]
KINDS: tuple[Kind, ...] = ("random", "sensible", "careless")
#: Seconds between two events: so far apart that nothing ties by chance.
PACE = 2.0
#: Events after which a hand is broken off.
LONGEST = 600


@dataclass(frozen=True, slots=True)
class Planted:
    """A rule broken on purpose, and the index of the event that breaks it."""

    rule: str
    index: int


@dataclass(frozen=True, slots=True)
class Moved:
    """From where to where an event moved cards, and the card on top of the source afterwards ("" = none)."""

    source: str
    target: str
    bared: str


@dataclass(slots=True)
class Played:
    """A hand as it was played: everything known, indices as in the record."""

    header: Header
    events: list[Event] = field(default_factory=list)
    planted: list[Planted] = field(default_factory=list)
    #: Indices of every event that belongs to a breach.
    touched: set[int] = field(default_factory=set)
    #: By index of a play, draw or take-back: what it moved.
    moves: dict[int, Moved] = field(default_factory=dict)
    #: How many cards of a place lie open at the deal, where not all of them do.
    hidden: Mapping[str, int] = field(default_factory=dict)
    #: The table at the end.
    sim: Sim | None = None

    def add(self, event: Event) -> int:
        """Append an event; its index."""
        self.events.append(event)
        return len(self.events)


def header_for(game: str, settings: Mapping[str, Any] | None = None) -> Header:
    """A table for simulated players, the first seat to begin."""
    decks: list[dict[str, str]] = [{"seat": "north", "deck": "blue"}, {"seat": "south", "deck": "red"}]
    if game == "canfield":
        decks = decks[:1]
    elif game in ("double-solitaire", "pishe-pasha", "california-jacks"):
        decks = [{"seat": seat["seat"]} for seat in decks]
    elif game == "team-nuts":
        roles = [("north", "blue", "nuts"), ("east", "blue", "cards")]
        roles += [("south", "red", "nuts"), ("west", "red", "cards")]
        decks = [{"seat": seat, "deck": deck, "role": role} for seat, deck, role in roles]
    line = {"record": 1, "game": game, "settings": dict(settings or {}), "seats": decks}
    return parse_header(line | {"source": {"kind": "typed", "fps": 30}})


def play_hand(
    game: str,
    kind: Kind = "sensible",
    seed: int = 0,
    *,
    rule: str = "",
    rate: float = 0.1,
    settings: Mapping[str, Any] | None = None,
    longest: int = LONGEST,
) -> Played:
    """A hand played to its end, or broken off after `longest` events.

    A careless player breaks `rule` (one that `Sim.recipes` knows) whenever it can be broken, with probability
    `rate`; else all play by the rules.
    """
    rng, header = Random(seed), header_for(game, settings)
    sim = sim_for(game, header.names, header.settings, rng)
    played = Played(header, hidden=sim.hides(), sim=sim)
    for event in sim.deal():
        played.add(event)
    recipe = sim.recipes()[rule] if kind == "careless" else None
    while not sim.over and len(played.events) < longest:
        breach = _breach(sim, recipe, rng, rate)
        if breach is not None:
            _break(played, sim, rule, breach)
        elif not _move(played, sim, kind, rng):
            break
    played.add(End(at=sim.clock + PACE, why="finished" if sim.over else "stopped"))
    return played


def _breach(sim: Sim, recipe: Recipe | None, rng: Random, rate: float) -> Breach | None:
    actors = sim.to_act()
    if recipe is None or not actors or rng.random() >= rate:
        return None
    return recipe(rng.choice(actors), rng)


def _break(played: Played, sim: Sim, rule: str, breach: Breach) -> None:
    for number, event in enumerate(breach.events):
        index = _happen(played, sim, event)
        played.touched.add(index)
        if number == breach.at:
            played.planted.append(Planted(rule, index))
    sim.breached = True


def _move(played: Played, sim: Sim, kind: Kind, rng: Random) -> bool:
    """Somebody does something; whether anybody could."""
    actors = sim.to_act()
    rng.shuffle(actors)
    for seat in actors:
        moves = sim.moves(seat)
        if moves:
            _happen(played, sim, _choose(sim, moves, kind, rng))
            return True
    return False


def _choose(sim: Sim, moves: list[Event], kind: Kind, rng: Random) -> Event:
    if kind == "random":
        return rng.choice(moves)
    best = max(sim.worth(move) for move in moves)
    return rng.choice([move for move in moves if sim.worth(move) == best])


def _happen(played: Played, sim: Sim, event: Event) -> int:
    """An event happens at its own time, or when the next is due."""
    at = event.at or sim.clock + PACE
    sim.clock = at
    way = _way(sim, event)
    sim.do(event)
    index = played.add(replace(event, at=at))
    if way is not None:
        played.moves[index] = Moved(*way, sim.top(way[0]))
    return index


def _way(sim: Sim, event: Event) -> tuple[str, str] | None:
    """From which pile to which an event moves cards."""
    seat = str(event.seat)
    if isinstance(event, Play | TakeBack):
        return sim.full(event.source, seat), sim.full(event.target, seat)
    return sim.drawing(seat) if isinstance(event, Draw) else None
