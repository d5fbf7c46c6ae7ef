"""A story: one account of what happened so far, that is what lies where and the events that led there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import inf
from typing import Literal, NamedTuple, get_args

from referee.rules.cards import UNKNOWN
from referee.rules.events import Bury, Draw, Play, Recycle, SetAside, TakeBack, Turn
from referee.rules.places import NERTS, STOCK, Place
from referee.umpire.sights import Came, Point


class Lying(NamedTuple):
    """A card on the table: `deck` is the seat that plays with its back, `at` its middle in mm where seen; `first`: on a
    waste, no other card can have lain on it before it was seen there on top.
    """

    face: str
    deck: str
    up: bool = True
    at: Point | None = None
    #: Of a pile whose number of cards is not known: False where it may be that this card is none of them.
    there: bool = True
    first: bool = True
    #: It was not made out where it lies so far; `at` is a guess then.
    missed: bool = False

    @property
    def known(self) -> bool:
        """Whether its face has been seen."""
        return self.face != UNKNOWN


Pile = tuple[Lying, ...]


class Lift(NamedTuple):
    """Cards that left a place and have not been seen to land."""

    place: Place
    cards: Pile
    at: float


#: What breaks another rule than those of building: a card taken from under others, off the stock, out of the centre,
#: from or to another's place; laid where none is built; a waste turned over with stock left; a card slid under a pile;
#: several at once; a foundation set aside without its king; a Nerts card that was not turned up; a packet laid the other
#: way round; one of too few cards; a second foundation of a suit, a space filled from the waste, in games that forbid it;
#: played from a pile that is the partner's to play from.
Foul = Literal[
    "buried",
    "stock",
    "centre",
    "foreign",
    "onto",
    "early",
    "slid",
    "several",
    "aside",
    "unturned",
    "upended",
    "short",
    "second",
    "space",
    "role",
]
BURIED, OFF_STOCK, CENTRE, FOREIGN, ONTO, EARLY, SLID, *_MORE = get_args(Foul)
SEVERAL, ASIDE, UNTURNED, UPENDED, SHORT, SECOND, SPACE, ROLE = _MORE
#: The kinds of events that can be seen to happen.
Seen = Play | TakeBack | Draw | Turn | Recycle | SetAside | Bury


@dataclass(frozen=True, slots=True)
class Believed:
    """An event of the record that a story believes in, and beside it what the umpire alone knows of it.

    Its places come read: stories are asked for them at every look, the event for its text only when it is told.
    """

    event: Seen
    #: Where cards came from, and where they went or what happened; None where the kind says it.
    source: Place | None = None
    target: Place | None = None
    #: The most that one may be sure of it.
    caution: float = 1.0
    #: It breaks a rule, of building if `foul` does not say another one; `under` is what the card was laid on (None:
    #: nothing).
    misfit: bool = False
    under: str | None = None
    #: When the card was seen to have left its place, if that was seen before it landed (s).
    lifted: float | None = None
    foul: Foul | None = None
    #: The seat whose same card was seen to lie underneath.
    over: str = ""
    #: Up to when (s) the place where its card was laid looked as before.
    bare: float = -inf
    #: Of a waste turned over early: whether so much lay in it and in the stock that few plays or draws that were missed
    #: explain nothing.
    plenty: bool = False
    #: The one card that was seen to come there, if one alone was; it may be another seat's same one.
    came: Came | None = field(default=None, compare=False)

    @property
    def at(self) -> float:
        """When it happened (s)."""
        return self.event.at

    @property
    def seat(self) -> str:
        """Whose doing it is."""
        return self.event.seat or ""

    @property
    def frame(self) -> float:
        """The index of the frame that first showed it."""
        return self.event.frames[0] if self.event.frames else 0.0

    @property
    def cards(self) -> tuple[str, ...]:
        """The cards that it is about."""
        event = self.event
        if isinstance(event, Play | TakeBack | Draw):
            return event.cards
        return (event.card,) if isinstance(event, Turn) else ()

    @property
    def of_stock(self) -> bool:
        """Whether it went between a stock and its waste."""
        return isinstance(self.event, Draw | Recycle)

    @property
    def is_guessed(self) -> bool:
        """Whether it is a play of a card that nobody had seen before, which may be another seat's as well."""
        hidden = self.caution < 1.0 or self.foul in (BURIED, OFF_STOCK, UNTURNED)
        return hidden and isinstance(self.event, Play)

    @property
    def identity(self) -> tuple[object, ...]:
        """What two events must share to tell the same, but for the moment."""
        return self.event.kind, self.event.seat, self.source, self.target, self.cards

    def moved_to(self, at: float) -> Believed:
        """The same event at another moment (s)."""
        return self if at == self.at else replace(self, event=replace(self.event, at=at))

    def __str__(self) -> str:
        way = f" {self.source} → {self.target}" if self.source and self.target else f" {self.target or ''}"
        return f"{self.at:7.2f} {self.seat} {self.event.kind} {' '.join(self.cards)}{way}".rstrip()


@dataclass(frozen=True, slots=True)
class Past:
    """The events of a story, newest first; stories share their common past."""

    last: Believed
    before: Past | None
    length: int

    def __iter__(self) -> Iterator[Believed]:
        past: Past | None = self
        while past is not None:
            yield past.last
            past = past.before


@dataclass(slots=True)
class Story:
    """Piles, cards in hand and events; `weight` is its log probability up to a constant of all stories."""

    piles: dict[Place, Pile]
    lifted: tuple[Lift, ...] = ()
    past: Past | None = None
    weight: float = 0.0

    def pile(self, place: Place) -> Pile:
        """The cards at `place`, bottom to top; none where nothing lies."""
        return self.piles.get(place, ())

    def top(self, place: Place) -> Lying | None:
        """The highest card at `place`."""
        pile = self.piles.get(place)
        return pile[-1] if pile else None

    def told(self, *events: Believed) -> Story:
        """The same story with `events` at its end."""
        past = self.past
        for event in events:
            past = Past(event, past, 1 + (past.length if past else 0))
        return Story(self.piles, self.lifted, past, self.weight)

    def with_pile(self, place: Place, pile: Pile, weight: float = 0.0) -> Story:
        """The same story with other cards at `place`."""
        return Story({**self.piles, place: pile}, self.lifted, self.past, self.weight + weight)

    def weighed(self, weight: float) -> Story:
        """The same story, more or less likely."""
        return Story(self.piles, self.lifted, self.past, self.weight + weight)

    def events(self) -> list[Believed]:
        """All events, oldest first."""
        return list(self.past)[::-1] if self.past else []

    @property
    def seats(self) -> list[str]:
        """Everybody who has a stock, empty or not."""
        return [place.seat for place in self.piles if place.kind == STOCK]

    def is_stack(self, place: Place) -> bool:
        """Whether this is a stack that fills up open nerts and shows no card itself (T1)."""
        return place.kind == NERTS and not place.number and Place(NERTS, 1, place.seat) in self.piles

    def where(self, face: str, deck: str) -> Place | None:
        """Where this known card of that deck lies, or None."""
        for place, pile in self.piles.items():
            if place.seat in (deck, ""):
                for card in pile:
                    if card[0] == face and card[1] == deck:
                        return place
        return None

    def knows(self, face: str, deck: str) -> bool:
        """Whether this card of that deck is known to lie somewhere or to be in hand."""
        return self.where(face, deck) is not None or any(
            card.face == face and card.deck == deck for held in self.lifted for card in held.cards
        )

    def __str__(self) -> str:
        lines = [f"{place}: {' '.join(c.face for c in pile)}" for place, pile in sorted(self.piles.items())]
        lines += [
            f"in hand from {lift.place}: {' '.join(c.face for c in lift.cards)}" for lift in self.lifted
        ]
        return "\n".join(lines)


class States:
    """Tells what two stories must share to be one from here on. Piles that they share are gone through once."""

    def __init__(self) -> None:
        #: By identity of a pile: the pile, so that it stays alive, the number of its cards there, and where.
        self._known: dict[int, tuple[Pile, int, Place]] = {}
        self._numbers: dict[tuple[object, ...], int] = {}

    def of(self, story: Story) -> tuple[object, ...]:
        """The state of a story."""
        known = self._known
        piles = frozenset(
            [
                number[1]
                if (number := known.get(id(pile))) is not None and number[2] is place
                else self._number(place, pile)
                for place, pile in story.piles.items()
                if pile
            ]
        )
        return piles, tuple([(lift.place, _cards(lift.cards)) for lift in story.lifted])

    def _number(self, place: Place, pile: Pile) -> int:
        number = self._numbers.setdefault((place, _cards(pile)), len(self._numbers))
        self._known[id(pile)] = pile, number, place
        return number


def _cards(pile: Pile) -> tuple[object, ...]:
    return tuple([card[:3] for card in pile])
